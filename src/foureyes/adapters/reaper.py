"""The reaper script, which `process.supervise` and `supervised.Supervised` run above a program.

It is a child subreaper (Linux), so processes that fork twice and call `setsid` become its children. When the program or
its own input ends, it kills all descendants until none is left. On other systems it kills the program's group.

Its output goes to its starter: `pid`, `exit` or `left` with a number, or `failed` with a reason. The program writes to
the reaper's standard error.

With `--waits FD FILE` before the program, it starts nothing until its input says `GO`. The program then reads FILE and
has FD as its standard output. `ASK` asks the program to end, and ends it a little later.

Every check and run starts one and compiles it again, so it imports only light modules.
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
"""Seconds after which a process that is still alive counts as one that cannot be ended."""
PAUSE = 0.02
PATIENCE = 3.0
"""Seconds that a program has after a request to end. Git removes its lock files then, and agents save their session."""
WAITS, GO, ASK = "--waits", b"g", b"a"
DEAF = tuple(getattr(signal, f"SIG{name}") for name in "TERM INT HUP QUIT USR1 USR2 ALRM TSTP".split())
"""Signals that the reaper ignores, so that the program cannot end it and escape."""


def reap(argv: list[str]) -> int:
    """Run a program and end everything it leaves behind."""
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
    """Signal a process, or a group by its negative number. Ignores processes that are gone or belong to others."""
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return


def below(root: int) -> list[tuple[int, int]]:
    """Return every living descendant of a process with its process group. Empty without `/proc`."""
    children: dict[int, list[tuple[int, int]]] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdigit() and (seen := _parent_and_group(name)):
            children.setdefault(seen[0], []).append((int(name), seen[1]))
    descendants = list(children.get(root, ()))
    for pid, _ in descendants:  # grows while it is read
        descendants.extend(children.get(pid, ()))
    return descendants


def kill_below(root: int) -> int:
    """Kill every descendant of a process and its group, to catch those that fork quickly too. Return how many there
    were.
    """
    own = os.getpgrp()
    descendants = below(root)
    for group in {group for _, group in descendants} - {own, 0, 1}:
        tell(-group)
    for pid, _ in descendants:
        tell(pid)
    return len(descendants)


def _parent_and_group(pid: str) -> tuple[int, int] | None:
    """Return parent and group from `/proc/<pid>/stat`, or None for a zombie or an ended process."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return None if fields[0] in (b"Z", b"X") else (int(fields[1]), int(fields[2]))
    except (OSError, ValueError, IndexError):
        return None


def _adopt_orphans() -> None:
    """Become the parent of every orphaned descendant."""
    if sys.platform.startswith("linux"):
        try:
            _be_subreaper()
        except (ImportError, OSError, AttributeError):
            return


def _be_subreaper() -> None:
    """Set the subreaper flag through the C part of `ctypes` if possible, because the rest loads slowly."""
    asked = (36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    try:
        import _ctypes

        program = _ctypes.dlopen(None, 0)  # type: ignore[arg-type]
        _ctypes.call_function(_ctypes.dlsym(program, "prctl"), asked)
    except (AttributeError, TypeError):
        import ctypes

        ctypes.CDLL(None).prctl(*asked)


def _wake_on_children() -> int:
    """Return a pipe that becomes readable whenever a child ends."""
    reader, writer = os.pipe()
    for end in (reader, writer):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    return reader


def _spawn(argv: list[str], files: list[tuple[str | int, ...]]) -> int:
    """Start a program in its own session, with these files and default signal handlers."""
    back = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
    return os.posix_spawn(argv[0], argv, os.environ, file_actions=files, setsid=True, setsigdef=back, setsigmask=())


def _wait(program: int, wake: int) -> int | None:
    """Return the exit code of the program (negative for a signal), None if our input ended first or the program ignored
    the request to end.
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
    """Kill and reap until the kernel reports no child. Return the number of survivors."""
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
    """Reap every ended child. Return the program's exit code if it ended, and True if any child is left."""
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
    except OSError:  # the starter is gone
        return


if __name__ == "__main__":
    sys.exit(reap(sys.argv[1:]))
