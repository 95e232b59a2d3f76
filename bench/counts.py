"""How often a command goes to its database: statements on SQLite, messages to a server on PostgreSQL.

Counts are the same on every machine, busy or not. A session that is known already does each thing once, in a store of a
few tasks.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from foureyes.adapters.store.sqlite import SqliteEngine
from foureyes.app.application import Application
from foureyes.app.views.task_list import ListQuery

from bench.figures import Figure, at_most, note, show
from bench.places import ADA, Place, PostgresPlace, SqlitePlace, agent, desk, server

WORKER = agent("worker")
MOST = {"SQLite": 11, "PostgreSQL": 7}
"""For `fe log`, with begin and commit."""


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
    """Each command of an agent, once."""
    app = place.open()
    task, other = (app.tasks.create(ADA, title).task for title in ("a task", "another"))
    app.notes.log(WORKER, task, "the first one makes the session known")
    commands: dict[str, Callable[[], object]] = {
        "log": lambda: app.notes.log(WORKER, task, "a line"),
        "start": lambda: app.claims.start(WORKER, other),
        "create": lambda: app.tasks.create(ADA, "one more", labels=["api"]),
        "list": lambda: app.lists.page(ListQuery(live=True)),
        "show": lambda: app.lists.show(WORKER, task),
        "status": lambda: app.status.show(WORKER),
    }
    counted: list[Figure] = []
    for name, command in commands.items():
        with heard(app) as said:
            command()
        what = f"{place.engine}, {name}"
        if name == "log":
            counted.append(at_most(what, len(said), MOST[place.engine]))
        else:
            counted.append(note(what, str(len(said))))
    app.close()
    return counted


def main(_: list[str] | None = None) -> int:
    """Count and print; 1 when a log line takes more than it may."""
    with desk() as folder, server() as url:
        counted = figures(SqlitePlace(folder / "sqlite"))
        counted += figures(PostgresPlace(url, folder / "postgres", "counted"))
    return show("Statements (SQLite) and messages to the server (PostgreSQL) of one command", "counts", counted)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
