"""Children of a test: forked, not started again, so that hundreds of them cost little; and how they ended."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Ended(NamedTuple):
    """How a child ended: with a value, with an error, or by a signal."""

    value: Any = None
    error: BaseException | None = None
    signal: int = 0


class Child(Generic[T]):
    """A forked process that does one piece of work and tells what came of it."""

    def __init__(self, work: Callable[[], T]) -> None:
        _refuse_open_stores()
        self._pipe, write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            _live(work, write)
        os.close(write)

    def ended(self) -> Ended:
        """Wait for its end."""
        with open(self._pipe, "rb") as pipe:
            said = pipe.read()
        _, status = os.waitpid(self.pid, 0)
        if os.WIFSIGNALED(status):
            return Ended(signal=os.WTERMSIG(status))
        found = pickle.loads(said)
        assert isinstance(found, Ended)
        return found

    def result(self) -> T:
        """What it returned; an error of the child is raised here."""
        found = self.ended()
        if found.error is not None:
            raise found.error
        assert found.signal == 0, f"the child was ended by signal {found.signal}"
        value: T = found.value
        return value


def _refuse_open_stores() -> None:
    """A forked process shares the locks of its parent's open files: it would wait for a store that it holds itself."""
    for fd in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):
            name = os.path.basename(os.readlink(f"/proc/self/fd/{fd}"))
            assert name not in ("store.db", "store.lock"), f"{name} is open here: close the store, then fork"


def _live(work: Callable[[], object], pipe: int) -> None:
    """Never comes back: neither pytest nor any exit handler runs twice. Nobody looks for garbage here: that touches,
    and so copies, all that the tests of its parent have made.
    """
    gc.disable()
    try:
        said = pickle.dumps(Ended(value=work()))
    except BaseException as problem:
        problem.add_note(traceback.format_exc())
        try:
            said = pickle.dumps(Ended(error=problem))
            pickle.loads(said)
        except Exception:
            said = pickle.dumps(Ended(error=AssertionError(traceback.format_exc())))
    os.set_blocking(pipe, True)
    while said:
        said = said[os.write(pipe, said) :]
    os._exit(0)


class Gate:
    """Where children wait until all of them have come; then they go on together."""

    def __init__(self) -> None:
        self._come = os.pipe()
        self._go = os.pipe()
        self._mine = True

    def wait(self) -> None:
        """In a child: say that we are here, and wait for the others."""
        os.close(self._go[1])
        os.write(self._come[1], b".")
        os.read(self._go[0], 1)

    def open(self, count: int) -> None:
        """In the test: when so many have come, let them go."""
        os.close(self._come[1])
        come = 0
        while come < count:
            found = os.read(self._come[0], count)
            assert found, "a child ended before it came to the gate"
            come += len(found)
        for end in (self._come[0], *self._go):
            os.close(end)


def swarm(count: int, work: Callable[[int, Gate], T]) -> list[T]:
    """That many processes; each prepares itself, waits at the gate, and works. What they returned."""
    gate = Gate()

    def member(number: int) -> T:
        return work(number, gate)

    children = [Child(lambda number=number: member(number)) for number in range(count)]  # type: ignore[misc]
    gate.open(count)
    return [child.result() for child in children]


class Signal:
    """One process tells another that it has come somewhere."""

    def __init__(self) -> None:
        self._ends = os.pipe()

    def give(self) -> None:
        os.write(self._ends[1], b".")

    def await_(self) -> None:
        assert os.read(self._ends[0], 1)

    def close(self) -> None:
        for end in self._ends:
            os.close(end)


class Standby(Generic[T]):
    """A process that is there before it is needed: it begins when another says so, and says when it has come far
    enough for the other to go on.
    """

    def __init__(self, work: Callable[[Callable[[], None]], T]) -> None:
        self._begin, self._enough = Signal(), Signal()
        self._has_ended = False

        def live() -> T:
            self._begin.await_()
            try:
                return work(self._enough.give)
            finally:
                self._enough.give()

        self._child = Child(live)

    def __enter__(self) -> Standby[T]:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._has_ended:
            os.kill(self._child.pid, signal.SIGKILL)
            self._child.ended()
        self._begin.close()
        self._enough.close()

    def begin(self) -> None:
        """In any process: let it work, and wait until it has come far enough, or to its end."""
        self._begin.give()
        self._enough.await_()

    def result(self) -> T:
        """In the process that made it: what it returned."""
        self._has_ended = True
        return self._child.result()
