"""The numbers and lists of a handoff against what counting gives (G6, L13)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.documents.findings import answers_of, blocking_problems, summary_problems
from foureyes.core.documents.shapes import DeveloperHandoff, Issue, QaHandoff, TechLeadHandoff
from foureyes.errors import Reason

from tests.core.samples import quick


def issue(severity: str = "HIGH", title: str = "t", **more: Any) -> Issue:
    return Issue(severity=severity, title=title, **more)


def said(problems: list[Reason]) -> list[tuple[str, str]]:
    return [(reason.rule, reason.message) for reason in problems]


def lead(*issues: Issue, **more: Any) -> TechLeadHandoff:
    return msgspec.convert(msgspec.to_builtins({"issues": issues, **more}), TechLeadHandoff)


def developer(*responses: dict[str, Any], **more: Any) -> DeveloperHandoff:
    return msgspec.convert({"issue_responses": list(responses), **more}, DeveloperHandoff)


def qa(iteration: int = 2, *, progress: bool | None = None, status: str = "", **lists: list[str]) -> QaHandoff:
    tracking = {"iteration": iteration, "original_failures": [], **lists}
    return msgspec.convert({"test_tracking": tracking, "progress_made": progress, "status": status}, QaHandoff)


def test_a_summary_of_issues_must_be_what_counting_gives_G6() -> None:
    issues = [issue("BLOCKER"), issue("HIGH"), issue("SUGGESTION"), issue("nit"), issue("LOW"), issue("FYI")]
    right = {"critical": 1, "high": 1, "medium": 1, "low": 2, "suggestion": 1, "minor": 2, "blocking_count": 2}
    assert summary_problems(lead(*issues, issue_summary=right)) == []
    assert summary_problems(lead(*issues)) == []
    for name, number in right.items():
        assert said(summary_problems(lead(*issues, issue_summary={**right, name: number + 1}))) == [
            ("G6", f"issue_summary.{name}: {number + 1} sent, but the document has {number}")
        ]


def test_new_issues_count_too_G6() -> None:
    new = [{"id": "x", "severity": "HIGH", "title": "t"}]
    assert summary_problems(lead(issue("HIGH"), new_blocking_issues=new, issue_summary={"high": 2})) == []


ANSWERED = [
    {"issue_id": "a", "action": "FIXED"},
    {"issue_id": "b", "action": "fixed"},
    {"issue_id": "c", "action": "REJECTED"},
    {"issue_id": "d", "action": "DEFERRED"},
]


@pytest.mark.parametrize(
    ("summaries", "problems"),
    [
        ({}, []),
        ({"summary": {"fixed": 2, "deferred": 1, "rejected": 1, "blocking_resolved": 3}}, []),
        ({"summary": {"fixed": 1}}, ["summary.fixed: 1 sent, but the document has 2"]),
        (
            {"summary": {"deferred": 0, "rejected": 2}},
            ["summary.deferred: 0 sent, but the document has 1", "summary.rejected: 2 sent, but the document has 1"],
        ),
        ({"summary": {"blocking_resolved": 4}}, ["summary.blocking_resolved: 4 sent, but the document has at most 3"]),
        ({"blocking_summary": {"fixed": 1, "rejected_with_reason": 1, "unaddressed": 1, "total_blocking": 3}}, []),
        ({"blocking_summary": {"fixed": 3}}, ["blocking_summary.fixed: 3 sent, but the document has at most 2"]),
        (
            {"blocking_summary": {"fixed": 3, "rejected_with_reason": 1, "unaddressed": 0, "total_blocking": 5}},
            [
                "blocking_summary.fixed: 3 sent, but the document has at most 2",
                "blocking_summary.total_blocking: 5 sent, but the document has 4",
            ],
        ),
        (
            {"blocking_summary": {"rejected_with_reason": 2}},
            ["blocking_summary.rejected_with_reason: 2 sent, but the document has at most 1"],
        ),
        (
            {"blocking_summary": {"fixed": 1, "rejected_with_reason": 1, "unaddressed": 0, "total_blocking": 3}},
            ["blocking_summary.total_blocking: 3 sent, but the document has 2"],
        ),
    ],
)
def test_a_summary_of_answers_must_be_what_counting_gives_G6(summaries: dict[str, Any], problems: list[str]) -> None:
    found = summary_problems(developer(*ANSWERED, **summaries))
    assert [reason.message for reason in found] == problems
    assert {reason.rule for reason in found} <= {"G6"}


def test_numbers_about_blocking_findings_are_held_against_the_journal_G6() -> None:
    blocking = {"a", "c", "e"}
    sent = {"total_blocking": 3, "fixed": 1, "rejected_with_reason": 1, "unaddressed": 1}
    right = developer(*ANSWERED, blocking_summary=sent, summary={"blocking_resolved": 2})
    assert blocking_problems(right, answers_of(right)[0], blocking) == []
    assert blocking_problems(developer(*ANSWERED), answers_of(right)[0], blocking) == []
    wrong = developer(
        *ANSWERED,
        blocking_summary={name: number + 1 for name, number in sent.items()},
        summary={"blocking_resolved": 1},
    )
    assert said(blocking_problems(wrong, answers_of(wrong)[0], blocking)) == [
        ("G6", "blocking_summary.total_blocking: 4 sent, but the document has 3"),
        ("G6", "blocking_summary.fixed: 2 sent, but the document has 1"),
        ("G6", "blocking_summary.rejected_with_reason: 2 sent, but the document has 1"),
        ("G6", "blocking_summary.unaddressed: 2 sent, but the document has 1"),
        ("G6", "summary.blocking_resolved: 1 sent, but the document has 2"),
    ]


@pytest.mark.parametrize(
    ("response", "problems"),
    [
        ({"tests_fixed": ["a"], "tests_remaining": ["b"], "progress_made": True}, []),
        ({"tests_fixed": [], "tests_remaining": ["b"], "progress_made": False}, []),
        (
            {"tests_fixed": ["a"], "progress_made": False},
            ["qa_response.progress_made: false sent, but 1 tests are fixed"],
        ),
        ({"progress_made": True}, ["qa_response.progress_made: true sent, but 0 tests are fixed"]),
        ({"tests_fixed": ["a"], "tests_remaining": ["a"]}, ['qa_response.tests_remaining: "a" is also in tests_fixed']),
        ({"tests_fixed": ["a", "a"]}, ['qa_response.tests_fixed[1]: "a" is listed twice']),
    ],
)
def test_an_answer_about_tests_does_not_contradict_itself_L13(response: dict[str, Any], problems: list[str]) -> None:
    assert [reason.message for reason in summary_problems(developer(qa_response=response))] == problems


@pytest.mark.parametrize(
    ("handoff", "problems"),
    [
        (qa(1, original_failures=["a", "b"], still_failing=["a", "b"], progress=False, status="fail"), []),
        (
            qa(
                2,
                original_failures=["a", "b"],
                fixed_since_start=["a"],
                still_failing=["b"],
                new_failures=["c"],
                progress=True,
            ),
            [],
        ),
        (qa(3, original_failures=["a"], fixed_since_start=["a"], progress=True, status="PASS"), []),
        (qa(3, original_failures=["a"], still_failing=["a"], progress=True), []),
        (
            qa(2, original_failures=["a"], still_failing=["a"], progress=True),
            ["progress_made: true sent, but 0 tests are fixed"],
        ),
        (
            qa(2, original_failures=["a"], fixed_since_start=["a"], progress=False),
            ["progress_made: false sent, but 1 tests are fixed"],
        ),
        (
            qa(1, original_failures=["a"], fixed_since_start=["a"]),
            ["test_tracking.fixed_since_start: 1 tests, but nothing is fixed in the first round"],
        ),
        (qa(original_failures=["a"]), ['test_tracking.original_failures: "a" is neither fixed nor still failing']),
        (
            qa(still_failing=["x"]),
            ['test_tracking: "x" is fixed or still failing, but not listed in original_failures'],
        ),
        (
            qa(original_failures=["a"], fixed_since_start=["a"], still_failing=["a"]),
            ['test_tracking.still_failing: "a" is also in fixed_since_start'],
        ),
        (
            qa(original_failures=["a"], still_failing=["a"], new_failures=["a"]),
            ['test_tracking.new_failures: "a" is also in original_failures'],
        ),
        (
            qa(original_failures=["a", "a"], still_failing=["a"]),
            ['test_tracking.original_failures[1]: "a" is listed twice'],
        ),
        (qa(new_failures=["n"], status="pass"), ['status: "pass", but 1 tests fail']),
        (qa(status="FAIL"), ['status: "FAIL", but 0 tests fail']),
    ],
)
def test_the_lists_of_tests_fit_together_L13(handoff: QaHandoff, problems: list[str]) -> None:
    assert [reason.message for reason in summary_problems(handoff)] == problems


names = st.sets(st.text(st.sampled_from("abc"), min_size=1, max_size=2), max_size=5)


@given(names, names, names)
@quick
def test_lists_made_from_the_tests_themselves_never_contradict_L13(
    original: set[str], failing: set[str], other: set[str]
) -> None:
    still, new = original & failing, (failing | other) - original
    handoff = qa(
        3,
        original_failures=sorted(original),
        fixed_since_start=sorted(original - failing),
        still_failing=sorted(still),
        new_failures=sorted(new),
        status="FAIL" if still | new else "PASS",
    )
    assert summary_problems(handoff) == []
