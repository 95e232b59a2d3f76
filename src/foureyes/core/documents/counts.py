"""G6: the numbers and lists that a handoff sends along, against what counting the same document gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from foureyes.core.documents.findings import issues_of, twice
from foureyes.core.documents.shapes import (
    AnswerSummary,
    BlockingSummary,
    DeveloperHandoff,
    IssueSummary,
    QaHandoff,
    TechLeadHandoff,
    word_of,
)
from foureyes.core.nouns.finding import Answer, severity_of
from foureyes.core.words.text import visible
from foureyes.errors import Reason


def summary_problems(handoff: TechLeadHandoff | DeveloperHandoff | QaHandoff) -> list[Reason]:
    """G6: every number of a handoff that counting the same document contradicts, with both numbers."""
    if isinstance(handoff, TechLeadHandoff):
        return _issue_counts(handoff)
    if isinstance(handoff, DeveloperHandoff):
        return [*_answer_counts(handoff), *_qa_answer(handoff)]
    return _tests(handoff)


def _differs(at: str, sent: int | None, counted: int) -> list[Reason]:
    return [] if sent is None or sent == counted else [Reason("G6", f"{at}: {sent} sent, {counted} counted")]


def _issue_counts(handoff: TechLeadHandoff) -> list[Reason]:
    sent = handoff.issue_summary or IssueSummary()
    counted = Counter(severity_of(issue.severity) for _, issue in issues_of(handoff)[0])
    pairs = [
        ("critical", sent.critical, counted["CRITICAL"]), ("high", sent.high, counted["HIGH"]),
        ("medium", sent.medium, counted["MEDIUM"]), ("low", sent.low, counted["LOW"]),
        ("suggestion", sent.suggestion, counted["MEDIUM"]), ("minor", sent.minor, counted["LOW"]),
        ("blocking_count", sent.blocking_count, counted["CRITICAL"] + counted["HIGH"]),
    ]  # fmt: skip
    return [reason for name, number, right in pairs for reason in _differs(f"issue_summary.{name}", number, right)]


def _answer_counts(handoff: DeveloperHandoff) -> list[Reason]:
    """All answers are counted here; which of them are about blocking findings only the store knows
    (`blocking_problems`).
    """
    counted = Counter(word_of(each.action) for each in handoff.issue_responses)
    fixed, rejected = counted["FIXED"], counted["REJECTED"]
    summary, blocking = handoff.summary or AnswerSummary(), handoff.blocking_summary or BlockingSummary()
    problems = [
        *_differs("summary.fixed", summary.fixed, fixed),
        *_differs("summary.deferred", summary.deferred, counted["DEFERRED"]),
        *_differs("summary.rejected", summary.rejected, rejected),
    ]
    for at, sent, most in (
        ("summary.blocking_resolved", summary.blocking_resolved, fixed + rejected),
        ("blocking_summary.fixed", blocking.fixed, fixed),
        ("blocking_summary.rejected_with_reason", blocking.rejected_with_reason, rejected),
    ):
        if (sent or 0) > most:
            problems.append(Reason("G6", f"{at}: {sent} sent, at most {most} counted"))
    parts = (blocking.fixed, blocking.rejected_with_reason, blocking.unaddressed)
    if None not in parts:
        problems += _differs(
            "blocking_summary.total_blocking", blocking.total_blocking, sum(part or 0 for part in parts)
        )
    return problems


def blocking_problems(handoff: DeveloperHandoff, answers: Iterable[Answer], blocking: Collection[str]) -> list[Reason]:
    """G6: the numbers about blocking findings against the store: `blocking` are those that wanted an answer, by the
    ids of `answers`.
    """
    counted = Counter(answer.action for answer in answers if answer.finding in blocking)
    done = counted["FIXED"] + counted["REJECTED"]
    sent, summary = handoff.blocking_summary or BlockingSummary(), handoff.summary or AnswerSummary()
    return [
        *_differs("blocking_summary.total_blocking", sent.total_blocking, len(blocking)),
        *_differs("blocking_summary.fixed", sent.fixed, counted["FIXED"]),
        *_differs("blocking_summary.rejected_with_reason", sent.rejected_with_reason, counted["REJECTED"]),
        *_differs("blocking_summary.unaddressed", sent.unaddressed, len(blocking) - done),
        *_differs("summary.blocking_resolved", summary.blocking_resolved, done),
    ]


def _qa_answer(handoff: DeveloperHandoff) -> list[Reason]:
    answer = handoff.qa_response
    if answer is None:
        return []
    problems = _repeated(
        {"qa_response.tests_fixed": answer.tests_fixed, "qa_response.tests_remaining": answer.tests_remaining}
    )
    problems += _both("qa_response.tests_remaining", answer.tests_remaining, "tests_fixed", answer.tests_fixed)
    return problems + _progress("qa_response.progress_made", answer.progress_made, answer.tests_fixed)


def _tests(handoff: QaHandoff) -> list[Reason]:
    """L13: fixed and still failing make up the original failures, new ones are none of them."""
    tracking = handoff.test_tracking
    lists = ("original_failures", "fixed_since_start", "still_failing", "new_failures")
    problems = _repeated({f"test_tracking.{name}": getattr(tracking, name) for name in lists})
    problems += _both(
        "test_tracking.still_failing", tracking.still_failing, "fixed_since_start", tracking.fixed_since_start
    )
    problems += _both(
        "test_tracking.new_failures", tracking.new_failures, "original_failures", tracking.original_failures
    )
    now = {*tracking.fixed_since_start, *tracking.still_failing}
    for name in tracking.original_failures:
        if name not in now:
            problems.append(
                Reason("L13", f'test_tracking.original_failures: "{_short(name)}" is neither fixed nor still failing')
            )
    for name in sorted(now - {*tracking.original_failures}):
        problems.append(
            Reason("L13", f'test_tracking: "{_short(name)}" is fixed or still failing, but not among original_failures')
        )
    if tracking.iteration == 1 and tracking.fixed_since_start:
        many = len(tracking.fixed_since_start)
        problems.append(
            Reason("L13", f"test_tracking.fixed_since_start: {many} tests, but nothing is fixed in the first round")
        )
    if tracking.iteration <= 2:
        problems += _progress("progress_made", handoff.progress_made, tracking.fixed_since_start)
    fails = len(tracking.still_failing) + len(tracking.new_failures)
    if handoff.status.strip() and (word_of(handoff.status) == "PASS") == bool(fails):
        problems.append(Reason("L13", f'status: "{_short(handoff.status)}", but {fails} tests fail'))
    return problems


def _progress(at: str, sent: bool | None, fixed: Sequence[str]) -> list[Reason]:
    if sent is None or sent == bool(fixed):
        return []
    return [Reason("L13", f"{at}: {str(sent).lower()} sent, but {len(fixed)} tests are fixed")]


def _both(at: str, names: Iterable[str], other: str, others: Iterable[str]) -> list[Reason]:
    return [Reason("L13", f'{at}: "{_short(name)}" is also in {other}') for name in sorted({*names} & {*others})]


def _repeated(lists: dict[str, tuple[str, ...]]) -> list[Reason]:
    return [reason for at, names in lists.items() for reason in twice(names, at, "", "L13")]


def _short(text: str) -> str:
    return visible(text[:200])
