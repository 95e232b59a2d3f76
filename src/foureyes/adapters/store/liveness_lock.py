"""A PostgreSQL advisory lock that shows that a runner or a merge is connected. (J4)

Each lock has its own connection. The server releases it when that connection ends, and detects a dead peer by its
keepalives. So a free lock means that its holder is gone. SQLite has no such lock, and behind a connection pool it would
belong to the pool.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    import psycopg

    from foureyes.adapters.store.connection import Database
    from foureyes.adapters.store.postgres import PostgresEngine
    from foureyes.app.ports import Beacon


SQLITE = "sqlite"
DARK = """
    WITH held AS MATERIALIZED (SELECT objid::bigint AS id FROM pg_locks
      WHERE locktype = 'advisory' AND granted AND objsubid = 2
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND classid::bigint = (hashtext(:schema)::bigint & 4294967295))
    SELECT n.value FROM json_array_elements_text(CAST(:names AS json)) AS n(value)
    WHERE (hashtext(n.value)::bigint & 4294967295) NOT IN (SELECT id FROM held)
"""
"""Query that reads the server's list of locks once, for any number of runners."""
LOCK = "SELECT pg_try_advisory_lock(hashtext(%(schema)s), hashtext(%(name)s)), pg_backend_pid()"
ALIVE = "SELECT 1"
KEEPING = {"keepalives": 1, "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
PATIENCE = {"tcp_user_timeout": 15_000}
"""Timeout of the client in milliseconds, so that a disconnected client notices too."""
SERVERS = "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
GRACE_SECONDS = 15.0
"""Seconds after a reconnect in which no other process is reported as gone, because others may be reconnecting too."""


def beacon_of(engine: Database, name: str) -> Beacon | None:
    """Return a held lock, or None if the database has none or is behind a connection pool."""
    if engine.name == SQLITE:
        return None  # without PostgreSQL there is no driver for it, either
    from foureyes.adapters.store.postgres import PostgresEngine

    if not isinstance(engine, PostgresEngine):
        return None
    beacon = PostgresBeacon(engine, name)
    beacon.light()
    if beacon.is_own:
        return beacon
    beacon.close()
    return None


def dark(engine: Database, names: Sequence[str]) -> frozenset[str]:
    """Return the names of unheld locks. Return none if that is unknown."""
    if engine.name == SQLITE or not names:
        return frozenset()
    from foureyes.adapters.store.postgres import PostgresEngine

    if not isinstance(engine, PostgresEngine) or monotonic() - engine.rejoined < GRACE_SECONDS:
        return frozenset()
    asked = msgspec.json.encode(list(names)).decode()
    return frozenset(str(row[0]) for row in engine.fetch(DARK, {"schema": engine.schema, "names": asked})[1])


class PostgresBeacon:
    """A session-level advisory lock."""

    def __init__(self, engine: PostgresEngine, name: str) -> None:
        self._engine = engine
        self.name = name
        self._connection: psycopg.Connection[tuple[object, ...]] | None = None
        self.is_own = False
        """True if the connection goes directly to the server. A pool could give the session to another client."""

    def light(self) -> None:
        from foureyes.adapters.store.postgres_errors import in_our_words
        from foureyes.errors import StoreProblem

        self.close()
        connection = self._engine.connect_separately(SERVERS, **KEEPING, **PATIENCE)
        self._connection = connection
        with in_our_words():
            row = connection.execute(LOCK, {"schema": self._engine.schema, "name": self.name}).fetchone()
        has_it, server = row or (False, 0)
        self.is_own = server == connection.info.backend_pid
        if not has_it:  # the server has not noticed yet that the connection before is gone
            self.close()
            raise StoreProblem("the lock that shows that this process is alive is not free yet.")

    def fileno(self) -> int:
        return -1 if self._connection is None or self._connection.closed else self._connection.fileno()

    def is_lit(self) -> bool:
        import psycopg

        if self._connection is None or self._connection.closed:
            return False
        try:
            self._connection.execute(ALIVE)
        except psycopg.Error:
            self.close()
            return False
        return True

    def close(self) -> None:
        if self._connection is not None:
            with suppress(Exception):
                self._connection.close()
        self._connection = None
