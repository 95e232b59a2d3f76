"""Q5: checkouts of the target branch after the gate moved it.

The branch moved under them, so to git they look as if somebody had staged the reverse of what was merged. One whose
index and files are exactly those of an earlier commit of the branch is brought forward; any other is not touched.
"""

from __future__ import annotations

from os.path import relpath
from typing import NamedTuple

from foureyes.adapters.git.checkouts.checkouts import (
    bring,
    build_index_tree,
    busy,
    checkouts_of,
    index_tree,
    shown_path,
)
from foureyes.adapters.git.client.answers import as_sha
from foureyes.adapters.git.client.git import Git
from foureyes.adapters.git.client.locate import Located
from foureyes.adapters.git.objects import refs
from foureyes.app.ports import CaughtUp
from foureyes.core.words.ids import Sha
from foureyes.steps import shell

HOW_FAR = 200
"""A checkout older than so many merges is left to its owner."""

_NEAR = 20


class _LineCommit(NamedTuple):
    """A commit on the branch's first-parent line, and its tree."""

    commit: Sha
    tree: Sha


def catch_up(git: Git, target: str, *, look_only: bool = False) -> list[CaughtUp]:
    """Bring every checkout of the branch that is behind up to date, or say why not; or only say which ones are
    behind.
    """
    ref = refs.branch(target)
    tip = refs.at(git, ref).value
    places, _ = checkouts_of(git, ref)
    if tip is None or not places:
        return []
    line = _line(git, tip)
    return [caught_up for place in places if (caught_up := _caught_up(git, place, line, look_only)) is not None]


def _line(git: Git, tip: Sha) -> list[_LineCommit]:
    """The branch, newest first, its tip included."""
    out = git.room(
        "log", "--first-parent", f"--max-count={HOW_FAR + 1}", "--no-show-signature", "--format=%H %T", tip
    ).out
    return [_LineCommit(*(Sha(word) for word in line.split())) for line in out.decode("ascii").splitlines()]


def _caught_up(git: Git, place: Located, line: list[_LineCommit], look_only: bool) -> CaughtUp | None:
    tip, tree = line[0], index_tree(git, place)
    if tree == tip.tree:
        return None
    old = next((known for known in line[1:] if known.tree == tree), None)
    if old is None:
        return _staged(git, place, line, tree)
    if look_only:
        return _left(place, "its files are those of an earlier commit of the branch", old.commit)
    if why := busy(git, place):
        return _left(place, why, old.commit)
    # Whatever stands in the way would be overwritten, or a filter run, by the command that catches up.
    why = bring(git, place, old.commit, tip.commit)
    path = shown_path(place)
    return _left(place, why, None) if why else CaughtUp(path, relpath(path), moved=True)


def _staged(git: Git, place: Located, line: list[_LineCommit], tree: Sha | None) -> CaughtUp | None:
    """The index is no commit's. If it is nearest to the tip, somebody just works there, and nothing was missed."""
    if tree is None:
        return _left(place, "there are conflicts to resolve", None)
    near = _nearest(git, line[:_NEAR], build_index_tree(git, place) or tree)
    return None if near == line[0] else _left(place, "changes are staged there", near.commit)


def _nearest(git: Git, line: list[_LineCommit], tree: Sha) -> _LineCommit:
    """The commit with the fewest files that differ from a tree; the older one of two, so that what was missed is
    told.
    """
    asked = "".join(f"{known.tree} {tree}\n" for known in line).encode()
    out = git.room("diff-tree", "--stdin", "-r", "--no-renames", "--raw", stdin=asked).out
    counts: list[int] = []
    for row in out.split(b"\n"):
        if row.startswith(b":"):
            counts[-1] += 1
        elif row and as_sha(row.split(b" ")[0]):
            counts.append(0)
    return min(zip(counts, range(0, -len(line), -1), line, strict=True))[2]


def _left(place: Located, why: str, old: Sha | None) -> CaughtUp:
    path = shown_path(place)
    command = ("read-tree", "-m", "-u", old, "HEAD") if old else ("status",)
    why += "; until it follows, a commit of everything there would take the merge back"
    return CaughtUp(path, relpath(path), moved=False, why=why, next=shell("git", "-C", path, *command))
