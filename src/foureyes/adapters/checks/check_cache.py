"""The cache of environments of checks, and the directories of their sandboxes, outside every checkout and home. (D5)

Tools search every parent directory (`node_modules`, `.cargo`, `go.work`), so none of them may have a user's files. In a
sandbox, a run always sees its directory under the fixed name `at`, because environments contain their own path. Without
sandboxes it gets one of several numbered slots.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from foureyes.adapters.checks.checkout import INSIDE, StopAsked, Stopped, Unprepared, remove
from foureyes.adapters.folders import OddFile, abandoned, opened, scratch

AT, ENVIRONMENTS, RUNS, SLOTS = "at", "environments", "runs", "slots"
MOST_SLOTS = 64
PAUSE = 0.1
QUIET_PAUSES, MOST_PAUSES = 20, 36_000
"""Number of pauses while waiting before the user is told, and before giving up after an hour."""
LOCK = ".lock"
Hear = Callable[[bytes], None]


class CheckCache:
    """The cache directory of one user, created on first use."""

    def __init__(self, environ: Mapping[str, str], checkouts: Sequence[str]) -> None:
        self.root = _root(environ, checkouts)
        self.at, self.environments = os.path.join(self.root, AT), os.path.join(self.root, ENVIRONMENTS)

    @property
    def first_slot(self) -> str:
        return os.path.join(self.root, SLOTS, "1")

    def make(self) -> None:
        """Create the directory, or make sure that this user owns it. In a shared parent, another user may have created
        it first.
        """
        with suppress(FileExistsError):
            os.mkdir(self.root, 0o700)
        about = os.lstat(self.root)
        if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.geteuid() or about.st_mode & 0o022:
            raise OddFile("it is not a directory of this user alone", self.root)
        for name in (AT, ENVIRONMENTS, RUNS, SLOTS):
            with suppress(FileExistsError):
                os.mkdir(os.path.join(self.root, name), 0o700)

    @contextmanager
    def run(self) -> Iterator[str]:
        """Create a directory for one run and lock it for the run's duration. Always removes it."""
        place, held = scratch(os.path.join(self.root, RUNS), "run-")
        try:
            _furnish(place)
            yield place
        finally:
            os.close(held)
            remove(place)

    @contextmanager
    def slot(self, stop: StopAsked) -> Iterator[str]:
        """Lock the first free slot and yield it empty. A slot's path is the same in every run."""
        while True:
            for number in range(1, MOST_SLOTS + 1):
                place = os.path.join(self.root, SLOTS, str(number))
                handle = locked(place + LOCK, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if handle is not None:
                    break
            else:
                _pause(stop)
                continue
            try:
                remove(place)
                os.mkdir(place, 0o700)
                _furnish(place)
                yield place
            finally:
                remove(place)
                os.close(handle)
            return

    def sweep(self) -> int:
        """Remove the directories of killed runs and return their number."""
        left = 0
        for place in abandoned(os.path.join(self.root, RUNS), "run-"):
            remove(place)
            left += 1
        return left


def _furnish(place: str) -> None:
    for name in INSIDE:
        os.mkdir(os.path.join(place, name), 0o700)


def _root(environ: Mapping[str, str], checkouts: Sequence[str]) -> str:
    """Return the cache's location: below the temporary directory, or /var/tmp if that is in a checkout or a home."""
    around = os.path.realpath(environ.get("TMPDIR") or "/var/tmp")  # noqa: S108
    if any((around + "/").startswith(above + "/") for above in [*map(os.path.realpath, checkouts), *homes(environ)]):
        around = "/var/tmp"  # noqa: S108
    return os.path.join(around, f"foureyes-{os.geteuid()}")


def homes(environ: Mapping[str, str]) -> list[str]:
    """Return the caller's HOME and the home directory from the user database."""
    known = [environ.get("HOME", "")]
    with suppress(KeyError):
        known.append(pwd.getpwuid(os.geteuid()).pw_dir)
    paths = {os.path.realpath(home) for home in known if home.startswith("/")}
    return sorted(paths - {"/"})


def locked(path: str, how: int) -> int | None:
    """Return a handle that holds a lock, or None if it is taken or its file was just removed."""
    handle = opened(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, how)
        if os.path.samestat(os.fstat(handle), os.stat(path)):
            return handle
    except OSError:
        pass
    os.close(handle)
    return None


def waited(path: str, how: int, stop: StopAsked, hear: Hear) -> int:
    """Wait for a lock and return a handle that holds it. The user is told about a longer wait, and after an hour it
    gives up.
    """
    for times in range(MOST_PAUSES):
        if (handle := locked(path, how | fcntl.LOCK_NB)) is not None:
            return handle
        if times == QUIET_PAUSES:
            hear(f"(waiting for another run that uses this environment: {path})\n".encode())
        _pause(stop)
    raise Unprepared(f"its environment is not available, because another run has used it for too long ({path})")


def _pause(stop: StopAsked) -> None:
    if stop():
        raise Stopped
    time.sleep(PAUSE)
