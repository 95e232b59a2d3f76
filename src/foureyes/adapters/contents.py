"""Whether the files of a directory are those of a tree, by content and mode (D5): what was written there before anybody
looked is found by that alone.
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
"""How long a file of a tree was before anybody wrote to it; None where that is not known."""


def unlike(root: str, files: Mapping[str, str]) -> str:
    """The first path at which something else is, or nothing, or something that the tree does not have; empty where all
    is as it was committed. `files`: every path of the tree, with its mode and object.
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
    """The paths of a tree at which something else is now, or nothing, with what is there, as git would name it.
    `layer`: where alone something was written. What is longer than it was need not be read to be another.
    """
    folders, written = _within(layer) if layer else (None, None)
    differences = {}
    for path, (mode, _, name) in sorted((path, about.partition(" ")) for path, about in files.items()):
        here = os.path.join(root, path)
        if mode == MODULE or (
            written is not None
            and folders is not None
            and written.isdisjoint(_above(path))
            # of a directory that was made again nothing says what is not in there any more
            and (folders.isdisjoint(_above(path)) or os.path.lexists(here))
        ):
            continue
        now = what(here, name, size_of(path))
        if not _is(now, mode, name):
            differences[path] = now
    return differences


def _above(path: str) -> list[str]:
    """A path and the directories that it lies in: one that was removed as a whole is written as one."""
    parts = path.split("/")
    return ["/".join(parts[:length]) for length in range(1, len(parts) + 1)]


def _within(layer: str) -> tuple[set[str], set[str]]:
    """Directories of a layer, and everything else in it."""
    start = len(layer.rstrip("/")) + 1
    return {folder[start:] for folder, _, _ in walked(layer)}, set(_files(layer))


def _files(root: str) -> list[str]:
    """Everything that is no directory."""
    paths, start = [], len(root.rstrip("/")) + 1
    for folder, folders, names in walked(root):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        paths += [os.path.join(folder, name)[start:] for name in (*names, *links)]
    return paths


def _is(now: str, mode: str, name: str) -> bool:
    """Whether that is what git knows by a name, and a program if it was committed as one; older modes are files."""
    return now == f"{mode if mode in (LINK, PROGRAM) else FILE} {name}"


def blob(content: bytes) -> str:
    """A file with this content that is no program, by mode and object."""
    return f"{FILE} {sha256(b'blob %d' % len(content) + bytes(1) + content).hexdigest()}"


def sizes(root: str) -> dict[str, int]:
    """How long the files below a directory are."""
    return {path: os.lstat(os.path.join(root, path)).st_size for path in _files(root)}


def what(path: str, like: str, size: int | None = None) -> str:
    """What lies at a path, by mode and object as git names them, in names as long as that one; empty where that is
    nothing that git keeps. Of a long file that has not the `size` that it should have, only what the kernel says: one
    with a hole in it is longer than anybody can read.
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
