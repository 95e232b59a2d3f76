"""Values on the wire: what comes out is what went in, and what is no value of ours is nothing."""

from __future__ import annotations

from typing import Any

import pytest

from foureyes import errors
from foureyes.adapters.remote import wire
from foureyes.app.results.settings import SettingView
from foureyes.app.results.task_list import Outcome
from foureyes.core.nouns.check_config import CheckRule
from foureyes.errors import EnvironmentProblem, FoureyesError, NotFound, Reason, TokenRefused
from foureyes.steps import blank, by_person, either, fe, phrase, prose

STEP = either(by_person(fe("approve", blank("TASK"), "-m", phrase("why"))), prose("or do nothing"))
REASON = Reason("I2", "it is elsewhere", STEP)
ODD = "caf\udce9"
"""A name that is no UTF-8, as Python has it."""
RULE = CheckRule(name="lint", run="ruff check")


@pytest.mark.parametrize(
    "value",
    [
        None, True, 3, "text", ODD, b"\x00\xff", [1, "a"], (1, 2), [], frozenset({"a", "b"}), REASON, [REASON, REASON],
        [(0, REASON), (1, REASON)], Reason("", ODD), [Reason("", ODD)], {"a": REASON},
        SettingView(key="checks", value=(RULE,), source="default"),
        [SettingView(key="agents", value={"x": RULE}, source="default"), SettingView(key="a", value=1, source="")],
    ],
    ids=repr,
)  # fmt: skip
def test_a_value_comes_out_as_it_went_in(value: object) -> None:
    assert wire.value_of(wire.answer(value)) == value


def test_G2_an_outcome_keeps_its_next_steps_as_values() -> None:
    done = Outcome(task="fe-1", status="open", message="done", next=STEP, changed=True, version=2)
    assert wire.value_of(wire.answer(done)) == done


def kinds() -> list[type[FoureyesError]]:
    found = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, FoureyesError)]
    return sorted(found, key=lambda kind: kind.__name__)


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: str(kind.__name__))
def test_G2_a_refusal_is_the_same_one_with_all_its_reasons(kind: type[FoureyesError]) -> None:
    with pytest.raises(FoureyesError) as caught:
        wire.value_of(wire.write(wire.refused(kind(f"no {ODD}.", reasons=(REASON,), next_step=STEP, task="fe-1"))))
    found = caught.value
    assert (type(found), found.message, found.reasons) == (kind, f"no {ODD}.", (REASON,))
    assert (found.next_step, found.task, found.exit_code) == (STEP, "fe-1", kind.exit_code)


def test_a_refusal_of_a_kind_that_others_do_not_know_is_its_nearest_known_one() -> None:
    class Special(TokenRefused):
        pass

    with pytest.raises(TokenRefused):
        wire.value_of(wire.write(wire.refused(Special("no"))))


def test_among_several_answers_a_refusal_is_one_of_them() -> None:
    found: Any = wire.value_of(wire.answer(iter([REASON, NotFound("none")])))
    assert (found[0], found[1].message) == (REASON, "none")


@pytest.mark.parametrize(
    "garbage",
    [
        b"", b"{", b"\xff\xfe", b"[]", b"null", b"[" * 100_000, b'{"kind": "struct", "body": {}, "type": "os:stat"}',
        b'{"kind": "struct", "body": {}, "type": "foureyes.errors:FoureyesError"}',
        b'{"kind": "struct", "body": {}, "type": "foureyes.nowhere:Reason"}', b'{"kind": "any", "body": 1}',
        b'{"kind": "refusal", "body": {"message": "", "reasons": [], "next": [], "task": ""}, "type": "Reason"}',
        b'{"kind": "refusal", "body": {}, "type": "NotFound"}', b'{"kind": 1, "body": "\\udc80"}',
    ],
    ids=lambda document: repr(document[:40]),
)  # fmt: skip
def test_what_is_no_answer_is_a_sentence_and_what_is_no_request_is_unreadable(garbage: bytes) -> None:
    with pytest.raises(EnvironmentProblem, match="something else than it should"):
        wire.value_of(garbage)
    with pytest.raises(wire.Unreadable):
        wire.read(garbage, wire.Request)


def test_a_request_with_odd_text_and_structs_is_read_as_it_was_meant() -> None:
    request = wire.Request(verb="notes.log", args=["fe-1", ODD], given={"type": "progress"}, knows=True)
    assert wire.read(wire.write(request), wire.Request) == request
    with pytest.raises(wire.Unreadable):
        wire.read(b'{"verb": "x", "actor": "alice"}', wire.Request)
