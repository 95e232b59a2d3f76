"""`fe stats`: statistics from the journal. (Y)"""

from __future__ import annotations

from foureyes.app.context import Context
from foureyes.core.loop.metrics import (
    Approvals,
    Escalations,
    FindingCounts,
    ReviewerRows,
    ReviewRow,
    RunCounts,
    SessionCount,
    SessionRow,
    Stats,
    stats,
)


class StatsPage:
    """Read-only statistics."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def show(self) -> Stats:
        """Return statistics of the project and each reviewer. (Y)"""
        with self._context.store.read() as tx:
            return stats(
                tx.one("metric.approvals", Approvals) or Approvals(),
                tx.one("metric.escalations", Escalations) or Escalations(),
                ReviewerRows(
                    sessions=tx.all("metric.reviewers", SessionRow),
                    findings=tx.all("metric.findings", FindingCounts, now=self._context.now()),
                    reviews=tx.all("metric.reviews", ReviewRow),
                    sent_back=tx.all("metric.returns", SessionCount),
                    agreed=tx.all("metric.agreed", SessionCount),
                    runs=tx.all("metric.review_runs", RunCounts),
                ),
            )
