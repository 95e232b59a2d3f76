"""Moves a branch, and its clean checkout if there is one, from one commit to another. (F1, K2)

The branch moves first, then the files. After a kill in between, the checkout still has the tree of `old`. The next call
detects that and updates the files.
"""

from __future__ import annotations

from foureyes.adapters.git.checkouts import status
from foureyes.adapters.git.checkouts.checkouts import (
    bring,
    busy,
    checkouts_of,
    in_progress,
    index_tree,
    obstacle,
    shown_path,
    some,
)
from foureyes.adapters.git.client.git import Git
from foureyes.adapters.git.client.locate import Located
from foureyes.adapters.git.objects import refs
from foureyes.adapters.git.reading import history
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem


def reset(git: Git, ref: str, *, old: Sha, new: Sha) -> str:
    """Move a branch from `old` to `new`. Return why it was skipped, or ""."""
    refs.well_formed(ref, refs.BRANCHES)
    was, will = history.known(git, old, new)
    if will is None:
        raise GitProblem(f"{new} is not a commit of this repository")
    name, now = ref.removeprefix(refs.BRANCHES), refs.at(git, ref)
    places, beyond = checkouts_of(git, ref)
    if was is None or now.symbolic or now.value not in (old, new):
        return f"the branch {name} has moved"
    if now.value == new:
        return _follow(git, places, was, will)
    if beyond:
        return f"the branch {name} is in use at {shown_path(beyond[0])}"
    if why := next((why for place in places if (why := _reason_to_stay(git, place, was, will))), ""):
        return why
    if not refs.swap(git, ref, new=new, old=old, why="foureyes: reset"):
        return f"the branch {name} has moved"
    return _follow(git, places, was, will)


def _reason_to_stay(git: Git, place: Located, was: history.KnownCommit, will: history.KnownCommit) -> str:
    if doing := in_progress(place):
        return f"{doing} is in progress in {shown_path(place.worktree)}"
    if changed := status.uncommitted(git, place):
        return f"{some(changed)} {'is' if len(changed) == 1 else 'are'} not committed in {shown_path(place.worktree)}"
    hurdle = obstacle(git, place, was.commit, will.commit)
    return f"in {shown_path(place.worktree)}, {hurdle.why}" if hurdle else ""


def _follow(git: Git, places: list[Located], was: history.KnownCommit, will: history.KnownCommit) -> str:
    """Update the checkouts that still hold the old tree. Any other content is its owner's work on top of the new
    commit."""
    for place in places:
        if was.tree == will.tree or index_tree(git, place) != was.tree:
            continue
        why = busy(git, place)
        hurdle = None if why else bring(git, place, was.commit, will.commit)
        if why := why or (hurdle.why if hurdle else ""):
            where = shown_path(place.worktree)
            return f"the branch is at {will.commit[:12]}, but its checkout {where} could not follow: {why}"
    return ""
