"""Git's objects as files: their format, loose objects, anchors in commit messages (J3) and the index. Starts no git."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import cache
from operator import lt
from os.path import join
from typing import TYPE_CHECKING, Any

import msgspec

from foureyes.adapters.folders import MB, opened, read
from foureyes.adapters.git.client.answers import as_sha
from foureyes.core.words.digest import sha256
from foureyes.core.words.ids import ANCHOR, Sha

if TYPE_CHECKING:
    from foureyes.app.git_ports import HeldAnchors


# ---- Object form ----

if TYPE_CHECKING:
    import re
    from hashlib import sha1
else:
    try:
        from _sha1 import sha1  # `hashlib` would load OpenSSL for it
    except ImportError:  # an interpreter that was built without its own
        from hashlib import sha1

TREE, FILE, PROGRAM, LINK, MODULE = b"40000", b"100644", b"100755", b"120000", b"160000"
"""The modes of tree entries in git."""
_MODES = frozenset({TREE, FILE, PROGRAM, LINK, MODULE})
NO_FILE = b"000000"
"""The mode in a diff for an absent file."""
LONGEST_NAME = 255
"""Longest name that file systems allow, in bytes."""
SHA256_DIGITS = 64
RawEntry = tuple[bytes, bytes]
"""The mode and raw object id of a tree entry."""


class Object(msgspec.Struct, frozen=True, gc=False):
    """The kind and content of an object."""

    kind: bytes
    content: bytes


class CommitHead(msgspec.Struct, frozen=True, gc=False):
    """The fields of a commit before its message."""

    tree: Sha
    parents: tuple[Sha, ...]
    when: int


class TreeEntry(msgspec.Struct, frozen=True, gc=False):
    """The mode and object id of a tree entry."""

    mode: bytes
    sha: Sha


def framed(kind: bytes, content: bytes) -> bytes:
    """Return an object as git writes it before compression. Its id is the hash of this."""
    return b"%s %d\0" % (kind, len(content)) + content


def named_by(kind: bytes, content: bytes, digits: int) -> Sha:
    """Return the id of an object, with this many digits."""
    raw = framed(kind, content)
    digest = sha256(raw) if digits == SHA256_DIGITS else sha1(raw, usedforsecurity=False)
    return Sha(digest.hexdigest())


def commit_head(content: bytes) -> CommitHead | None:
    """Return the head of a commit as git parses it, or None for anything else."""
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
    """Return the message of a commit."""
    return content.partition(b"\n\n")[2]


def author_of(content: bytes) -> bytes:
    """Return the author's name of a commit. It is not verified."""
    lines = content.partition(b"\n\n")[0].split(b"\n")
    author = next((line for line in lines if line.startswith(b"author ")), b"")
    return author.removeprefix(b"author ").partition(b" <")[0]


def _when(lines: list[bytes]) -> int:
    """Return the date of a commit. Use it only to order a walk, because authors can forge it."""
    words = next((line.rpartition(b"> ")[2].split() for line in lines if line.startswith(b"committer ")), [])
    return int(words[0]) if words and words[0].isdigit() and len(words[0]) < 19 else 0


def tree_rows(content: bytes, size: int) -> dict[bytes, RawEntry] | None:
    """Return the entries of a tree by name, or None for a damaged tree. `size` is the length of an object id in bytes.

    Duplicate names, a wrong order or a slash in a name could make a diff, a merge and a checkout see different trees.
    Large repositories pass whole folders through here, so it mostly uses built-in loops.
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
    """Return a mode as git interprets it: 120644 is checked out as a link, 100664 as a file."""
    import stat

    number = int(mode, 8)
    kind = stat.S_IFMT(number & 0o177777)
    if kind == stat.S_IFREG:
        return PROGRAM if number & stat.S_IXUSR else FILE
    return {stat.S_IFLNK: LINK, stat.S_IFDIR: TREE}.get(kind, MODULE)


def is_only_files(content: bytes, size: int) -> bool:
    """Return True if a tree has only files with modes in their usual form."""
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
    """Return True for a file name that git refuses to check out."""
    return name.rstrip(b". ").lower() in (b"", b".git")


def entry_of(row: RawEntry) -> TreeEntry:
    """Return a tree entry with its object id as text."""
    return TreeEntry(row[0], Sha(row[1].hex()))


# ---- Loose objects, read without starting git ----

# New commits and their trees are loose until git packs them. Anything else (packed, borrowed from another repository,
# large, damaged) is left to git.

LARGEST = 1 << 20
_FILES = (FILE, PROGRAM, LINK)


class FileText(msgspec.Struct, frozen=True, gc=False):
    """The text of a file in a commit, or None if the commit has no such file."""

    text: str | None


def tree_of(common_dir: str, commit: Sha) -> Sha | None:
    """Return the tree of a commit, or None if only git can tell."""
    content = _read(common_dir, commit, b"commit")
    head = commit_head(content) if content else None
    return head.tree if head else None


def text_at(common_dir: str, commit: Sha, path: str) -> FileText | None:
    """Return a file of a commit, or None if only git can tell."""
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
    """An entry of a tree. Its id is None if the tree has no such name."""

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
    """Return the content of a loose object of this kind, verified by hash, or None."""
    loose = read_loose_object(common_dir, sha, LARGEST)
    return loose[1] if loose is not None and loose[0] == kind else None


def read_loose_object(folder: str, sha: Sha, largest: int) -> tuple[bytes, bytes] | None:
    """Return kind and content of a loose object, or None.

    It must match its id and have the form that git accepts: one complete stream, with its size in front and nothing
    after it.
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
    """Return the loose objects of a private repository."""
    objects = join(folder, "objects")
    folders = [first for first in os.listdir(objects) if len(first) == 2]
    return {sha for first in folders for rest in os.listdir(join(objects, first)) if (sha := as_sha(first + rest))}


