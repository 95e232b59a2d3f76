"""Objects that stand in a file of their own, read without starting git.

New commits and their trees are loose until git packs them. Whatever is not plain here (packed, borrowed from another
repository, large, damaged) is left to git.
"""

from __future__ import annotations

from os.path import join
from typing import TYPE_CHECKING, NamedTuple

from foureyes.adapters.folders import opened
from foureyes.adapters.git.client.answers import as_sha
from foureyes.core.words.digest import sha256
from foureyes.core.words.ids import Sha

if TYPE_CHECKING:
    from hashlib import sha1
else:
    try:
        from _sha1 import sha1  # `hashlib` would load OpenSSL for it
    except ImportError:  # an interpreter that was built without its own
        from hashlib import sha1

LARGEST = 1 << 20
NEAR = 20
ANCHOR = b"Journal: "
_FILES = (b"100644", b"100755", b"100664", b"120000")


class FileText(NamedTuple):
    """The text of a file in a commit; None when the commit has no such file."""

    text: str | None


def tree_of(common_dir: str, commit: Sha) -> Sha | None:
    """The tree of a commit; None where only git can say."""
    content = _read(common_dir, commit, b"commit")
    first = content.partition(b"\n")[0] if content else b""
    return as_sha(first[5:]) if first.startswith(b"tree ") else None


def text_at(common_dir: str, commit: Sha, path: str) -> FileText | None:
    """A file of a commit; None where only git can say."""
    sha = tree_of(common_dir, commit)
    names = path.encode("utf-8", "surrogateescape").split(b"/")
    if not {b"", b".", b".."}.isdisjoint(names):
        return None
    for name in names[:-1]:
        folder = _entry(common_dir, sha, name)
        if folder is None or folder.mode != b"40000":
            return None
        sha = folder.sha
    file = _entry(common_dir, sha, names[-1])
    if file is None or file.sha is None:
        return FileText(None) if file else None
    content = _read(common_dir, file.sha, b"blob") if file.mode in _FILES else None
    return FileText(content.decode("utf-8", "replace")) if content is not None else None


def anchor_near(common_dir: str, tip: Sha) -> str | None:
    """The value of the first `Journal:` trailer on the first-parent line, among the newest commits (J3)."""
    for _ in range(NEAR):
        content = _read(common_dir, tip, b"commit")
        if content is None:
            return None
        head, _, message = content.partition(b"\n\n")
        for line in message.rstrip().rpartition(b"\n\n")[2].split(b"\n"):
            if line.startswith(ANCHOR):
                return line.removeprefix(ANCHOR).strip().decode("utf-8", "replace")
        parent = next((line[7:] for line in head.split(b"\n") if line.startswith(b"parent ")), b"")
        if (above := as_sha(parent)) is None:
            return None
        tip = above
    return None


class _Entry(NamedTuple):
    """An entry of a tree; without an id when the tree has none of that name."""

    mode: bytes
    sha: Sha | None


def _entry(common_dir: str, tree: Sha | None, name: bytes) -> _Entry | None:
    content = _read(common_dir, tree, b"tree") if tree else None
    if content is None or tree is None:
        return None
    at, size = 0, len(tree) // 2
    while at < len(content):
        end = content.find(b"\0", at)
        if end < 0:
            return None
        mode, _, entry = content[at:end].partition(b" ")
        at = end + 1 + size
        if entry == name:
            return _Entry(mode, Sha(content[end + 1 : at].hex()))
    return _Entry(b"", None)


def _read(common_dir: str, sha: Sha, kind: bytes) -> bytes | None:
    """What an object of this kind holds, if it is loose and really is what its name says."""
    found = read_loose_object(common_dir, sha, LARGEST)
    return found[1] if found is not None and found[0] == kind else None


def read_loose_object(folder: str, sha: Sha, largest: int) -> tuple[bytes, bytes] | None:
    """Kind and content of an object in a file of its own, if it really is what its name says."""
    import zlib

    try:
        with open(opened(join(folder, "objects", sha[:2], sha[2:])), "rb") as file:
            raw = zlib.decompressobj().decompress(file.read(largest), largest)
    except (OSError, zlib.error):
        return None
    header, _, content = raw.partition(b"\0")
    kind = header.partition(b" ")[0]
    return (kind, content) if named_by(sha, kind, content) == sha else None


def named_by(like: Sha, kind: bytes, content: bytes) -> Sha:
    """The name that an object has by its bytes, of the same sort as another one."""
    head = b"%s %d\0" % (kind, len(content))
    digest = sha256(head + content) if len(like) == 64 else sha1(head + content, usedforsecurity=False)
    return Sha(digest.hexdigest())
