"""The only module that starts programs.

Everything goes through `run`, or through `supervise` for an untrusted program. Both limit its time, end the processes
it leaves and report a missing program. `subprocess` is imported with the first program.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    import subprocess

DEFAULT_TIMEOUT = 60.0
GRACE = 2.0  # seconds between asking a process group to end (git removes its lock files then) and ending it
PATIENT = 2.0  # seconds after which we look for the first time whether something holds a program
PATIENCE = 10.0  # seconds for the reaper to end what is below it, before it is done from here
CHUNK, PAUSE = 65536, 0.02
TICK = 0.5  # seconds after which we look up from waiting: a Ctrl-C just before it would else be heard at the deadline
StopAskedOf = Callable[[int], bool]  # asked often at first, then every TICK, with the pid of the reaper
PIPE_CHUNKS = 32  # the largest pipe that a program may ask for (1 MiB), twice


class ProcessProblem(Exception):
    """Raised if a program could not be started or did not end."""


class ProgramMissing(ProcessProblem):
    """Raised if the program is not on the path."""


class ProgramTimedOut(ProcessProblem):
    """Raised if the program reached its time limit and was ended with everything it had started."""


class ProgramHung(ProcessProblem):
    """Raised if the program waited for something that never comes, and was ended with everything it had started."""


class Finished(msgspec.Struct, frozen=True):
    """The exit code and output of a program."""

    rc: int
    out: bytes
    err: bytes


class ProgramEnd(msgspec.Struct, frozen=True):
    """The end of a supervised program. `problem` gives the reason for an unknown result, or tells of processes that
    could not be ended."""

    rc: int | None
    timed_out: bool = False
    problem: str = ""


def run(
    argv: Sequence[str], *, cwd: str | None = None, env: Mapping[str, str] | None = None, input: bytes = b"",
    timeout: float = DEFAULT_TIMEOUT, held: Callable[[], str] | None = None, reads: int = -1,
) -> Finished:  # fmt: skip
    """Run a program and return its result, whatever the exit code. `held` returns why a slow program is blocked.
    `reads` is a pipe for its input.
    """
    import subprocess

    child = start(argv, cwd, env, has_input=bool(input), reads=reads)
    try:
        out, err = _follow(child, input, time.monotonic() + timeout, held or str)
    except BaseException as problem:
        end_group(child)
        if not isinstance(problem, subprocess.TimeoutExpired):
            raise
        raise ProgramTimedOut(f"{argv[0]} was still running after {timeout:g} seconds and was ended") from problem
    return Finished(child.returncode, out, err)


def _follow(child: subprocess.Popen[bytes], given: bytes, end: float, held: Callable[[], str]) -> tuple[bytes, bytes]:
    """Return the program's output at its end. Checks at growing intervals if it is blocked."""
    import subprocess

    pause = PATIENT
    while True:
        left = end - time.monotonic()
        try:
            return child.communicate(given or None, timeout=max(0.0, min(pause, left)))
        except subprocess.TimeoutExpired:
            if left <= pause:
                raise
            if why := held():
                raise ProgramHung(why) from None
            given, pause = b"", pause * 2


def supervise(
    argv: Sequence[str], *, cwd: str | None = None, env: Mapping[str, str] | None = None, timeout: float,
    hear: Callable[[bytes], None], stop: StopAskedOf | None = None,
) -> ProgramEnd:  # fmt: skip
    """Run a program (an absolute path) under a reaper. When this returns or raises, nothing that it started is left.

    The program has no input. `hear` gets both output streams merged. `stop` may end it early.
    """
    child = start_below(argv, cwd, env)
    watch = _Watch(child, hear, stop or (lambda _: False))
    try:
        watch.follow(time.monotonic() + timeout)
    finally:
        _end_below(child, watch.words.after("pid"))
    if failed := watch.words.after("failed"):
        raise ProcessProblem(f"could not be started: {failed}")
    return watch.ended()


def start_below(
    argv: Sequence[str], cwd: str | None, env: Mapping[str, str] | None, *, passes: Sequence[int] = ()
) -> subprocess.Popen[bytes]:
    """Start a reaper for a program. All instructions are in its arguments. `passes` are open files to inherit."""
    if not sys.executable:
        raise ProcessProblem("this interpreter does not know its own path")
    from foureyes.adapters import reaper

    command = [sys.executable, "-I", "-S", os.path.abspath(reaper.__file__), *argv]
    return start(command, cwd, env, has_input=True, passes=passes)


class ReaperReport:
    """The messages of a reaper."""

    def __init__(self) -> None:
        self._said = b""

    def hear(self, part: bytes) -> None:
        self._said = (self._said + part)[:CHUNK]

    def after(self, word: str) -> str:
        """Return the text after a keyword."""
        for line in self._said.split(b"\n")[:-1]:
            first, _, rest = line.partition(b" ")
            if first == word.encode():
                return os.fsdecode(rest)
        return ""

    def ended(self, *, timed_out: bool = False, stopped: bool = False) -> ProgramEnd:
        """Return the end of the program. Call this after the reaper has ended."""
        code, left = self.after("exit"), self.after("left")
        problem = f"{left} of its processes could not be ended" if left else ""
        if timed_out or stopped:
            return ProgramEnd(None, timed_out, problem or ("it was stopped" if stopped else ""))
        if not code.removeprefix("-").isdigit():
            return ProgramEnd(None, False, problem or "it killed the process that supervises it")
        return ProgramEnd(int(code), False, problem)


