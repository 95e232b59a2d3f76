"""Clocks of the gate's benchmarks: of a step, and of what it starts."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

from foureyes.adapters import pipes, process


def timed(action: Callable[[], object]) -> float:
    """Milliseconds."""
    start = time.perf_counter()
    action()
    return (time.perf_counter() - start) * 1000


def worked(action: Callable[[], object]) -> float:
    """Milliseconds of the processor: ours, and those of the programs that were started and have ended."""
    start = _processor()
    action()
    return (_processor() - start) * 1000


def _processor() -> float:
    each = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in each)


class Started:
    """How many programs were started, and the milliseconds that were waited for them."""

    def __init__(self) -> None:
        self.programs = 0
        self.ms = 0.0
        self._depth = 0

    def waited(self, really: Callable[..., Any]) -> Callable[..., Any]:
        """The same, under the clock; what is called inside of another such call is in that one's time already."""

        def call(*args: Any, **kwargs: Any) -> Any:
            start = time.perf_counter()
            self._depth += 1
            try:
                return really(*args, **kwargs)
            finally:
                self._depth -= 1
                if not self._depth:
                    self.ms += (time.perf_counter() - start) * 1000

        return call

    def counted(self, really: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            self.programs += 1
            return really(*args, **kwargs)

        return self.waited(call)


@contextmanager
def watching_git() -> Iterator[Started]:
    """What is started inside: programs that run to their end, that feed each other, and that are asked one thing after
    the other.
    """
    seen = Started()
    with ExitStack() as patches:
        patches.enter_context(mock.patch.object(process, "start", seen.counted(process.start)))
        for owner, name in (
            (process, "run"),
            (pipes, "through"),
            (pipes.AskedProgram, "say"),
            (pipes.AskedProgram, "line"),
            (pipes.AskedProgram, "exactly"),
        ):
            patches.enter_context(mock.patch.object(owner, name, seen.waited(getattr(owner, name))))
        yield seen
