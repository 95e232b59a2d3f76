"""`.foureyes/drafts/<person>/`: files that only their owner can read, replaced in one step, each held by one process
at a time.
"""

from __future__ import annotations

import fcntl
import os
import re
from contextlib import suppress

from foureyes.adapters.folders import content, folder, is_plain, keep_aside, opened, replace
from foureyes.app.views.draft import MOST_BYTES
from foureyes.core.words.digest import sha256
from foureyes.errors import EnvironmentProblem
from foureyes.steps import prose

ENDING = ".json"
LOCK = ".lock"


class FilesOfDrafts:
    """The files of all people of a project, and which of them this process holds."""

    def __init__(self, project: str) -> None:
        self._folder = os.path.join(project, "drafts")
        self._held: dict[tuple[str, str], int] = {}

    def read(self, person: str, name: str) -> bytes | None:
        """What is in a file; None where there is none. One that cannot be read, or is too large, is empty."""
        try:
            with folder(self._place(person)) as place:
                if not is_plain(place, name + ENDING, MOST_BYTES):
                    return b""
                return content(place, name + ENDING, MOST_BYTES)
        except FileNotFoundError:
            return None
        except OSError as problem:
            raise _problem("read", problem) from problem

    def write(self, person: str, name: str, document: bytes) -> None:
        """Replace a file."""
        try:
            self._make()
            with folder(self._place(person), make=True, mode=0o700) as place:
                os.fchmod(place, 0o700)
                replace(place, name + ENDING, document, 0o600)
                os.fsync(place)
        except OSError as problem:
            raise _problem("written", problem) from problem

    def set_aside(self, person: str, name: str) -> str:
        """Keep what is in a file's place under another name; where it is then."""
        try:
            with folder(self._place(person)) as place:
                aside = keep_aside(place, name + ENDING)
        except OSError as problem:
            raise _problem("set aside", problem) from problem
        return os.path.join(".foureyes", "drafts", directory_of(person), aside)

    def drop(self, person: str, name: str) -> bool:
        """Remove a file; whether there was one."""
        try:
            with folder(self._place(person)) as place:
                os.unlink(name + ENDING, dir_fd=place)
        except FileNotFoundError:
            return False
        except OSError as problem:
            raise _problem("removed", problem) from problem
        return True

    def names(self, person: str) -> list[str]:
        """The files of a person."""
        try:
            with folder(self._place(person)) as place:
                return sorted(name.removesuffix(ENDING) for name in os.listdir(place) if name.endswith(ENDING))
        except FileNotFoundError:
            return []
        except OSError as problem:
            raise _problem("read", problem) from problem

    def take(self, person: str, name: str) -> int:
        """Hold a file: 0 where it is this process's now, else the number of the process that has it (-1: unknown)."""
        if (person, name) in self._held:
            return 0
        try:
            self._make()
            with folder(self._place(person), make=True, mode=0o700) as place:
                lock = opened(name + LOCK, os.O_RDWR | os.O_CREAT, 0o600, at=place)
                if holder := _taken(lock):
                    return holder
                self._held[person, name] = lock
                _sweep(place, name + ENDING)
        except OSError as problem:
            raise _problem("taken", problem) from problem
        return 0

    def release(self, person: str, name: str) -> None:
        """Let go of a file; the end of the process does the same."""
        lock = self._held.pop((person, name), None)
        if lock is not None:
            with suppress(OSError):
                os.ftruncate(lock, 0)
            os.close(lock)

    def close(self) -> None:
        """Let go of everything."""
        for person, name in list(self._held):
            self.release(person, name)

    def _place(self, person: str) -> str:
        return os.path.join(self._folder, directory_of(person))

    def _make(self) -> None:
        with folder(self._folder, make=True, mode=0o700) as place:
            os.fchmod(place, 0o700)


def directory_of(person: str) -> str:
    """A name for a person's folder: readable, and never that of another."""
    return f"{re.sub('[^A-Za-z0-9]', '_', person)[:40]}-{sha256(person.encode()).hexdigest()[:12]}"


def _taken(lock: int) -> int:
    """Take a lock, and write down whose it is: 0, or who holds it; then it is closed, because it is not ours."""
    holder = -1
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            text = os.pread(lock, 20, 0)
            holder = max(1, int(text)) if text.isdigit() else -1
        else:
            os.ftruncate(lock, 0)
            os.pwrite(lock, str(os.getpid()).encode(), 0)
            holder = 0
    finally:
        if holder:
            os.close(lock)
    return holder


def _sweep(place: int, name: str) -> None:
    """Remove what a process left that was killed while it wrote: whoever holds the file writes no other now."""
    for left in os.listdir(place):
        if left.startswith(f"{name}.new-"):
            with suppress(OSError):
                os.unlink(left, dir_fd=place)


def _problem(deed: str, problem: OSError) -> EnvironmentProblem:
    return EnvironmentProblem(
        f"a draft could not be {deed}: {problem.strerror}.", next_step=prose("make .foureyes/drafts writable for you")
    )