def write_loose_object(folder: str, kind: bytes, content: bytes, digits: int) -> Sha:
    """Write a loose object to a private repository and return its id."""
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


# ---- Anchors in the messages of commits (J3) ----

BEGINS = ANCHOR.encode()


def not_held(anchors: Sequence[str], held: HeldAnchors | None) -> list[str]:
    """Return the anchors that are not held, in one query because a shared store is remote."""
    holding = held(anchors) if held is not None and anchors else ()
    return [anchor for anchor in anchors if anchor not in holding]


def is_work(sha: Sha, commit: bytes, work: Collection[Sha]) -> bool:
    """Return True for a plain commit from a task's `work`, whose author wrote its message.

    Return False for a merge: the gate makes merges, and one in a submission may come from another store.
    """
    head = commit_head(commit) if sha in work else None
    return head is not None and len(head.parents) < 2


def anchors_in(commit: bytes) -> list[str]:
    """Return the values of a commit's `Journal:` lines. (J3, G1)

    A message can hide its trailers from git. So anything that looks like an anchor counts anywhere, and in the last
    paragraph every such line counts.
    """
    before, _, last = message_of(commit).rstrip().rpartition(b"\n\n")
    values = [value for value in _journal_lines(before) if _is_anchor(value)] + _journal_lines(last)
    return [value.decode("utf-8", "replace") or "nothing" for value in values]


def _journal_lines(text: bytes) -> list[bytes]:
    return [line.removeprefix(BEGINS).strip() for line in text.split(b"\n") if line.startswith(BEGINS)]


def _is_anchor(value: bytes) -> bool:
    row, _, digest = value.partition(b":")
    return row.isdigit() and bool(digest) and not digest.strip(b"0123456789abcdef")


# ---- Index file ----

LARGEST_INDEX = 512 * MB
_EXTENSION = b"TREE"
"""Extension of the index with the tree that it would write. It is valid while nothing new is staged."""


def noted_tree(git_dir: str, size: int) -> Sha | None:
    """Return the tree of the complete index, or None if only git can tell. `size` is the length of an object id in
    bytes."""
    try:
        content = read(join(git_dir, "index"), LARGEST_INDEX)
    except OSError:
        return None
    at = content.rfind(_EXTENSION)
    if not content.startswith(b"DIRC") or at < 0 or not _ends_with_extensions(content, at, len(content) - size):
        return None
    # An entry has a path (empty for the whole tree), a file count (below 0: invalid), and its tree.
    path, _, rest = content[at + 8 :].partition(b"\0")
    counts, _, after = rest.partition(b"\n")
    is_whole = not path and counts.partition(b" ")[0].isdigit()
    return Sha(after[:size].hex()) if is_whole and len(after) >= size else None


def _ends_with_extensions(content: bytes, at: int, end: int) -> bool:
    """Return True if complete extensions fill the space from here to the checksum."""
    while at + 8 <= end:
        at += 8 + int.from_bytes(content[at + 4 : at + 8], "big")
    return at == end


# ---- Tree ids computed from a list of files ----


def tree_id(rows: bytes) -> Sha | None:
    """Return the tree for the output of `ls-files --stage -z`, or None while there are conflicts."""
    top: dict[bytes, Any] = {}
    digits = 40
    for row in rows.split(b"\0")[:-1]:
        facts, _, path = row.partition(b"\t")
        mode, name, stage = facts.split(b" ")
        if stage != b"0":
            return None
        digits = len(name)
        if not _put(top, path.split(b"/"), (mode, bytes.fromhex(name.decode("ascii")))):
            return None

    def digest(node: dict[bytes, Any]) -> bytes:
        entries = [
            (name + b"/", TREE, name, digest(entry)) if isinstance(entry, dict) else (name, entry[0], name, entry[1])
            for name, entry in node.items()
        ]
        body = b"".join(mode + b" " + name + b"\0" + raw for _, mode, name, raw in sorted(entries))
        return bytes.fromhex(named_by(b"tree", body, digits))

    return Sha(digest(top).hex())


def _put(top: dict[bytes, Any], parts: list[bytes], entry: tuple[bytes, bytes]) -> bool:
    """Add a file to its folder. Return False if a file is in the way."""
    node = top
    for part in parts[:-1]:
        node = node.setdefault(part, {})
        if not isinstance(node, dict):
            return False
    return node.setdefault(parts[-1], entry) is entry
