"""Objects that stand in a file of their own, read without starting git.

New commits and their trees are loose until git packs them. Whatever is not plain here (packed, borrowed from another
repository, large, damaged) is left to git.
"""

from __future__ import annotations

import os
from contextlib import suppress
from os.path import join

import msgspec

from foureyes.adapters.folders import opened
from foureyes.adapters.git.client.answers import as_sha
from foureyes.adapters.git.client.object_form import (
    FILE,
    LINK,
    PROGRAM,
    TREE,
    commit_head,
    entry_of,
    framed,
    named_by,
    tree_rows,
)
from foureyes.core.words.ids import Sha

LARGEST = 1 << 20
_FILES = (FILE, PROGRAM, LINK)


class FileText(msgspec.Struct, frozen=True, gc=False):
    """The text of a file in a commit; None when the commit has no such file."""

    text: str | None


def tree_of(common_dir: str, commit: Sha) -> Sha | None:
    """The tree of a commit; None where only git can say."""
    content = _read(common_dir, commit, b"commit")
    head = commit_head(content) if content else None
    return head.tree if head else None


def text_at(common_dir: str, commit: Sha, path: str) -> FileText | None:
    """A file of a commit; None where only git can say."""
    sha = tree_of(common_dir, commit)
    names = path.encode("utf-8", "surrogateescape").split(b"/")
    if not {b"", b".", b".."}.isdisjoint(names):
        return None
    for name in names[:-1]:
        folder = _entry(common_dir, sha, name)
        if folder is None or folder.mode != TREE:
            return None
        sha = folder.sha
    file = _entry(common_dir, sha, names[-1])
    if file is None or file.sha is None:
        return FileText(None) if file else None
    content = _read(common_dir, file.sha, b"blob") if file.mode in _FILES else None
    return FileText(content.decode("utf-8", "replace")) if content is not None else None


class _LooseEntry(msgspec.Struct, frozen=True, gc=False):
    """An entry of a tree; without an id when the tree has none of that name."""

    mode: bytes
    sha: Sha | None


def _entry(common_dir: str, tree: Sha | None, name: bytes) -> _LooseEntry | None:
    content = _read(common_dir, tree, b"tree") if tree else None
    if content is None or tree is None:
        return None
    rows = tree_rows(content, len(tree) // 2)
    if rows is None:
        return None
    if name not in rows:
        return _LooseEntry(b"", None)
    entry = entry_of(rows[name])
    return _LooseEntry(entry.mode, entry.sha)


def _read(common_dir: str, sha: Sha, kind: bytes) -> bytes | None:
    """What an object of this kind holds, if it is loose and really is what its name says."""
    loose = read_loose_object(common_dir, sha, LARGEST)
    return loose[1] if loose is not None and loose[0] == kind else None


def read_loose_object(folder: str, sha: Sha, largest: int) -> tuple[bytes, bytes] | None:
    """Kind and content of an object in a file of its own, if it really is what its name says, in the one form that git
    checks out: all of a stream and nothing after it, with its size in front.
    """
    import zlib

    inflater = zlib.decompressobj()
    try:
        with open(opened(_place(folder, sha)), "rb") as file:
            raw = inflater.decompress(file.read(largest), largest)
            is_whole = inflater.eof and not inflater.unused_data and not file.read(1)
    except (OSError, zlib.error):
        return None
    header, _, content = raw.partition(b"\0")
    kind, _, size = header.partition(b" ")
    is_plain = is_whole and size == b"%d" % len(content)
    return (kind, content) if is_plain and named_by(kind, content, len(sha)) == sha else None


def _place(folder: str, sha: Sha) -> str:
    return join(folder, "objects", sha[:2], sha[2:])


def loose_names(folder: str) -> set[Sha]:
    """The objects in files of their own in a repository that is ours alone."""
    objects = join(folder, "objects")
    folders = [first for first in os.listdir(objects) if len(first) == 2]
    return {sha for first in folders for rest in os.listdir(join(objects, first)) if (sha := as_sha(first + rest))}


def write_loose_object(folder: str, kind: bytes, content: bytes, digits: int) -> Sha:
    """Put an object into a file of its own, in a repository that is ours alone; its name."""
    import zlib

    sha = named_by(kind, content, digits)
    place = join(folder, "objects", sha[:2])
    with suppress(FileExistsError):
        os.mkdir(place, 0o700)
    new = join(place, f"new-{os.urandom(6).hex()}")
    with open(new, "wb") as file:
        file.write(zlib.compress(framed(kind, content), 1))
    os.replace(new, join(place, sha[2:]))
    return sha
