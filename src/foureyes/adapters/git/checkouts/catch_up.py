"""Q5: checkouts of the target branch after the gate moved it.

The branch moved under them, so to git they look as if somebody had staged the reverse of what was merged, and any
commit there would take the merge back. Each is brought forward as a fast-forward would: what somebody has changed there
stays, if the merge does not touch it. Otherwise nothing of it is touched, and the person is told.

Where a checkout was is what the branch itself was at before it moved, wherever that lies in the history of now:
of a merge that somebody else made it may be the second parent.
"""

from __future__ import annotations

import os
from os.path import relpath
from typing import NamedTuple

from foureyes.adapters.git.checkouts.checkouts import (
    Obstacle,
    bring,
    build_index_tree,
    checkouts_of,
    in_progress,
    index_tree,
    obstacle,
    own_side_tree,
    shown_path,
    staged,
    unstaged,
)
from foureyes.adapters.git.client.answers import as_sha, as_text
from foureyes.adapters.git.client.git import Git
from foureyes.adapters.git.client.index_file import noted_tree
from foureyes.adapters.git.client.locate import Located
from foureyes.adapters.git.objects import refs
from foureyes.app.git_ports import CaughtUp
from foureyes.core.words.ids import Sha
from foureyes.steps import Steps, in_turn, prose, shell

OLDEST = 200
"""A checkout older than so many merges is left to its owner."""

_NEAR = 20

_WHOLE = 2000
"""So many commits of the whole history are looked through for the files of a checkout."""


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
    line, name = _newest(git, tip, places), ref.removeprefix("refs/heads/")
    line = line or _line(git, tip, "--first-parent", f"--max-count={OLDEST + 1}")
    looked = [_caught_up(git, place, name, line, look_only) for place in places]
    return [caught_up for caught_up in looked if caught_up is not None]


