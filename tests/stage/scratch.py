"""Where tests keep their files: a folder of the run's own, in memory where the machine has room for it.

Tests make thousands of commits of git and SQLite, each of which waits until the disk has it; no machine loses its
power in a test. Whoever names a place (`TMPDIR`) gets the folder there.

Everything temporary of a run lies below that one folder, also what killed commands leave, so that it goes with the run;
of a run in which something failed, pytest's folders stay. Whoever makes the folder holds it by a lock, which the kernel
takes back in any case: the next run removes the folders of those that were killed, and ends their servers.
"""

from __future__ import annotations

import atexit
import ctypes
import fcntl
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from select import select

MEMORY = Path("/dev/shm")
ROOM = 4 << 30
"""Bytes that must be free: a run leaves what failed, and needs a server's files meanwhile."""
PREFIX = "fe-tests-"
"""Short: the path of a socket has a hundred characters."""
KEPT = "pytest-of-*"
"""What stays of a run in which something failed."""
PATIENCE = 30.0
"""Seconds for a server to end that nobody needs."""


class Run:
    """Where the temporary files of this run are: paths are short there, and everybody may go there. A test may have a
    temporary directory of its own.
    """

    folder = Path(tempfile.gettempdir())


class Place:
    """The folder of a run, of the process that made it."""

    def __init__(self, folder: Path, lock: int) -> None:
        self.folder = folder
        self.has_failed = False
        self._lock = lock
        self._maker = os.getpid()

    def leave(self) -> None:
        """Remove what nobody wants to look at; of a forked process it is not."""
        if os.getpid() != self._maker:
            return
        kept = list(self.folder.glob(KEPT)) if self.has_failed else []
        for path in set(self.folder.iterdir()) - set(kept):
            remove(path)
        if not kept:
            remove(self.folder)
        os.close(self._lock)


def take_place(memory: Path = MEMORY) -> Place | None:
    """Temporary files of this process and its children lie in a new folder from now on, unless they do already."""
    named = os.environ.get("TMPDIR", "")
    if Path(named).name.startswith(PREFIX) and os.path.isdir(named):
        Run.folder = Path(named)
        return None
    parent = Path(named) if named else memory if is_good(memory) else Path(tempfile.gettempdir())
    with held(parent):
        sweep(parent)
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        folder.chmod(0o1777)
        lock = lock_of(folder)
    assert lock is not None
    os.environ["TMPDIR"] = str(folder)
    tempfile.tempdir = None
    Run.folder = folder
    place = Place(folder, lock)
    atexit.register(place.leave)  # after pytest's own, which came later
    return place


def is_good(folder: Path) -> bool:
    """Whether there is room in a folder, and what lies there may be run."""
    try:
        if shutil.disk_usage(folder).free < ROOM:
            return False
        with tempfile.TemporaryDirectory(dir=folder) as made:
            script = Path(made) / "script"
            script.write_text("#!/bin/sh\n")
            script.chmod(0o700)
            return subprocess.run([str(script)], check=False).returncode == 0
    except OSError:
        return False


# ------------------------------------------------------------------------------------------------- who has been killed


@contextmanager
def held(parent: Path) -> Iterator[None]:
    """One after the other: a folder that was just made is not swept before its maker has the lock."""
    number = os.open(parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(number, fcntl.LOCK_EX)
        yield
    finally:
        os.close(number)


def lock_of(folder: Path) -> int | None:
    """The folder, open and locked; None where somebody else has it."""
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(number)
        return None
    return number


def sweep(parent: Path) -> None:
    """Remove what runs have left that are over."""
    for folder in parent.glob(PREFIX + "*"):
        with suppress(OSError):  # somebody else's
            lock = lock_of(folder)
            if lock is not None:
                remove(folder)
                os.close(lock)


def remove(path: Path) -> None:
    """A folder and the servers that run in it, or a file; as far as it goes."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    for depth in ("postmaster.pid", "*/postmaster.pid", "*/*/postmaster.pid"):
        for file in path.glob(depth):
            with suppress(OSError, ValueError, IndexError):
                end_server(file)
    shutil.rmtree(path, ignore_errors=True)


def end_server(file: Path) -> None:
    """End the server that a `postmaster.pid` names; of one that was killed, remove what it has in shared memory."""
    lines = file.read_text().splitlines()
    number, folder = int(lines[0]), lines[1]
    try:
        handle = os.pidfd_open(number)
    except ProcessLookupError:
        ctypes.CDLL(None).shmctl(int(lines[6].split()[1]), 0, None)  # IPC_RMID
        return
    try:
        if folder.encode() in Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0"):
            signal.pidfd_send_signal(handle, signal.SIGQUIT)
            select([handle], [], [], PATIENCE)
    finally:
        os.close(handle)
