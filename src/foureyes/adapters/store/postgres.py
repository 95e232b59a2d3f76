"""PostgreSQL through psycopg: the same statements as for SQLite, one schema per project, and our own error messages.

Each project has its own schema, so no statement needs the project and projects do not block each other. Text is
compared by bytes (collation "C"), as in SQLite, because ids are searched by range and audits compare sorted tables of
both engines.

Every message to a server costs a round trip. So changes in a transaction are buffered and sent with the next query, or
at the latest before the commit. Their order is kept, and a failed statement rolls back the whole transaction. A
read-only transaction begins with its first query.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from functools import cache
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import errors
from psycopg.pq import TransactionStatus

from foureyes.adapters.store import postgres_access as roles
from foureyes.adapters.store.connection import SqlValue, overrides, sql
from foureyes.adapters.store.postgres_access import SchemaFacts
from foureyes.adapters.store.postgres_errors import LOCK_TIMEOUT, held_by, in_our_words, unreachable
from foureyes.core.words.quiet_events import is_unheard
from foureyes.errors import Internal, NoStore, StoreBusy, StoreProblem
from foureyes.steps import blank, by, by_person, either, fe

if TYPE_CHECKING:
    from foureyes.app.results.settings import StoreRole


# ---- PostgreSQL through psycopg ----


CLOCK = "SELECT extract(epoch FROM clock_timestamp())::float8"
READING = f"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {CLOCK}"
STANDING_STILL = "60s"
WRITING = f"""BEGIN; SET LOCAL idle_in_transaction_session_timeout = %(still)s;
SELECT pg_advisory_xact_lock(hashtext(%(name)s)); {CLOCK}"""
"""Statements that begin a write. A lock on the project's name admits one writer per project, and the server ends a
transaction that holds it while idle.
"""
VERSION = "SELECT max(n) FROM migrations"
BUSY = (errors.LockNotAvailable, errors.QueryCanceled)
KEPT_BACK, CONNECT_SECONDS = 200, 10
SCHEMA = re.compile(r"[a-z0-9_]{1,60}\Z")

Cursor = psycopg.Cursor[tuple[SqlValue, ...]]


def schema_of(project: str) -> str:
    """Return the name of a project's schema."""
    name = f"foureyes_{project}"
    if not SCHEMA.match(name):
        raise StoreProblem(f"{project!r} is not a project id.", next_step=fe("status"))
    return name


def schemas(url: str, beginning: str) -> list[str]:
    """Return the projects on a server whose ids start with this text, in order, including renamed ones."""
    look = "SELECT nspname FROM pg_namespace WHERE starts_with(nspname, %(name)s) ORDER BY nspname"
    return [str(row[0]).removeprefix("foureyes_") for row in asked(url, look, schema_of(beginning))]


def no_store(project: str) -> NoStore:
    """Return the error for a database without a schema for this project."""
    return NoStore(
        f"that database has no store of project {project}. Nothing was changed.",
        next_step=either(
            by("person", fe("store", "restore", blank("FILE")), "its owner restores a backup: "),
            by_person(fe("store", "join", blank("URL"), before="if it is in another database, join that: ")),
            by("person", fe("store", "restore", blank("FILE"), "--into-file"), "if it was moved into a file, there: "),
            by("person", fe("init", "--again"), "if it is lost without a backup, a person starts a new journal: "),
            joint="; ",
        ),
    )


def asked(url: str, statement: str, name: str) -> list[tuple[Any, ...]]:
    """Run one query on a server outside any store."""
    with in_our_words(), psycopg.connect(url, connect_timeout=CONNECT_SECONDS) as connection:
        return connection.execute(statement.encode(), {"name": name}).fetchall()


def _answer_in(cursor: Cursor) -> tuple[list[str], list[tuple[SqlValue, ...]]]:
    if cursor.description is None:
        return [], []
    return [column.name for column in cursor.description], cursor.fetchall()


