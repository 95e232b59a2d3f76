"""Steps shared by many projections: a guarded change of status, a line of history, the search index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.adapters.store.connection import Engine, plain, sql
from foureyes.errors import StaleState
from foureyes.steps import fe

if TYPE_CHECKING:
    from foureyes.adapters.store.journal import Row
    from foureyes.core.words.lifecycle import Action


ADDRESS = "merge:address:"
"""Prefix for a clone's name: the address of its remote. (Q6)"""
SENT = "merge:sent:"
"""Prefix for a task id: the push made for it, until its outcome is known. (Q6)"""
LIT = "merge:lit:"
"""Prefix for a task id: the lock that its merging process holds while connected. (J4)"""
GOES_ON = frozenset({"task.start", "task.release"})
"""Changes that do not end an early review, even under another author."""


def at(row: Row, **values: object) -> dict[str, str | int | None]:
    """Return the parameters that nearly every statement about a task takes."""
    return plain({"id": row.task, "seq": row.seq, "at": row.at, "session": row.session} | values)


def move(db: Engine, row: Row, statement: str, **values: object) -> None:
    """Change a status. Raise StaleState if the task is not in the status that the event requires. (G1)"""
    if db.change(statement, at(row, **values)) != 1:
        raise StaleState(
            f"{row.task} is not in a status from which {row.kind} is possible.",
            next_step=fe("show", row.task),
            task=row.task,
        )
    if statement not in GOES_ON:
        leave_cycles(db, row)


def note(db: Engine, row: Row, name: str, value: str) -> None:
    """Store an internal value among the settings, under a name that no user setting has."""
    db.run("project.set_setting", {"name": name, "value": value, "session": row.session, "at": row.at})


def unsend(db: Engine, row: Row) -> None:
    """Forget a task's push, because its outcome is known or the merging process has released the task. (Q6, J4)"""
    db.run("merge.unsend", {"task": row.task})


def leave_cycles(db: Engine, row: Row) -> None:
    """End the review requests for a task after a newer attempt, a decision or a close. A cycle without targets also
    ends. (V4)"""
    if db.change("cycle.leave", plain({"task": row.task, "kind": row.kind})):
        db.run("cycle.leave_last", plain({"task": row.task, "kind": row.kind, "at": row.at, "seq": row.seq}))


def act(db: Engine, row: Row, action: Action, *, session: str = "", attempt: int = 0, via: str | None = None) -> None:
    """Add a line to the history of a task. (I7)"""
    who = session or row.session
    db.run(
        "attempt.insert_history",
        plain(
            {
                "seq": row.seq,
                "task": row.task,
                "session": who,
                "action": action,
                "attempt": attempt,
                "via": via,
                "at": row.at,
            }
        ),
    )


def near(db: Engine, task: str, *, dependents: bool = False, children: bool = False) -> list[str]:
    """Return the task and, on request, its dependents and children, whose readiness depends on it."""
    tasks = [task]
    if dependents:
        tasks += [str(row[0]) for row in db.fetch(sql("task.dependents"), {"id": task})[1]]
    if children:
        tasks += [str(row[0]) for row in db.fetch(sql("task.children"), {"id": task})[1]]
    return tasks


def index(db: Engine, task: str, statement: str) -> None:
    """Update the search index of a task. `folded` is for engines that do not remove accents themselves."""
    from foureyes.adapters.store.connection import fold

    title, description, acceptance = (str(value) for value in db.fetch(sql("task.texts"), {"id": task})[1][0])
    db.run(statement, {"id": task, "folded": fold(f"{title} {description} {acceptance}")})


def log(db: Engine, row: Row, kind: str, text: str) -> None:
    values: dict[str, object] = {
        "seq": row.seq,
        "task": row.task,
        "session": row.session,
        "type": kind,
        "text": text,
        "at": row.at,
    }
    db.run("record.insert_log", plain(values))


def unstick(db: Engine, row: Row) -> None:
    """Let the runner try a stuck task again after a person has moved it."""
    db.run("run.unstick_by_person", {"task": row.task, "session": row.session})
