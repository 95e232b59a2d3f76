"""Whether the files of a directory are those of a tree, by content and mode (D5): what was written there before anybody
looked is found by that alone.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from hashlib import new

from foureyes.adapters.folders import Odd, opened

LINK, MODULE, PROGRAM = "120000", "160000", "100755"
AT_ONCE = 1 << 20


def unlike(root: str, files: Mapping[str, str]) -> str:
    """The first path at which something else is, or nothing, or something that the tree does not have; empty where all
    is as it was committed. `files`: every path of the tree, with its mode and object.
    """
    there = set(_files(root))
    for path, about in sorted(files.items()):
        mode, _, name = about.partition(" ")
        if mode == MODULE:
            continue
        if path not in there or not _is(os.path.join(root, path), mode, name):
            return path
    return min(there - files.keys(), default="")


def changed(root: str, files: Mapping[str, str], layer: str = "") -> list[str]:
    """The paths of a tree at which something else is now, or nothing. `layer`: where alone something was written."""
    written = set(_files(layer)) if layer else None
    return [
        path
        for path, (mode, _, name) in sorted((path, about.partition(" ")) for path, about in files.items())
        if mode != MODULE
        and (written is None or any(each in written for each in _above(path)))
        and not _is(os.path.join(root, path), mode, name)
    ]


def _above(path: str) -> list[str]:
    """A path and the directories that it lies in: one that was removed as a whole is written as one."""
    parts = path.split("/")
    return ["/".join(parts[:length]) for length in range(1, len(parts) + 1)]


def _files(root: str) -> list[str]:
    """Everything that is no directory."""
    found, start = [], len(root.rstrip("/")) + 1
    for folder, folders, names in os.walk(root):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        found += [os.path.join(folder, name)[start:] for name in (*names, *links)]
    return found


def _is(path: str, mode: str, name: str) -> bool:
    """Whether it is what git knows by a name, and a program if it was committed as one."""
    digest = new("sha256" if len(name) == 64 else "sha1", usedforsecurity=False)
    try:
        if mode == LINK:
            content = os.fsencode(os.readlink(path))
            digest.update(b"blob %d\0" % len(content) + content)
        else:
            with open(opened(path), "rb") as file:
                about = os.fstat(file.fileno())
                if bool(about.st_mode & stat.S_IXUSR) != (mode == PROGRAM):
                    return False
                digest.update(b"blob %d\0" % about.st_size)
                while part := file.read(AT_ONCE):
                    digest.update(part)
    except (Odd, OSError):
        return False
    return digest.hexdigest() == name
