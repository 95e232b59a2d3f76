"""Git's objects: their form, those that stand in a file of their own, anchors in commit messages (J3), the index. Starts no git."""

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


# ---- Objects that stand in a file of their own, read without starting git ----

# New commits and their trees are loose until git packs them. Whatever is not plain here (packed, borrowed from another
# repository, large, damaged) is left to git.

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


# ---- Anchors in the messages of commits (J3) ----

BEGINS = ANCHOR.encode()


def not_held(anchors: Sequence[str], held: HeldAnchors | None) -> list[str]:
    """Those of some anchors that are not held; asked once for all of them: a shared store is far away."""
    holding = held(anchors) if held is not None and anchors else ()
    return [anchor for anchor in anchors if anchor not in holding]


def is_work(sha: Sha, commit: bytes, work: Collection[Sha]) -> bool:
    """Whether a commit is plain `work` of a task: who made it wrote its message, and the gate only makes merges. A
    merge counts, whoever handed it in: it may be another store's.
    """
    head = commit_head(commit) if sha in work else None
    return head is not None and len(head.parents) < 2


def anchors_in(commit: bytes) -> list[str]:
    """What the `Journal:` lines of a commit say (J3). A message can keep git from seeing its trailers, so what looks
    like an anchor counts wherever it stands, and in the last paragraph whatever it looks like (G1).
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
"""Where git notes the trees that it would write from the index, as long as nothing was staged since."""


def noted_tree(git_dir: str, size: int) -> Sha | None:
    """The tree of everything in the index; None where only git can say. `size` is that of an object id in bytes."""
    try:
        content = read(join(git_dir, "index"), LARGEST_INDEX)
    except OSError:
        return None
    at = content.rfind(_EXTENSION)
    if not content.startswith(b"DIRC") or at < 0 or not _ends_with_extensions(content, at, len(content) - size):
        return None
    # An entry is a path, which is empty for the whole, how many files it has (below 0: not known), and its tree.
    path, _, rest = content[at + 8 :].partition(b"\0")
    counts, _, after = rest.partition(b"\n")
    is_whole = not path and counts.partition(b" ")[0].isdigit()
    return Sha(after[:size].hex()) if is_whole and len(after) >= size else None


def _ends_with_extensions(content: bytes, at: int, end: int) -> bool:
    """Whether whole extensions, one after the other, lead from here to the checksum."""
    while at + 8 <= end:
        at += 8 + int.from_bytes(content[at + 4 : at + 8], "big")
    return at == end


# ---- The id that git gives a tree, from a list of its files ----


def tree_id(rows: bytes) -> Sha | None:
    """The tree of `ls-files --stage -z`; None while there are conflicts."""
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
    """Put a file into its folder; False where a file stands in the way."""
    node = top
    for part in parts[:-1]:
        node = node.setdefault(part, {})
        if not isinstance(node, dict):
            return False
    return node.setdefault(parts[-1], entry) is entry
