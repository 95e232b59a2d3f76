"""Statistics of reviews and reviewers: computes shares and means from the store's counts. (Y)

A share of nothing is None, never 0 %.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

import msgspec

# Rows of the store


class FindingCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Findings of one session. `spoken`: raised by a reviewer, not by a check or a tool's report. `missed`: raised
    after someone approved the same change.
    """

    session: str = ""
    spoken: bool = True
    findings: int = 0
    blocking: int = 0
    open_blocking: int = 0
    rejected: int = 0
    accepted: int = 0
    adopted: int = 0
    judged: int = 0
    upheld: int = 0
    unanchored: int = 0
    missed: int = 0


class ReviewRow(msgspec.Struct, frozen=True, kw_only=True):
    """A review.

    `changed` counts the change's files, `unread` those that the review does not name as read, and `unconfirmed` those that
    it names but its program's stream does not report.
    """

    session: str
    at: str
    submitted_at: str
    changed: int = 0
    unread: int = 0
    unconfirmed: int = 0
    actionable: bool = False

    @property
    def seconds(self) -> int:
        """Seconds from submission to review. Never negative, even if a clock was set back."""
        waited = datetime.fromisoformat(self.at) - datetime.fromisoformat(self.submitted_at)
        return max(0, int(waited.total_seconds()))


class Approvals(msgspec.Struct, frozen=True, kw_only=True):
    """Tasks with a valid approval and their iterations, in total and for tasks with a blocking finding."""

    tasks: int = 0
    iterations: int = 0
    automatic: int = 0
    with_findings: int = 0
    iterations_with_findings: int = 0


class Escalations(msgspec.Struct, frozen=True, kw_only=True):
    """Number of escalations. `unclear`: blocking findings of the rounds before had no location or no fix."""

    n: int = 0
    unclear: int = 0


class SessionRow(msgspec.Struct, frozen=True, kw_only=True):
    """A session that reviewed. `profile` is its run's profile. Every run has its own session."""

    id: str
    name: str = ""
    kind: str = ""
    agent: str = ""
    model: str = ""
    profile: str = ""


class SessionCount(msgspec.Struct, frozen=True):
    """A count for one session."""

    session: str
    n: int


class RunCounts(msgspec.Struct, frozen=True, kw_only=True):
    """All review runs of a profile, whatever their outcome."""

    profile: str
    runs: int = 0
    seconds: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_micros: int = 0


class ReviewerRows(msgspec.Struct, frozen=True, kw_only=True):
    """Everything needed to compute a scorecard. `agreed` counts true blocking findings by others in attempts that a
    session approved.
    """

    sessions: Sequence[SessionRow] = ()
    findings: Sequence[FindingCounts] = ()
    reviews: Sequence[ReviewRow] = ()
    sent_back: Sequence[SessionCount] = ()
    agreed: Sequence[SessionCount] = ()
    runs: Sequence[RunCounts] = ()


# The page


class Share(msgspec.Struct, frozen=True):
    """A count out of a total. `share` has four digits and is None if the total is zero."""

    n: int
    of: int
    share: float | None

    @property
    def percent(self) -> str:
        """The share as `37.5 %`, halves rounded up."""
        return f"{_tenths(100 * self.n, self.of)} %" if self.of else "-"


class ReviewerScore(msgspec.Struct, frozen=True, kw_only=True):
    """One reviewer: a session, or a profile with all its runs.

    - precision: findings upheld, out of those judged
    - coverage: files read, out of those changed
    - unconfirmed: files claimed as read that its program did not report (V6)
    - missed: true blocking findings by others in work it approved
    - tokens and cost: 0 if its program reports none
    """

    session: str
    name: str
    kind: str
    agent: str
    model: str
    reviews: int
    sent_back: int
    findings: int
    precision: Share
    coverage: Share
    unconfirmed: int
    unanchored: Share
    missed: int
    median_seconds: int | None
    runs: int = 0
    run_seconds: int | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cost_micros: int = 0


class Stats(msgspec.Struct, frozen=True, kw_only=True):
    """The project's statistics, with a scorecard for each reviewer."""

    reviews: int
    actionable: Share
    approved: int
    automatic: Share
    iterations: float | None
    iterations_with_findings: float | None
    escalations: int
    unclear: Share
    findings: int
    blocking: int
    open_blocking: int
    missed: Share
    rejected: Share
    rejections_accepted: Share
    notes_adopted: Share
    reviewers: tuple[ReviewerScore, ...] = ()


