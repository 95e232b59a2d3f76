"""Y: the figures, by hand-made tables and against the plainest way to count them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from statistics import median as plain_median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.loop.metrics import (
    AFTER,
    Besides,
    Bucket,
    Iterations,
    ReviewerScore,
    ReviewStats,
    Share,
    StatusTime,
    TierCount,
    iterations_of,
    median,
    review_stats,
    scores,
    share,
    tiers_of,
    times_of,
)
from foureyes.core.loop.metrics_rows import (
    ApprovalRow,
    EscalationRow,
    FindingRow,
    MissedRow,
    ReturnRow,
    ReviewRow,
    ReviewRunRow,
    SessionRow,
    StatusRow,
)
from foureyes.core.words.lifecycle import STATUSES

NOW = "2026-03-01T12:00:00.000Z"
LATER = "2026-03-09T12:00:00.000Z"
NOTHING = share(0, 0)


def figures(
    findings: Sequence[FindingRow] = (),
    reviews: Sequence[ReviewRow] = (),
    returns: Sequence[ReturnRow] = (),
    approvals: Sequence[ApprovalRow] = (),
    escalations: Sequence[EscalationRow] = (),
    now: str = NOW,
) -> ReviewStats:
    return review_stats(findings, reviews, returns, approvals, escalations, timed=NOTHING, now=now)


def approved(*tasks: int) -> list[ApprovalRow]:
    """So many tasks in the first iteration, so many in the second, …"""
    return [ApprovalRow(iterations=n, tasks=count) for n, count in enumerate(tasks, 1)]


def reviewed(session: str = "ses-1", *, minutes: int = 0, **more: int) -> ReviewRow:
    return ReviewRow(session=session, submitted_at=NOW, at=f"2026-03-01T12:{minutes:02}:00.000Z", **more)  # type: ignore[arg-type]


def moved(task: str, *steps: tuple[str, str]) -> list[StatusRow]:
    """Rows of the journal about one task, each at `hh:mm:ss` of one day; `Approved!` closes at once."""
    return [
        StatusRow(task=task, at=f"2026-03-01T{at}.000Z", kind=kind.rstrip("!"), closes=kind.endswith("!"))
        for kind, at in steps
    ]


# Shares


def test_a_share_of_nothing_is_none_and_never_zero_Y() -> None:
    assert (share(0, 0).share, share(0, 0).percent) == (None, "–")
    assert (share(0, 4).share, share(0, 4).percent) == (0.0, "0.0 %")


@pytest.mark.parametrize(
    ("n", "of", "says"), [(1, 3, "33.3 %"), (2, 3, "66.7 %"), (1, 8, "12.5 %"), (1, 16, "6.3 %"), (5, 5, "100.0 %")]
)
def test_percents_have_one_decimal_and_halves_go_up_Y(n: int, of: int, says: str) -> None:
    assert share(n, of).percent == says


@given(st.integers(0, 10**6), st.integers(1, 10**6))
def test_a_share_lies_between_nothing_and_all_Y(n: int, more: int) -> None:
    one = share(n, n + more)
    assert one.share is not None
    assert 0 <= one.share <= 1
    assert abs(Fraction(one.share) - Fraction(n, n + more)) <= Fraction(1, 10_000)


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=50))
def test_the_median_is_the_one_that_everybody_knows_Y(numbers: list[int]) -> None:
    assert median(numbers) == plain_median(numbers)


# Iterations


@pytest.mark.parametrize(
    ("tasks", "mean", "middle"),
    [
        ((1,), 1.0, 1.0),
        ((1, 1), 1.5, 1.5),
        ((3, 1), 1.3, 1.0),
        ((1, 0, 1), 2.0, 2.0),
        ((0, 0, 0, 0, 7), 5.0, 5.0),
        ((2, 1), 1.3, 1.0),
    ],
)
def test_mean_and_median_of_iterations_to_approval_Y(tasks: tuple[int, ...], mean: float, middle: float) -> None:
    found = iterations_of(approved(*tasks))
    assert (found.mean, found.median) == (mean, middle)


def test_without_an_approval_there_is_no_mean_Y() -> None:
    assert iterations_of([]) == iterations_of(approved(0, 0)) == Iterations()
    assert Iterations().mean is None
    assert Iterations().median is None


@given(st.lists(st.integers(1, 9), min_size=1, max_size=60))
def test_iterations_are_what_a_plain_count_of_the_tasks_says_Y(tasks: list[int]) -> None:
    found = iterations_of([ApprovalRow(iterations=n, tasks=1) for n in tasks])
    assert found.distribution == tuple(Bucket(n, tasks.count(n)) for n in sorted(set(tasks)))
    assert (found.tasks, found.total, found.median) == (len(tasks), sum(tasks), plain_median(tasks))
    assert found.mean is not None
    assert abs(Fraction(found.total, found.tasks) - Fraction(found.mean)) <= Fraction(51, 1000)


# Findings


def test_empty_data_has_no_share_at_all_Y() -> None:
    empty = figures()
    shares = {name: value for name in empty.__struct_fields__ if isinstance(value := getattr(empty, name), Share)}
    assert len(shares) == 12
    assert {one.share for one in shares.values()} == {None}
    assert (empty.open_blocking, empty.escalations, empty.tokens, empty.cost) == (0, (), None, None)


@pytest.mark.parametrize(
    ("finding", "is_open"),
    [
        (FindingRow(blocking=True, state="open"), True),
        (FindingRow(blocking=True, state="claimed"), True),
        (FindingRow(blocking=True, state="disputed"), True),
        (FindingRow(blocking=True, state="resolved"), False),
        (FindingRow(blocking=True, state="obsolete"), False),
        (FindingRow(blocking=True, state="open", task_closed=True), False),
        (FindingRow(blocking=True, state="waived", waived_until=LATER), False),
        (FindingRow(blocking=True, state="waived", waived_until=NOW), True),
        (FindingRow(blocking=False, state="open"), False),
    ],
    ids=str,
)
def test_open_blocking_is_what_holds_an_approval_up_L5(finding: FindingRow, is_open: bool) -> None:
    assert figures([finding]).open_blocking == int(is_open)


@pytest.mark.parametrize(
    ("finding", "adopted"),
    [
        (FindingRow(answer="FIXED", state="claimed"), True),
        (FindingRow(answer="FIXED", state="resolved"), True),
        (FindingRow(answer="FIXED", state="open"), False),
        (FindingRow(answer="SKIPPED", state="skipped"), False),
        (FindingRow(answer="SKIPPED", state="skipped", tracked=True), True),
        (FindingRow(checked=True, state="resolved"), True),
        (FindingRow(answer="REJECTED", state="resolved"), False),
    ],
    ids=str,
)
def test_a_note_is_adopted_when_something_came_of_it_Y(finding: FindingRow, adopted: bool) -> None:
    assert figures([finding]).notes_adopted == share(int(adopted), 1)


def test_rejections_are_counted_among_blocking_findings_and_acceptances_among_rejections_Y() -> None:
    rows = [
        FindingRow(blocking=True, rejected=True, accepted=True),
        FindingRow(blocking=True, rejected=True),
        FindingRow(blocking=True),
        FindingRow(blocking=False, rejected=True, accepted=True),
    ]
    found = figures(rows)
    assert (found.rejected, found.rejections_accepted) == (share(2, 3), share(1, 2))


def test_a_false_fix_is_counted_every_time_it_is_claimed_Y() -> None:
    found = figures([FindingRow(blocking=True, fixed_wrong=3, fixed_right=1), FindingRow(fixed_right=1), FindingRow()])
    assert found.false_fixes == share(3, 5)


def test_only_what_was_settled_can_be_reopened_Y() -> None:
    assert figures([FindingRow(settled=True, reopened=True), FindingRow(settled=True), FindingRow()]).reopened == share(
        1, 2
    )


def test_what_came_after_an_approval_was_missed_if_it_blocks_Y() -> None:
    assert figures([FindingRow(blocking=True, missed=True), FindingRow(blocking=True), FindingRow()]).missed == share(
        1, 2
    )


FINDINGS = st.builds(
    FindingRow,
    session=st.sampled_from(["ses-1", "ses-2"]),
    blocking=st.booleans(),
    state=st.sampled_from(["open", "claimed", "resolved", "waived"]),
    waived_until=st.sampled_from(["", NOW, LATER]),
    answer=st.sampled_from(["", "FIXED", "REJECTED"]),
    spoken=st.booleans(),
    checked=st.booleans(),
    tracked=st.booleans(),
    anchored=st.booleans(),
    task_closed=st.booleans(),
    rejected=st.booleans(),
    accepted=st.booleans(),
    fixed_right=st.integers(0, 3),
    fixed_wrong=st.integers(0, 3),
    settled=st.booleans(),
    reopened=st.booleans(),
    upheld=st.integers(0, 3),
    dropped=st.integers(4, 5) | st.just(0),
    missed=st.booleans(),
)


@st.composite
def review_rows(draw: st.DrawFn) -> ReviewRow:
    changed = draw(st.integers(0, 9))
    return ReviewRow(
        session=draw(st.sampled_from(["ses-1", "ses-3"])),
        submitted_at=NOW,
        at=f"2026-03-01T12:{draw(st.integers(0, 59)):02}:30.000Z",
        changed=changed,
        unread=draw(st.integers(0, changed)),
        actionable=draw(st.booleans()),
    )


def shares_in(*views: ReviewStats | ReviewerScore) -> list[Share]:
    return [
        value for view in views for name in view.__struct_fields__ if isinstance(value := getattr(view, name), Share)
    ]


@given(st.lists(FINDINGS, max_size=12), st.lists(review_rows(), max_size=8), st.lists(st.integers(0, 3), max_size=3))
def test_every_share_lies_between_nothing_and_all_or_is_none_Y(
    findings: list[FindingRow], reviews: list[ReviewRow], returned: list[int]
) -> None:
    returns = [ReturnRow(session="ses-3", why="document", n=n) for n in returned]
    found = figures(findings, reviews, returns, [ApprovalRow(iterations=1, tasks=5, automatic=2)])
    for one in shares_in(found, *scores(findings, reviews, returns, {})):
        assert (one.share is None) == (one.of == 0)
        assert 0 <= one.n <= one.of
        assert one.share is None or 0 <= one.share <= 1


@given(st.lists(FINDINGS, max_size=12), st.lists(review_rows(), max_size=8))
def test_the_scorecard_is_what_a_plain_count_per_session_says_Y(
    findings: list[FindingRow], reviews: list[ReviewRow]
) -> None:
    found = {one.session: one for one in scores(findings, reviews, [], {})}
    assert set(found) == {one.session for one in findings if one.spoken} | {one.session for one in reviews}
    for session, card in found.items():
        mine = [one for one in findings if one.session == session and one.spoken]
        given_ones = [one for one in reviews if one.session == session]
        judged = [one for one in mine if one.upheld or one.dropped]
        assert card.precision == share(len([one for one in judged if one.upheld > one.dropped]), len(judged))
        assert card.coverage.of - card.coverage.n == sum(one.unread for one in given_ones)
        assert card.unanchored == share(len([one for one in mine if not one.anchored]), len(mine))
        assert (card.median_seconds is None) == (not given_ones)


# Reviews and reviewers


def test_reviews_that_are_actionable_incomplete_or_none_at_all_V3_V6() -> None:
    reviews = [
        reviewed(actionable=True, changed=3),
        reviewed(changed=3, unread=1),
        reviewed(actionable=True, changed=1, unread=1),
    ]
    returns = [ReturnRow(session="ses-1", why="document", n=2), ReturnRow(session="ses-1", why="quote", n=5)]
    found = figures(reviews=reviews, returns=returns)
    assert (found.reviews, found.actionable, found.incomplete, found.invalid) == (
        3,
        share(2, 3),
        share(2, 3),
        share(2, 5),
    )


def test_what_a_reviewer_says_it_read_and_its_stream_does_not_tell_is_in_its_score_V6_Y() -> None:
    (score,) = scores([], [reviewed("ses-1", changed=4, unread=1, untold=2)], [], {})
    assert (score.coverage, score.untold, score.incomplete) == (share(1, 4), 2, 1)


def test_the_scorecard_has_name_agent_and_model_and_who_reviewed_most_comes_first_Y() -> None:
    sessions = {"ses-1": SessionRow(id="ses-1", name="codex#1", kind="agent", agent="codex", model="gpt")}
    reviews = [
        reviewed("ses-2"),
        reviewed("ses-1", minutes=2, changed=4, unread=1),
        reviewed("ses-1", minutes=7, changed=4),
    ]
    findings = [
        FindingRow(session="ses-1", blocking=True, upheld=9),
        FindingRow(session="ses-1", upheld=5, dropped=9),
        FindingRow(session="ses-1", anchored=False),
        FindingRow(session="ses-gate", spoken=False, upheld=1),
    ]
    first, second = scores(findings, reviews, [ReturnRow(session="ses-1", why="quote", n=1)], sessions)
    assert (first.name, first.agent, first.model, first.reviews, first.findings, first.blocking) == (
        "codex#1",
        "codex",
        "gpt",
        2,
        3,
        1,
    )
    assert (first.precision, first.coverage, first.unanchored) == (share(1, 2), share(7, 8), share(1, 3))
    assert (first.median_seconds, first.misquoted, first.invalid, first.incomplete) == (270, 1, 0, 1)
    assert (second.name, second.reviews, second.precision.share, second.coverage.share) == ("ses-2", 1, None, None)


def test_who_only_sent_what_is_no_review_is_on_the_scorecard_too_V3() -> None:
    (only,) = scores([], [], [ReturnRow(session="ses-1", why="document", n=2)], {})
    assert (only.reviews, only.invalid, only.median_seconds) == (0, 2, None)


# Escalations


def test_escalations_are_counted_per_tier_lowest_first_E1() -> None:
    rows = [EscalationRow(tier="lead"), EscalationRow(tier="senior", unclear=True), EscalationRow(tier="senior")]
    assert tiers_of(rows) == (TierCount("senior", 2, 1), TierCount("lead", 1, 0))
    assert figures(escalations=rows).after_unclear_feedback == share(1, 3)


# Time


def test_time_in_each_status_is_summed_per_task_and_the_median_is_over_tasks_Y() -> None:
    quick = moved(
        "fe-1",
        ("TaskCreated", "10:00:00"),
        ("TaskStarted", "10:01:00"),
        ("AttemptSubmitted", "10:11:00"),
        ("Approved!", "10:12:00"),
    )
    slow = moved(
        "fe-2",
        ("TaskCreated", "10:00:00"),
        ("TaskStarted", "10:03:00"),
        ("AttemptSubmitted", "10:13:00"),
        ("RedoRequested", "10:23:00"),
        ("TaskStarted", "10:24:00"),
        ("AttemptSubmitted", "10:54:00"),
        ("Approved", "10:55:00"),
        ("TaskMerged", "11:55:00"),
    )
    assert times_of([*quick, *slow]) == (
        StatusTime(status="open", tasks=2, median_seconds=150, total_seconds=300),
        StatusTime(status="in_progress", tasks=2, median_seconds=1_500, total_seconds=3_000),
        StatusTime(status="reviewing", tasks=2, median_seconds=360, total_seconds=720),
        StatusTime(status="approved", tasks=1, median_seconds=3_600, total_seconds=3_600),
    )


def test_a_hand_in_over_another_is_one_stay_in_review_and_time_closed_is_none_Y() -> None:
    rows = moved(
        "fe-1",
        ("AttemptSubmitted", "10:00:00"),
        ("AttemptSubmitted", "10:05:00"),
        ("TaskClosed", "10:06:00"),
        ("TaskReopened", "12:00:00"),
        ("TaskClosed", "12:00:10"),
    )
    assert [(one.status, one.total_seconds, one.tasks) for one in times_of(rows)] == [
        ("open", 10, 1),
        ("reviewing", 360, 1),
    ]


def test_a_clock_that_went_back_takes_no_time_away_Y() -> None:
    assert times_of(moved("fe-1", ("TaskCreated", "10:00:00"), ("TaskClosed", "09:00:00")))[0].total_seconds == 0
    assert times_of([]) == ()


def test_every_status_can_be_reached_by_what_the_journal_says_T() -> None:
    assert set(AFTER.values()) == set(STATUSES)


def test_runs_of_one_profile_are_one_reviewer_with_their_time_and_cost_Y_V4() -> None:
    sessions = {
        name: SessionRow(id=name, name=f"codex#{name}", kind="agent", agent="codex", model="gpt", profile="codex")
        for name in ("1", "2")
    }
    sessions["3"] = SessionRow(id="3", name="codex#3", kind="agent", agent="codex")
    reviews = [ReviewRow(session=name, at=NOW, submitted_at=NOW, changed=1) for name in ("1", "2", "3")]
    besides = Besides(
        missed=(MissedRow(session="1", n=1), MissedRow(session="2", n=2)),
        runs=tuple(
            ReviewRunRow(profile=name, seconds=seconds, input_tokens=10, output_tokens=1, cost_micros=5)
            for name, seconds in (("codex", 10), ("codex", 30), ("codex", 90), ("gemini", 7))
        ),
    )
    runs, by_hand, silent = scores([], reviews, [ReturnRow(session="2", why="document", n=1)], sessions, besides)
    assert (runs.name, runs.model, runs.reviews, runs.invalid, runs.missed) == ("codex", "gpt", 2, 1, 3)
    assert (runs.runs, runs.run_seconds, runs.input_tokens, runs.output_tokens, runs.cost_micros) == (3, 30, 30, 3, 15)
    assert (by_hand.name, by_hand.runs, by_hand.run_seconds) == ("codex#3", 0, None)
    assert (silent.name, silent.reviews, silent.runs) == ("gemini", 0, 1)
