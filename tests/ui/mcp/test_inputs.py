"""What tools take: hostile arguments, and what is made from a signature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec
import pytest

from foureyes.app.verb_calls import takes_actor
from foureyes.errors import BadInput
from foureyes.ui.mcp.inputs import closed, made_from, read, schema_of

from tests.ui.mcp.office import Conversation, Office

HOSTILE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("task_show", {}),
    ("task_show", {"task": 7}),
    ("task_show", {"task": None}),
    ("task_show", {"task": ["fe-1"]}),
    ("task_show", {"task": "fe-1", "actor": "alice"}),
    ("task_show", {"task": "../../etc/passwd"}),
    ("task_show", {"task": "fe-\u0000\u001b[31m"}),
    ("task_show", {"task": "x" * 1_000_000}),
    ("task_show", {"task": "fe-nope"}),
    ("task_ready", {"limit": -1}),
    ("task_ready", {"limit": 10**30}),
    ("task_ready", {"limit": True}),
    ("task_submit", {"task": "fe-nope", "elsewhere": False}),
    ("task_approve", {"task": "fe-nope", "viewed": {"face": "tui"}}),
    ("finding_answer", {"answers": [{"finding": "x", "action": "MAYBE"}]}),
    ("finding_answer", {"answers": "none"}),
    ("review_submit", {"task": "fe-nope", "review": {"verdict": "approved"}}),
    ("task_diff", {"task": "fe-nope", "attempt": 1.5}),
    ("prompt_make", {"task": "fe-nope", "purpose": "../x"}),
    ("plan_import", {"text": "\u202e" * 100}),
    ("no_such_tool", {}),
    ("__init__", {"x": {"y": [1, 2, {"z": None}]}}),
)


def test_hostile_arguments_are_tool_errors_with_a_sentence_and_change_nothing_G1(
    office: Office, talk: Conversation
) -> None:
    office.create()
    before = office.rows()
    for tool, arguments in HOSTILE:
        answer = talk.call(tool, arguments)
        assert answer.is_error, (tool, arguments)
        assert answer.code in ("usage", "not_found"), (tool, answer.value)
        assert len(answer.text) < 5_000
        assert answer.text.isprintable()
    assert office.rows() == before
    assert talk.good("task_ready")["rows"]


class Part(msgspec.Struct, frozen=True):
    """Something inside."""

    name: str
    size: int = 0


class Noun:
    """Verbs."""

    def verb(self, actor: object, task: str, *, kind: Literal["a", "b"] = "a", names: Sequence[str] = ()) -> None: ...

    def parts(self, parts: Sequence[Part], limit: int = 5) -> None: ...


PARTS = {"parts": tuple[closed(Part), ...]}  # type: ignore[misc]  # made while it runs


def test_an_input_is_made_from_the_signature_of_its_verb_and_takes_nothing_else() -> None:
    made = made_from(Noun.verb, without=("kind",))
    assert schema_of(made) == {
        "type": "object",
        "properties": {
            "task": {"description": "The id of the task.", "type": "string"},
            "names": {"description": "Ids of findings.", "type": "array", "items": {"type": "string"}, "default": ()},
        },
        "required": ["task"],
        "additionalProperties": False,
    }
    assert (takes_actor(Noun.verb), takes_actor(Noun.parts)) == (True, False)


def test_what_is_inside_is_closed_too_and_written_out() -> None:
    made = made_from(Noun.parts, instead=PARTS)
    schema = schema_of(made)
    assert schema["properties"]["parts"]["items"]["additionalProperties"] is False
    assert schema["properties"]["limit"]["maximum"] == 1000
    given: Any = read({"parts": [{"name": "x"}]}, made, "parts")
    assert isinstance(given.parts[0], Part)
    assert given.parts[0].name == "x"


def test_G2_every_wrong_field_is_named() -> None:
    made = made_from(Noun.parts, instead=PARTS)
    with pytest.raises(BadInput) as problem:
        read({"parts": [{"name": 1, "odd": 2}], "limit": 0, "more": None}, made, "part_list")
    said = " ".join(reason.message for reason in problem.value.reasons)
    for name in ("parts[0].name", "parts[0].odd", "limit", "more"):
        assert name in said, said