class PostgresEngine:
    """An open PostgreSQL store of one project. After a lost connection it reconnects at the next transaction."""

    name = "postgres"

    def __init__(self, url: str, project: str, *, create: bool = False, role: str = "") -> None:
        self.url = url
        self._acting = f"-c role={escaped(role)}" if role else ""
        self._making = create
        self.project = project
        self.schema = schema_of(project)
        self.facts = SchemaFacts(self.schema)
        self._kept: list[str] = []
        self._writing = self._due = False
        self.written: set[str] | None = None
        self._began: tuple[float, float] | None = None
        self.place = ""
        self._version: int | None = None
        self.rejoined = -inf
        """The time of the last reconnect."""
        self.connection = self._connect()
        try:
            self._enter(create=create)
        except BaseException:
            self.connection.close()
            raise

    def _enter(self, *, create: bool) -> None:
        with self._words():
            facts = self._identity()
            if facts is None and not create:
                raise no_store(self.project)
            if create:
                roles.refuse_to_make(self.facts)
                with suppress(
                    errors.UniqueViolation, errors.DuplicateSchema
                ):  # another process is creating it right now
                    self.connection.execute(f'CREATE SCHEMA IF NOT EXISTS "{self.schema}"')  # the name is checked above
                self._identity()
            roles.refuse_unusable(self.facts)

    def _identity(self) -> SchemaFacts | None:
        """Return the facts about this schema, or None if it does not exist."""
        self.facts = self._facts_and_version() or self.facts_of(self.project)
        self.place = self.facts.place
        return self.facts if self.place else None

    def _facts_and_version(self) -> SchemaFacts | None:
        """Return the facts and read the version in one round trip, or return None without a store. Every command starts
        with this."""
        try:
            cursor = self.connection.execute(f"{roles.FACTS}; {VERSION}", {"name": self.schema})
        except (errors.UndefinedTable, errors.InvalidSchemaName, errors.InsufficientPrivilege):
            return None
        row: tuple[Any, ...] = cursor.fetchone() or ()
        cursor.nextset()
        newest = cursor.fetchone()
        self._version = int(newest[0] or 0) if newest else None
        return SchemaFacts(self.schema, *row)

    def facts_of(self, project: str) -> SchemaFacts:
        """Return the server's facts about a project's schema, its database and the caller's role."""
        with self._words():
            name = schema_of(project)
            row: tuple[Any, ...] = self.connection.execute(roles.FACTS, {"name": name}).fetchone() or ()
        return SchemaFacts(name, *row)

    def _words(self, *, committing: bool = False) -> AbstractContextManager[None]:
        """Translate the driver's errors, naming the missing rights and the role that can grant them."""
        return in_our_words(self.facts.role, self.facts.owner, committing=committing)

    def _connect(self, options: str = "", **more: Any) -> psycopg.Connection[tuple[SqlValue, ...]]:
        try:
            connection: psycopg.Connection[tuple[SqlValue, ...]] = psycopg.connect(
                self.url,
                autocommit=True,
                cursor_factory=psycopg.ClientCursor,
                connect_timeout=CONNECT_SECONDS,
                client_encoding="UTF8",
                application_name=f"foureyes pid {os.getpid()}",
                options=f"-c search_path={self.schema} -c lock_timeout={LOCK_TIMEOUT} {self._acting} {options}",
                **more,
            )
            return connection
        except (psycopg.Error, UnicodeError) as problem:
            raise unreachable(problem, self.url, making=self._making) from None

    def connect_separately(self, options: str = "", **more: Any) -> psycopg.Connection[tuple[SqlValue, ...]]:
        """Open a separate connection, for callers that wait."""
        return self._connect(options, **more)

    def run(self, name: str, params: dict[str, SqlValue]) -> None:
        """Buffer a statement in a writing transaction, otherwise send it at once."""
        if not self._writing:
            self.change(name, params)
            return
        self._kept.append(self._composed(translated(sql(name)), params))
        if len(self._kept) >= KEPT_BACK:
            self._send()

    def change(self, name: str, params: dict[str, SqlValue]) -> int:
        with self._words():
            return self._ask(translated(sql(name)), params).rowcount

    def fetch(self, statement: str, params: dict[str, SqlValue]) -> tuple[list[str], list[tuple[SqlValue, ...]]]:
        return self.fetch_all([(statement, params)])[0]

    def fetch_all(
        self, asked: Sequence[tuple[str, dict[str, SqlValue]]]
    ) -> list[tuple[list[str], list[tuple[SqlValue, ...]]]]:
        """Send the queries in one message, after buffered statements or BEGIN, and return their results."""
        kept, self._kept = [READING] if self._due else self._kept, []
        questions = [self._composed(translated(statement), params) for statement, params in asked]
        begins, self._due = self._due, False
        with self._words():
            message = ";\n".join([*kept, *questions])
            cursor = self._first(message) if begins else self.connection.execute(message)
            answers = [_answer_in(cursor)]
            while cursor.nextset():
                answers.append(_answer_in(cursor))
        if begins:
            self._began = (float(answers[1][1][0][0] or 0), monotonic())
        return answers[-len(questions) :]

    def _ask(self, statement: str, params: dict[str, SqlValue] | None = None) -> Cursor:
        """Send a statement in one message, after buffered statements or BEGIN, and return its cursor."""
        kept, self._kept, self._due = [READING] if self._due else self._kept, [], False
        if not kept:
            return self.connection.execute(statement, params)
        cursor = self.connection.execute(";\n".join([*kept, self._composed(statement, params)]))
        while cursor.nextset():
            pass
        return cursor

    def _composed(self, statement: str, params: dict[str, SqlValue] | None) -> str:
        """Return a statement with its parameters quoted by the driver."""
        return psycopg.ClientCursor(self.connection).mogrify(statement, params)

    def _send(self) -> None:
        """Send the buffered statements."""
        kept, self._kept = self._kept, []
        if kept:
            with self._words():
                self.connection.execute(";\n".join(kept))

    def stream(self, statement: str) -> Iterator[tuple[SqlValue, ...]]:
        """Yield rows in batches, for tables larger than memory. Requires a transaction."""
        if self._due:
            self._begin(write=False)
        self._send()
        with self._words(), self.connection.cursor(name=f"stream_{id(object())}") as cursor:
            cursor.itersize = 5_000
            yield from cursor.execute(translated(statement), {})

    def script(self, statements: list[str]) -> None:
        """Execute schema changes, statement by statement. Text columns compare by bytes."""
        with self._words():
            for statement in statements:
                self._ask(re.sub(r"\bTEXT\b", 'TEXT COLLATE "C"', statement))

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[None]:
        """Open a transaction with one consistent state. A writing one waits for its turn and commits at the end, or
        rolls back on an error.
        """
        is_open = not self.connection.closed and self.connection.info.transaction_status != TransactionStatus.IDLE
        if self._due or is_open:
            raise Internal("a transaction is open already")  # an inner COMMIT would save half of the outer one
        self._due = not write and not self.connection.closed
        try:
            if not self._due:
                self._begin(write=write)
            yield
            self._send()
        except BaseException:
            self._roll_back()
            raise
        if not write:
            self._roll_back()
            return
        self._writing, self._began = False, None
        is_heard = self.written is None or not is_unheard(self.written)
        telling = f'NOTIFY "{self.schema}"; ' if is_heard else ""
        with self._words(committing=True):
            self.connection.execute(f"{telling}COMMIT")  # notifies processes that wait for a change

    def _begin(self, *, write: bool) -> None:
        """Begin a transaction. A writing one takes the project's lock."""
        self._due = False
        try:
            moment = self._time(WRITING if write else READING, {"name": self.schema, "still": STANDING_STILL})
            self._kept, self._writing, self._began = [], write, (moment, monotonic())
            self.written = None
        except StoreBusy as busy:
            self._roll_back()
            raise held_by(self._holder(), self.url) from busy

    def _holder(self) -> Sequence[SqlValue]:
        """Return the server's information about the holder of the project's lock."""
        statement = """
            SELECT a.application_name, coalesce(a.client_addr::text, 'this machine'), coalesce(a.usename, ''), a.pid
            FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
            WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
              AND l.objid::bigint = (hashtext(%(name)s)::bigint & 4294967295)
        """
        try:
            return self.connection.execute(statement, {"name": self.schema}).fetchone() or ()
        except psycopg.Error:
            return ()

    def _time(self, statement: str, params: dict[str, SqlValue] | None = None) -> float:
        """Return the server's time, read at the end of a first statement."""
        with self._words():
            cursor = self._first(statement, params)
            while cursor.nextset():
                pass
            row = cursor.fetchone()
        return float(row[0] or 0) if row else 0.0

    def _first(self, statement: str, params: dict[str, SqlValue] | None = None) -> Cursor:
        """Execute a first statement. If the connection is closed, reconnect once."""
        try:
            return self.connection.execute(statement, params)
        except psycopg.OperationalError as problem:
            if isinstance(problem, BUSY) or not self.connection.closed:
                raise
            self.connection.close()
            self.connection = self._connect()
            self.rejoined = monotonic()
            return self.connection.execute(statement, params)

    def check_place(self) -> None:
        """Do nothing, because the first statement already fails if the schema is gone."""

    def _roll_back(self) -> None:
        self._kept, self._writing, self._began = [], False, None
        has_begun, self._due = not self._due, False
        try:
            if has_begun and not self.connection.closed:
                self.connection.execute("ROLLBACK")
        except psycopg.Error:
            self.connection.close()

    def schema_version(self) -> int:
        """Return the schema version, the first time as read when the store was opened."""
        version, self._version = self._version, None
        if version is not None:
            return version
        with self._words():
            row = self._ask("SELECT to_regclass('migrations') IS NOT NULL").fetchone()
            if row is None or not row[0]:
                return 0
            newest = self._ask(VERSION).fetchone()
            return int(newest[0] or 0) if newest else 0

    def set_schema_version(self, version: int) -> None:
        """Do nothing, because the table of migrations is the version here."""

    def now(self) -> datetime:
        """Return the server's time, which all machines of a project share. Inside a transaction it is counted on from
        its start.
        """
        if self._due:
            self._begin(write=False)
        if self._began is None:
            return datetime.fromtimestamp(self._time(CLOCK), UTC)
        moment, then = self._began
        return datetime.fromtimestamp(moment + monotonic() - then, UTC)

    def describe(self) -> str:
        with self._words():
            row = self.connection.execute("SHOW server_version").fetchone()
        return f"PostgreSQL {row[0] if row else ''}, schema {self.schema_version()}"

    def problems(self) -> list[str]:
        """Return the problems that keep the server from answering or from writing."""
        try:
            with self._words():
                row = self.connection.execute("SHOW transaction_read_only").fetchone()
        except StoreProblem as problem:
            return [problem.message]
        return ["the database is read-only"] if row and row[0] == "on" else []

    def tables(self) -> set[str]:
        """Return the names of the tables in the project's schema."""
        return {
            str(row[0])
            for row in self.fetch("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()", {})[1]
        }

    def role(self) -> StoreRole:
        return roles.role_of(self, self.facts)

    def grants(self, writers: Sequence[str], readers: Sequence[str]) -> str:
        return roles.grants_sql(self.facts, writers, readers)

    def backup(self, path: str) -> None:
        """Write the journal as a SQLite store, which any machine can read, verify and restore."""
        from foureyes.adapters.store.migrate import migrate
        from foureyes.adapters.store.replay import copy_journal
        from foureyes.adapters.store.sqlite import SqliteEngine

        copy = SqliteEngine(path, create=True)
        try:
            migrate(copy, "1970-01-01T00:00:00.000Z", None)
            copy_journal(self, copy, 0)
        finally:
            copy.close()

    def close(self) -> None:
        self.connection.close()


