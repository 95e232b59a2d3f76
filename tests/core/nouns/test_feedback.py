"""F2, F3: the feedback document, and what the next prompt says."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from foureyes.core.nouns.decision import SUMMARY, Feedback, mirror, section, summary
from foureyes.core.words.vocabulary import QUICK_ISSUES

from tests.core.samples import quick

AT = "2027-01-02T03:04:05.678Z"
REDO = Feedback(iteration=1, at=AT, decision="redo", text="No tests.")
TEXT = """\
## Previous Review Feedback (Iteration 3)

The reviewer identified these issues:
- Code style issues
- Security issues

Detailed feedback:
> The rate limit value (1000) is hardcoded. It should come from
> config. Also, add IP-based rate limiting, not just user-based.
> See RFC 6585 for 429 response format.

Please address these concerns in this iteration.
"""
"""What the next prompt says, to the letter."""


def test_the_section_is_this_text_byte_for_byte_F3() -> None:
    text = (
        "The rate limit value (1000) is hardcoded. It should come from\n"
        "config. Also, add IP-based rate limiting, not just user-based.\n"
        "See RFC 6585 for 429 response format."
    )
    found = Feedback(
        iteration=3, at=AT, decision="redo", quick_issues=["Code style issues", "Security issues"], text=text
    )
    assert section([found]) == TEXT
    assert section([replace(found, text=f"\n{text}\n\n")]) == TEXT, "blank lines around it are nobody's words"


@pytest.mark.parametrize(
    "history",
    [
        [],
        [Feedback(iteration=1, at=AT, decision="approved")],
        [Feedback(iteration=1, at=AT, decision="rejected", text="no")],
    ],
    ids=["none", "approved", "rejected"],
)
def test_without_a_redo_there_is_not_a_byte_F3(history: list[Feedback]) -> None:
    assert section(history) == ""


def test_quick_issues_alone_and_text_alone_are_enough_F1_F3() -> None:
    only = section([replace(REDO, text="", quick_issues=["Tests incomplete"])])
    assert only == (
        "## Previous Review Feedback (Iteration 1)\n\nThe reviewer identified these issues:\n- Tests incomplete\n\n"
        "Please address these concerns in this iteration.\n"
    )
    assert section([REDO]) == (
        "## Previous Review Feedback (Iteration 1)\n\nDetailed feedback:\n> No tests.\n\nPlease address "
        "these concerns in this iteration.\n"
    )


def test_the_latest_redo_is_there_in_full_and_earlier_ones_in_a_line_F3() -> None:
    first = replace(REDO, quick_issues=["Tests incomplete"], text="The first thing.\nIn two lines.")
    second = replace(REDO, iteration=2, text="x" * 500)
    rejected = Feedback(iteration=2, at=AT, decision="rejected", text="not shown")
    latest = replace(REDO, iteration=3, text="The last thing.\n\nWith a gap.")
    said = section([first, second, rejected, latest])
    assert "(Iteration 3)" in said
    assert "> The last thing.\n>\n> With a gap.\n" in said
    assert "- Iteration 1: Tests incomplete; The first thing. In two lines.\n" in said
    assert f"- Iteration 2: {'x' * (SUMMARY - 1)}…\n" in said
    assert "not shown" not in said
    assert said.endswith("Please address these concerns in this iteration.\n")


def test_the_words_of_the_lead_reach_the_agent_as_the_leads_E3() -> None:
    said = section([replace(REDO, source="lead", text="split the parser off")])
    assert "What the lead decided:\n> split the parser off" in said
    assert "the gate" not in said


def test_what_the_gate_found_is_told_apart_from_what_a_reviewer_says_F3() -> None:
    said = section([replace(REDO, source="checks", text="Check tests failed")])
    assert "What the gate found:\n> Check tests failed\n" in said
    assert "Detailed feedback" not in said


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("fresh", "from where the task began (commit abcdef012345)"),
        ("checkpoint", "from a checkpoint (commit abcdef012345)"),
    ],
)
def test_a_branch_that_begins_again_is_said_F1(option: Any, words: str) -> None:
    assert words in section([replace(REDO, option=option, reset_to="abcdef0123456789")])
    assert "Begin again" not in section([REDO])


def test_the_newest_redo_counts_even_after_a_later_approval_F3() -> None:
    assert section([REDO, Feedback(iteration=2, at=AT, decision="approved")]) == section([REDO])


@quick
@given(st.text(max_size=200), st.lists(st.text(max_size=80), max_size=3))
def test_every_line_of_free_text_is_quoted_whatever_it_is_F3_F4(text: str, earlier: list[str]) -> None:
    """Nothing of it can pass for a heading or an instruction of ours, whatever ends a line."""
    history = [replace(REDO, iteration=n, text=old) for n, old in enumerate(earlier, 1)]
    said = section([*history, replace(REDO, iteration=9, text=text)])
    ours = {"", "Detailed feedback:", "Earlier feedback:", "Please address these concerns in this iteration."}
    ours.add("## Previous Review Feedback (Iteration 9)")
    assert [line for line in said.splitlines() if line not in ours and not line.startswith((">", "- Iteration "))] == []


@quick
@given(st.text(max_size=400), st.lists(st.sampled_from(QUICK_ISSUES), max_size=3))
def test_a_summary_is_one_line_of_bounded_length_F3(text: str, issues: list[str]) -> None:
    found = summary(replace(REDO, text=text, quick_issues=issues))
    assert len(found.splitlines()) <= 1
    assert len(found) <= SUMMARY + sum(len(issue) + 2 for issue in issues)


def test_the_quick_issues_are_those_of_the_rules_F1() -> None:
    assert [issue.lower() for issue in QUICK_ISSUES] == [
        "tests incomplete", "code style issues", "missing error handling", "performance concerns", "security issues",
    ]  # fmt: skip


# F2


def document(*history: Feedback) -> Any:
    return json.loads(mirror("fe-7k2", list(history)))


def test_the_document_has_the_keys_of_the_rules_F2() -> None:
    redo = replace(REDO, quick_issues=["Tests incomplete"], option="fresh", priority="bump")
    found = document(
        redo,
        Feedback(iteration=2, at=AT, decision="rejected", text="not wanted"),
        Feedback(iteration=3, at=AT, decision="approved"),
    )
    when = 1798859045678
    assert found == {
        "taskId": "fe-7k2",
        "history": [
            {
                "iteration": 1, "timestamp": when, "decision": "redo", "quickIssues": ["Tests incomplete"],
                "customFeedback": "No tests.", "redoOption": "fresh", "priorityChange": "bump",
            },
            {"iteration": 2, "timestamp": when, "decision": "rejected", "rejectReason": "not wanted"},
            {"iteration": 3, "timestamp": when, "decision": "approved"},
        ],
    }  # fmt: skip


def test_the_document_is_a_whole_file_in_utf8_F2() -> None:
    text = mirror("fe-7k2", [replace(REDO, text="Grüße 🙂")])
    assert text.endswith(b"}\n")
    assert "Grüße 🙂" in text.decode()
    assert mirror("fe-7k2", []) == b'{\n  "taskId": "fe-7k2",\n  "history": []\n}\n'


@quick
@given(st.datetimes(timezones=st.just(UTC)), st.integers(0, 999))
def test_the_timestamp_is_in_milliseconds_F2(moment: datetime, milliseconds: int) -> None:
    at = moment.replace(microsecond=milliseconds * 1000).isoformat(timespec="milliseconds")
    ((entry,),) = [document(replace(REDO, at=at))["history"]]
    assert isinstance(entry["timestamp"], int)
    assert entry["timestamp"] % 1000 == milliseconds


@quick
@given(
    st.lists(
        st.builds(
            Feedback,
            iteration=st.integers(1, 9),
            at=st.just(AT),
            decision=st.sampled_from(["approved", "redo", "rejected"]),
            text=st.text(),
        )
    )
)
def test_every_decision_is_in_the_document_in_its_order_F2(history: list[Feedback]) -> None:
    found = document(*history)["history"]
    assert [(row["iteration"], row["decision"]) for row in found] == [(one.iteration, one.decision) for one in history]
