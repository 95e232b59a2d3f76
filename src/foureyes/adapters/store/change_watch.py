"""Detects writes to the store by other processes, on a separate connection and without reading rows.

In SQLite it polls `data_version`, which reads no page. PostgreSQL sends notifications (`LISTEN`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psycopg

    from foureyes.adapters.store.connection import Database
    from foureyes.adapters.store.postgres import PostgresEngine
    from foureyes.adapters.store.sqlite import SqliteEngine
    from foureyes.app.ports import Changes


def changes_of(engine: Database) -> Changes | None:
    """Return a watch for changes, or None for a store that no other process can open."""
    from foureyes.adapters.store.sqlite import WITHOUT_FILE, SqliteEngine

    if isinstance(engine, SqliteEngine):
        return None if engine.path in WITHOUT_FILE else SqliteChanges(engine)
    from foureyes.adapters.store.postgres import PostgresEngine

    return PostgresChanges(engine) if isinstance(engine, PostgresEngine) else None


class SqliteChanges:
    """A watch that polls SQLite's data version."""

    def __init__(self, engine: SqliteEngine) -> None:
        from foureyes.adapters.store.sqlite import FOR_READING, as_uri, connected, translated

        with translated(engine.path):
            self._connection = connected(f"{as_uri(engine.path)}?mode=ro", FOR_READING)
            self._seen = self._version()

    def _version(self) -> object:
        return self._connection.pragma("data_version")

    def fileno(self) -> int:
        return -1

    def changed(self) -> bool:
        before, self._seen = self._seen, self._version()
        return before != self._seen

    def close(self) -> None:
        self._connection.close()


class PostgresChanges:
    """A watch that listens to the project's channel, which every commit notifies. Some connection pools drop these
    messages, so callers also poll on a schedule."""

    def __init__(self, engine: PostgresEngine) -> None:
        self._engine = engine
        self._connection = self._listening()

    def _listening(self) -> psycopg.Connection[tuple[object, ...]]:
        connection = self._engine.connect_separately()
        connection.execute(f'LISTEN "{self._engine.schema}"')
        return connection

    def fileno(self) -> int:
        return self._connection.fileno() if not self._connection.closed else -1

    def changed(self) -> bool:
        import psycopg

        try:
            pids = {notice.pid for notice in self._connection.notifies(timeout=0)}
        except psycopg.Error:
            return self._again()
        return bool(pids - {self._own()})

    def _own(self) -> int:
        """Return the server process of our own connection, whose notifications are ignored."""
        connection = self._engine.connection
        return -1 if connection.closed else connection.info.backend_pid

    def _again(self) -> bool:
        """Reconnect and return True, because changes may have been missed meanwhile."""
        from foureyes.errors import StoreProblem

        self._connection.close()
        try:
            self._connection = self._listening()
        except StoreProblem:
            return False
        return True

    def close(self) -> None:
        self._connection.close()
