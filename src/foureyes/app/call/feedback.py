"""The decisions about a task, as prompts and the mirror file tell them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.views.review import ApprovalView, FeedbackView
from foureyes.core.nouns.feedback import Feedback

if TYPE_CHECKING:
    from foureyes.app.ports import Tx


def history_of(tx: Tx, task: str) -> list[Feedback]:
    """F2: every decision about a task, oldest first."""
    decisions = [(row.seq, row.entry) for row in tx.all("attempt.feedback", FeedbackView, task=task)]
    for row in tx.all("attempt.approvals", ApprovalView, task=task):
        if not row.recorded:
            decisions.append((row.seq, Feedback(iteration=row.attempt, at=row.at, decision="approved")))
    return [entry for _, entry in sorted(decisions, key=lambda decision: decision[0])]
