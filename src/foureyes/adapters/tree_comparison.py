"""Compares the files of a directory with a tree, by content and mode. (D5)

This also finds writes made before anyone took a fingerprint.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from hashlib import new, sha256

from foureyes.adapters.folders import OddFile, opened, walked

LINK, MODULE, PROGRAM, FILE = "120000", "160000", "100755", "100644"
AT_ONCE = 1 << 20
SizeOf = Callable[[str], int | None]
"""A function that returns the original size of a file in a tree, or None if unknown."""


def unlike(root: str, files: Mapping[str, str]) -> str:
    """Return the first path that differs from the tree, is missing or is extra, or "". `files` maps every path of the
    tree to its mode and object.
    """
    paths = set(_files(root))
    for path, about in sorted(files.items()):
        mode, _, name = about.partition(" ")
        if mode == MODULE:
            continue
        if path not in paths or not _is(what(os.path.join(root, path), name), mode, name):
            return path
    return min(paths - files.keys(), default="")


def changed(
    root: str, files: Mapping[str, str], layer: str = "", size_of: SizeOf = lambda path: None
) -> dict[str, str]:
    """Return the changed paths of a tree, with their current mode and object as git names them.

    `layer` is the only place with writes, if known. A file longer than its original counts as changed without being
    read.
    """
    folders, written = _within(layer) if layer else (None, None)
    differences = {}
    for path, (mode, _, name) in sorted((path, about.partition(" ")) for path, about in files.items()):
        here = os.path.join(root, path)
        if mode == MODULE or (
            written is not None
            and folders is not None
            and written.isdisjoint(_above(path))
            # a recreated directory in a layer does not list the deleted entries
            and (folders.isdisjoint(_above(path)) or os.path.lexists(here))
        ):
            continue
        now = what(here, name, size_of(path))
        if not _is(now, mode, name):
            differences[path] = now
    return differences


def _above(path: str) -> list[str]:
    """Return a path and its parent directories, because a layer records a deleted directory as a single entry."""
    parts = path.split("/")
    return ["/".join(parts[:length]) for length in range(1, len(parts) + 1)]


def _within(layer: str) -> tuple[set[str], set[str]]:
    """Return the directories of a layer, and everything else in it."""
    start = len(layer.rstrip("/")) + 1
    return {folder[start:] for folder, _, _ in walked(layer)}, set(_files(layer))


def _files(root: str) -> list[str]:
    """Return every path that is not a directory."""
    paths, start = [], len(root.rstrip("/")) + 1
    for folder, folders, names in walked(root):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        paths += [os.path.join(folder, name)[start:] for name in (*names, *links)]
    return paths


def _is(now: str, mode: str, name: str) -> bool:
    """Return True if the current state matches the committed object and mode. Unusual modes count as plain files."""
    return now == f"{mode if mode in (LINK, PROGRAM) else FILE} {name}"


def blob(content: bytes) -> str:
    """Return mode and object of a non-executable file with this content."""
    return f"{FILE} {sha256(b'blob %d' % len(content) + bytes(1) + content).hexdigest()}"


def sizes(root: str) -> dict[str, int]:
    """Return the sizes of the files below a directory."""
    return {path: os.lstat(os.path.join(root, path)).st_size for path in _files(root)}


def what(path: str, like: str, size: int | None = None) -> str:
    """Return mode and object of a path as git names them, with ids as long as `like`. Return "" for anything that git
    does not store.

    A long file without the expected `size` is described by its metadata, because a sparse file may be too large to
    read.
    """
    digest = new("sha256" if len(like) == 64 else "sha1", usedforsecurity=False)
    try:
        if os.path.islink(path):
            content = os.fsencode(os.readlink(path))
            digest.update(b"blob %d\0" % len(content) + content)
            return f"{LINK} {digest.hexdigest()}"
        with open(opened(path), "rb") as file:
            about = os.fstat(file.fileno())
            if size is not None and about.st_size > max(size, AT_ONCE):
                return f"{about.st_size} bytes, inode {about.st_ino} at {about.st_ctime_ns}"
            digest.update(b"blob %d\0" % about.st_size)
            while part := file.read(AT_ONCE):
                digest.update(part)
    except (OddFile, OSError):
        return ""
    return f"{PROGRAM if about.st_mode & stat.S_IXUSR else FILE} {digest.hexdigest()}"
