"""Projects attempts and decisions: submissions, authors, approvals, requested changes and merges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from foureyes.adapters.store.connection import Engine, plain, sql
from foureyes.adapters.store.projections.counters import counted
from foureyes.adapters.store.projections.steps import act, at, move, near, note, unsend, unstick
from foureyes.core.nouns.attempt import KEEPS_APPROVAL
from foureyes.core.nouns.decision import NOTHING_KNOWN

if TYPE_CHECKING:
    from foureyes.adapters.store.journal import Row
    from foureyes.core import events as e
    from foureyes.core.nouns.attempt import Below


def attempt_submitted(db: Engine, row: Row, event: e.AttemptSubmitted) -> None:
    via = row.session if row.session != event.implementer else None
    with counted(db, [row.task]):
        move(db, row, "task.submit", n=event.n, landed=event.landed)
    db.run("run.unstick", {"task": row.task})
    fields = (
        "n",
        "base",
        "head",
        "tree",
        "ref",
        "diff_id",
        "landed",
        "no_code",
        "files",
        "commits",
        "added",
        "removed",
        "message",
        "duration_seconds",
        "relation",
        "signal",
        "base_tree",
        "marks",
        "size",
        "clone",
    )
    values: dict[str, object] = {name: getattr(event, name) for name in fields}
    db.run(
        "attempt.insert",
        plain(values | {"task": row.task, "at": row.at, "submitted_by": event.implementer, "via": via}),
    )
    for author in event.authors:
        db.run(
            "attempt.insert_author",
            plain({"task": row.task, "attempt": event.n, "session": author.session, "why": author.why}),
        )
        if author.source == "trailer":
            act(db, row, "committed", session=author.session, attempt=event.n)
    act(db, row, "submitted", session=event.implementer, attempt=event.n, via=via)
    for piece in event.pieces:
        db.run("finding.insert_piece", plain({"piece": piece, "task": row.task, "attempt": event.n}))
    db.run("stack.clear", {"task": row.task})
    for below in event.below:
        _stack(db, row, event.n, below)
    if event.relation not in KEEPS_APPROVAL:
        db.run("attempt.end_approvals", {"task": row.task, "why": f"attempt {event.n} is another change (A3)"})


def stack_found(db: Engine, row: Row, event: e.StackFound) -> None:
    _stack(db, row, event.attempt, event.below)
    db.run("task.touch", at(row))


def _stack(db: Engine, row: Row, attempt: int, below: Below) -> None:
    values = {"lower": below.task, "n": below.attempt, "how": below.how, "many": below.commits, "top": below.top}
    db.run("stack.put", plain(values | {"task": row.task, "attempt": attempt}))


def _approve(db: Engine, row: Row, status: str) -> None:
    around = near(db, row.task, dependents=status == "closed")
    with counted(db, around):
        move(db, row, "task.approve", status=status)
        db.run("task.set_label_live", {"id": row.task})
        db.run("task.recount_deps", plain({"ids": around}))


def approved(db: Engine, row: Row, event: e.Approved) -> None:
    _approve(db, row, event.status)
    _insert_approval(db, row, event, {"batch": event.batch, "gone": event.gone, "viewed": event.viewed})
    if event.rule == "M4":
        db.run("project.count", {"name": "auto_approved", "n": 1})


def _insert_approval(db: Engine, row: Row, event: e.Approved | e.ApprovalRecorded, more: dict[str, object]) -> None:
    fields = ("attempt", "diff_id", "rule", "exception", "reason", "seen", "grade")
    values: dict[str, object] = {name: getattr(event, name) for name in fields} | more
    db.run(
        "attempt.insert_approval",
        plain(values | {"seq": row.seq, "task": row.task, "session": row.session, "at": row.at}),
    )
    act(db, row, "approved", attempt=event.attempt)


def approval_recorded(db: Engine, row: Row, event: e.ApprovalRecorded) -> None:
    _insert_approval(db, row, event, {"batch": "", "gone": (), "viewed": event.viewed})
    db.run("attempt.record_approval", {"approval": row.seq})
    db.run("task.touch", at(row))


def approval_finished(db: Engine, row: Row, event: e.ApprovalFinished) -> None:
    _approve(db, row, event.status)
    db.run("attempt.finish_approval", {"approval": event.approval, "session": row.session, "reason": event.reason})


def approval_withdrawn(db: Engine, row: Row, event: e.ApprovalWithdrawn) -> None:
    back_to_review(db, row, event.approval, "withdrawn", event.reason)


def approval_ended(db: Engine, row: Row, event: e.ApprovalEnded) -> None:
    back_to_review(db, row, event.approval, "ended", event.why)


def back_to_review(db: Engine, row: Row, approval: int, state: str, why: str) -> None:
    """End an approval and return its task to review."""
    if db.fetch(sql("attempt.is_recorded"), {"approval": approval})[1]:
        db.run("task.touch", at(row))  # it was never finished, so the task never left the review (P11)
    else:
        with counted(db, [row.task]):
            move(db, row, "task.unapprove")
            db.run("task.reland", at(row))
    db.run("attempt.end_approval", {"approval": approval, "state": state, "why": why})


def redo_requested(db: Engine, row: Row, event: e.RedoRequested) -> None:
    with counted(db, [row.task]):
        move(db, row, "task.redo")
    unstick(db, row)
    if event.priority != "same":
        db.run("task.shift_priority", plain({"id": row.task, "step": -1 if event.priority == "bump" else 1}))
        db.run("task.copy_label_priority", {"id": row.task})
    db.run("attempt.end_approvals", {"task": row.task, "why": "redo"})
    values = {
        "quick_issues": event.quick_issues,
        "option": event.option,
        "reset_to": event.reset_to,
        "priority": event.priority,
        "viewed": event.viewed,
        "source": event.source,
    }
    insert_feedback(db, row, "redo", event.iteration, event.feedback, **values)
    act(db, row, "requested_changes", attempt=event.iteration)


def task_rejected(db: Engine, row: Row, event: e.TaskRejected) -> None:
    with counted(db, near(db, row.task, children=True)):
        move(db, row, "task.reject", reason=event.reason)
    db.run("attempt.end_approvals", {"task": row.task, "why": "rejected"})
    insert_feedback(db, row, "rejected", event.iteration, event.reason, viewed=event.viewed)
    act(db, row, "requested_changes", attempt=event.iteration)


def insert_feedback(db: Engine, row: Row, decision: str, iteration: int, text: str, **more: object) -> None:
    """Insert the feedback for the next iteration. (F)"""
    values = {
        "seq": row.seq,
        "task": row.task,
        "iteration": iteration,
        "session": row.session,
        "decision": decision,
        "text": text,
    }
    usual: dict[str, object] = {
        "quick_issues": [],
        "option": "keep",
        "reset_to": None,
        "priority": "same",
        "source": "",
        "viewed": NOTHING_KNOWN,
    }
    db.run("attempt.insert_feedback", plain(values | {"at": row.at} | usual | more))


def task_merged(db: Engine, row: Row, event: e.TaskMerged) -> None:
    around = near(db, row.task, dependents=True)
    with counted(db, around):
        move(db, row, "task.merged", sha=event.sha)
        db.run("task.set_label_live", {"id": row.task})
        db.run("task.recount_deps", plain({"ids": around}))
    db.run("merge.leave", {"task": row.task, "state": "done", "why": "", "seq": row.seq})
    unsend(db, row)
    for name, value in (("newest", event.newest), ("clone", event.clone)):
        if value:
            note(db, row, f"merge:{name}", value)


def unapproved_merge_seen(db: Engine, row: Row, event: e.UnapprovedMergeSeen) -> None:
    with counted(db, [row.task]):
        move(db, row, "task.merge_seen", sha=event.sha)


PROJECTIONS: dict[str, Any] = {
    "AttemptSubmitted": attempt_submitted,
    "StackFound": stack_found,
    "Approved": approved,
    "ApprovalRecorded": approval_recorded,
    "ApprovalFinished": approval_finished,
    "ApprovalWithdrawn": approval_withdrawn,
    "ApprovalEnded": approval_ended,
    "RedoRequested": redo_requested,
    "TaskRejected": task_rejected,
    "TaskMerged": task_merged,
    "UnapprovedMergeSeen": unapproved_merge_seen,
}