class _Watch:
    """A reader for both pipes of a reaper: its own messages and the program's output."""

    def __init__(self, child: subprocess.Popen[bytes], hear: Callable[[bytes], None], stop: StopAskedOf) -> None:
        assert child.stdin is not None and child.stdout is not None and child.stderr is not None  # noqa: PT018
        self._child, self._hear, self._stop = child, hear, stop
        self._said, self._output = child.stdout.fileno(), child.stderr.fileno()
        self.words = ReaperReport()
        self._ending = self._timed_out = self._stopped = self._is_over = False

    def follow(self, deadline: float) -> None:
        """Read until the reaper ends. The reaper ends a program that is late, and `_end_below` a reaper that is
        late.
        """
        import selectors

        pause = PAUSE / 2
        with selectors.DefaultSelector() as pipes:
            for pipe in (self._said, self._output):
                pipes.register(pipe, selectors.EVENT_READ)
            while not self._is_over:
                for key, _ in pipes.select(min(pause := min(pause * 2, TICK), max(0.0, deadline - time.monotonic()))):
                    if not self._read(key.fd):
                        pipes.unregister(key.fd)
                if self.words.after("exit") and not self._ending:
                    self._ending, deadline = True, time.monotonic() + PATIENCE
                if not self._ending and self._stop(self._child.pid):
                    self._stopped, deadline = True, 0.0
                if time.monotonic() < deadline:
                    continue
                if self._ending:
                    return
                self._ending, self._timed_out = True, not self._stopped
                close_input(self._child)
                deadline = time.monotonic() + PATIENCE
        self._read_rest()

    def _read_rest(self) -> None:
        """Read what is left in the pipe, up to a limit, because a surviving process may write forever."""
        os.set_blocking(self._output, False)
        with suppress(BlockingIOError):
            all(self._read(self._output) for _ in range(PIPE_CHUNKS))

    def ended(self) -> ProgramEnd:
        return self.words.ended(timed_out=self._timed_out, stopped=self._stopped)

    def _read(self, pipe: int) -> bool:
        """Read available data. Return False at the end of the pipe."""
        part = os.read(pipe, CHUNK)
        if pipe != self._output:
            self._is_over = not part
            self.words.hear(part)
        elif part:
            self._hear(part)
        return bool(part)


def close_input(child: subprocess.Popen[bytes]) -> None:
    """Close the reaper's input, so that it ends everything. If the program has stopped the reaper, resume it first."""
    from foureyes.adapters.reaper import tell

    if child.stdin is not None:
        with suppress(BrokenPipeError):  # it is gone, and a word that it never read was left
            child.stdin.close()
    tell(-child.pid, signal.SIGCONT)


def _end_below(child: subprocess.Popen[bytes], program: str) -> None:
    """End everything. If the reaper was killed or does not answer, do its work."""
    import subprocess

    from foureyes.adapters.reaper import tell

    close_input(child)
    close(child)
    try:
        child.wait(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        stand_in(child)
    if child.returncode != 0 and program.isdigit() and int(program) > 1:  # -1 would be everybody
        tell(-int(program))


def stand_in(child: subprocess.Popen[bytes]) -> None:
    """Kill all descendants in place of an unresponsive reaper."""
    from foureyes.adapters.reaper import kill_below

    end = time.monotonic() + GRACE
    while kill_below(child.pid) and time.monotonic() < end:
        time.sleep(PAUSE)
    child.kill()
    child.wait()


def start(
    argv: Sequence[str], cwd: str | None, env: Mapping[str, str] | None, *, has_input: bool, reads: int = -1,
    passes: Sequence[int] = (),
) -> subprocess.Popen[bytes]:  # fmt: skip
    """Start a program in its own session, so that its group can be ended together and nothing waits at the terminal."""
    import subprocess

    try:
        return subprocess.Popen(
            list(argv), cwd=cwd, env=env, pass_fds=passes,
            stdin=reads if reads >= 0 else subprocess.PIPE if has_input else subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
    except FileNotFoundError as missing:
        if cwd is not None and not os.path.isdir(cwd):
            raise ProcessProblem(f"{argv[0]} cannot run in {cwd}: there is no such directory") from missing
        raise ProgramMissing(f"{argv[0]} was not found") from missing
    except (OSError, ValueError) as problem:
        raise ProcessProblem(f"{argv[0]} could not be started: {problem}") from problem


def end_group(child: subprocess.Popen[bytes]) -> None:
    """End the whole group, first with SIGTERM. Closes the pipes without reading, because a survivor may hold them open."""
    import subprocess

    from foureyes.adapters.reaper import tell

    tell(-child.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        child.wait(timeout=GRACE)
    tell(-child.pid)
    child.wait()
    close(child)


def close(child: subprocess.Popen[bytes]) -> None:
    for pipe in filter(None, (child.stdin, child.stdout, child.stderr)):
        with suppress(OSError):
            pipe.close()


def twin() -> int:
    """Fork this process. Return the child's pid, and 0 in the child."""
    return os.fork()
