"""Projects tasks: fields, status, labels and dependencies. A status changes only along the allowed transitions. (T2)"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from foureyes.adapters.store.connection import Engine, plain, sql
from foureyes.adapters.store.projections.counters import counted
from foureyes.adapters.store.projections.steps import act, at, index, move, near, unstick

if TYPE_CHECKING:
    from foureyes.adapters.store.journal import Row
    from foureyes.core import events as e


def task_created(db: Engine, row: Row, event: e.TaskCreated) -> None:
    with counted(db, [row.task]):
        values: dict[str, object] = {
            name: getattr(event, name)
            for name in (
                "title",
                "description",
                "type",
                "priority",
                "parent",
                "acceptance",
                "minor",
                "estimate_minutes",
                "planned",
            )
        }
        labels = sorted(set(event.labels))
        values |= {
            "labels": labels,
            "task_group": event.group,
            "once_key": event.key or None,
            "creator": row.session,
            "minor_by": row.session if event.minor else None,
        }
        db.run("task.insert", at(row, **values))
        index(db, row.task, "task.insert_text")
        for label in labels:
            db.run("task.add_label", {"id": row.task, "label": label})
        for other in sorted(set(event.depends_on)):
            db.run("task.add_dependency", plain({"id": row.task, "depends_on": other, "seq": row.seq}))
        db.run("task.recount_deps", plain({"ids": [row.task]}))
    act(db, row, "created")


def task_edited(db: Engine, row: Row, event: e.TaskEdited) -> None:
    unstick(db, row)
    fields = ("title", "description", "acceptance", "type", "priority", "estimate_minutes")
    db.run("task.edit", at(row, **{name: getattr(event, name) for name in fields}, task_group=event.group))
    if event.priority is not None:
        db.run("task.set_label_priority", {"id": row.task, "priority": event.priority})
    if event.title is not None or event.description is not None or event.acceptance is not None:
        index(db, row.task, "task.update_text")


def parent_changed(db: Engine, row: Row, event: e.ParentChanged) -> None:
    with counted(db, [row.task]):
        db.run("task.set_parent", at(row, parent=event.new))


def minor_set(db: Engine, row: Row, event: e.MinorSet) -> None:
    db.run("task.set_minor", at(row, minor=event.minor))


def label_added(db: Engine, row: Row, event: e.LabelAdded) -> None:
    db.run("task.add_label", {"id": row.task, "label": event.label})
    _set_labels(db, row)


def label_removed(db: Engine, row: Row, event: e.LabelRemoved) -> None:
    db.run("task.remove_label", {"id": row.task, "label": event.label})
    db.run("task.note_removed_label", at(row, label=event.label))
    _set_labels(db, row)


def _set_labels(db: Engine, row: Row) -> None:
    labels = [str(values[0]) for values in db.fetch(sql("task.labels"), {"id": row.task})[1]]
    db.run("task.set_labels", at(row, labels=sorted(labels)))


def dependency_added(db: Engine, row: Row, event: e.DependencyAdded) -> None:
    with counted(db, [row.task]):
        db.run("task.add_dependency", at(row, depends_on=event.depends_on))
        _recount(db, [row.task])
        db.run("task.touch", at(row))


def dependency_removed(db: Engine, row: Row, event: e.DependencyRemoved) -> None:
    with counted(db, [row.task]):
        db.run("task.remove_dependency", at(row, depends_on=event.depends_on))
        _recount(db, [row.task])
        db.run("task.touch", at(row))


def _recount(db: Engine, ids: list[str]) -> None:
    db.run("task.recount_deps", plain({"ids": ids}))


def task_reserved(db: Engine, row: Row, event: e.TaskReserved) -> None:
    named: dict[str, str | int | None] = {
        "task": row.task,
        "session": row.session,
        "process": event.process,
        "until": event.until,
    }
    db.run("reservation.put", named)


def reservation_ended(db: Engine, row: Row, event: e.ReservationEnded) -> None:
    db.run("reservation.end", {"task": row.task})
    db.run("task.touch", at(row))


def task_started(db: Engine, row: Row, event: e.TaskStarted) -> None:
    db.run("reservation.end", {"task": row.task})
    with counted(db, [row.task]):
        move(db, row, "task.start", start_target=event.target_head, session=event.implementer or row.session)
    act(db, row, "started", session=event.implementer or "", via=row.session if event.implementer else None)


def _ended_oddly(db: Engine, row: Row, how: str) -> None:
    """Record a run that ended without a submission. (L17)"""
    if how:
        db.run(
            "review.insert_odd",
            plain({"seq": row.seq, "task": row.task, "how": how, "session": row.session, "at": row.at}),
        )


def task_unstarted(db: Engine, row: Row, event: e.TaskUnstarted) -> None:
    with counted(db, [row.task]):
        move(db, row, "task.release")
    _ended_oddly(db, row, event.how)
    act(db, row, "unstarted")


def task_released(db: Engine, row: Row, event: e.TaskReleased) -> None:
    with counted(db, [row.task]):
        move(db, row, "task.release")
    _ended_oddly(db, row, event.how)


def task_blocked(db: Engine, row: Row, event: e.TaskBlocked) -> None:
    with counted(db, near(db, row.task, children=True)):
        move(db, row, "task.block", reason=event.reason)


def task_unblocked(db: Engine, row: Row, event: e.TaskUnblocked) -> None:
    with counted(db, near(db, row.task, children=True)):
        move(db, row, "task.unblock")
    unstick(db, row)


def task_deferred(db: Engine, row: Row, event: e.TaskDeferred) -> None:
    with counted(db, [row.task]):
        move(db, row, "task.defer", until=event.until)


def task_undeferred(db: Engine, row: Row, event: e.TaskUndeferred) -> None:
    with counted(db, [row.task]):
        move(db, row, "task.undefer")


def task_held(db: Engine, row: Row, event: e.TaskHeld) -> None:
    with counted(db, [row.task]):
        db.run("task.set_hold", at(row, hold=event.reason))


def task_resumed(db: Engine, row: Row, event: e.TaskResumed) -> None:
    with counted(db, [row.task]):
        db.run("task.set_hold", at(row, hold=None))


def _finish(db: Engine, row: Row, resolution: str, *, deleted: bool = False) -> None:
    around = near(db, row.task, dependents=True, children=True)
    with counted(db, around):
        move(db, row, "task.close", resolution=resolution, deleted=deleted)
        db.run("task.set_label_live", {"id": row.task})
        _recount(db, around)
    if deleted:
        db.run("task.delete_text", {"id": row.task})


def task_closed(db: Engine, row: Row, event: e.TaskClosed) -> None:
    _finish(db, row, "closed")


def task_cancelled(db: Engine, row: Row, event: e.TaskCancelled) -> None:
    _finish(db, row, "cancelled")


def task_deleted(db: Engine, row: Row, event: e.TaskDeleted) -> None:
    _finish(db, row, "deleted", deleted=True)


def task_reopened(db: Engine, row: Row, event: e.TaskReopened) -> None:
    around = near(db, row.task, dependents=True, children=True)
    with counted(db, around):
        move(db, row, "task.reopen")
        unstick(db, row)
        db.run("task.set_label_live", {"id": row.task})
        db.run("task.reland", at(row))
        _recount(db, around)
    db.run("task.delete_text", {"id": row.task})
    index(db, row.task, "task.insert_text")
    db.run("attempt.end_approvals", {"task": row.task, "why": "reopened"})


PROJECTIONS: dict[str, Any] = {
    "TaskCreated": task_created,
    "TaskEdited": task_edited,
    "ParentChanged": parent_changed,
    "MinorSet": minor_set,
    "LabelAdded": label_added,
    "LabelRemoved": label_removed,
    "DependencyAdded": dependency_added,
    "DependencyRemoved": dependency_removed,
    "TaskStarted": task_started,
    "TaskReserved": task_reserved,
    "ReservationEnded": reservation_ended,
    "TaskUnstarted": task_unstarted,
    "TaskReleased": task_released,
    "TaskBlocked": task_blocked,
    "TaskUnblocked": task_unblocked,
    "TaskDeferred": task_deferred,
    "TaskUndeferred": task_undeferred,
    "TaskHeld": task_held,
    "TaskResumed": task_resumed,
    "TaskClosed": task_closed,
    "TaskCancelled": task_cancelled,
    "TaskDeleted": task_deleted,
    "TaskReopened": task_reopened,
}
