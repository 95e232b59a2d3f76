"""A lock that shows that a runner or a merge is connected (J4): of PostgreSQL, held by a session over a connection of
its own.

Where it is free, its holder is gone: the server ends a session when its connection ends, and finds out by its own
keep-alives that nobody is at the other end. SQLite has no such lock; behind a pool it would be the pool's.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    import psycopg

    from foureyes.adapters.store.engine import Database
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
"""The server's list of locks is gone through once, however many runners are asked about."""
LOCK = "SELECT pg_try_advisory_lock(hashtext(%(schema)s), hashtext(%(name)s)), pg_backend_pid()"
ALIVE = "SELECT 1"
KEEPING = {"keepalives": 1, "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
PATIENCE = {"tcp_user_timeout": 15_000}
"""The client's own, in milliseconds: who is cut off finds out, too."""
SERVERS = "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
GRACE_SECONDS = 15.0
"""After a connection was lost nothing is said of others for so long: they may be on their way back as well."""


def beacon_of(engine: Database, name: str) -> Beacon | None:
    """A lock that is held by now; None where the database has none, or a pool stands before it."""
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
    """Those of the locks that nobody holds; none where it cannot be told."""
    if engine.name == SQLITE or not names:
        return frozenset()
    from foureyes.adapters.store.postgres import PostgresEngine

    if not isinstance(engine, PostgresEngine) or monotonic() - engine.rejoined < GRACE_SECONDS:
        return frozenset()
    asked = msgspec.json.encode(list(names)).decode()
    return frozenset(str(row[0]) for row in engine.fetch(DARK, {"schema": engine.schema, "names": asked})[1])


class PostgresBeacon:
    """An advisory lock of a session."""

    def __init__(self, engine: PostgresEngine, name: str) -> None:
        self._engine = engine
        self.name = name
        self._connection: psycopg.Connection[tuple[object, ...]] | None = None
        self.is_own = False
        """Whether the connection is to the server itself: a pool gives the session to somebody else."""

    def light(self) -> None:
        from foureyes.adapters.store.postgres_errors import in_our_words
        from foureyes.errors import StoreProblem

        self.close()
        connection = self._engine.connect_apart(SERVERS, **KEEPING, **PATIENCE)
        self._connection = connection
        with in_our_words():
            row = connection.execute(LOCK, {"schema": self._engine.schema, "name": self.name}).fetchone()
        has_it, server = row or (False, 0)
        self.is_own = server == connection.info.backend_pid
        if not has_it:  # the server has not noticed yet that the connection before is gone
            self.close()
            raise StoreProblem("the lock that shows that this process lives is not free yet.")

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
