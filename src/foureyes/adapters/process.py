"""The only starter of programs.

Everything that runs another program goes through `run`, or through `supervise` if nobody trusts the program to end, so
that there is one place that bounds its time, ends what it leaves behind and says clearly that it is missing. `subprocess`
is imported when the first program is started: most commands start none.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    import subprocess

DEFAULT_TIMEOUT = 60.0
GRACE = 2.0
"""Seconds between asking a process group to end (git removes its lock files then) and ending it."""
PATIENCE = 10.0
"""Seconds for the reaper to end what is below it, before it is done from here."""
REAPER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reaper.py")
CHUNK = 65536
PAUSE = 0.02
TICK = 0.5
"""Seconds after which we look up from waiting: a Ctrl-C that came just before it would else be heard at the deadline."""
PIPE_CHUNKS = 32
"""The largest pipe that a program may ask for (1 MiB), twice."""


class ProcessProblem(Exception):
    """A program could not be started or did not end."""


class ProgramMissing(ProcessProblem):
    """There is no such program on the path."""


class ProgramTimedOut(ProcessProblem):
    """The program was still running at its time limit and was ended with everything it had started."""


class Finished(msgspec.Struct, frozen=True):
    """How a program ended and what it wrote."""

    rc: int
    out: bytes
    err: bytes


class Ended(msgspec.Struct, frozen=True):
    """How a supervised program ended; `problem` says why that cannot be told, or what could not be ended."""

    rc: int | None
    timed_out: bool = False
    problem: str = ""


def run(
    argv: Sequence[str],
    *,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    input: bytes = b"",
    timeout: float = DEFAULT_TIMEOUT,
) -> Finished:
    """Run a program to its end. Never through a shell; any exit code is an answer, not an exception."""
    import subprocess

    child = _start(argv, cwd, env, has_input=bool(input))
    try:
        out, err = child.communicate(input or None, timeout=timeout)
    except subprocess.TimeoutExpired as late:
        _end_group(child)
        raise ProgramTimedOut(f"{argv[0]} was still running after {timeout:g} seconds and was ended") from late
    except BaseException:
        _end_group(child)
        raise
    return Finished(child.returncode, out, err)


def supervise(
    argv: Sequence[str],
    *,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = DEFAULT_TIMEOUT,
    hear: Callable[[bytes], None],
) -> Ended:
    """Run a program (an absolute path) below a reaper; when this returns or raises, nothing that it started is left.

    There is no input. `hear` gets both output streams as they come, in one; nothing is kept here.
    """
    if not sys.executable:
        raise ProcessProblem("this interpreter does not know its own path")
    child = _start([sys.executable, "-I", "-S", REAPER, *argv], cwd, env, has_input=True)
    watch = _Watch(child, hear)
    try:
        watch.follow(time.monotonic() + timeout)
    finally:
        _end_below(child, watch.said("pid"))
    if failed := watch.said("failed"):
        raise ProcessProblem(f"could not be started: {failed}")
    return watch.ended()


class _Watch:
    """Both pipes of a reaper: its own words, and what the program writes."""

    def __init__(self, child: subprocess.Popen[bytes], hear: Callable[[bytes], None]) -> None:
        assert child.stdin is not None and child.stdout is not None and child.stderr is not None  # noqa: PT018
        self._child = child
        self._words, self._output = child.stdout.fileno(), child.stderr.fileno()
        self._hear = hear
        self._said = b""
        self._ending = self._timed_out = self._is_over = False

    def follow(self, deadline: float) -> None:
        """Read until the reaper has ended. It ends a late program; one that does not answer in time is left to `_end_below`."""
        import selectors

        with selectors.DefaultSelector() as pipes:
            for pipe in (self._words, self._output):
                pipes.register(pipe, selectors.EVENT_READ)
            while not self._is_over:
                for key, _ in pipes.select(min(TICK, max(0.0, deadline - time.monotonic()))):
                    if not self._read(key.fd):
                        pipes.unregister(key.fd)
                if self.said("exit") and not self._ending:
                    self._ending, deadline = True, time.monotonic() + PATIENCE
                if time.monotonic() < deadline:
                    continue
                if self._ending:
                    return
                self._ending = self._timed_out = True
                _ask_to_end(self._child)
                deadline = time.monotonic() + PATIENCE
        self._read_rest()

    def _read_rest(self) -> None:
        """What was in the pipe when the last writer ended, and no more: a survivor may write for ever."""
        os.set_blocking(self._output, False)
        with suppress(BlockingIOError):
            for _ in range(PIPE_CHUNKS):
                if not self._read(self._output):
                    return

    def said(self, word: str) -> str:
        """What stands behind a word of the reaper."""
        for line in self._said.split(b"\n")[:-1]:
            first, _, rest = line.partition(b" ")
            if first == word.encode():
                return os.fsdecode(rest)
        return ""

    def ended(self) -> Ended:
        code, left = self.said("exit"), self.said("left")
        problem = f"{left} of its processes could not be ended" if left else ""
        if self._timed_out:
            return Ended(None, True, problem)
        if not code:
            return Ended(None, False, problem or "it ended the process that watches over it")
        return Ended(int(code), False, problem)

    def _read(self, pipe: int) -> bool:
        """Take what is there; False at the end of the pipe."""
        part = os.read(pipe, CHUNK)
        if pipe == self._output:
            if part:
                self._hear(part)
        else:
            self._is_over = not part
            self._said = (self._said + part)[:CHUNK]
        return bool(part)


def _ask_to_end(child: subprocess.Popen[bytes]) -> None:
    """The reaper ends everything when its input ends; what it watches may have stopped it."""
    import signal

    if child.stdin is not None:
        child.stdin.close()
    _signal_group(child.pid, signal.SIGCONT)


def _end_below(child: subprocess.Popen[bytes], program: str) -> None:
    """Nothing is left when this returns. A reaper that does not answer, or was killed by what it watched, is stood in for."""
    import signal
    import subprocess

    _ask_to_end(child)
    for pipe in (child.stdout, child.stderr):
        if pipe is not None:
            pipe.close()
    try:
        child.wait(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        _stand_in(child)
    if child.returncode != 0 and program.isdigit():
        _signal_group(int(program), signal.SIGKILL)


def _stand_in(child: subprocess.Popen[bytes]) -> None:
    """Do the work of a reaper that does not."""
    from foureyes.adapters.reaper import kill_below

    end = time.monotonic() + GRACE
    while kill_below(child.pid) and time.monotonic() < end:
        time.sleep(PAUSE)
    child.kill()
    child.wait()


def _start(argv: Sequence[str], cwd: str | None, env: Mapping[str, str] | None, *, has_input: bool) -> subprocess.Popen[bytes]:
    """Start it in a session of its own: the group can be ended as one, and nothing can wait at the terminal."""
    import subprocess

    try:
        return subprocess.Popen(
            list(argv),
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE if has_input else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except FileNotFoundError as missing:
        if cwd is not None and not os.path.isdir(cwd):
            raise ProcessProblem(f"{argv[0]} cannot run in {cwd}: there is no such directory") from missing
        raise ProgramMissing(f"{argv[0]} was not found") from missing
    except (OSError, ValueError) as problem:
        raise ProcessProblem(f"{argv[0]} could not be started: {problem}") from problem


def _end_group(child: subprocess.Popen[bytes]) -> None:
    """Ask the whole group to end, then make it. Pipes are closed, not read: a survivor elsewhere may hold them."""
    import signal
    import subprocess

    _signal_group(child.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        child.wait(timeout=GRACE)
    _signal_group(child.pid, signal.SIGKILL)
    child.wait()
    for pipe in (child.stdin, child.stdout, child.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def _signal_group(group: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
