"""Merges by one base and no other: what was shown is base..head, so that is what is brought onto the target.

Git merges over every common ancestor it finds, and who makes the history decides how many there are (criss-cross). Here
the three trees alone decide: the base's becomes a commit without parents, both sides become commits on it. They are
written into the clean room and named by nobody.
"""

from __future__ import annotations

from typing import NamedTuple

from foureyes.adapters.git.client.answers import as_sha, as_text
from foureyes.adapters.git.client.git import Git
from foureyes.adapters.git.client.loose_objects import write_loose_object
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem

_SOMEBODY = b"foureyes <foureyes@localhost> 0 +0000"
_MERGE = ("merge-tree", "--write-tree", "--name-only", "-z", "--messages")


class ThreeWay(NamedTuple):
    """The tree that git by itself makes of two sides; None, and the paths on which it could not decide."""

    tree: Sha | None
    conflicts: tuple[str, ...] = ()


def three_way(git: Git, *, base: Sha, ours: Sha, theirs: Sha) -> ThreeWay:
    """Merge two trees by the tree that both began from; what comes of it is in the clean room."""
    if ours in (base, theirs):
        return ThreeWay(theirs)
    if theirs == base:
        return ThreeWay(ours)
    begin = _commit(git, base)
    sides = (_commit(git, ours, begin), _commit(git, theirs, begin))
    git.entrance.differences(base, ours, theirs, merging=True)
    done = git.room(*_MERGE, *sides, ok=(0, 1))
    tree, *rest = done.out.split(b"\0")
    tree_id = as_sha(tree)
    if tree_id is None:
        raise GitProblem(f"git merge-tree named no tree, but {as_text(tree)[:80]!r}")
    if done.rc:
        return ThreeWay(None, _conflicts(rest))
    return ThreeWay(tree_id)


def _commit(git: Git, tree: Sha, parent: Sha | None = None) -> Sha:
    """A commit of a tree in the clean room, by nobody, at no time."""
    lines = [b"tree " + tree.encode("ascii"), *([b"parent " + parent.encode("ascii")] if parent else [])]
    body = b"\n".join([*lines, b"author " + _SOMEBODY, b"committer " + _SOMEBODY, b"", b""])
    return write_loose_object(git.room_path, b"commit", body, len(tree))


def _conflicts(words: list[bytes]) -> tuple[str, ...]:
    """The paths that have no single content, then those of conflicts without one (a directory renamed two ways)."""
    end = words.index(b"") if b"" in words else len(words)
    names = {as_text(word): None for word in words[:end]}
    rest = iter(words[end + 1 :])
    for number in rest:
        if not number.isdigit():
            break
        paths = [as_text(next(rest, b"")) for _ in range(int(number))]
        kind, _ = next(rest, b""), next(rest, b"")
        if kind.startswith(b"CONFLICT"):
            names |= dict.fromkeys(paths)
    return tuple(names)
