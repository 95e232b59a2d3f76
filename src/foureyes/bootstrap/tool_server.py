"""Project access of a server: the caller, and a new Application for each call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os.path import isdir
from typing import TYPE_CHECKING

from foureyes.bootstrap.places import folder_of, repository
from foureyes.bootstrap.wiring import open_project
from foureyes.core.nouns.session import RUN_DIR
from foureyes.errors import EnvironmentProblem
from foureyes.steps import prose

if TYPE_CHECKING:
    from foureyes.app.application import Application
    from foureyes.core.nouns.session import Actor


class Served:
    """The project around the server's start directory. (K1)

    It is opened again for each call, which takes a millisecond. So a restored or moved store is noticed, and an idle
    agent holds no connection.
    """

    def __init__(self, cwd: str, environ: Mapping[str, str]) -> None:
        from foureyes.adapters.identity.server_callers import Beginning

        self._cwd, self._environ = cwd, environ
        self._beginning = Beginning(environ)
        self._root = ""

    @contextmanager
    def call(self) -> Iterator[tuple[Application, Actor]]:
        """Yield the Application and the caller. Use it in the thread that asks. (I5)"""
        if self._root and not isdir(self._root):
            raise EnvironmentProblem(
                f"the project of this MCP server is no longer at {self._root}. Nothing was done.",
                next_step=prose("start the server again in the project's new place"),
            )
        self._root = self._root or repository(self._cwd).root  # a start worktree may go
        app = self._opened()
        try:
            yield app, app.sessions.recognise(self._beginning.caller)
        finally:
            app.close()

    def _opened(self) -> Application:
        """Open the project. Below a run, the runner opens it and identifies this process. (I2)"""
        if not self._environ.get(RUN_DIR):
            return open_project(self._root, self._environ)
        from foureyes.bootstrap.run_client import reach

        return reach(self._root, self._environ, has_left=self._beginning.has_left)

    def keep_trace(self, name: str, text: str) -> str:
        """Store a crash trace and return its path, or "" if that fails."""
        from foureyes.bootstrap.files import append_trace

        try:
            return append_trace(folder_of(repository(self._root)), name, text) if self._root else ""
        except OSError:
            return ""
