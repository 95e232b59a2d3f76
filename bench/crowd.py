"""Many processes that begin at the same moment. Each has its own connection, as every caller of `fe` has."""

from __future__ import annotations

import multiprocessing
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import TypeVar, cast

R = TypeVar("R")
Ready = Callable[[], None]
Work = Callable[[int, Ready], R]
"""Called in each process with its number; calls `ready` when it is set up, which returns once all are."""

SLOWEST_SECONDS = 240.0


def crowd(count: int, work: Work[R], slowest: float = SLOWEST_SECONDS) -> list[R]:
    """Run `work` in that many processes at once; what each returned, in their order. After so many seconds those that
    have not answered are ended, as they are when this is interrupted.

    Forked, so that `work` may be any function. Nothing may hold a database connection when this is called.
    """
    fork = multiprocessing.get_context("fork")
    barrier = fork.Barrier(count)
    pipes = [fork.Pipe(duplex=False) for _ in range(count)]
    end = time.monotonic() + slowest

    def ready() -> None:
        barrier.wait(slowest)

    def run(number: int, answer: Connection) -> None:
        try:
            answer.send((True, work(number, ready)))
        except BaseException:
            barrier.abort()
            answer.send((False, traceback.format_exc()))

    processes = [fork.Process(target=run, args=(number, pipe[1])) for number, pipe in enumerate(pipes)]
    try:
        for process in processes:
            process.start()
        answers = [_answer(pipe[0], end - time.monotonic()) for pipe in pipes]
        for process in processes:
            process.join(2)
    finally:
        for process in processes:
            if process.is_alive():
                process.kill()
    if failed := [str(what) for fine, what in answers if not fine]:
        raise SystemExit(failed[0])
    return [cast("R", what) for _, what in answers]


def _answer(pipe: Connection, seconds: float) -> tuple[bool, object]:
    try:
        return pipe.recv() if pipe.poll(max(0.0, seconds)) else (False, "no answer")
    except EOFError:
        return False, "it ended without an answer"


def in_a_child(work: Callable[[], R]) -> R:
    """Run something in a process of its own, so that its memory can be told from ours."""

    def alone(_: int, ready: Ready) -> R:
        ready()
        return work()

    return crowd(1, alone)[0]
