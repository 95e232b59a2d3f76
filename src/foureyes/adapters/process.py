"""The only starter of programs.

Everything goes through `run`, or through `supervise` if nobody trusts the program to end: one place that bounds its
time, ends what it leaves behind and says that it is missing. `subprocess` is imported with the first program.

Run as a script (standard library only), this file is the *reaper* that `supervise` puts above a program: a child
subreaper (Linux), so who forks twice and calls `setsid` becomes its child. When the program or the reaper's own input
has ended, it kills everything below until no child is left; elsewhere, the program's group. Its output is for us:
`pid`, `exit`, `left` and a number, `failed` and why. The program writes to its standard error.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import subprocess

DEFAULT_TIMEOUT = 60.0
GRACE = 2.0  # seconds between asking a process group to end (git removes its lock files then) and ending it
PATIENT = 2.0  # seconds after which we look for the first time whether something holds a program
PATIENCE = 10.0  # seconds for the reaper to end what is below it, before it is done from here
LIMIT = 5.0  # for the reaper itself; what is still there then cannot be ended by us
CHUNK, PAUSE = 65536, 0.02
TICK = 0.5  # seconds after which we look up from waiting: a Ctrl-C just before it would else be heard at the deadline
Stopping = Callable[[int], bool]  # asked often at first, then every TICK, with the pid of the reaper
DEAF = tuple(getattr(signal, f"SIG{name}") for name in "TERM INT HUP QUIT USR1 USR2 ALRM TSTP".split())
"""What a program may send to its reaper without leaving its children alone."""
PIPE_CHUNKS = 32  # the largest pipe that a program may ask for (1 MiB), twice


class ProcessProblem(Exception):
    """A program could not be started or did not end."""


class ProgramMissing(ProcessProblem):
    """There is no such program on the path."""


class ProgramTimedOut(ProcessProblem):
    """The program was still running at its time limit and was ended with everything it had started."""


class ProgramHeld(ProcessProblem):
    """The program waited for something that never comes, and was ended with everything it had started."""


class Finished(NamedTuple):
    """How a program ended and what it wrote."""

    rc: int
    out: bytes
    err: bytes


class Ended(NamedTuple):
    """How a supervised program ended; `problem` says why that cannot be told, or what could not be ended."""

    rc: int | None
    timed_out: bool = False
    problem: str = ""


def run(
    argv: Sequence[str], *, cwd: str | None = None, env: Mapping[str, str] | None = None, input: bytes = b"",
    timeout: float = DEFAULT_TIMEOUT, held: Callable[[], str] | None = None, reads: int = -1,
) -> Finished:  # fmt: skip
    """Run a program to its end, any exit code is an answer. `held`: what holds a slow one. `reads`: a pipe."""
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
    """What a program writes until it ends. Ever more seldom we look up whether it can end at all."""
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
                raise ProgramHeld(why) from None
            given, pause = b"", pause * 2


def supervise(
    argv: Sequence[str], *, cwd: str | None = None, env: Mapping[str, str] | None = None, timeout: float,
    hear: Callable[[bytes], None], stop: Stopping | None = None,
) -> Ended:  # fmt: skip
    """Run a program (an absolute path) below a reaper; when this returns or raises, nothing that it started is left.
    There is no input. `hear` gets both output streams as they come, in one. `stop` may want its end before its time.
    """
    if not sys.executable:
        raise ProcessProblem("this interpreter does not know its own path")
    child = start([sys.executable, "-I", "-S", os.path.abspath(__file__), *argv], cwd, env, has_input=True)
    watch = _Watch(child, hear, stop or (lambda _: False))
    try:
        watch.follow(time.monotonic() + timeout)
    finally:
        _end_below(child, watch.report("pid"))
    if failed := watch.report("failed"):
        raise ProcessProblem(f"could not be started: {failed}")
    return watch.ended()


class _Watch:
    """Both pipes of a reaper: its own words, and what the program writes."""

    def __init__(self, child: subprocess.Popen[bytes], hear: Callable[[bytes], None], stop: Stopping) -> None:
        assert child.stdin is not None and child.stdout is not None and child.stderr is not None  # noqa: PT018
        self._child, self._hear, self._stop = child, hear, stop
        self._words, self._output = child.stdout.fileno(), child.stderr.fileno()
        self._reports = b""
        self._ending = self._timed_out = self._stopped = self._is_over = False

    def follow(self, deadline: float) -> None:
        """Read until the reaper has ended. It ends a late program; a late reaper is left to `_end_below`."""
        import selectors

        pause = PAUSE / 2
        with selectors.DefaultSelector() as pipes:
            for pipe in (self._words, self._output):
                pipes.register(pipe, selectors.EVENT_READ)
            while not self._is_over:
                for key, _ in pipes.select(min(pause := min(pause * 2, TICK), max(0.0, deadline - time.monotonic()))):
                    if not self._read(key.fd):
                        pipes.unregister(key.fd)
                if self.report("exit") and not self._ending:
                    self._ending, deadline = True, time.monotonic() + PATIENCE
                if not self._ending and self._stop(self._child.pid):
                    self._stopped, deadline = True, 0.0
                if time.monotonic() < deadline:
                    continue
                if self._ending:
                    return
                self._ending, self._timed_out = True, not self._stopped
                _ask_to_end(self._child)
                deadline = time.monotonic() + PATIENCE
        self._read_rest()

    def _read_rest(self) -> None:
        """What was in the pipe when the last writer ended, and no more: a survivor may write for ever."""
        os.set_blocking(self._output, False)
        with suppress(BlockingIOError):
            all(self._read(self._output) for _ in range(PIPE_CHUNKS))

    def report(self, word: str) -> str:
        """What stands behind a word of the reaper."""
        for line in self._reports.split(b"\n")[:-1]:
            first, _, rest = line.partition(b" ")
            if first == word.encode():
                return os.fsdecode(rest)
        return ""

    def ended(self) -> Ended:
        code, left = self.report("exit"), self.report("left")
        problem = f"{left} of its processes could not be ended" if left else ""
        if self._timed_out or self._stopped:
            return Ended(None, self._timed_out, problem or ("it was stopped" if self._stopped else ""))
        if not code.removeprefix("-").isdigit():
            return Ended(None, False, problem or "it ended the process that watches over it")
        return Ended(int(code), False, problem)

    def _read(self, pipe: int) -> bool:
        """Take what is there; False at the end of the pipe."""
        part = os.read(pipe, CHUNK)
        if pipe != self._output:
            self._is_over = not part
            self._reports = (self._reports + part)[:CHUNK]
        elif part:
            self._hear(part)
        return bool(part)


def _ask_to_end(child: subprocess.Popen[bytes]) -> None:
    """The reaper ends everything when its input ends; what it watches may have stopped it."""
    if child.stdin is not None:
        child.stdin.close()
    _signal(-child.pid, signal.SIGCONT)


def _end_below(child: subprocess.Popen[bytes], program: str) -> None:
    """Nothing is left when this returns. We stand in for a reaper that was killed or does not answer."""
    import subprocess

    _ask_to_end(child)
    _close(child)
    try:
        child.wait(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        _stand_in(child)
    if child.returncode != 0 and program.isdigit() and int(program) > 1:  # -1 would be everybody
        _signal(-int(program))


def _stand_in(child: subprocess.Popen[bytes]) -> None:
    """Do the work of a reaper that does not."""
    end = time.monotonic() + GRACE
    while kill_below(child.pid) and time.monotonic() < end:
        time.sleep(PAUSE)
    child.kill()
    child.wait()


def start(
    argv: Sequence[str], cwd: str | None, env: Mapping[str, str] | None, *, has_input: bool, reads: int = -1
) -> subprocess.Popen[bytes]:
    """Start it in a session of its own: the group can be ended as one, and nothing can wait at the terminal."""
    import subprocess

    try:
        return subprocess.Popen(
            list(argv), cwd=cwd, env=env,
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
    """Ask the whole group to end, then make it. Pipes are closed, not read: a survivor elsewhere may hold them."""
    import subprocess

    _signal(-child.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        child.wait(timeout=GRACE)
    _signal(-child.pid)
    child.wait()
    _close(child)


def _close(child: subprocess.Popen[bytes]) -> None:
    for pipe in filter(None, (child.stdin, child.stdout, child.stderr)):
        with suppress(OSError):
            pipe.close()


def _signal(pid: int, number: int = signal.SIGKILL) -> None:
    """To a process, or to a group by its negative number; who is gone or is not ours hears nothing."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def reap(argv: list[str]) -> int:
    """The reaper: run a program and end everything it leaves behind."""
    _adopt_orphans()
    wake = _wake_on_children()
    for number in DEAF:
        signal.signal(number, signal.SIG_IGN)
    try:
        program = _spawn(argv)
    except OSError as problem:
        _say(f"failed {argv[0]}: {problem.strerror}")
        return 1
    _say(f"pid {program}")
    if (code := _wait(program, wake)) is not None:
        _say(f"exit {code}")
    if left := _end_all(program, wake):
        _say(f"left {left}")
    return 0


