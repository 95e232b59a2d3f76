"""Schemas of new stores on a server, made once: to make one and to drop it takes a fifth of a second of a processor, to
sweep it and to give it another name next to nothing.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import psycopg

from foureyes.adapters.store.migrate import migrate
from foureyes.adapters.store.postgres import PostgresEngine, schema_of

LOCKED = "SET lock_timeout = '20s'"
"""Whoever still has a store open that is to be swept is said to be at fault, and not waited for."""
NUMBER = "SELECT oid FROM pg_namespace WHERE nspname = %s"
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = %s ORDER BY 1"
MADE = ("migrations", "head")
"""What has rows in a new store."""
Connection = psycopg.Connection[tuple[Any, ...]]


def shape_of(connection: Connection, schema: str) -> object:
    """What every change of a table, a column or a constraint changes."""
    counted = "count(*), max(x.xmin::text::bigint)"
    inside = f"JOIN pg_class c ON c.oid = x.{{}} WHERE c.relnamespace = '{schema}'::regnamespace"
    parts = {"pg_class": "oid", "pg_attribute": "attrelid", "pg_constraint": "conrelid", "pg_trigger": "tgrelid"}
    looks = [f"SELECT {counted} FROM {table} x {inside.format(column)}" for table, column in parts.items()]
    return connection.execute(" UNION ALL ".join(looks).encode()).fetchall()


class CheckCache:
    """Of one server."""

    def __init__(self, url: str, now: str) -> None:
        self.url, self._now = url, now
        self._free: list[str] = []
        self._shapes: dict[int, object] = {}
        """How each looked when it was new, by its number: that stays where a name does not."""
        self._sweeping: list[str] = []

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        with psycopg.connect(self.url, autocommit=True, cursor_factory=psycopg.ClientCursor) as connection:
            connection.execute(LOCKED)
            yield connection

    def take(self, project: str) -> None:
        """A new store's schema, for a project that has none there."""
        while self._free:
            if self._renamed(self._free.pop(), schema_of(project)):
                return
        self._make(project)

    def _renamed(self, name: str, schema: str) -> bool:
        """Not where a child has taken it, which was forked when it was free."""
        with self._connected() as connection:
            try:
                connection.execute(f'ALTER SCHEMA "{name}" RENAME TO "{schema}"'.encode())
            except psycopg.errors.InvalidSchemaName:
                return False
        return True

    def _make(self, project: str) -> None:
        engine = PostgresEngine(self.url, project, create=True)
        try:
            migrate(engine, self._now, None)
        finally:
            engine.close()
        with self._connected() as connection:
            schema = schema_of(project)
            self._shapes[self._number(connection, schema)] = shape_of(connection, schema)
            self._sweeping = self._sweeping or self._sweep_of(connection, schema)

    def _sweep_of(self, connection: Connection, schema: str) -> list[str]:
        """What leaves a store as it was when it was new, without the checks of foreign keys."""
        names = [str(row[0]) for row in connection.execute(TABLES, (schema,)).fetchall()]
        cursor, rows = psycopg.ClientCursor(connection), []
        for name in MADE:
            for row in connection.execute(f'SELECT * FROM "{schema}".{name}'.encode()).fetchall():
                rows.append(cursor.mogrify(f"INSERT INTO {name} VALUES ({', '.join(['%s'] * len(row))})", row))
        return ["SET LOCAL session_replication_role = replica", *[f"DELETE FROM {name}" for name in names], *rows]

    @staticmethod
    def _number(connection: Connection, schema: str) -> int:
        found = connection.execute(NUMBER, (schema,)).fetchone()
        return int(found[0]) if found else 0

    def give_back(self, *schemas: str) -> list[str]:
        """Sweep those that came from here, for the next ones; those that cannot be used again, and others."""
        with self._connected() as connection:
            return [schema for schema in schemas if not self._swept(connection, schema)]

    def _swept(self, connection: Connection, schema: str) -> bool:
        shape, name = self._shapes.get(self._number(connection, schema)), f"shelf_{uuid.uuid4().hex[:12]}"
        if shape is None:
            return False
        try:
            path, renamed = f'SET LOCAL search_path TO "{schema}"', f'ALTER SCHEMA "{schema}" RENAME TO "{name}"'
            connection.execute("; ".join(["BEGIN", path, *self._sweeping, renamed, "COMMIT"]).encode())
        except psycopg.Error:
            connection.execute("ROLLBACK")
            return False
        if shape_of(connection, name) != shape:
            connection.execute(f'DROP SCHEMA "{name}" CASCADE'.encode())
            return True
        self._free.append(name)
        return True

    @contextmanager
    def used(self) -> Iterator[None]:
        """Whoever makes a store on this server in here gets one from the shelf."""
        enter = PostgresEngine._enter

        def entered(engine: PostgresEngine, *, create: bool) -> None:
            ours = engine.url == self.url and not engine._acting  # what is made for another role is that one's
            if create and ours and engine._identity() is None:
                with patch.object(PostgresEngine, "_enter", enter):
                    self.take(engine.project)
            enter(engine, create=create)

        with patch.object(PostgresEngine, "_enter", entered):
            yield
