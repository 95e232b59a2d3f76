"""Projects sprints: their choice of tasks, start, halts and end. (X)"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from foureyes.adapters.store.connection import Engine, plain
from foureyes.errors import StaleState
from foureyes.steps import fe

if TYPE_CHECKING:
    from foureyes.adapters.store.journal import Row
    from foureyes.core import events as e


def _moved(db: Engine, row: Row, statement: str, values: dict[str, object]) -> None:
    """Update a sprint. Raise StaleState if it is not in the required state, because another session was faster."""
    if db.change(statement, plain(values | {"at": row.at, "seq": row.seq})) != 1:
        raise StaleState(
            f"the sprint {values['sprint']} is not where {row.kind} says.", next_step=fe("sprint", "status", "--all")
        )


def sprint_planned(db: Engine, row: Row, event: e.SprintPlanned) -> None:
    target = event.target
    values = {
        "sprint": event.sprint,
        "n": int(event.sprint.rpartition("-")[2]),
        "kind": target.kind,
        "tasks": target.tasks,
        "minutes": target.minutes,
        "clock": target.clock,
        "zone": target.zone,
        "pause_on_error": event.pause_on_error,
        "wants_checkpoint": event.checkpoint,
        "chosen": len(event.tasks),
        "session": row.session,
        "at": row.at,
        "seq": row.seq,
    }
    db.run("sprint.plan", plain(values))
    for place, each in enumerate(event.tasks):
        chosen = {"sprint": event.sprint, "task": each.task, "place": place, "minutes": each.minutes}
        db.run("sprint.choose", plain(chosen | {"source": each.source}))


def sprint_started(db: Engine, row: Row, event: e.SprintStarted) -> None:
    _moved(db, row, "sprint.start", {"sprint": event.sprint, "ends_at": event.ends_at, "checkpoint": event.checkpoint})
    db.run("sprint.take", {"sprint": event.sprint})


def sprint_paused(db: Engine, row: Row, event: e.SprintPaused) -> None:
    _moved(db, row, "sprint.pause", {"sprint": event.sprint, "kind": event.kind, "why": event.why})
    _halt(db, row, event.sprint, event.kind, event.why)


def sprint_resumed(db: Engine, row: Row, event: e.SprintResumed) -> None:
    _moved(db, row, "sprint.resume", {"sprint": event.sprint})
    _halt(db, row, event.sprint, "resumed", event.why)


def _halt(db: Engine, row: Row, sprint: str, kind: str, why: str) -> None:
    values = {"seq": row.seq, "sprint": sprint, "kind": kind, "why": why, "session": row.session, "at": row.at}
    db.run("sprint.halt", plain(values))


def sprint_ended(db: Engine, row: Row, event: e.SprintEnded) -> None:
    _moved(db, row, "sprint.end", {"sprint": event.sprint, "kind": event.kind, "why": event.why})
    db.run("sprint.free", {"sprint": event.sprint})


def sprint_undone(db: Engine, row: Row, event: e.SprintUndone) -> None:
    for task, revert in event.reverts:
        if db.change("sprint.revert", {"sprint": event.sprint, "task": task, "revert": revert}) != 1:
            raise StaleState(f"{revert} takes {task} of {event.sprint} back already.", next_step=fe("status"))


PROJECTIONS: dict[str, Any] = {
    "SprintPlanned": sprint_planned,
    "SprintStarted": sprint_started,
    "SprintPaused": sprint_paused,
    "SprintResumed": sprint_resumed,
    "SprintEnded": sprint_ended,
    "SprintUndone": sprint_undone,
}
