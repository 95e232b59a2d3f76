"""The shelf: where environments of checks are kept and rooms stand, outside of every checkout and of the home (D5).

Tools look for their files in every directory above (`node_modules`, `.cargo`, `go.work`), so nothing of anybody's may
be there. `at` is where a run sees its place where the kernel gives it a room, always under this name: environments have
their own path in them. Without rooms it is one of some numbered slots.
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
"""For so many pauses nobody needs to hear of it; an hour is enough."""
LOCK = ".lock"
Hear = Callable[[bytes], None]


class Shelf:
    """The directory of one user; made with the first use."""

    def __init__(self, environ: Mapping[str, str], checkouts: Sequence[str]) -> None:
        self.root = _root(environ, checkouts)
        self.at, self.environments = os.path.join(self.root, AT), os.path.join(self.root, ENVIRONMENTS)

    @property
    def first_slot(self) -> str:
        return os.path.join(self.root, SLOTS, "1")

    def make(self) -> None:
        """Make it, or see that it is ours: in a directory for everybody somebody else may have been first."""
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
        """A place of its own for one run, held as long as that goes on; removed in any case."""
        place, held = scratch(os.path.join(self.root, RUNS), "run-")
        try:
            _furnish(place)
            yield place
        finally:
            os.close(held)
            remove(place)

    @contextmanager
    def slot(self, stop: StopAsked) -> Iterator[str]:
        """The first slot that nobody has: a place whose path is the same from run to run, empty at first."""
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
        """Remove what runs left that were killed; how many."""
        left = 0
        for place in abandoned(os.path.join(self.root, RUNS), "run-"):
            remove(place)
            left += 1
        return left


def _furnish(place: str) -> None:
    for name in INSIDE:
        os.mkdir(os.path.join(place, name), 0o700)


def _root(environ: Mapping[str, str], checkouts: Sequence[str]) -> str:
    """Below the temporary directory, unless that lies in a checkout or in the home."""
    around = os.path.realpath(environ.get("TMPDIR") or "/var/tmp")  # noqa: S108
    if any((around + "/").startswith(above + "/") for above in [*map(os.path.realpath, checkouts), *homes(environ)]):
        around = "/var/tmp"  # noqa: S108
    return os.path.join(around, f"foureyes-{os.geteuid()}")


def homes(environ: Mapping[str, str]) -> list[str]:
    """The home that whoever runs the checks says, and the one that the system knows."""
    known = [environ.get("HOME", "")]
    with suppress(KeyError):
        known.append(pwd.getpwuid(os.geteuid()).pw_dir)
    paths = {os.path.realpath(home) for home in known if home.startswith("/")}
    return sorted(paths - {"/"})


def locked(path: str, how: int) -> int | None:
    """A handle that holds a lock; None where somebody else has it, or has removed its file meanwhile."""
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
    """A handle that holds a lock, as soon as it can be had. Who waits says what for, and not for ever."""
    for times in range(MOST_PAUSES):
        if (handle := locked(path, how | fcntl.LOCK_NB)) is not None:
            return handle
        if times == QUIET_PAUSES:
            hear(f"(waiting for another run that uses this environment: {path})\n".encode())
        _pause(stop)
    raise Unprepared(f"its environment is not available: another run has used it for too long ({path})")


def _pause(stop: StopAsked) -> None:
    if stop():
        raise Stopped
    time.sleep(PAUSE)
