"""The desk: the server's one way to the Application. Calls are done in a thread of its own, one after the other."""

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
    """What a server is started over (`bootstrap.serving.Served`)."""

    def call(self) -> AbstractContextManager[tuple[Application, Actor]]:
        """The Application for one call, and who calls."""

    def keep_trace(self, name: str, text: str) -> str:
        """Where a trace of a defect was kept; empty where that cannot be."""


class ToolDesk:
    """Does one call after the other, however many come at once. What is wrong is always a `FoureyesError`."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="desk")

    async def ask(self, work: Callable[[Application, Actor], T]) -> T:
        """Have something done. Who does not wait for it any more stops nothing that has begun."""
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
        """End: what has begun is finished, so that nothing is cut in the middle; what waits is not begun."""
        self._thread.shutdown(wait=True, cancel_futures=True)
