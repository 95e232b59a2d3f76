"""What tools answer: small, and always an object."""

from __future__ import annotations

from foureyes.errors import NotFound, Reason
from foureyes.steps import fe
from foureyes.ui.mcp import answers

from tests.ui.mcp.office import Conversation, Office, submitted_task


def test_what_is_empty_is_left_out_and_what_says_no_stays() -> None:
    assert answers.small({"a": "", "b": [], "c": None, "d": False, "e": 0, "f": {"g": ""}}) == {"d": False, "e": 0}


def test_lists_texts_and_nothing_are_objects_too() -> None:
    assert answers.answer_of(["x"]) == {"rows": ["x"]}
    assert answers.answer_of(b"text") == {"text": "text"}
    assert answers.answer_of(None) == {"done": True}
    assert answers.answer_of("name\udcff") == {"text": "name\\xff"}


def test_a_long_text_ends_and_says_so() -> None:
    said = answers.answer_of("x" * (answers.MOST_TEXT + 7))
    assert len(said["text"]) == answers.MOST_TEXT
    assert said["cut"].startswith("7 more characters")


def test_G2_a_refusal_is_the_object_of_the_command_line() -> None:
    problem = NotFound("no task.", reasons=(Reason("T1", "none", fe("list")),), next_step=fe("list"))
    assert answers.error(problem) == {
        "error": {
            "code": "not_found",
            "message": "no task.",
            "reasons": [{"rule": "T1", "message": "none", "next": "fe list"}],
            "next": "fe list",
        }
    }


def test_every_tool_that_only_looks_answers_small_and_as_an_object(office: Office, talk: Conversation) -> None:
    task, _ = submitted_task(office, talk)
    known = {"task": task, "name": "balanced_review_policy", "purpose": "review", "role": "tech_lead", "limit": 5}
    known["text"] = "# Plan\n\n## Task: Say hello\n"
    for tool in talk.do(lambda client: client.list_tools()).tools:
        absent = ("finding_show", "check_show_run", "sprint_status", "sprint_report", "review_show")
        if not tool.annotations.read_only_hint or tool.name in absent:
            continue
        given = {name: known[name] for name in tool.input_schema["required"]}
        answer = talk.call(tool.name, given)
        assert not answer.is_error, (tool.name, answer.value)
        assert isinstance(answer.value, dict)
