"""Y: shares, means and scorecards, by hand-made tables."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.loop.metrics import (
    Approvals,
    Escalations,
    FindingCounts,
    ReviewerRows,
    ReviewRow,
    RunCounts,
    SessionCount,
    SessionRow,
    Share,
    scores,
    share,
    stats,
)

AT = "2026-03-01T12:00:00.000Z"


def reviewed(session: str, minutes: int = 0, **more: int) -> ReviewRow:
    return ReviewRow(session=session, submitted_at=AT, at=f"2026-03-01T12:{minutes:02}:00.000Z", **more)  # type: ignore[arg-type]


def test_a_share_of_nothing_is_none_and_never_zero() -> None:
    assert (share(0, 0).share, share(0, 0).percent) == (None, "-")
    assert (share(0, 4).share, share(0, 4).percent) == (0.0, "0.0 %")


@pytest.mark.parametrize(
    ("n", "of", "percent"), [(1, 3, "33.3 %"), (2, 3, "66.7 %"), (1, 8, "12.5 %"), (1, 16, "6.3 %"), (5, 5, "100.0 %")]
)
def test_percents_have_one_decimal_and_halves_go_up(n: int, of: int, percent: str) -> None:
    assert share(n, of).percent == percent


@given(st.integers(0, 10**6), st.integers(1, 10**6))
def test_a_share_lies_between_nothing_and_all(n: int, more: int) -> None:
    one = share(n, n + more)
    assert one.share is not None
    assert 0 <= one.share <= 1
    assert abs(Fraction(one.share) - Fraction(n, n + more)) <= Fraction(1, 10_000)


def test_without_data_no_figure_has_a_share_or_a_mean() -> None:
    empty = stats(Approvals(), Escalations(), ReviewerRows())
    shares = [value for name in empty.__struct_fields__ if isinstance(value := getattr(empty, name), Share)]
    assert len(shares) == 7
    assert {one.share for one in shares} == {None}
    assert (empty.iterations, empty.iterations_with_findings, empty.reviewers) == (None, None, ())


def test_success_metrics_are_computed_from_the_counts_of_all_sessions() -> None:
    rows = ReviewerRows(
        findings=[
            FindingCounts(session="a", findings=5, blocking=4, open_blocking=1, rejected=2, accepted=1, missed=1),
            FindingCounts(session="", spoken=False, findings=3, blocking=1, adopted=1),
        ],
        reviews=[reviewed("a"), ReviewRow(session="b", submitted_at=AT, at=AT, actionable=True)],
    )
    found = stats(
        Approvals(tasks=3, iterations=4, automatic=1, with_findings=2, iterations_with_findings=3),
        Escalations(n=4, unclear=1),
        rows,
    )
    assert (found.actionable, found.unclear, found.missed) == (share(1, 2), share(1, 4), share(1, 5))
    assert (found.iterations, found.iterations_with_findings, found.automatic) == (1.3, 1.5, share(1, 3))
    assert (found.rejected, found.rejections_accepted, found.notes_adopted) == (share(2, 5), share(1, 2), share(1, 3))
    assert (found.findings, found.blocking, found.open_blocking) == (8, 5, 1)


def test_a_scorecard_counts_a_reviewers_own_rows_and_nothing_of_checks() -> None:
    rows = ReviewerRows(
        sessions=[SessionRow(id="s", name="codex#1", kind="agent", agent="codex", model="gpt")],
        findings=[
            FindingCounts(session="s", findings=4, judged=2, upheld=1, unanchored=1),
            FindingCounts(session="s", spoken=False, findings=9),
        ],
        reviews=[reviewed("s", 2, changed=4, unread=1, unconfirmed=1), reviewed("s", 30), reviewed("s", 4)],
        sent_back=[SessionCount("s", 2)],
        agreed=[SessionCount("s", 1)],
    )
    (card,) = scores(rows)
    assert (card.name, card.agent, card.reviews, card.findings) == ("codex#1", "codex", 3, 4)
    assert (card.precision, card.unanchored, card.coverage) == (share(1, 2), share(1, 4), share(2, 4))
    assert (card.sent_back, card.missed, card.unconfirmed, card.median_seconds) == (2, 1, 1, 240)


def test_all_runs_of_a_profile_are_one_reviewer_with_their_cost() -> None:
    rows = ReviewerRows(
        sessions=[
            SessionRow(id="r1", name="codex#1", profile="fast", model="gpt"),
            SessionRow(id="r2", name="codex#2", profile="fast", model="gpt"),
            SessionRow(id="fast", name="bob", kind="human"),
        ],
        reviews=[reviewed("r1"), reviewed("r2"), reviewed("fast")],
        runs=[RunCounts(profile="fast", runs=3, seconds=90, input_tokens=7, output_tokens=2, cost_micros=5)],
    )
    profile, person = scores(rows)
    assert (profile.name, profile.kind, profile.reviews, profile.runs, profile.run_seconds) == (
        "fast",
        "agent",
        2,
        3,
        30,
    )
    assert (profile.input_tokens, profile.output_tokens, profile.cost_micros) == (7, 2, 5)
    assert (person.name, person.kind, person.reviews, person.runs) == ("bob", "human", 1, 0)


def test_the_reviewer_with_most_reviews_comes_first() -> None:
    rows = ReviewerRows(
        findings=[FindingCounts(session="c", findings=2), FindingCounts(session="b", findings=1)],
        reviews=[reviewed("a")],
    )
    assert [card.name for card in scores(rows)] == ["a", "c", "b"]


@pytest.mark.parametrize(("minutes", "median"), [((1,), 60), ((1, 4), 150), ((9, 1, 2), 120)])
def test_time_to_review_is_the_median(minutes: tuple[int, ...], median: int) -> None:
    (card,) = scores(ReviewerRows(reviews=[reviewed("s", each) for each in minutes]))
    assert card.median_seconds == median


def test_a_clock_that_was_set_back_counts_as_no_time() -> None:
    assert ReviewRow(session="a", submitted_at=AT, at="2026-03-01T11:00:00.000Z").seconds == 0
