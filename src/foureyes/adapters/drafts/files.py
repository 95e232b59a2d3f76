"""Stores drafts in `.foureyes/drafts/<person>/`: readable only by their owner, replaced atomically, each locked by one
process."""

from __future__ import annotations

import fcntl
import os
import re
from contextlib import suppress

from foureyes.adapters.folders import content, folder, is_plain, opened, rename_unreadable, replace
from foureyes.app.results.draft import MOST_BYTES
from foureyes.core.words.digest import sha256
from foureyes.errors import EnvironmentProblem
from foureyes.steps import prose

ENDING = ".json"
LOCK = ".lock"


class FilesOfDrafts:
    """The draft files of a project, and the locks that this process holds."""

    def __init__(self, project: str) -> None:
        self._folder = os.path.join(project, "drafts")
        self._held: dict[tuple[str, str], int] = {}

    def read(self, person: str, name: str) -> bytes | None:
        """Return the content of a draft, or None if absent. An unreadable or oversized file is empty."""
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
        """Replace a draft."""
        try:
            self._make()
            with folder(self._place(person), make=True, mode=0o700) as place:
                os.fchmod(place, 0o700)
                replace(place, name + ENDING, document, 0o600)
                os.fsync(place)
        except OSError as problem:
            raise _problem("written", problem) from problem

    def set_aside(self, person: str, name: str) -> str:
        """Rename whatever is in a draft's place, and return the new path."""
        try:
            with folder(self._place(person)) as place:
                kept = rename_unreadable(place, name + ENDING)
        except OSError as problem:
            raise _problem("set aside", problem) from problem
        return os.path.join(".foureyes", "drafts", directory_of(person), kept)

    def drop(self, person: str, name: str) -> bool:
        """Delete a draft. Return True if it existed."""
        try:
            with folder(self._place(person)) as place:
                os.unlink(name + ENDING, dir_fd=place)
        except FileNotFoundError:
            return False
        except OSError as problem:
            raise _problem("removed", problem) from problem
        return True

    def names(self, person: str) -> list[str]:
        """Return the names of a person's drafts."""
        try:
            with folder(self._place(person)) as place:
                return sorted(name.removesuffix(ENDING) for name in os.listdir(place) if name.endswith(ENDING))
        except FileNotFoundError:
            return []
        except OSError as problem:
            raise _problem("read", problem) from problem

    def take(self, person: str, name: str) -> int:
        """Lock a draft. Return 0 on success, else the pid of the process that holds it (-1: unknown)."""
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
        """Unlock a draft. The end of the process has the same effect."""
        lock = self._held.pop((person, name), None)
        if lock is not None:
            with suppress(OSError):
                os.ftruncate(lock, 0)
            os.close(lock)

    def close(self) -> None:
        """Unlock all drafts."""
        for person, name in list(self._held):
            self.release(person, name)

    def _place(self, person: str) -> str:
        return os.path.join(self._folder, directory_of(person))

    def _make(self) -> None:
        with folder(self._folder, make=True, mode=0o700) as place:
            os.fchmod(place, 0o700)


def directory_of(person: str) -> str:
    """Return a unique, readable folder name for a person."""
    return f"{re.sub('[^A-Za-z0-9]', '_', person)[:40]}-{sha256(person.encode()).hexdigest()[:12]}"


def _taken(lock: int) -> int:
    """Lock the file and record this process in it. Return 0, or the holder's pid after closing the handle."""
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
    """Remove temporary files of a killed process. Requires the lock, so no other process is writing them."""
    for left in os.listdir(place):
        if left.startswith(f"{name}.new-"):
            with suppress(OSError):
                os.unlink(left, dir_fd=place)


def _problem(deed: str, problem: OSError) -> EnvironmentProblem:
    return EnvironmentProblem(
        f"a draft could not be {deed}: {problem.strerror}.", next_step=prose("make .foureyes/drafts writable for you")
    )
