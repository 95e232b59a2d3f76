"""Safe access to files and folders that others can write: no links, no blocking, plain files only, bounded reads,
atomic replacement.

Anyone who can write a directory can replace a file there by a pipe, a link, a device or an endless file. Opening a pipe
blocks, a link leads anywhere, and some files never end. Anything but a plain file raises OddFile, and is neither read
nor written.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count, islice
from typing import AnyStr

SAFE = os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
MB = 1 << 20
Walked = tuple[AnyStr, list[AnyStr], list[AnyStr]]
"""A folder, its subfolders, and its other entries."""
LOGS = "logs"
"""Folder for logs in the project's folder: of runs, of a runner, of errors."""
HANDED_OVER = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
"""The paths of open files that a shell passes to a command, including `<(...)`."""
KINDS = {
    stat.S_IFLNK: "a link", stat.S_IFIFO: "a named pipe", stat.S_IFDIR: "a directory", stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device", stat.S_IFBLK: "a device", stat.S_IFREG: "a file",
}  # fmt: skip


class OddFile(OSError):
    """Raised for a file or folder of another type. `strerror` names the type."""

    def __init__(self, why: str, path: str = "") -> None:
        super().__init__(errno.EINVAL, why, path)


def kind_of(mode: int) -> str:
    """Return the type of a directory entry in words."""
    return KINDS.get(stat.S_IFMT(mode), "something odd")


def opened(
    path: str, flags: int = os.O_RDONLY, mode: int = 0o644, *, at: int | None = None, follow: bool = False
) -> int:
    """Open a plain file and return its handle. Raise OddFile for anything else. `follow` permits a link to a plain
    file."""
    try:
        handle = os.open(path, flags | SAFE | (0 if follow else os.O_NOFOLLOW), mode, dir_fd=at)
    except OSError as problem:
        raise _explained(problem, path, at, "file") from problem
    st_mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(st_mode):
        os.close(handle)
        raise OddFile(f"it is {kind_of(st_mode)}, not a file", path)
    return handle


def given(path: str) -> int:
    """Open an input that the user named, and return its handle. Raise OddFile for a named pipe, because it may never
    get a writer.

    A plain file is accepted, also behind a link, and a pipe or terminal that the shell passes (`/dev/stdin`, `<(...)`).
    """
    if not os.path.normpath(path).startswith(HANDED_OVER):
        return opened(path, follow=True)
    handle = os.open(path, os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC)
    mode = os.fstat(handle).st_mode
    if stat.S_ISDIR(mode) or stat.S_ISBLK(mode):
        os.close(handle)
        raise OddFile(f"it is {kind_of(mode)}, not a file", path)
    return handle


def _explained(problem: OSError, path: str, at: int | None, wanted: str) -> OSError:
    """Return the error for a failed open. It is an OddFile if the entry's type is the reason."""
    try:
        mode = os.stat(path, dir_fd=at, follow_symlinks=False).st_mode
    except OSError:
        return problem
    fits = stat.S_ISREG(mode) if wanted == "file" else stat.S_ISDIR(mode)
    return problem if fits else OddFile(f"it is {kind_of(mode)}, not a {wanted}", path)


def read(path: str, largest: int, *, at: int | None = None, follow: bool = False) -> bytes:
    """Return the content of a plain file. Raise OddFile if it is larger than `largest`."""
    with open(opened(path, at=at, follow=follow), "rb") as file:
        document = file.read(largest + 1)
    if len(document) > largest:
        raise OddFile(
            f"it is larger than {largest // MB} MB" if largest >= MB else f"it has more than {largest} bytes", path
        )
    return document


@contextmanager
def folder(path: str, *, make: bool = False, mode: int = 0o777) -> Iterator[int]:
    """Open a folder by its handle. `mode` is for a new one. Neither the folder nor its parent may be a link."""
    around, name = os.path.split(path)
    if make:
        os.makedirs(around, exist_ok=True)
    with entered(around) as parent:
        if make:
            with suppress(FileExistsError):
                os.mkdir(name, mode, dir_fd=parent)
        with entered(name, parent) as handle:
            yield handle


@contextmanager
def entered(path: str | bytes, at: int | None = None) -> Iterator[int]:
    """Open a folder by its handle. It must not be a link."""
    try:
        handle = os.open(path, FOLDER, dir_fd=at)
    except OSError as problem:
        raise _explained(problem, os.fsdecode(path), at, "directory") from problem
    try:
        yield handle
    finally:
        os.close(handle)


