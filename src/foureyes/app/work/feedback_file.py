"""The mirror of a task's feedback as a file (F2)."""

from __future__ import annotations

from foureyes.app.call.context import Context
from foureyes.app.ports import Tx
from foureyes.app.views.review import ApprovalView, FeedbackView
from foureyes.core.nouns.feedback import Feedback as Entry
from foureyes.core.nouns.feedback import mirror as mirrored
from foureyes.core.words.ids import TaskId
from foureyes.errors import FoureyesError


def history_of(tx: Tx, task: TaskId) -> list[Entry]:
    """F2: every decision about a task, oldest first."""
    rows = tx.all("attempt.feedback", FeedbackView, task=task)
    approvals = [row for row in tx.all("attempt.approvals", ApprovalView, task=task) if not row.recorded]
    found: list[tuple[int, Entry]] = [(row.seq, row.entry) for row in rows]
    found += [(row.seq, Entry(iteration=row.attempt, at=row.at, decision="approved")) for row in approvals]
    return [entry for _, entry in sorted(found, key=lambda pair: pair[0])]


def mirror(context: Context, task: TaskId) -> str:
    """F2: write the mirror file of a task from the store; what there is to say about it. The store is the truth."""
    if not context.folder:
        return ""
    try:
        with context.store.read() as tx:
            history = history_of(tx, task)
    except FoureyesError as problem:
        return f".foureyes/feedback/{task}.json was not written: {problem.message}"  # what was decided stands
    return context.outside.write_feedback(task, mirrored(task, history)) if history else ""
