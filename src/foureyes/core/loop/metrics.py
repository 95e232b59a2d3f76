"""Figures about reviews, reviewers and loops (Y): rows of the store in, figures out.

A share of nothing is None, never 0 %: a project without rejections has no accepted ones, not none of them accepted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import msgspec

from foureyes.core.loop.engine import TIERS
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
from foureyes.core.words.lifecycle import STATUSES, TaskStatus

AFTER: dict[str, TaskStatus] = {
    "TaskCreated": "open", "TaskStarted": "in_progress", "TaskUnstarted": "open", "TaskReleased": "open",
    "AttemptSubmitted": "reviewing", "Approved": "approved", "ApprovalFinished": "approved",
    "ApprovalWithdrawn": "reviewing", "ApprovalEnded": "reviewing", "ApprovalVoided": "reviewing",
    "AttemptSentBack": "open", "RedoRequested": "open", "TaskRejected": "blocked", "TaskBlocked": "blocked",
    "TaskUnblocked": "open", "TaskDeferred": "deferred", "TaskUndeferred": "open", "TaskMerged": "closed",
    "MergeFailed": "open", "TaskClosed": "closed", "TaskCancelled": "closed", "TaskDeleted": "closed",
    "TaskReopened": "open",
}  # fmt: skip
"""T: the status after a row of the journal; an approval where there is nothing to merge closes instead."""


# What is shown


class Share(msgspec.Struct, frozen=True):
    """So many of so many; `share` is None of nothing, else rounded to four digits."""

    n: int
    of: int
    share: float | None

    @property
    def percent(self) -> str:
        """For people: `37.5 %`, or a dash where there is nothing."""
        return "–" if self.share is None else f"{_tenths(100 * self.n, self.of)} %"


class Bucket(msgspec.Struct, frozen=True):
    """How many tasks took so many iterations."""

    iterations: int
    tasks: int


class Iterations(msgspec.Struct, frozen=True, kw_only=True):
    """Iterations to approval, over the tasks whose approval stands; `total / tasks` is the exact mean."""

    tasks: int = 0
    total: int = 0
    mean: float | None = None
    median: float | None = None
    distribution: tuple[Bucket, ...] = ()


class TierCount(msgspec.Struct, frozen=True):
    """Escalations to a tier, and how many of them after unclear feedback."""

    tier: str
    n: int
    unclear: int


class StatusTime(msgspec.Struct, frozen=True, kw_only=True):
    """How long tasks were in a status: the median over those that ever were, and all of it together."""

    status: str
    tasks: int
    median_seconds: int
    total_seconds: int


class KindCount(msgspec.Struct, frozen=True):
    """Exceptions of one kind."""

    kind: str
    n: int


class ReviewStats(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of Y about the whole project. `tokens` and `cost` are None until agents report them."""

    iterations: Iterations
    automatic: Share
    findings: int
    blocking: int
    open_blocking: int
    rejected: Share
    rejections_accepted: Share
    false_fixes: Share
    reopened: Share
    notes_adopted: Share
    missed: Share
    escalations: tuple[TierCount, ...]
    after_unclear_feedback: Share
    reviews: int
    actionable: Share
    incomplete: Share
    invalid: Share
    statuses: tuple[StatusTime, ...] = ()
    timed_tasks: Share
    exceptions: tuple[KindCount, ...] = ()
    tokens: int | None = None
    cost: str | None = None


class ReviewerScore(msgspec.Struct, frozen=True, kw_only=True):
    """One reviewer: a session, or a profile with all its runs. `precision`: findings upheld of those judged;
    `coverage`: files read of those changed; `untold`: those that it says it read and its program's stream does not tell
    of, which are none of these (V6); `missed`: true blocking findings of others in what it agreed to. Of its
    runs: how many, the median time, tokens and cost, 0 where its program does not tell.
    """

    session: str
    name: str
    kind: str
    agent: str
    model: str
    reviews: int
    incomplete: int
    invalid: int
    misquoted: int
    findings: int
    blocking: int
    precision: Share
    coverage: Share
    unanchored: Share
    median_seconds: int | None
    missed: int = 0
    untold: int = 0
    runs: int = 0
    run_seconds: int | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cost_micros: int = 0


# Figures


def share(n: int, of: int) -> Share:
    """A share of nothing is none."""
    return Share(n, of, round(n / of, 4) if of else None)


