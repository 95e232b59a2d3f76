"""Merges by one base and no other: what was shown is base..head, so that is what is brought onto the target.

Git merges over every common ancestor it finds, and who makes the history decides how many there are (criss-cross). Here
the three trees alone decide: the base's becomes a commit without parents, both sides become commits on it. They are
written into the clean room and named by nobody.
"""

from __future__ import annotations

import os
from os.path import join
from typing import NamedTuple

from foureyes.adapters.git.client.answers import as_sha, shown
from foureyes.adapters.git.client.git import Git
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem

_SOMEBODY = b"foureyes <foureyes@localhost> 0 +0000"
_MERGE = ("merge-tree", "--write-tree", "--name-only", "-z", "--messages")


class ThreeWay(NamedTuple):
    """The tree that git by itself makes of two sides; None, and the paths on which it could not decide."""

    tree: Sha | None
    conflicts: tuple[str, ...] = ()


def three_way(git: Git, *, base: Sha, ours: Sha, theirs: Sha, kept: bool = False) -> ThreeWay:
    """Merge two trees by the tree that both began from. `kept`: what comes of it goes into the repository's store."""
    if ours in (base, theirs):
        return ThreeWay(theirs)
    if theirs == base:
        return ThreeWay(ours)
    begin = _commit(git, base)
    sides = (_commit(git, ours, begin), _commit(git, theirs, begin))
    done = git.room(*_MERGE, *sides, ok=(0, 1), trees=(base, ours, theirs))
    tree, *rest = done.out.split(b"\0")
    tree_id = as_sha(tree)
    if tree_id is None:
        raise GitProblem(f"git merge-tree named no tree, but {shown(tree)[:80]!r}")
    if done.rc:
        return ThreeWay(None, _conflicts(rest))
    if kept:
        git.publish(tree_id)
    return ThreeWay(tree_id)


def _commit(git: Git, tree: Sha, parent: Sha | None = None) -> Sha:
    """A commit of a tree in the clean room, by nobody, at no time."""
    import hashlib
    import zlib

    lines = [b"tree " + tree.encode("ascii"), *([b"parent " + parent.encode("ascii")] if parent else [])]
    body = b"\n".join([*lines, b"author " + _SOMEBODY, b"committer " + _SOMEBODY, b"", b""])
    raw = b"commit %d\0" % len(body) + body
    new = hashlib.sha256 if len(tree) == 64 else hashlib.sha1
    name = new(raw, usedforsecurity=False).hexdigest()
    folder = join(git.room_path, "objects", name[:2])
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = join(folder, name[2:])
    with open(f"{path}.new", "wb") as file:
        file.write(zlib.compress(raw))
    os.replace(f"{path}.new", path)
    return Sha(name)


def _conflicts(words: list[bytes]) -> tuple[str, ...]:
    """The paths that have no single content, then those of conflicts without one (a directory renamed two ways)."""
    end = words.index(b"") if b"" in words else len(words)
    names = {shown(word): None for word in words[:end]}
    rest = iter(words[end + 1 :])
    for number in rest:
        if not number.isdigit():
            break
        paths = [shown(next(rest, b"")) for _ in range(int(number))]
        kind, _ = next(rest, b""), next(rest, b"")
        if kind.startswith(b"CONFLICT"):
            names |= dict.fromkeys(paths)
    return tuple(names)
