"""The queue of writers: a kernel file lock beside the store.

SQLite's own busy handler polls and starves some writers; the kernel's lock queue does not. A stopped writer must not
stop the others for ever, so the wait has a deadline: a thread blocks in flock, and one that is abandoned closes its
descriptor when it gets the lock at last.
"""

from __future__ import annotations

import fcntl
import os

from foureyes.errors import StoreBusy, StoreProblem

DEADLINE_SECONDS = 10.0


class WriterLock:
    """Held for the length of one writing transaction and its mirror files."""

    def __init__(self, path: str, deadline: float = DEADLINE_SECONDS) -> None:
        self._path = path
        self._deadline = deadline
        self._fd: int | None = None

    def __enter__(self) -> WriterLock:
        fd = self._open()
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._wait(fd)
        self._fd = fd
        try:
            os.ftruncate(fd, 0)
            os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)
        except OSError:
            pass  # who holds the lock is a courtesy to those who wait
        return self

    def __exit__(self, *_: object) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _open(self) -> int:
        try:
            return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as problem:
            raise StoreProblem(
                f"the store cannot be written: {problem.strerror} ({os.path.basename(self._path)}). Nothing was changed.",
                next_step="make the directory .foureyes writable for you",
            ) from problem

    def _wait(self, fd: int) -> None:
        """Queue in the kernel, up to the deadline."""
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
        except BaseException:
            with guard:
                outcome["abandoned"] = True
                if outcome["got"]:
                    os.close(fd)
            raise
        with guard:
            if outcome["got"]:
                return
            outcome["abandoned"] = True
        raise StoreBusy(
            f"the store has been busy for {self._deadline:.0f} s{self._holder(fd)}. Nothing was changed.", next_step="try again"
        )

    @staticmethod
    def _holder(fd: int) -> str:
        """Who holds the lock, as far as it can be told."""
        try:
            pid = int(os.pread(fd, 32, 0).split()[0])
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().decode(errors="replace").split("\0")
            return f" (writer: {' '.join(os.path.basename(word) for word in words[:4] if word)}, pid {pid})"
        except (OSError, ValueError, IndexError):
            return ""