def share(n: int, of: int) -> Share:
    return Share(n, of, round(n / of, 4) if of else None)


def _mean(total: int, of: int) -> float | None:
    return _tenths(total, of) if of else None


def _tenths(n: int, of: int) -> float:
    """Return a quotient to one decimal, computed in integers to avoid float rounding."""
    return (20 * n + of) // (2 * of) / 10


def stats(approvals: Approvals, escalations: Escalations, rows: ReviewerRows) -> Stats:
    """Compute all statistics. (Y)"""
    findings = rows.findings
    total = sum(row.findings for row in findings)
    blocking = sum(row.blocking for row in findings)
    rejected = sum(row.rejected for row in findings)
    return Stats(
        reviews=len(rows.reviews),
        actionable=share(sum(row.actionable for row in rows.reviews), len(rows.reviews)),
        approved=approvals.tasks,
        automatic=share(approvals.automatic, approvals.tasks),
        iterations=_mean(approvals.iterations, approvals.tasks),
        iterations_with_findings=_mean(approvals.iterations_with_findings, approvals.with_findings),
        escalations=escalations.n,
        unclear=share(escalations.unclear, escalations.n),
        findings=total,
        blocking=blocking,
        open_blocking=sum(row.open_blocking for row in findings),
        missed=share(sum(row.missed for row in findings), blocking),
        rejected=share(rejected, blocking),
        rejections_accepted=share(sum(row.accepted for row in findings), rejected),
        notes_adopted=share(sum(row.adopted for row in findings), total - blocking),
        reviewers=scores(rows),
    )


def scores(rows: ReviewerRows) -> tuple[ReviewerScore, ...]:
    """Return the scorecards, most reviews first. All runs of a profile are one reviewer. Findings of checks and tools
    belong to no reviewer.
    """
    profiles = {row.id: row.profile for row in rows.sessions if row.profile}

    def key(session: str) -> tuple[str, str]:
        return (profiles[session], "") if session in profiles else ("", session)

    who = _grouped(rows.sessions, lambda row: key(row.id))
    raised = _grouped((row for row in rows.findings if row.spoken), lambda row: key(row.session))
    given = _grouped(rows.reviews, lambda row: key(row.session))
    back = _grouped(rows.sent_back, lambda row: key(row.session))
    agreed = _grouped(rows.agreed, lambda row: key(row.session))
    ran = {(row.profile, ""): row for row in rows.runs}
    cards = [
        _score(
            who[each][-1] if each in who else SessionRow(id=each[1]),
            each[0],
            raised.get(each, []),
            given.get(each, []),
            sent_back=sum(row.n for row in back.get(each, [])),
            missed=sum(row.n for row in agreed.get(each, [])),
            ran=ran.get(each, RunCounts(profile="")),
        )
        for each in {*raised, *given, *back, *ran}
    ]
    return tuple(sorted(cards, key=lambda card: (-card.reviews, -card.findings, card.name, card.session)))


def _score(
    who: SessionRow, profile: str, raised: Sequence[FindingCounts], given: Sequence[ReviewRow],
    *, sent_back: int, missed: int, ran: RunCounts,
) -> ReviewerScore:  # fmt: skip
    findings = sum(row.findings for row in raised)
    changed = sum(row.changed for row in given)
    unconfirmed = sum(row.unconfirmed for row in given)
    waited = sorted(row.seconds for row in given)
    middle = len(waited) // 2
    return ReviewerScore(
        session=profile or who.id,
        name=profile or who.name or who.id,
        kind="agent" if profile else who.kind,
        agent=profile or who.agent,
        model=who.model,
        reviews=len(given),
        sent_back=sent_back,
        findings=findings,
        precision=share(sum(row.upheld for row in raised), sum(row.judged for row in raised)),
        coverage=share(changed - unconfirmed - sum(row.unread for row in given), changed),
        unconfirmed=unconfirmed,
        unanchored=share(sum(row.unanchored for row in raised), findings),
        missed=missed,
        median_seconds=(waited[middle] + waited[~middle]) // 2 if waited else None,
        runs=ran.runs,
        run_seconds=ran.seconds // ran.runs if ran.runs else None,
        input_tokens=ran.input_tokens,
        output_tokens=ran.output_tokens,
        cost_micros=ran.cost_micros,
    )


Row = TypeVar("Row")


def _grouped(rows: Iterable[Row], key: Callable[[Row], tuple[str, str]]) -> Mapping[tuple[str, str], list[Row]]:
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups
