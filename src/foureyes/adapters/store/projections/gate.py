"""Projects the gate's events: check results, returned attempts and the merge queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from foureyes.adapters.store.connection import Engine, plain
from foureyes.adapters.store.projections.counters import counted
from foureyes.adapters.store.projections.decision import back_to_review, insert_feedback
from foureyes.adapters.store.projections.steps import ADDRESS, LIT, SENT, at, log, move, note, unsend

if TYPE_CHECKING:
    from foureyes.adapters.store.journal import Row
    from foureyes.core import events as e


def check_finished(db: Engine, row: Row, event: e.CheckFinished) -> None:
    values: dict[str, object] = {name: getattr(event, name) for name in event.__struct_fields__ if name != "on"}
    db.run("check.insert", plain(values | {"seq": row.seq, "task": row.task, "session": row.session, "at": row.at}))


def tests_listed(db: Engine, row: Row, event: e.TestsListed) -> None:
    db.run("check.insert_tests", {"digest": event.digest, "packed": event.packed, "n": event.count})


def plan_accepted(db: Engine, row: Row, event: e.PlanAccepted) -> None:
    db.run("task.set_planned", at(row, planned=event.mode))


def attempt_sent_back(db: Engine, row: Row, event: e.AttemptSentBack) -> None:
    with counted(db, [row.task]):
        move(db, row, "task.redo")
    db.run("attempt.end_approvals", {"task": row.task, "why": "sent back"})
    insert_feedback(db, row, "redo", event.iteration, event.feedback, source=event.source)


def approval_voided(db: Engine, row: Row, event: e.ApprovalVoided) -> None:
    back_to_review(db, row, event.approval, "ended", "void: " + "; ".join(event.reasons))
    unsend(db, row)
    log(db, row, "void", "the approval no longer holds: " + "; ".join(event.reasons))
    if event.marks:
        db.run("attempt.set_marks", plain({"task": row.task, "n": event.attempt, "marks": event.marks}))


def merge_leased(db: Engine, row: Row, event: e.MergeLeased) -> None:
    values: dict[str, object] = {
        name: getattr(event, name) for name in ("attempt", "approval", "until", "process", "host")
    }
    db.run("merge.lease", plain(values | {"task": row.task, "seq": row.seq}))
    if event.beacon:
        note(db, row, f"{LIT}{row.task}", event.beacon)
    else:
        db.run("project.unset_setting", {"name": f"{LIT}{row.task}"})


def merge_sent(db: Engine, row: Row, event: e.MergeSent) -> None:
    note(db, row, f"{SENT}{row.task}", f"{event.made} {event.attempt} {event.remote}")
    db.run("merge.extend", {"task": row.task, "until": event.until})


def merge_left(db: Engine, row: Row, event: e.MergeLeft) -> None:
    state = "stuck" if event.stuck else "waiting"
    db.run("merge.leave", {"task": row.task, "state": state, "why": event.why, "seq": row.seq})
    if event.stuck:
        log(db, row, "merge", event.why)
    if not event.unknown:
        unsend(db, row)


def merge_retried(db: Engine, row: Row, event: e.MergeRetried) -> None:
    db.run("merge.leave", {"task": row.task, "state": "waiting", "why": "", "seq": row.seq})


def merges_placed(db: Engine, row: Row, event: e.MergesPlaced) -> None:
    note(db, row, "merge:clone", event.clone)


def remote_addressed(db: Engine, row: Row, event: e.RemoteAddressed) -> None:
    note(db, row, f"{ADDRESS}{event.clone}", f"{event.digest} {event.remote} {event.shown}")


def target_set_back(db: Engine, row: Row, event: e.TargetSetBack) -> None:
    note(db, row, "merge:newest", event.newest)


def merge_failed(db: Engine, row: Row, event: e.MergeFailed) -> None:
    with counted(db, [row.task]):
        move(db, row, "task.merge_failed")
    db.run("attempt.end_approvals", {"task": row.task, "why": f"the merge failed ({event.kind})"})
    db.run("merge.leave", {"task": row.task, "state": "done", "why": event.kind, "seq": row.seq})
    unsend(db, row)
    insert_feedback(db, row, "redo", event.iteration, event.feedback, source="merge")


def checkpoint_noted(db: Engine, row: Row, event: e.CheckpointNoted) -> None:
    words = {"create": "made checkpoint", "restore": "went back to checkpoint", "prune": "forgot checkpoint"}
    if row.task:
        log(db, row, "checkpoint", f"{words[event.did]} {event.name} ({event.sha[:7]})")


PROJECTIONS: dict[str, Any] = {
    "CheckFinished": check_finished,
    "TestsListed": tests_listed,
    "PlanAccepted": plan_accepted,
    "AttemptSentBack": attempt_sent_back,
    "ApprovalVoided": approval_voided,
    "MergeLeased": merge_leased,
    "MergeLeft": merge_left,
    "MergeRetried": merge_retried,
    "MergeSent": merge_sent,
    "MergesPlaced": merges_placed,
    "RemoteAddressed": remote_addressed,
    "TargetSetBack": target_set_back,
    "MergeFailed": merge_failed,
    "CheckpointNoted": checkpoint_noted,
}
