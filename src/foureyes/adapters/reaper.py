"""The process above a program that nobody trusts to end: whatever it starts, and however that hides, ends with it.

    python -I -S reaper.py PROGRAM ARGUMENT…

It stands between us and the program because only a parent of its own can tell what belongs to the program: it is a child
subreaper (Linux), so who forks twice and calls `setsid` becomes its child and nobody else's. When the program has ended,
or when the standard input of this process has (we want it to end, or we are gone ourselves), everything below is killed
until the kernel says that there is no child left. Elsewhere than on Linux only the program's own process group is.

The standard output is for us, a word and a number per line: `pid`, `exit`, `left`; `failed` and a sentence when the
program could not be started. The standard error is where the program writes. The standard library only, and little of it.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from contextlib import suppress

LINUX = sys.platform.startswith("linux")
SET_CHILD_SUBREAPER = 36
LIMIT = 5.0
"""Seconds for ending everything; what is still there then cannot be ended by us."""
PAUSE = 0.02
DEAF = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGTSTP)
"""What the program may send to its parent without leaving its children alone."""


def main(argv: list[str]) -> int:
    """Run a program and end everything it leaves behind."""
    _adopt_orphans()
    wake = _wake_on_children()
    for number in DEAF:
        signal.signal(number, signal.SIG_IGN)
    try:
        program = _start(argv)
    except OSError as problem:
        _say(f"failed {argv[0]}: {problem.strerror}")
        return 1
    _say(f"pid {program}")
    code = _wait(program, wake)
    if code is not None:
        _say(f"exit {code}")
    left = _end_all(program, wake)
    if left:
        _say(f"left {left}")
    return 0


def below(root: int) -> list[tuple[int, int]]:
    """Every living descendant of a process, with its process group; empty where there is no `/proc`."""
    children: dict[int, list[tuple[int, int]]] = {}
    with suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit() and (seen := _parent_and_group(name)):
                children.setdefault(seen[0], []).append((int(name), seen[1]))
    found = list(children.get(root, ()))
    for pid, _ in found:  # grows while it is read
        found.extend(children.get(pid, ()))
    return found


def kill_below(root: int) -> int:
    """Kill every descendant of a process, with its group: who forks faster than we read keeps the group. How many there were."""
    own = os.getpgrp()
    found = below(root)
    for group in {group for _, group in found} - {own, 0, 1}:
        _kill(-group)
    for pid, _ in found:
        _kill(pid)
    return len(found)


def _parent_and_group(pid: str) -> tuple[int, int] | None:
    """From `/proc/<pid>/stat`; None for a zombie, which has no children, and for who is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return None if fields[0] in (b"Z", b"X") else (int(fields[1]), int(fields[2]))
    except (OSError, ValueError, IndexError):
        return None


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def _adopt_orphans() -> None:
    """Be the parent of every descendant whose own parent ends."""
    if LINUX:
        with suppress(ImportError, OSError, AttributeError):
            import ctypes

            ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _wake_on_children() -> int:
    """A pipe that becomes readable whenever a child ends."""
    reader, writer = os.pipe()
    for end in (reader, writer):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    return reader


def _start(argv: list[str]) -> int:
    """In a session of its own, without input, both outputs in one pipe, and with the signals of a fresh program."""
    files = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_DUP2, 2, 1)]
    back = [number for number in signal.valid_signals() if number not in (signal.SIGKILL, signal.SIGSTOP)]
    return os.posix_spawn(argv[0], argv, os.environ, file_actions=files, setsid=True, setsigdef=back, setsigmask=())


def _wait(program: int, wake: int) -> int | None:
    """The exit code of the program (a signal is negative); None when our input ended before it did."""
    while True:
        code, _ = _reap(program)
        if code is not None:
            return code
        ready, _, _ = select.select([0, wake], [], [])
        if 0 in ready:
            return None
        _drain(wake)


def _end_all(program: int, wake: int) -> int:
    """Kill, reap and look again until there is no child left: the kernel's word, not that of a list. How many stay."""
    end = time.monotonic() + LIMIT
    _kill(-program)
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
    """Take leave of every child that has ended: the program's exit code if it was among them, and whether any child is left."""
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
    sys.exit(main(sys.argv[1:]))
