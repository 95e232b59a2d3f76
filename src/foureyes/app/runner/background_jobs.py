"""Background jobs: checks, merges and fetches that run while the runner watches its runs."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Protocol

import msgspec

from foureyes.errors import FoureyesError, Reason
from foureyes.steps import Arg, Steps

if TYPE_CHECKING:
    from foureyes.app.context import Context


Job = Callable[["Context", Callable[[], bool]], "JobEnd"]
"""A function called with its own Context, and a function that returns True if the job should stop."""


class JobEnd(msgspec.Struct, frozen=True):
    """Result of a job. `problem` is why the whole job failed, `failed` why single tasks did. `soon` means another
    process was busy with it, so the retry pause need not grow. `closed` lists the tasks it finished,
    `for_people` those that only a person can move.
    """

    text: str = ""
    problem: str = ""
    failed: Mapping[str, str] = {}
    closed: tuple[str, ...] = ()
    for_people: tuple[str, ...] = ()
    soon: bool = False


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """Result of a finished job. `problem` is empty unless the job failed. `person`: only a person can remove it."""

    key: str
    said: str = ""
    problem: str = ""
    failed: Mapping[str, str] = {}
    closed: tuple[str, ...] = ()
    for_people: tuple[str, ...] = ()
    soon: bool = False
    person: bool = False


def _done(key: str, end: JobEnd) -> Done:
    return Done(
        key=key,
        said=end.text,
        problem=end.problem,
        failed=end.failed,
        closed=end.closed,
        for_people=end.for_people,
        soon=end.soon,
    )


def all_of(problem: FoureyesError) -> str:
    """Return the message of a refusal with every reason, its rule and the commands to type next."""
    if not problem.reasons:
        words = [step.before[:1].upper() + step.before[1:] for step in problem.next_step.steps if not step.argv]
        return ". ".join([problem.message.rstrip("."), *words]) if words else problem.message
    return f"{problem.message.rstrip('.')}: {', and '.join(map(_reason, problem.reasons))}"


def is_for_people(problem: Exception) -> bool:
    """Return True if some reason names only commands that people run. No retry removes such a problem. (Q3)"""
    if not isinstance(problem, FoureyesError):
        return False
    ways = [reason.next for reason in problem.reasons] or [problem.next_step]
    return any(map(only_people_run, ways))


def only_people_run(steps: Steps) -> bool:
    """Return True if the steps name commands, and all of them are for a person."""
    return {step.who for step in steps.steps if step.argv} == {"person"}


def typed(steps: Steps) -> str:
    """Return the commands of the steps, with who runs them if it is a person, or ""."""
    commands = " or ".join(" ".join(map(_word, step.argv)) for step in steps.steps if step.argv)
    return f"a person runs: {commands}" if only_people_run(steps) else commands


def _reason(reason: Reason) -> str:
    commands = typed(reason.next)
    return f"{reason.message} ({reason.rule})" + (f": {commands}" if commands else "")


def _word(word: str | Arg) -> str:
    return word if isinstance(word, str) else f"{word.quote}{word.name}{word.quote}"


class Crew(Protocol):
    """Runs background jobs."""

    def start(self, key: str, job: Job) -> None: ...

    def done(self) -> list[Done]:
        """Return the jobs that finished since the last call."""

    def fileno(self) -> int:
        """Return a descriptor that becomes readable when a job finishes, or -1 if there is none."""

    def close(self) -> list[Done]:
        """Ask every job to stop, wait for all of them, and return the results not yet collected."""


class Threads:
    """Runs each job in a thread. Each thread has its own Context, because connections cannot be shared."""

    def __init__(self, make: Callable[[], Context]) -> None:
        self._make = make
        self._done: SimpleQueue[Done] = SimpleQueue()
        self._threads: dict[str, threading.Thread] = {}
        self._ending = threading.Event()
        self._readable, self._written = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)

    def start(self, key: str, job: Job) -> None:
        thread = threading.Thread(target=self._do, args=(key, job), name=key, daemon=True)
        self._threads[key] = thread
        thread.start()

    def _do(self, key: str, job: Job) -> None:
        try:
            context = self._make()
            try:
                done = _done(key, job(context, self._ending.is_set))
            finally:
                context.close()
        except FoureyesError as problem:
            done = Done(key=key, problem=all_of(problem), person=is_for_people(problem))
        except Exception as problem:  # a crashing job must still report, or the runner would wait for it
            done = Done(key=key, problem=f"{type(problem).__name__}: {problem}")
        self._done.put(done)
        with suppress(OSError):
            os.write(self._written, b".")

    def done(self) -> list[Done]:
        with suppress(BlockingIOError):
            os.read(self._readable, 4096)
        done: list[Done] = []
        while True:
            try:
                done.append(self._done.get_nowait())
            except Empty:
                break
        for job in done:
            self._threads.pop(job.key).join()
        return done

    def fileno(self) -> int:
        return self._readable

    def close(self) -> list[Done]:
        self._ending.set()
        for thread in list(self._threads.values()):
            thread.join()
        left = self.done()
        for descriptor in (self._readable, self._written):
            with suppress(OSError):
                os.close(descriptor)
        return left


class AtOnce:
    """Runs each job immediately in the caller's thread, for callers with a single store."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._done: list[Done] = []

    def start(self, key: str, job: Job) -> None:
        try:
            self._done.append(_done(key, job(self._context, lambda: False)))
        except FoureyesError as problem:
            self._done.append(Done(key=key, problem=all_of(problem), person=is_for_people(problem)))

    def done(self) -> list[Done]:
        done, self._done = self._done, []
        return done

    def fileno(self) -> int:
        return -1

    def close(self) -> list[Done]:
        return self.done()