def _newest(git: Git, tip: Sha, places: list[Located]) -> list[_LineCommit]:
    """The tip and the commit before it, where every checkout notes the tree of one of them: mostly they are one merge
    behind, and no program has to list the line.
    """
    heads = git.lookup.commits([tip])
    heads |= git.lookup.commits(parent for head in heads.values() for parent in head.parents[:1])
    trees = {head.tree for head in heads.values()}
    is_near = all(noted_tree(place.git_dir, len(tip) // 2) in trees for place in places)
    return [_LineCommit(sha, head.tree) for sha, head in heads.items()] if is_near else []


def _line(git: Git, *which: str, ok: tuple[int, ...] = (0,)) -> list[_LineCommit]:
    """Commits with their trees, newest first."""
    form = ("--no-commit-header", "--format=%H %T")
    out = git.real("rev-list", *form, *which, ok=ok).out
    return [_LineCommit(*(Sha(word) for word in line.split())) for line in out.decode("ascii").splitlines()]


def _was_at(git: Git, target: str, tip: Sha) -> list[_LineCommit]:
    """What the branch was at before it moved, by its own log, newest first: as far as the tip stands on it. What it
    does not stand on was taken off the branch, and is somebody's work where it is staged.
    """
    logged = _line(git, "--walk-reflogs", f"--max-count={OLDEST}", f"refs/heads/{target}", ok=(0, 128))
    known = list(dict.fromkeys(commit for commit in logged if commit.commit != tip))
    if not known:
        return []
    apart = git.real("rev-list", *(commit.commit for commit in known), f"^{tip}", ok=(0, 128))
    off = set(apart.out.decode("ascii").split())
    return [] if apart.rc else [commit for commit in known if commit.commit not in off]


def _caught_up(git: Git, place: Located, target: str, line: list[_LineCommit], look_only: bool) -> CaughtUp | None:
    tip = line[0]
    tree = noted_tree(place.git_dir, len(tip.tree) // 2) or index_tree(git, place)
    if tree == tip.tree:
        return None
    settled = tree or own_side_tree(git, place)
    old, mine = _began(git, place, target, line, settled) if settled else (None, set[str]())
    if old == tip:
        return None  # somebody works there, and nothing was missed
    if tree is None:
        return _left(place, target, Obstacle("git", "there are conflicts to resolve"), None)
    if old is None:
        return _left(place, target, Obstacle("git", "nothing tells which commit of the branch it was at"), None)
    if doing := in_progress(place):
        return _left(place, target, Obstacle("git", f"{doing} is in progress there"), None)
    # Whatever stands in the way would be overwritten, or a filter run, by the command that catches up.
    if look_only:
        mine.update(unstaged(git, place))
        hurdle = obstacle(git, place, old.commit, tip.commit, mine)
        behind = Obstacle("filtered", "its files are those of an earlier commit of the branch")
        return _left(place, target, hurdle or behind, old.commit)
    hurdle = bring(git, place, old.commit, tip.commit, mine)
    return _left(place, target, hurdle, old.commit) if hurdle else CaughtUp(*_paths(place), moved=True)


def _began(
    git: Git, place: Located, target: str, line: list[_LineCommit], tree: Sha
) -> tuple[_LineCommit | None, set[str]]:
    """The commit of the branch that a checkout was last at, and what is staged there since; None where nothing tells.

    Mostly the index is exactly that commit. Where it is no commit's, it is the nearest one that the branch was at: if
    that is the tip, somebody just works there.
    """
    exact = next((known for known in line if known.tree == tree), None)
    if exact is not None:
        return exact, set()
    tip = line[0]
    before = _was_at(git, target, tip.commit)
    known = [*before, *_line(git, f"--max-count={_WHOLE}", tip.commit)]
    if exact := next((commit for commit in known if commit.tree == tree), None):
        return exact, set()
    index = build_index_tree(git, place) or tree
    old = _nearest(git, [tip, *before[:_NEAR]] if before else line[:_NEAR], index)
    if not before and old != tip:
        return None, set()
    return old, staged(git, old.tree, index, tip.tree)


def _nearest(git: Git, line: list[_LineCommit], tree: Sha) -> _LineCommit:
    """The commit with the fewest files that differ from a tree; of several the one before the tip, where a checkout was
    that missed the last merge; else the oldest, so that what was missed is told.
    """
    asked = "".join(f"{known.tree} {tree}\n" for known in line).encode()
    out = git.doorstep("diff-tree", "--stdin", "-r", "--no-renames", "--raw", stdin=asked).out
    counts: list[int] = []
    for row in out.split(b"\n"):
        if row.startswith(b":"):
            counts[-1] += 1
        elif row and as_sha(row.split(b" ")[0]):
            counts.append(0)
    return min(zip(counts, line, range(len(line)), strict=True), key=lambda row: (row[0], row[2] != 1, -row[2]))[1]


def _left(place: Located, target: str, hurdle: Obstacle, old: Sha | None) -> CaughtUp:
    why = f"{hurdle.why}; until it follows, any commit there would take the merge back"
    return CaughtUp(*_paths(place), moved=False, why=why, next=_next_step(place.worktree, target, hurdle, old))


def _paths(place: Located) -> tuple[str, str]:
    """Where a checkout is, and the same from where the caller stands, to be read."""
    return as_text(os.fsencode(place.worktree)), shown_path(relpath(place.worktree))


def _next_step(path: str, target: str, hurdle: Obstacle, old: Sha | None) -> Steps:
    """What the person types, without losing anything."""
    if old is None or hurdle.kind == "git":
        return shell("git", "-C", path, "status")
    follow = shell("git", "-C", path, "read-tree", "-m", "-u", old, "HEAD")
    if hurdle.kind == "in the way":
        return in_turn(prose("move the files in the way elsewhere"), follow)
    if hurdle.kind != "changed":
        return follow
    # A stash would hold the reverse of the merge, too, while the index is behind: so the checkout goes back first.
    words = (("update-ref", "--no-deref", "HEAD", old), ("stash",), ("switch", target), ("stash", "pop"))
    return in_turn(*[shell("git", "-C", path, *command) for command in words])
