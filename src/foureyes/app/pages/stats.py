"""Figures from the journal (Y): the project's reviews, its reviewers, and the loops that are going round."""

from __future__ import annotations

from collections import Counter

from foureyes.app.call.context import Context
from foureyes.app.call.rows import Count, IdRow
from foureyes.app.ports import Tx
from foureyes.app.tasks.escalation import loop_state_of
from foureyes.app.views.stats import LoopRow, LoopStats, LoopTotals, Pressure
from foureyes.core.loop.engine import TIERS, LoopState
from foureyes.core.loop.metrics import (
    Besides,
    KindCount,
    ReviewerScore,
    ReviewStats,
    review_stats,
    scores,
    share,
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
from foureyes.core.nouns.task import Task
from foureyes.core.words.ids import TaskId

TIMED = 5_000
"""Times in statuses are those of so many tasks, the ones closed last: older ones say little about how work goes now."""

RUNS = 5_000
"""Time and cost of reviewers are those of so many runs, the latest."""

MOST_LOOPS = 500
"""So many loops are looked at one by one; how many more there are is said."""


class Stats:
    """Reviews, reviewers, loops. Looks, and writes nothing."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def reviews(self) -> ReviewStats:
        """Y: the figures of the whole project."""
        with self._context.store.read() as tx:
            findings, reviews, returns = _loop_rows(tx)
            approvals = tx.all("metric.approvals", ApprovalRow)
            escalations = tx.all("metric.escalations", EscalationRow)
            changes = tx.all("metric.statuses", StatusRow, limit=TIMED)
            closed = tx.one("metric.closed", Count)
            exceptions = tx.all("metric.exceptions", KindCount)
            now = self._context.now()
        timed = share(len({row.task for row in changes}), closed.n if closed else 0)
        return review_stats(
            findings,
            reviews,
            returns,
            approvals,
            escalations,
            statuses=times_of(changes),
            timed=timed,
            exceptions=tuple(exceptions),
            now=now,
        )

    def reviewers(self) -> tuple[ReviewerScore, ...]:
        """Y: the scorecard of everybody who reviewed or pointed at something."""
        with self._context.store.read() as tx:
            findings, reviews, returns = _loop_rows(tx)
            sessions = {row.id: row for row in tx.all("metric.reviewers", SessionRow)}
            besides = Besides(
                missed=tuple(tx.all("metric.missed", MissedRow)),
                runs=tuple(tx.all("metric.review_runs", ReviewRunRow, limit=RUNS)),
            )
        return scores(findings, reviews, returns, sessions, besides)

    def loops(self) -> LoopStats:
        """E5: where every loop stands, as the engine says it; a person sees first what needs a decision."""
        with self._context.store.read() as tx:
            going = [TaskId(row.id) for row in tx.all("metric.loops", IdRow)]
            looked = [self._context.get(tx, task) for task in going[:MOST_LOOPS]]
            rows = [_row(task, loop_state_of(self._context, tx, task)) for task in looked]
            steps = tx.all("metric.steps", KindCount)
            odd_ends = tx.all("metric.odd_ends", KindCount)
        rows.sort(
            key=lambda row: (PRESSED.index(row.pressure), -row.no_progress, -row.round, -row.iterations, row.task)
        )
        tiers = Counter(row.tier for row in rows)
        totals = LoopTotals(
            loops=len(going),
            stuck=sum(row.pressure == "stuck" for row in rows),
            near=sum(row.pressure == "near" for row in rows),
            iterations=sum(row.iterations for row in rows),
            open_blocking=sum(row.open_blocking for row in rows),
            tiers=tuple(KindCount(tier, tiers[tier]) for tier in TIERS if tiers[tier]),
            steps=tuple(steps),
            odd_ends=tuple(odd_ends),
            left_off=len(going) - len(rows),
        )
        return LoopStats(totals=totals, tasks=tuple(rows))


PRESSED: tuple[Pressure, ...] = ("stuck", "near", "")


def _loop_rows(tx: Tx) -> tuple[list[FindingRow], list[ReviewRow], list[ReturnRow]]:
    """What reviewers said, and what became of it."""
    return (
        tx.all("metric.findings", FindingRow),
        tx.all("metric.reviews", ReviewRow),
        tx.all("metric.returns", ReturnRow),
    )


def _row(task: Task, now: LoopState) -> LoopRow:
    return LoopRow(
        task=task.id,
        title=task.title,
        status=task.status,
        pressure="stuck" if now.waiting_for else "near" if now.warning else "",
        tier=now.tier,
        next_tier=now.next_tier,
        iterations=now.iteration,
        round=now.round,
        no_progress=now.no_progress,
        open_blocking=now.open_blocking,
        escalations=now.escalations,
        lead_decisions=now.lead_decisions,
        waiting_for=now.waiting_for,
        warning=now.warning,
        why=now.why,
    )
