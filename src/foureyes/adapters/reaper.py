"""The *reaper* that `process.supervise` and `supervised.Supervised` put above a program, as a script of its own.

It is a child subreaper (Linux), so who forks twice and calls `setsid` becomes its child. When the program or its own
input has ended, it kills everything below until no child is left; elsewhere, the program's group. Its output is for who
started it: `pid`, `exit`, `left` and a number, `failed` and why. The program writes to its standard error.

With `--waits FD FILE` before the program, it starts nothing before its input says `GO`; the program reads FILE, and has
FD for its standard output. `ASK` asks the program to end, and ends it a little later.

One is started for every check and every run, and compiled again each time: only what is light is imported here.
"""

from __future__ import annotations

import os
import select
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
else:  # the same without its enums, which take longer to make than everything else here
    import _signal as signal

LIMIT = 5.0
"""Seconds; what is still there then cannot be ended by us."""
PAUSE = 0.02
PATIENCE = 3.0
"""Seconds that a program has which was asked to end: git removes its lock files then, agents write their story down."""
WAITS, GO, ASK = "--waits", b"g", b"a"
DEAF = tuple(getattr(signal, f"SIG{name}") for name in "TERM INT HUP QUIT USR1 USR2 ALRM TSTP".split())
"""What a program may send to its reaper without leaving its children alone."""


def reap(argv: list[str]) -> int:
    """The reaper: run a program and end everything it leaves behind."""
    _adopt_orphans()
    wake = _wake_on_children()
    for number in DEAF:
        signal.signal(number, signal.SIG_IGN)
    files: list[tuple[str | int, ...]]
    files = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_DUP2, 2, 1)]
    if argv[0] == WAITS:
        output, given, argv = int(argv[1]), argv[2], argv[3:]
        if os.read(0, 1) != GO:
            return 0
        files = [
            (os.POSIX_SPAWN_OPEN, 0, given, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, output, 1),
            (os.POSIX_SPAWN_CLOSE, output),
        ]
    try:
        program = _spawn(argv, files)
    except OSError as problem:
        _say(f"failed {argv[0]}: {problem.strerror}")
        return 1
    _say(f"pid {program}")
    if (code := _wait(program, wake)) is not None:
        _say(f"exit {code}")
    if left := _end_all(program, wake):
        _say(f"left {left}")
    return 0


def tell(pid: int, number: int = signal.SIGKILL) -> None:
    """Signal a process, or a group by its negative number; who is gone or is not ours hears nothing."""
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return


def below(root: int) -> list[tuple[int, int]]:
    """Every living descendant of a process, with its process group; empty where there is no `/proc`."""
    children: dict[int, list[tuple[int, int]]] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
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
        tell(-group)
    for pid, _ in descendants:
        tell(pid)
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
        try:
            _be_subreaper()
        except (ImportError, OSError, AttributeError):
            return


def _be_subreaper() -> None:
    """By the part of `ctypes` that is not written in Python, where it is as we know it: the rest takes long to load."""
    asked = (36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    try:
        import _ctypes

        program = _ctypes.dlopen(None, 0)  # type: ignore[arg-type]
        _ctypes.call_function(_ctypes.dlsym(program, "prctl"), asked)
    except (AttributeError, TypeError):
        import ctypes

        ctypes.CDLL(None).prctl(*asked)


def _wake_on_children() -> int:
    """A pipe that becomes readable whenever a child ends."""
    reader, writer = os.pipe()
    for end in (reader, writer):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    return reader


def _spawn(argv: list[str], files: list[tuple[str | int, ...]]) -> int:
    """In a session of its own, with these files, and with the signals of a fresh program."""
    back = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
    return os.posix_spawn(argv[0], argv, os.environ, file_actions=files, setsid=True, setsigdef=back, setsigmask=())


def _wait(program: int, wake: int) -> int | None:
    """The exit code of the program (a signal is negative); None when our input ended before it did, or when it was
    asked to end and did not.
    """
    end = 0.0
    while True:
        if (code := _reap(program)[0]) is not None:
            return code
        left = max(0.0, end - time.monotonic()) if end else None
        ready, _, _ = select.select([0, wake], [], [], left)
        if 0 in ready:
            if os.read(0, 1) != ASK:
                return None
            tell(-program, signal.SIGTERM)
            end = end or time.monotonic() + PATIENCE
        elif not ready:
            return None
        _drain(wake)


def _end_all(program: int, wake: int) -> int:
    """Kill, reap and look again until there is no child left: the kernel's word, not that of a list. How many stay."""
    end = time.monotonic() + LIMIT
    tell(-program)
    while _reap(program)[1]:
        seen = kill_below(os.getpid())
        if time.monotonic() > end:
            return max(seen, 1)
        select.select([wake], [], [], PAUSE)
        _drain(wake)
    return 0


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
    try:
        while os.read(wake, 4096):
            continue
    except BlockingIOError:
        return


def _say(line: str) -> None:
    try:
        os.write(1, os.fsencode(line) + b"\n")
    except OSError:  # who asked is gone
        return


if __name__ == "__main__":
    sys.exit(reap(sys.argv[1:]))
