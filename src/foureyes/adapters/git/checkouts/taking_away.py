"""A worktree that goes, file by file (K1): only what was looked at is taken away. git, told to remove one, deletes
whatever it finds by then; here a file that came or changed since the look stays, and the worktree with it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress

from foureyes.adapters import folders
from foureyes.adapters.git.client.answers import as_text

DEEPEST = 100
"""Folders in folders; each is held open while what is inside of it goes."""
LINK = b".git"
"""What makes a folder a worktree: it goes last."""


class _Folder:
    """The files of a folder that were looked at, and the folders in it."""

    def __init__(self) -> None:
        self.files: list[bytes] = []
        self.folders: dict[bytes, _Folder] = {}


def is_too_deep(path: bytes) -> bool:
    return path.count(b"/") >= DEEPEST


def take_away(top: str, paths: Iterable[bytes], since: int) -> list[str]:
    """Remove these files of a worktree, its folders and its `.git`; what is there besides stays, and its `.git` too. So
    does a file that changed at `since` or later, in nanoseconds by the clock of that disk.

    No link is followed. What stayed; nothing, where all is gone.
    """
    with folders.folder(top) as handle:
        left = _cleared(handle, _sorted(paths), b"", since)
        if left:
            return sorted(as_text(path) for path in left)
        link = folders.content(handle, as_text(LINK), folders.MB)
        os.unlink(LINK, dir_fd=handle)
        try:
            os.rmdir(top)
        except OSError:  # something came at the last moment
            folders.replace(handle, as_text(LINK), link, 0o644, durable=False)
            return sorted(as_text(name) for name in map(os.fsencode, os.listdir(handle)) if name != LINK)
    return []


def _sorted(paths: Iterable[bytes]) -> _Folder:
    """The files by their folders."""
    known: dict[bytes, _Folder] = {b"": _Folder()}

    def at(path: bytes) -> _Folder:
        inside = known.get(path)
        if inside is None:
            above, _, name = path.rpartition(b"/")
            inside = known[path] = at(above).folders[name] = _Folder()
        return inside

    for path in paths:
        folder, _, name = path.rpartition(b"/")
        at(folder).files.append(name)
    return known[b""]


def _cleared(handle: int, inside: _Folder, where: bytes, since: int) -> list[bytes]:
    """Empty a folder of what is known of it; what is left."""
    look, unlink = os.stat, os.unlink
    for name in inside.files:
        with suppress(OSError):  # it is gone, or it is something else by now, which is told
            if look(name, dir_fd=handle, follow_symlinks=False).st_ctime_ns < since:
                unlink(name, dir_fd=handle)
    left: list[bytes] = []
    for name in map(os.fsencode, os.listdir(handle)):
        if where or name != LINK:
            left += _gone(handle, name, inside.folders.get(name) or _Folder(), where + name, since)
    return left


def _gone(handle: int, name: bytes, inside: _Folder, path: bytes, since: int) -> list[bytes]:
    """Take a folder away; what stays of it. One that was not known and is empty goes, too, and so does what no commit
    can hold (a socket, a pipe): git keeps and names neither.
    """
    try:
        mode = os.stat(name, dir_fd=handle, follow_symlinks=False).st_mode
        if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode) and not stat.S_ISLNK(mode):
            os.unlink(name, dir_fd=handle)
            return []
        with folders.entered(name, handle) as below:
            left = [path] if is_too_deep(path) else _cleared(below, inside, path + b"/", since)
        if not left:
            os.rmdir(name, dir_fd=handle)
    except OSError:
        return [path]
    return left