def median(numbers: Iterable[int]) -> float | None:
    """The middle one, or the mean of the two in the middle: exact, because it ends in .0 or .5."""
    ordered = sorted(numbers)
    if not ordered:
        return None
    half = len(ordered) // 2
    return float(ordered[half]) if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _tenths(n: int, of: int) -> float:
    """A quotient to one decimal; halves go up, in whole numbers, so that no float decides."""
    return (20 * n + of) // (2 * of) / 10


def iterations_of(rows: Iterable[ApprovalRow]) -> Iterations:
    """Mean, median and distribution."""
    counts = Counter[int]()
    for row in rows:
        counts[row.iterations] += row.tasks
    buckets = tuple(Bucket(n, counts[n]) for n in sorted(counts) if counts[n])
    tasks, total = sum(bucket.tasks for bucket in buckets), sum(bucket.iterations * bucket.tasks for bucket in buckets)
    if not tasks:
        return Iterations()
    return Iterations(
        tasks=tasks, total=total, mean=_tenths(total, tasks), median=_median_of(buckets, tasks), distribution=buckets
    )


def _median_of(buckets: Sequence[Bucket], tasks: int) -> float:
    """The median of a distribution, without writing it out."""
    return (_at(buckets, (tasks - 1) // 2) + _at(buckets, tasks // 2)) / 2


def _at(buckets: Sequence[Bucket], place: int) -> int:
    for bucket in buckets:
        place -= bucket.tasks
        if place < 0:
            return bucket.iterations
    return 0


def times_of(rows: Iterable[StatusRow]) -> tuple[StatusTime, ...]:
    """How long each task was in each status before it was closed. Rows come task by task, in the order of the
    journal.
    """
    spent: dict[str, dict[str, int]] = {}
    task, status, since = "", "", ""
    for row in rows:
        now = "closed" if row.closes else AFTER[row.kind]
        if row.task == task and status not in ("closed", now):
            of_task = spent.setdefault(status, {})
            of_task[task] = of_task.get(task, 0) + _milliseconds(since, row.at)
        if row.task != task or status != now:
            task, status, since = row.task, now, row.at
    return tuple(_time(status, list(spent[status].values())) for status in STATUSES if status in spent)


def _milliseconds(first: str, second: str) -> int:
    delta = datetime.fromisoformat(second) - datetime.fromisoformat(first)
    return max(0, (delta.days * 86_400 + delta.seconds) * 1_000 + delta.microseconds // 1_000)


def _time(status: str, spent: list[int]) -> StatusTime:
    return StatusTime(
        status=status,
        tasks=len(spent),
        median_seconds=int(median(spent) or 0) // 1_000,
        total_seconds=sum(spent) // 1_000,
    )


def tiers_of(rows: Sequence[EscalationRow]) -> tuple[TierCount, ...]:
    """Escalations to each tier that had any, lowest first."""
    counts = Counter(row.tier for row in rows)
    unclear = Counter(row.tier for row in rows if row.unclear)
    return tuple(TierCount(tier, counts[tier], unclear[tier]) for tier in TIERS if counts[tier])


def review_stats(
    findings: Sequence[FindingRow],
    reviews: Sequence[ReviewRow],
    returns: Sequence[ReturnRow],
    approvals: Sequence[ApprovalRow],
    escalations: Sequence[EscalationRow],
    *,
    statuses: tuple[StatusTime, ...] = (),
    timed: Share,
    exceptions: tuple[KindCount, ...] = (),
    now: str,
) -> ReviewStats:
    """Y: every figure about the project."""
    blocking = [finding for finding in findings if finding.blocking]
    notes = [finding for finding in findings if not finding.blocking]
    rejected = [finding for finding in blocking if finding.rejected]
    settled = [finding for finding in findings if finding.settled]
    wrong, right = sum(finding.fixed_wrong for finding in findings), sum(finding.fixed_right for finding in findings)
    invalid = sum(row.n for row in returns if row.why == "document")
    iterations = iterations_of(approvals)
    return ReviewStats(
        iterations=iterations,
        automatic=share(sum(row.automatic for row in approvals), iterations.tasks),
        findings=len(findings),
        blocking=len(blocking),
        open_blocking=sum(finding.holds(now) for finding in blocking),
        rejected=share(len(rejected), len(blocking)),
        rejections_accepted=share(sum(finding.accepted for finding in rejected), len(rejected)),
        false_fixes=share(wrong, wrong + right),
        reopened=share(sum(finding.reopened for finding in settled), len(settled)),
        notes_adopted=share(sum(finding.is_adopted for finding in notes), len(notes)),
        missed=share(sum(finding.missed for finding in blocking), len(blocking)),
        escalations=tiers_of(escalations),
        after_unclear_feedback=share(sum(row.unclear for row in escalations), len(escalations)),
        reviews=len(reviews),
        actionable=share(sum(row.actionable for row in reviews), len(reviews)),
        incomplete=share(sum(row.unread > 0 for row in reviews), len(reviews)),
        invalid=share(invalid, invalid + len(reviews)),
        statuses=statuses,
        timed_tasks=timed,
        exceptions=exceptions,
    )


class Besides(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of reviewers besides their reviews: what they missed, and their runs."""

    missed: tuple[MissedRow, ...] = ()
    runs: tuple[ReviewRunRow, ...] = ()


def scores(
    findings: Iterable[FindingRow],
    reviews: Iterable[ReviewRow],
    returns: Iterable[ReturnRow],
    sessions: Mapping[str, SessionRow],
    besides: Besides = Besides(),  # noqa: B008 (frozen)
) -> tuple[ReviewerScore, ...]:
    """The scorecard: who reviewed most comes first; runs of one profile are one reviewer. What checks and tools find is
    nobody's score.
    """
    raised: dict[str, list[FindingRow]] = {}
    given: dict[str, list[ReviewRow]] = {}
    back, missed = Counter[tuple[str, str]](), Counter[str]()
    ran: dict[str, list[ReviewRunRow]] = {}

    def who(session: str) -> str:
        known = sessions.get(session)
        return f"{RUNS_OF}{known.profile}" if known is not None and known.profile else session

    for finding in findings:
        if finding.spoken:
            raised.setdefault(who(finding.session), []).append(finding)
    for review in reviews:
        given.setdefault(who(review.session), []).append(review)
    for row in returns:
        back[who(row.session), row.why] += row.n
    for each in besides.missed:
        missed[who(each.session)] += each.n
    for run in besides.runs:
        ran.setdefault(f"{RUNS_OF}{run.profile}", []).append(run)
    everybody = sorted({*raised, *given, *ran, *(name for name, _ in back)})
    cards = [
        _score(
            _row_of(name, sessions), name, raised.get(name, []), given.get(name, []), back, missed[name],
            ran.get(name, []),
        )
        for name in everybody
    ]  # fmt: skip
    return tuple(sorted(cards, key=lambda score: (-score.reviews, -score.findings, score.name, score.session)))


RUNS_OF = "runs of "
"""Before a profile, where its runs together are one reviewer."""


def _row_of(name: str, sessions: Mapping[str, SessionRow]) -> SessionRow:
    """Who a card is about."""
    if not name.startswith(RUNS_OF):
        return sessions.get(name, SessionRow(id=name))
    profile = name.removeprefix(RUNS_OF)
    models = [row.model for row in sessions.values() if row.profile == profile]
    return SessionRow(id=profile, name=profile, kind="agent", agent=profile, model=models[-1] if models else "")


def _score(
    who: SessionRow, key: str, raised: Sequence[FindingRow], given: Sequence[ReviewRow],
    back: Mapping[tuple[str, str], int], missed: int, ran: Sequence[ReviewRunRow],
) -> ReviewerScore:  # fmt: skip
    judged = [finding for finding in raised if finding.is_judged]
    changed = sum(row.changed for row in given)
    middle, lasted = median(row.seconds for row in given), median(row.seconds for row in ran)
    return ReviewerScore(
        session=who.id,
        name=who.name or who.id,
        kind=who.kind,
        agent=who.agent,
        model=who.model,
        reviews=len(given),
        incomplete=sum(row.unread > 0 for row in given),
        invalid=back.get((key, "document"), 0),
        misquoted=back.get((key, "quote"), 0),
        findings=len(raised),
        blocking=sum(finding.blocking for finding in raised),
        precision=share(sum(finding.is_upheld for finding in judged), len(judged)),
        coverage=share(changed - sum(row.unread + row.untold for row in given), changed),
        untold=sum(row.untold for row in given),
        unanchored=share(sum(not finding.anchored for finding in raised), len(raised)),
        median_seconds=None if middle is None else int(middle),
        missed=missed,
        runs=len(ran),
        run_seconds=None if lasted is None else int(lasted),
        input_tokens=sum(run.input_tokens for run in ran),
        output_tokens=sum(run.output_tokens for run in ran),
        cost_micros=sum(run.cost_micros for run in ran),
    )
