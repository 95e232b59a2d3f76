"""The queue of writers: a kernel file lock next to the store.

SQLite's own busy handler polls and starves some writers, but the kernel's lock queue is fair. The wait has a deadline,
so that a stopped writer cannot block others forever. In the main thread an alarm ends the wait. Elsewhere a helper
thread blocks in flock, and closes its descriptor if it gets the lock too late.
"""

from __future__ import annotations

import fcntl
import os

from foureyes.adapters.folders import OddFile, opened
from foureyes.errors import StoreBusy, StoreProblem
from foureyes.steps import fe, prose

DEADLINE_SECONDS = 10.0
AGAIN_SECONDS = 0.1
"""Interval at which the alarm is repeated. One that rings just before the wait interrupts nothing."""


class Expired(Exception):
    """Raised when the alarm rang."""


ENCLOSED = fe("doctor", after=", which says what a sandbox has to allow")


class WriterLock:
    """A lock held for one writing transaction and its mirror files. The file itself stays empty."""

    def __init__(self, path: str, deadline: float | None = None) -> None:
        self._path = path
        self._deadline = DEADLINE_SECONDS if deadline is None else deadline
        self._fd: int | None = None

    def __enter__(self) -> WriterLock:
        fd = self._open()
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._wait(fd)
        except BaseException:
            os.close(fd)
            raise
        self._fd = fd
        return self

    def __exit__(self, *_: object) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _open(self) -> int:
        try:
            return opened(self._path, os.O_RDWR | os.O_CREAT)
        except OddFile as odd:
            raise in_its_place(self._path, odd) from odd
        except OSError as problem:
            folder = os.path.dirname(self._path)
            if is_mounted_read_only(folder):
                raise only_readable(folder, [f"{os.path.basename(folder)}/"]) from problem
            own = prose("make the directory .foureyes writable for you")
            raise StoreProblem(
                f"the store cannot be written: {problem.strerror} ({os.path.basename(self._path)}). Nothing "
                "was changed.",
                next_step=ENCLOSED if _may_write(self._path) else own,
            ) from problem

    def _wait(self, fd: int) -> None:
        """Wait in the kernel's queue, up to the deadline."""
        import signal
        import threading

        in_main = threading.current_thread() is threading.main_thread()
        got = self._by_alarm(fd) if in_main and signal.getitimer(signal.ITIMER_REAL)[0] == 0 else self._by_thread(fd)
        if not got:
            raise StoreBusy(
                f"the store has been busy for {self._deadline:.0f} s{holder(self._path)}. Nothing was changed.",
                next_step=prose("try again"),
            )

    def _by_alarm(self, fd: int) -> bool:
        import signal

        is_over = False

        def ring(*_: object) -> None:
            nonlocal is_over
            if not is_over:
                is_over = True
                raise Expired

        before = signal.signal(signal.SIGALRM, ring)
        try:
            signal.setitimer(signal.ITIMER_REAL, self._deadline, AGAIN_SECONDS)
            fcntl.flock(fd, fcntl.LOCK_EX)
            signal.setitimer(signal.ITIMER_REAL, 0)
            return True
        except Expired:
            os.close(fd)
            return False
        except BaseException:
            is_over = True
            os.close(fd)
            raise
        finally:
            is_over = True
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def _by_thread(self, fd: int) -> bool:
        import threading

        guard = threading.Lock()
        outcome = {"got": False, "abandoned": False}

        def block() -> None:
            fcntl.flock(fd, fcntl.LOCK_EX)
            with guard:
                outcome["got"] = True
                if outcome["abandoned"]:
                    os.close(fd)

        waiter = threading.Thread(target=block, daemon=True)
        waiter.start()
        try:
            waiter.join(self._deadline)
        finally:
            with guard:
                outcome["abandoned"] = not outcome["got"]
        return outcome["got"]


def is_mounted_read_only(folder: str) -> bool:
    """Return True if the file system is mounted read-only, as in an agent's sandbox."""
    try:
        return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
    except OSError:
        return False


def _may_write(path: str) -> bool:
    """Return True if the file permissions allow writing. A failure then comes from a sandbox such as Landlock."""
    return os.access(os.path.dirname(path), os.W_OK) and (not os.path.lexists(path) or os.access(path, os.W_OK))


def only_readable(folder: str, wrong: list[str]) -> StoreProblem:
    """Return the error for a store that can be read but not written."""
    names, are = " and ".join(wrong), "is" if len(wrong) == 1 else "are"
    if is_mounted_read_only(folder):
        message = f"{names} {are} mounted read-only for this command, so the store can be read here but not written."
        return StoreProblem(f"{message} Nothing was changed.", next_step=ENCLOSED)
    return StoreProblem(
        f"{names} {are} read-only for you, so the store can be read but not written. Nothing was changed.",
        next_step=prose(f"make {names} writable for you, or ask its owner"),
    )


def in_its_place(path: str, odd: OddFile) -> StoreProblem:
    """Return the error for a foreign object in place of a store file."""
    name = os.path.join(os.path.basename(os.path.dirname(path)), os.path.basename(path))
    return StoreProblem(
        f"{name} cannot be used: {odd.strerror}. Nothing was changed.",
        next_step=prose(f"find out who put it there, and move {name} away"),
    )


def holder(path: str) -> str:
    """Return a text about the process that holds the lock, or an empty string."""
    try:
        inode = os.stat(path).st_ino
        with open("/proc/locks", encoding="ascii") as file:
            rows = [line.split() for line in file]
        pid = next(
            int(row[4]) for row in rows if "->" not in row and row[1] == "FLOCK" and row[5].endswith(f":{inode}")
        )
        with open(f"/proc/{pid}/cmdline", "rb") as command:
            words = command.read().decode(errors="replace").split("\0")
        return f" (writer: {' '.join(os.path.basename(word) for word in words[:4] if word)}, pid {pid})"
    except (OSError, ValueError, IndexError, StopIteration):
        return ""