def below(root: int) -> list[tuple[int, int]]:
    """Every living descendant of a process, with its process group; empty where there is no `/proc`."""
    children: dict[int, list[tuple[int, int]]] = {}
    with suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit() and (seen := _parent_and_group(name)):
                children.setdefault(seen[0], []).append((int(name), seen[1]))
    descendants = list(children.get(root, ()))
    for pid, _ in descendants:  # grows while it is read
        descendants.extend(children.get(pid, ()))
    return descendants


def kill_below(root: int) -> int:
    """Kill every descendant of a process, with its group: who forks faster than we read keeps it. How many."""
    own = os.getpgrp()
    descendants = below(root)
    for group in {group for _, group in descendants} - {own, 0, 1}:
        _signal(-group)
    for pid, _ in descendants:
        _signal(pid)
    return len(descendants)


def _parent_and_group(pid: str) -> tuple[int, int] | None:
    """From `/proc/<pid>/stat`; None for a zombie, which has no children, and for who is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return None if fields[0] in (b"Z", b"X") else (int(fields[1]), int(fields[2]))
    except (OSError, ValueError, IndexError):
        return None


def _adopt_orphans() -> None:
    """Be the parent of every descendant whose own parent ends."""
    if sys.platform.startswith("linux"):
        with suppress(ImportError, OSError, AttributeError):
            import ctypes

            ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def _wake_on_children() -> int:
    """A pipe that becomes readable whenever a child ends."""
    reader, writer = os.pipe()
    for end in (reader, writer):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    return reader


def _spawn(argv: list[str]) -> int:
    """In a session of its own, without input, both outputs in one pipe, and with the signals of a fresh program."""
    files = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_DUP2, 2, 1)]
    back = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
    return os.posix_spawn(argv[0], argv, os.environ, file_actions=files, setsid=True, setsigdef=back, setsigmask=())


def _wait(program: int, wake: int) -> int | None:
    """The exit code of the program (a signal is negative); None when our input ended before it did."""
    while True:
        if (code := _reap(program)[0]) is not None:
            return code
        ready, _, _ = select.select([0, wake], [], [])
        if 0 in ready:
            return None
        _drain(wake)


def _end_all(program: int, wake: int) -> int:
    """Kill, reap and look again until there is no child left: the kernel's word, not that of a list. How many stay."""
    end = time.monotonic() + LIMIT
    _signal(-program)
    while True:
        seen = kill_below(os.getpid())
        _, has_children = _reap(program)
        if not has_children:
            return 0
        if time.monotonic() > end:
            return max(seen, 1)
        select.select([wake], [], [], PAUSE)
        _drain(wake)


def _reap(program: int) -> tuple[int | None, bool]:
    """Take leave of every child that has ended: the program's exit code if it did, and whether any child is left."""
    code = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return code, False
        if pid == 0:
            return code, True
        if pid == program:
            code = os.waitstatus_to_exitcode(status)


def _drain(wake: int) -> None:
    with suppress(BlockingIOError):
        while os.read(wake, 4096):
            pass


def _say(line: str) -> None:
    with suppress(OSError):  # who asked is gone
        os.write(1, os.fsencode(line) + b"\n")


if __name__ == "__main__":
    sys.exit(reap(sys.argv[1:]))