# ---- Translating statements for PostgreSQL ----

PARAMETER = re.compile(r"(?<![:\w]):([a-z_]\w*)")
JSON_LIST = re.compile(r"(NOT )?IN \(SELECT (value|CAST\(value AS INTEGER\)) FROM json_each\(:(\w+)\)\)")
ARRAYS = {
    None: r"= ANY (ARRAY(SELECT \2 FROM json_array_elements_text(CAST(:\3 AS json))))",
    "NOT ": r"<> ALL (ARRAY(SELECT \2 FROM json_array_elements_text(CAST(:\3 AS json))))",
}
"""Replacements for lists from JSON. An array can use an index, but for a subselect the planner expects a hundred rows
and scans whole tables.
"""


@cache
def translated(statement: str) -> str:
    """Return a statement for PostgreSQL: overridden parts, lists from JSON and psycopg's placeholders."""
    for ours, theirs in overrides("postgres").items():
        statement = statement.replace(ours, theirs)
    statement = JSON_LIST.sub(lambda match: match.expand(ARRAYS[match[1]]), statement.replace("%", "%%"))
    return PARAMETER.sub(r"%(\1)s", statement)


def escaped(word: str) -> str:
    """Escape a word for the options of a connection, which are separated by spaces."""
    return re.sub(r"([\\\s])", r"\\\1", word)
