"""The worker: the server's only way to the Application. Calls are performed in a thread of its own, one after the
other.
"""

from __future__ import annotations

import asyncio
import os
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol, TypeVar

from foureyes.errors import FoureyesError, Internal

if TYPE_CHECKING:
    from foureyes.app.application import Application
    from foureyes.core.nouns.session import Actor


T = TypeVar("T")


class Project(Protocol):
    """The project that a server works on (`bootstrap.tool_server.Served`)."""

    def call(self) -> AbstractContextManager[tuple[Application, Actor]]:
        """Return a context with the Application for one call, and the caller."""

    def keep_trace(self, name: str, text: str) -> str:
        """Store the trace of a defect and return its path, "" if that fails."""


class ToolWorker:
    """Performs calls one after the other, however many arrive at once. Every problem is a `FoureyesError`."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="desk")

    async def ask(self, work: Callable[[Application, Actor], T]) -> T:
        """Perform a call in the thread. If the caller stops waiting, a call that has begun is finished."""
        return await asyncio.wrap_future(self._thread.submit(self._do, work))

    def _do(self, work: Callable[[Application, Actor], T]) -> T:
        try:
            with self._project.call() as (app, actor):
                return work(app, actor)
        except FoureyesError:
            raise
        except Exception as problem:  # a defect of ours ends this call, not the conversation
            raise self._internal(problem) from problem

    def _internal(self, problem: Exception) -> Internal:
        where = self._project.keep_trace(f"crash-{os.getpid()}.txt", "".join(traceback.format_exception(problem)))
        report = f"Report with {where}" if where else f"{type(problem).__name__}: {problem}"
        return Internal(f"internal error, nothing was changed. {report}")

    def close(self) -> None:
        """End the worker. A call that has begun is finished, and waiting ones are dropped."""
        self._thread.shutdown(wait=True, cancel_futures=True)
