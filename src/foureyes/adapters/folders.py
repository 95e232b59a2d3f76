"""Files and folders that others can write, too: opened without following a link and without waiting, plain files only,
read up to a bound, replaced in one step.

Whoever can write a directory can put a pipe, a link, a device or an endless file into the place of a file there.
Opening a pipe waits for its other end, a link leads anywhere, and reading some of them never ends. What is not a file
of its own is an `OddFile`, which says what it is; nothing of it is read or written.
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
"""A folder, the folders in it, and what else is in it."""
LOGS = "logs"
"""The folder of logs below the project's: of runs, of a runner, of defects."""
HANDED_OVER = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
"""What a shell calls the open files of a command, those of `<(...)` among them."""
KINDS = {
    stat.S_IFLNK: "a link", stat.S_IFIFO: "a named pipe", stat.S_IFDIR: "a directory", stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device", stat.S_IFBLK: "a device", stat.S_IFREG: "a file",
}  # fmt: skip


class OddFile(OSError):
    """Something else than a file (or folder) of ours is in its place; `strerror` says what."""

    def __init__(self, why: str, path: str = "") -> None:
        super().__init__(errno.EINVAL, why, path)


def kind_of(mode: int) -> str:
    """What an entry of a directory is, in a word."""
    return KINDS.get(stat.S_IFMT(mode), "something odd")


def opened(
    path: str, flags: int = os.O_RDONLY, mode: int = 0o644, *, at: int | None = None, follow: bool = False
) -> int:
    """A handle of a plain file; `OddFile` if something else is there. `follow`: a link to a plain file is one, too."""
    try:
        handle = os.open(path, flags | SAFE | (0 if follow else os.O_NOFOLLOW), mode, dir_fd=at)
    except OSError as problem:
        raise _told(problem, path, at, "file") from problem
    st_mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(st_mode):
        os.close(handle)
        raise OddFile(f"it is {kind_of(st_mode)}, not a file", path)
    return handle


def given(path: str) -> int:
    """A handle of what somebody names to be read once: a plain file, also behind a link, or a pipe or terminal that
    they hand over themselves (`/dev/stdin`, `<(...)`). A pipe that lies under the name of a file is `OddFile`: perhaps
    nobody ever writes into it.
    """
    if not os.path.normpath(path).startswith(HANDED_OVER):
        return opened(path, follow=True)
    handle = os.open(path, os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC)
    mode = os.fstat(handle).st_mode
    if stat.S_ISDIR(mode) or stat.S_ISBLK(mode):
        os.close(handle)
        raise OddFile(f"it is {kind_of(mode)}, not a file", path)
    return handle


def _told(problem: OSError, path: str, at: int | None, wanted: str) -> OSError:
    """Why something could not be opened: what it is, if that is the reason."""
    try:
        mode = os.stat(path, dir_fd=at, follow_symlinks=False).st_mode
    except OSError:
        return problem
    fits = stat.S_ISREG(mode) if wanted == "file" else stat.S_ISDIR(mode)
    return problem if fits else OddFile(f"it is {kind_of(mode)}, not a {wanted}", path)


def read(path: str, largest: int, *, at: int | None = None, follow: bool = False) -> bytes:
    """What is in a plain file; a larger one is `OddFile`."""
    with open(opened(path, at=at, follow=follow), "rb") as file:
        document = file.read(largest + 1)
    if len(document) > largest:
        raise OddFile(
            f"it is larger than {largest // MB} MB" if largest >= MB else f"it has more than {largest} bytes", path
        )
    return document


@contextmanager
def folder(path: str, *, make: bool = False, mode: int = 0o777) -> Iterator[int]:
    """A folder by its handle; `mode` is what a new one is made with. Neither it nor the folder around it is a link."""
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
    """A folder by its handle; it is no link."""
    try:
        handle = os.open(path, FOLDER, dir_fd=at)
    except OSError as problem:
        raise _told(problem, os.fsdecode(path), at, "directory") from problem
    try:
        yield handle
    finally:
        os.close(handle)


@contextmanager
def entered_below(top: str, below: Iterable[str], at: int) -> Iterator[int]:
    """A folder below another by its handle, entered part by part: none is a link, whoever swaps one meanwhile."""
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
    """A new folder for this user alone, and its lock, which the kernel releases when the process ends: what a killed
    process leaves is `abandoned`.
    """
    while True:
        place = os.path.join(around, prefix + os.urandom(8).hex())
        os.mkdir(place, 0o700)
        with suppress(FileNotFoundError):
            held = os.open(place, FOLDER)
            with suppress(OSError):  # a file system without locks: nobody sweeps there either
                fcntl.flock(held, fcntl.LOCK_EX)
            if os.path.isdir(place):
                return place, held
            os.close(held)


def abandoned(around: str, prefix: str) -> Iterator[str]:
    """Scratch folders of this user whose process has ended; each is locked until the next one is asked for."""
    with suppress(OSError), os.scandir(around) as listing:
        for entry in listing:
            if not entry.name.startswith(prefix):
                continue
            with suppress(OSError), entered(entry.path) as held:
                if os.fstat(held).st_uid == os.geteuid():
                    fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    yield entry.path


def entries(handle: int, most: int) -> list[str]:
    """Names in a folder, so many at most: whoever may write there may write millions."""
    with os.scandir(handle) as listing:
        return [entry.name for entry in islice(listing, most)]


def walked(top: AnyStr, onerror: Callable[[OSError], object] | None = None) -> Iterator[Walked[AnyStr]]:
    """Every folder from `top` down, with the names of the folders and of everything else in it, as `os.walk` has them:
    a link is among them and not followed, and a name that is taken out of the folders is not entered. That one calls
    itself for each folder (Python 3.11), and whoever may write there may put a thousand into each other.
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
    """A file with new content: whoever reads it, and whatever is cut off, finds the old or the new as a whole.
    `durable`: also when the power is.
    """
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
    """Try to make a file in a folder: why that does not go, in the system's words; empty where it does. Nothing stays.

    The file has an ending that git takes for a lock and does not read.
    """
    probe = os.path.join(path, f"foureyes-{os.urandom(6).hex()}.lock")
    try:
        os.close(os.open(probe, NEW, 0o600))
        os.unlink(probe)
    except OSError as problem:
        return problem.strerror or "it cannot be written"
    return ""


def is_plain(handle: int, name: str, largest: int) -> bool:
    """Whether a name is a file that can be read: a pipe would be waited for, a link may lead anywhere. Not there at all
    is a FileNotFoundError.
    """
    about = os.stat(name, dir_fd=handle, follow_symlinks=False)
    return stat.S_ISREG(about.st_mode) and about.st_size <= largest


def content(handle: int, name: str, largest: int) -> bytes:
    """What is in a file of ours; nothing where something else has come into its place since it was looked at."""
    try:
        return read(name, largest, at=handle)
    except OddFile:
        return b""


def keep_aside(handle: int, name: str) -> str:
    """What is there and is not ours is kept under another name, which is the answer."""
    taken = set(os.listdir(handle))
    aside = next(f"{name}.bad-{n}" for n in count(1) if f"{name}.bad-{n}" not in taken)
    os.rename(name, aside, src_dir_fd=handle, dst_dir_fd=handle)
    return aside