@contextmanager
def entered_below(top: str, below: Iterable[str], at: int) -> Iterator[int]:
    """Open a folder below another, part by part. No part can be a link, even if one is swapped meanwhile."""
    handle = os.open(top, FOLDER, dir_fd=at)
    try:
        for name in below:
            inner = os.open(name, FOLDER, dir_fd=handle)
            os.close(handle)
            handle = inner
        yield handle
    finally:
        os.close(handle)


def scratch(around: str, prefix: str) -> tuple[str, int]:
    """Create a private folder and return it with its lock. When the process ends, the kernel releases the lock, and
    abandoned() finds the folder.
    """
    while True:
        place = os.path.join(around, prefix + os.urandom(8).hex())
        os.mkdir(place, 0o700)
        with suppress(FileNotFoundError):
            held = os.open(place, FOLDER)
            with suppress(OSError):  # a file system without locks, so abandoned() finds nothing there
                fcntl.flock(held, fcntl.LOCK_EX)
            if os.path.isdir(place):
                return place, held
            os.close(held)


def abandoned(around: str, prefix: str) -> Iterator[str]:
    """Yield the scratch folders of this user whose process has ended, each locked until the next one."""
    with suppress(OSError), os.scandir(around) as listing:
        for entry in listing:
            if not entry.name.startswith(prefix):
                continue
            with suppress(OSError), entered(entry.path) as held:
                if os.fstat(held).st_uid == os.geteuid():
                    fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    yield entry.path


def entries(handle: int, most: int) -> list[str]:
    """Return up to `most` names in a folder, because others may have created millions."""
    with os.scandir(handle) as listing:
        return [entry.name for entry in islice(listing, most)]


def walked(top: AnyStr, onerror: Callable[[OSError], object] | None = None) -> Iterator[Walked[AnyStr]]:
    """Yield every folder from `top` down, with the names of its subfolders and other entries, like `os.walk`.

    Links are listed but not followed, and removing a name from the subfolders skips it. Unlike `os.walk` in Python 3.11
    it is not recursive, so a thousand nested folders cannot crash it.
    """
    ahead = [top]
    while ahead:
        here = ahead.pop()
        folders, others = list[AnyStr](), list[AnyStr]()
        try:
            with os.scandir(here) as listing:
                for entry in listing:
                    (folders if _is_folder(entry) else others).append(entry.name)
        except OSError as problem:
            if onerror is not None:
                onerror(problem)
            continue
        yield here, folders, others
        below = [os.path.join(here, name) for name in reversed(folders)]
        ahead += [path for path in below if not os.path.islink(path)]


def _is_folder(entry: os.DirEntry[AnyStr]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def replace(handle: int, name: str, document: bytes, mode: int, *, durable: bool = True) -> None:
    """Replace a file atomically, so that readers and crashes see either the old or the new content. `durable` extends
    that to power failures."""
    temporary = f"{name}.new-{os.getpid()}-{os.urandom(6).hex()}"
    try:
        with open(os.open(temporary, NEW, mode, dir_fd=handle), "wb") as file:
            file.write(document)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        os.replace(temporary, name, src_dir_fd=handle, dst_dir_fd=handle)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=handle)
        raise


def why_not_written(path: str) -> str:
    """Try to create a file in a folder, leaving nothing behind. Return the system's error, or "". The name ends in
    `.lock`, which git does not read.
    """
    probe = os.path.join(path, f"foureyes-{os.urandom(6).hex()}.lock")
    try:
        os.close(os.open(probe, NEW, 0o600))
        os.unlink(probe)
    except OSError as problem:
        return problem.strerror or "it cannot be written"
    return ""


def is_plain(handle: int, name: str, largest: int) -> bool:
    """Return True for a plain file of limited size. Raise FileNotFoundError if it is absent."""
    about = os.stat(name, dir_fd=handle, follow_symlinks=False)
    return stat.S_ISREG(about.st_mode) and about.st_size <= largest


def content(handle: int, name: str, largest: int) -> bytes:
    """Return the content of one of our files, nothing if it was just replaced by something else."""
    try:
        return read(name, largest, at=handle)
    except OddFile:
        return b""


def rename_unreadable(handle: int, name: str) -> str:
    """Rename a foreign entry and return its new name."""
    taken = set(os.listdir(handle))
    renamed = next(f"{name}.bad-{n}" for n in count(1) if f"{name}.bad-{n}" not in taken)
    os.rename(name, renamed, src_dir_fd=handle, dst_dir_fd=handle)
    return renamed
