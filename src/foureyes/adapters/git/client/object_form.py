"""What git's objects look like: their names, and what commits and trees say. Pure, and the only place that knows."""

from __future__ import annotations

from functools import cache
from operator import lt
from typing import TYPE_CHECKING

import msgspec

from foureyes.adapters.git.client.answers import as_sha
from foureyes.core.words.digest import sha256
from foureyes.core.words.ids import Sha

if TYPE_CHECKING:
    import re
    from hashlib import sha1
else:
    try:
        from _sha1 import sha1  # `hashlib` would load OpenSSL for it
    except ImportError:  # an interpreter that was built without its own
        from hashlib import sha1

TREE, FILE, PROGRAM, LINK, MODULE = b"40000", b"100644", b"100755", b"120000", b"160000"
"""The modes of git: what an entry of a tree is."""
_MODES = frozenset({TREE, FILE, PROGRAM, LINK, MODULE})
NO_FILE = b"000000"
"""What a diff has for a mode where there is no file."""
LONGEST_NAME = 255
"""Bytes that a file system takes for one name."""
SHA256_DIGITS = 64
RawEntry = tuple[bytes, bytes]
"""What a tree has under a name: mode, and the bytes of the object's id."""


class Object(msgspec.Struct, frozen=True, gc=False):
    """What an object is, and what it holds."""

    kind: bytes
    content: bytes


class CommitHead(msgspec.Struct, frozen=True, gc=False):
    """What a commit says about itself before its message."""

    tree: Sha
    parents: tuple[Sha, ...]
    when: int


class TreeEntry(msgspec.Struct, frozen=True, gc=False):
    """What a tree has under a name."""

    mode: bytes
    sha: Sha


def framed(kind: bytes, content: bytes) -> bytes:
    """An object as git writes it, before it is compressed; its name is the hash of this."""
    return b"%s %d\0" % (kind, len(content)) + content


def named_by(kind: bytes, content: bytes, digits: int) -> Sha:
    """The name that an object has by its bytes, where names have so many digits."""
    raw = framed(kind, content)
    digest = sha256(raw) if digits == SHA256_DIGITS else sha1(raw, usedforsecurity=False)
    return Sha(digest.hexdigest())


def commit_head(content: bytes) -> CommitHead | None:
    """The head of a commit, read as git reads it; None where it is no commit."""
    first, *lines = content.partition(b"\n\n")[0].split(b"\n")
    tree = as_sha(first[5:]) if first.startswith(b"tree ") else None
    if tree is None:
        return None
    parents = []
    for line in lines:
        if not line.startswith(b"parent "):
            break
        if (parent := as_sha(line[7:])) is None:
            return None
        parents.append(parent)
    return CommitHead(tree, tuple(parents), _when(lines[len(parents) :]))


def message_of(content: bytes) -> bytes:
    """What a commit says in words."""
    return content.partition(b"\n\n")[2]


def author_of(content: bytes) -> bytes:
    """Who a commit says made it: a name, which whoever wrote it chose."""
    lines = content.partition(b"\n\n")[0].split(b"\n")
    author = next((line for line in lines if line.startswith(b"author ")), b"")
    return author.removeprefix(b"author ").partition(b" <")[0]


def _when(lines: list[bytes]) -> int:
    """The date of a commit. It orders a walk and decides nothing: who writes a commit writes its date."""
    words = next((line.rpartition(b"> ")[2].split() for line in lines if line.startswith(b"committer ")), [])
    return int(words[0]) if words and words[0].isdigit() and len(words[0]) < 19 else 0


def tree_rows(content: bytes, size: int) -> dict[bytes, RawEntry] | None:
    """What a tree holds, by name; None where it is damaged: a diff, a merge and a checkout might each see another tree
    in a name that is there twice, or out of order, or has a slash. `size` is that of an object id in bytes.

    Whole folders of large repositories go through here, so nearly everything is done by the interpreter's own loops.
    """
    entries = _entries_of(size).findall(content)
    if not entries:
        return None if content else {}
    modes, names, ids = zip(*entries, strict=True)
    together = b"\0" + b"\0".join(names)
    if sum(map(len, modes)) + len(together) + len(entries) * (size + 1) != len(content):
        return None
    if not _MODES.issuperset(modes):
        modes = tuple(map(_mode_of, modes))
    places = names if TREE not in modes else [n + b"/" if m == TREE else n for m, n in zip(modes, names, strict=True)]
    if not all(map(lt, places, places[1:])) or (len(together) > LONGEST_NAME and max(map(len, names)) > LONGEST_NAME):
        return None
    if b"/" in together or (b"\0." in together and any(name[:1] == b"." and _is_reserved(name) for name in names)):
        return None
    rows = dict(zip(names, zip(modes, ids, strict=True), strict=True))
    return rows if len(rows) == len(entries) else None


def _mode_of(mode: bytes) -> bytes:
    """A mode as git takes it, whatever a tree says: 120644 is checked out as a link, 100664 as a file."""
    import stat

    number = int(mode, 8)
    kind = stat.S_IFMT(number & 0o177777)
    if kind == stat.S_IFREG:
        return PROGRAM if number & stat.S_IXUSR else FILE
    return {stat.S_IFLNK: LINK, stat.S_IFDIR: TREE}.get(kind, MODULE)


def is_only_files(content: bytes, size: int) -> bool:
    """Whether a tree has nothing but files, by modes that are written as git writes them."""
    return _files_of(size).fullmatch(content) is not None


@cache
def _files_of(size: int) -> re.Pattern[bytes]:
    import re

    return re.compile(rb"(?:100(?:644|755) [^\0]+\0.{%d})*" % size, re.DOTALL)


@cache
def _entries_of(size: int) -> re.Pattern[bytes]:
    import re

    return re.compile(rb"([0-7]+) ([^\0]+)\0(.{%d})" % size, re.DOTALL)


def _is_reserved(name: bytes) -> bool:
    """Whether no checkout can hold a file of that name: git refuses it."""
    return name.rstrip(b". ").lower() in (b"", b".git")


def entry_of(row: RawEntry) -> TreeEntry:
    """What a tree has under a name, with the name of the object."""
    return TreeEntry(row[0], Sha(row[1].hex()))
