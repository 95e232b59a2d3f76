"""Steps that many projections take: a guarded change of status, a line of history, the search index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.adapters.store.engine import Engine, plain, sql
from foureyes.errors import StaleState
from foureyes.steps import fe

if TYPE_CHECKING:
    from foureyes.adapters.store.journal import Row
    from foureyes.core.words.lifecycle import Action


ADDRESS = "merge:address:"
"""Before the name of a clone: where its remote is (Q6)."""
SENT = "merge:sent:"
"""Before the id of a task: what was pushed for it, while nobody knows whether it arrived (Q6)."""
LIT = "merge:lit:"
"""Before the id of a task: the lock that whoever merges it holds as long as they are connected (J4)."""
GOES_ON = frozenset({"task.start", "task.release"})
"""A look in the middle of work stays one, whoever works."""


def at(row: Row, **values: object) -> dict[str, str | int | None]:
    """The parameters that nearly every statement about a task takes."""
    return plain({"id": row.task, "seq": row.seq, "at": row.at, "session": row.session} | values)


def move(db: Engine, row: Row, statement: str, **values: object) -> None:
    """A guarded change of status: no row means that the task was not where the event says (G1)."""
    if db.change(statement, at(row, **values)) != 1:
        raise StaleState(
            f"{row.task} is not in a status from which {row.kind} is possible.",
            next_step=fe("show", row.task),
            task=row.task,
        )
    if statement not in GOES_ON:
        leave_cycles(db, row)


def note(db: Engine, row: Row, name: str, value: str) -> None:
    """A setting that is no setting of people's: its name is that of none."""
    db.run("project.set_setting", {"name": name, "value": value, "session": row.session, "at": row.at})


def unsend(db: Engine, row: Row) -> None:
    """Q6: it is known what became of a push; whoever made it has let go of the task (J4)."""
    db.run("merge.unsend", {"task": row.task})


def leave_cycles(db: Engine, row: Row) -> None:
    """V4: a newer attempt, a decision, a close ends what reviewers were asked about the task; a cycle without a target
    ends.
    """
    if db.change("cycle.leave", plain({"task": row.task, "kind": row.kind})):
        db.run("cycle.leave_last", plain({"task": row.task, "kind": row.kind, "at": row.at, "seq": row.seq}))


def act(db: Engine, row: Row, action: Action, *, session: str = "", attempt: int = 0, via: str | None = None) -> None:
    """A line in the history of a task (I7)."""
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
    """The task and those whose readiness hangs on it."""
    tasks = [task]
    if dependents:
        tasks += [str(row[0]) for row in db.fetch(sql("task.dependents"), {"id": task})[1]]
    if children:
        tasks += [str(row[0]) for row in db.fetch(sql("task.children"), {"id": task})[1]]
    return tasks


def index(db: Engine, task: str, statement: str) -> None:
    """What people wrote about the task, for the search; `folded` is for engines that do not fold accents themselves."""
    from foureyes.adapters.store.engine import fold

    title, description, acceptance = (str(value) for value in db.fetch(sql("task.texts"), {"id": task})[1][0])
    db.run(statement, {"id": task, "folded": fold(f"{title} {description} {acceptance}")})


def log(db: Engine, row: Row, kind: str, text: str) -> None:
    """A line in a task's log."""
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
    """A person has moved a task that the runner could do no more for: it may try again."""
    db.run("run.unstick_by_person", {"task": row.task, "session": row.session})
