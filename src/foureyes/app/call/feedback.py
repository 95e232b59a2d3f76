"""The decisions about a task, as prompts tell them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.views.review import ApprovalView, FeedbackView, decisions_in
from foureyes.core.nouns.feedback import Feedback

if TYPE_CHECKING:
    from foureyes.app.ports import Tx


def history_of(tx: Tx, task: str) -> list[Feedback]:
    """F2: every decision about a task, oldest first."""
    return decisions_in(
        tx.all("attempt.feedback", FeedbackView, task=task), tx.all("attempt.approvals", ApprovalView, task=task)
    )
