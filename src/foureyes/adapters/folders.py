"""Folders of ours: everything in one is opened by its handle, so that no link leads out of it, and files are replaced
in one step.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count

NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
LOOK = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@contextmanager
def folder(path: str, *, make: bool = False, mode: int = 0o777) -> Iterator[int]:
    """A folder by its handle; `mode` is what a new one is made with."""
    if make:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with suppress(FileExistsError):
            os.mkdir(path, mode)
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield handle
    finally:
        os.close(handle)


def replace(handle: int, name: str, document: bytes, mode: int) -> None:
    """A file with new content: whoever reads it, and whatever is cut off, finds the old or the new as a whole."""
    temporary = f"{name}.new-{os.getpid()}-{os.urandom(6).hex()}"
    try:
        with open(os.open(temporary, NEW, mode, dir_fd=handle), "wb") as file:
            file.write(document)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, name, src_dir_fd=handle, dst_dir_fd=handle)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=handle)
        raise


def is_plain(handle: int, name: str, largest: int) -> bool:
    """Whether a name is a file that can be read: a pipe would be waited for, a link may lead anywhere. Not there at all
    is a FileNotFoundError.
    """
    about = os.stat(name, dir_fd=handle, follow_symlinks=False)
    return stat.S_ISREG(about.st_mode) and about.st_size <= largest


def content(handle: int, name: str, largest: int) -> bytes:
    """What is in a file of ours; nothing where something else has come into its place since it was looked at."""
    with open(os.open(name, LOOK, dir_fd=handle), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return b""
        document = file.read(largest + 1)
    return document if len(document) <= largest else b""


def keep_aside(handle: int, name: str) -> str:
    """What is there and is not ours is kept under another name, which is the answer."""
    there = set(os.listdir(handle))
    aside = next(f"{name}.bad-{n}" for n in count(1) if f"{name}.bad-{n}" not in there)
    os.rename(name, aside, src_dir_fd=handle, dst_dir_fd=handle)
    return aside
