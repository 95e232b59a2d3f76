"""How often a command goes to its database: statements on SQLite, messages to a server on PostgreSQL; and how often a
decision reads what it rests on.

Counts are the same on every machine, busy or not. A session that is known already does each thing once, in a store of a
few tasks. Where facts and rules are counted, an approval and a merge are each the first thing that a process does.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from foureyes.adapters.store.sqlite import SqliteEngine
from foureyes.app.application import Application
from foureyes.app.results.task_list import ListQuery

from bench.figures import Figure, at_most, show
from bench.places import ADA, Place, PostgresPlace, SqlitePlace, desk, server
from bench.workplace import WORKER, Workplace, begin, write
from tests.stage.counting import counting
from tests.stage.people import person
from tests.stage.world import DeskWorld

WAITING = 2
BEA = person("bea")
MOST = {
    "SQLite": {
        "log": 11, "start": 28, "next": 31, "create": 40, "list": 3, "show": 26, "status": 10, "submit": 94,
        "approve": 72,
    },
    "PostgreSQL": {
        "log": 4, "start": 12, "next": 17, "create": 10, "list": 2, "show": 4, "status": 3, "submit": 26, "approve": 26,
    },
}  # fmt: skip
"""How often a command may go to its database, with begin and commit: what a decision rests on is read once before it
(for git, and for who signs) and once within. Less is better; more is a read too many.
"""
READS = {"approve": {"facts": 2, "policy": 1}, "merge": {"facts": 2, "policy": 1}}
"""How often the facts of a task and the rules in force may be read."""


@contextmanager
def heard(app: Application) -> Iterator[list[str]]:
    """What is said to the database of an open Application."""
    said: list[str] = []
    engine = app.context.store.engine  # type: ignore[attr-defined]
    original = psycopg.Connection.execute

    def trace(_: object, statement: str, __: object) -> bool:
        said.append(statement)
        return True

    def execute(connection: Any, statement: Any, *args: Any, **options: Any) -> Any:
        said.append(str(statement))
        return original(connection, statement, *args, **options)

    if isinstance(engine, SqliteEngine):
        engine.connection.exec_trace = trace
    setattr(psycopg.Connection, "execute", execute)  # noqa: B010
    try:
        yield said
    finally:
        setattr(psycopg.Connection, "execute", original)  # noqa: B010
        if isinstance(engine, SqliteEngine):
            engine.connection.exec_trace = None


def figures(place: Place) -> list[Figure]:
    """Each command, once; git answers from memory."""
    app = place.open()
    at = DeskWorld(store=app.context.store, create=False)  # type: ignore[arg-type]
    task, other, third = (app.tasks.create(ADA, title).task for title in ("a task", "another", "a third"))
    for actor in (ADA, BEA, WORKER):
        app.notes.log(actor, task, "the first one makes the session known")
    commands: dict[str, Callable[[], object]] = {
        "log": lambda: app.notes.log(WORKER, task, "a line"),
        "start": lambda: app.claims.start(WORKER, other),
        "create": lambda: app.tasks.create(ADA, "one more", labels=["api"]),
        "list": lambda: app.lists.page(ListQuery(live=True)),
        "show": lambda: app.lists.show(WORKER, third),
        "status": lambda: app.status.show(WORKER),
        "next": lambda: app.claims.next(WORKER),
        "submit": lambda: at.app.attempts.submit(WORKER, other),
        "approve": lambda: at.app.decisions.approve(BEA, other),
    }
    at.repo.commit(f"fe/{other}", sessions=[WORKER.session])
    counted: list[Figure] = []
    for name, command in commands.items():
        with heard(app) as said:
            command()
        counted.append(at_most(f"{place.engine}, {name}", len(said), MOST[place.engine][name]))
    app.close()
    return counted


def decisions(folder: Path) -> list[Figure]:
    """An approval by a person and the merge of it, in a real repository."""
    at = Workplace(folder, WAITING)
    work = begin(at, "a change")
    write(work.place, "src/part1/file1.py", ["changed"])
    at.git("commit", "-q", "-a", "-m", "change a little", at=work.place)
    with opened(at, work.place) as app:
        app.attempts.submit(WORKER, work.task)
    with opened(at) as app, counting() as approved:
        app.decisions.approve(ADA, work.task)
    with opened(at) as app, counting() as merged:
        rows = app.merges.process(ADA)
    if [row.outcome for row in rows] != ["merged"]:
        raise SystemExit(f"{work.task} was not merged: {rows}")
    counted = {"approve": approved, "merge": merged}
    return [
        at_most(f"{verb}, {what} read", counted[verb][what], most)
        for verb, reads in READS.items()
        for what, most in reads.items()
    ]


@contextmanager
def opened(at: Workplace, place: Path | None = None) -> Iterator[Application]:
    app = at.open(place)
    try:
        yield app
    finally:
        app.close()


def main(_: list[str] | None = None) -> int:
    """Count and print; 1 when anything takes more than it may."""
    with desk() as folder, server() as url:
        counted = figures(SqlitePlace(folder / "sqlite"))
        counted += figures(PostgresPlace(url, folder / "postgres", "counted"))
        counted += decisions(folder / "decisions")
    return show("Statements (SQLite) and messages to the server (PostgreSQL) of one command", "counts", counted)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
