"""The worktrees of the repository as somebody else's desks: what lies on them, and bringing a clean one from one commit
to another.

Looking writes nothing, not even the index's stat cache. `read-tree -m -u` keeps what is changed or untracked, but takes
ignored files for worthless and overwrites them; they are looked for before.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from os.path import expanduser, isdir, islink, join, lexists, realpath
from typing import Literal, NamedTuple

from foureyes.adapters.folders import read, walked
from foureyes.adapters.git.checkouts.following import git_dirs
from foureyes.adapters.git.checkouts.status import LOOK, head_ref, status
from foureyes.adapters.git.client.answers import as_sha, as_text
from foureyes.adapters.git.client.git import Git
from foureyes.adapters.git.client.locate import Located, locate
from foureyes.adapters.git.client.programs import users_settings
from foureyes.adapters.git.reading.tree_id import tree_id
from foureyes.core.words.fence import named
from foureyes.core.words.fence import some as some_names
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem

_IN_PROGRESS = {
    "rebase-merge": "a rebase", "rebase-apply": "a rebase", "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick", "REVERT_HEAD": "a revert", "BISECT_LOG": "a bisection",
    "BISECT_START": "a bisection", "MERGE_AUTOSTASH": "a merge", "NOTES_MERGE_PARTIAL": "a merge of notes",
    "sequencer": "a cherry-pick or revert", "index.lock": "another git command",
}  # fmt: skip
_HOLDS_A_BRANCH = ("rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START")
_FILTER = ("-z", "--stdin", "filter")
_NOT_FILTERED = (b"unspecified", b"unset")


class Registered(NamedTuple):
    """A worktree as the repository knows it; its directory may be gone. `locked` is None when it is not."""

    path: str
    branch: str
    locked: str | None


def registered(git: Git) -> list[Registered]:
    """Every worktree, the main one first."""
    records = git.real("worktree", "list", "--porcelain", "-z").out.split(b"\0\0")
    return [_registered(record.split(b"\0")) for record in records if record]


def _registered(words: list[bytes]) -> Registered:
    facts = {key: value for key, _, value in (word.partition(b" ") for word in words)}
    locked = as_text(facts[b"locked"]) if b"locked" in facts else None
    return Registered(os.fsdecode(facts.get(b"worktree", b"")), as_text(facts.get(b"branch", b"")), locked)


def checkout_at(git: Git, path: str) -> Located | None:
    """The worktree with its files at a path, if it is one of this repository's."""
    try:
        place = locate(path) if isdir(path) else None
    except GitProblem:  # somebody damaged what says whose it is
        return None
    if place is None or place.worktree == place.git_dir or realpath(place.common_dir) != realpath(git.common_dir):
        return None
    return place if place.worktree == realpath(path) or place.git_dir == git.common_dir else None


def checkouts_of(git: Git, ref: str) -> tuple[list[Located], list[str]]:
    """Where a branch is checked out; and the paths where it is said to be, or in the middle of something, and cannot be
    reached.
    """
    places: list[Located] = []
    beyond: list[str] = []
    for known in registered(git):
        if known.branch != ref:
            continue
        place = checkout_at(git, known.path)
        if place is not None and head_ref(git, place.git_dir) == ref:
            places.append(place)
        else:
            beyond.append(known.path)
    return places, beyond + list(_held(git, ref))


def _held(git: Git, ref: str) -> Iterator[str]:
    """Worktrees that will come back to a branch when their rebase or bisection ends."""
    for git_dir in git_dirs(git.common_dir):
        if any(noted(join(git_dir, name)) in (ref, ref.removeprefix("refs/heads/")) for name in _HOLDS_A_BRANCH):
            yield git_dir


def is_in_use(git: Git, ref: str) -> bool:
    """Whether a branch is checked out in any worktree, or will be when a rebase or bisection ends."""
    heads = (head_ref(git, git_dir) for git_dir in git_dirs(git.common_dir) if lexists(join(git_dir, "HEAD")))
    return ref in heads or any(_held(git, ref))


def noted(path: str) -> str:
    try:
        return read(path, 4096).decode("utf-8", "backslashreplace").strip()
    except OSError:
        return ""


def in_progress(place: Located) -> str:
    """What somebody is in the middle of there, in a word; empty when nothing."""
    return next((what for name, what in _IN_PROGRESS.items() if lexists(join(place.git_dir, name))), "")


def index_tree(git: Git, place: Located) -> Sha | None:
    """The tree that the index holds; None while it has conflicts. `write-tree` on the real index would write to it."""
    return tree_id(_index_rows(git, place))


def _index_rows(git: Git, place: Located) -> bytes:
    return git.real("ls-files", "--stage", "-z", git_dir=place.git_dir, work_tree=place.worktree).out


def own_side_tree(git: Git, place: Located) -> Sha | None:
    """The tree that the index holds, of every conflict the side that was there before."""
    return tree_id(_own_side(_index_rows(git, place)))


def _own_side(rows: bytes) -> bytes:
    """The rows of an index (mode, id, stage, a tab, path) without its conflicts: stage 2 is the checkout's own side."""
    kept = []
    for row in rows.split(b"\0"):
        about, tab, path = row.partition(b"\t")
        words = about.split(b" ")
        if tab and words[2] in (b"0", b"2"):
            kept.append(b" ".join([*words[:2], b"0"]) + tab + path + b"\0")
    return b"".join(kept)


def build_index_tree(git: Git, place: Located) -> Sha | None:
    """The tree that the index holds, made on the doorstep, so that it can be compared with others there; of a conflict
    the checkout's own side.
    """
    with git.scratch_index() as index:
        if rows := _own_side(_index_rows(git, place)):
            git.doorstep("update-index", "-z", "--index-info", stdin=rows, env=index)
        return as_sha(git.doorstep("write-tree", "--missing-ok", env=index).out.strip())


def unstaged(git: Git, place: Located) -> list[str]:
    """Tracked files that are not as the index has them."""
    entries = status(git, place, "/dev/null", options=("--untracked-files=no",))
    return [as_text(path) for code, path in entries if code[1:] != b" "]


def busy(git: Git, place: Located) -> str:
    """Why a checkout is not to be touched; empty when it is clean."""
    if doing := in_progress(place):
        return f"{doing} is in progress there"
    if changed := unstaged(git, place):
        return f"{some(changed)} {'is' if len(changed) == 1 else 'are'} changed there"
    return ""


Hurdle = Literal["in the way", "changed", "filtered", "git"]


class Obstacle(NamedTuple):
    """Why a checkout cannot be brought to another commit: of which kind, and in words."""

    kind: Hurdle
    why: str


def obstacle(
    git: Git,
    place: Located,
    old: Sha,
    new: Sha,
    mine: Collection[str] = (),
    changed: dict[bytes, bytes] | None = None,
) -> Obstacle | None:
    """Why a checkout cannot be brought from one commit to another without loss or a program; None when it can.

    `mine`: what is changed there and in no commit. It stays as it is where both commits are equal. `changed`: what
    differs between both, if that is known.
    """
    changed = _changed(git, old, new) if changed is None else changed
    if blocked := _in_the_way(place, changed):
        are = "is" if len(blocked) == 1 else "are"
        return Obstacle("in the way", f"{some(blocked)} would be overwritten, and {are} in no commit")
    if touched := sorted({as_text(path) for path in changed}.intersection(mine)):
        are = "is" if len(touched) == 1 else "are"
        return Obstacle("changed", f"{some(touched)} {are} changed there, and by the merge")
    if filtered := _filtered(git, place, new, list(changed)):
        return Obstacle("filtered", f"{some(filtered)} would have to go through a filter, and the gate runs none")
    return None


def _in_the_way(place: Located, changed: dict[bytes, bytes]) -> list[str]:
    """Untracked files, ignored ones too, where new ones would be written."""
    top = os.fsencode(place.worktree)
    gone = {path for path, status in changed.items() if status == b"D"}
    new = [path for path, status in changed.items() if status == b"A"]
    blockers = {blocker for path in new for blocker in _blockers(top, path) if blocker not in gone}
    return sorted(as_text(path) for path in blockers)


def _blockers(top: bytes, path: bytes) -> Iterator[bytes]:
    """What is at a path, or is a file where one of its directories would be."""
    parts = path.split(b"/")
    for count in range(1, len(parts) + 1):
        here = b"/".join(parts[:count])
        full = os.path.join(top, here)
        if not lexists(full):
            return
        if islink(full) or not isdir(full):
            yield here
            return
    for folder, _, files in walked(os.path.join(top, path)):
        yield from (os.path.relpath(os.path.join(folder, name), top) for name in files)


def staged(git: Git, old: Sha, index: Sha, new: Sha) -> set[str]:
    """Paths that the index, given as a tree, has otherwise than both of two commits."""
    return {as_text(path) for path in _changed(git, old, index).keys() & _changed(git, index, new).keys()}


def _changed(git: Git, old: Sha, new: Sha) -> dict[bytes, bytes]:
    """Every path that differs, and how: added, deleted, modified."""
    words = git.doorstep("diff-tree", "-r", "-z", "--no-renames", "--name-status", old, new).out.split(b"\0")[:-1]
    return dict(zip(words[1::2], words[::2], strict=True))


def _filtered(git: Git, place: Located, new: Sha, changed: list[bytes]) -> list[str]:
    """Changed paths with a `filter` attribute: in the new commit, or by what lies in the checkout, in `info/` or in the
    user's file.
    """
    paths = b"".join(path + b"\0" for path in changed)
    if not paths:
        return []
    committed = _committed_filters(git, new, paths)
    users = expanduser(users_settings(git.own).get("core.attributesfile", ""))
    config = ("-c", f"core.attributesFile={users}") if users else ()
    here = git.real(*config, "check-attr", *_FILTER, stdin=paths, git_dir=place.git_dir, work_tree=place.worktree).out
    words = committed.split(b"\0")[:-1] + here.split(b"\0")[:-1]
    rows = zip(words[::3], words[2::3], strict=True)
    return sorted({as_text(path) for path, value in rows if value not in _NOT_FILTERED})


def _committed_filters(git: Git, new: Sha, paths: bytes) -> bytes:
    """What the attribute files of a commit say; most commits have none."""
    names = git.doorstep("ls-tree", "-r", "-z", "--name-only", "--full-tree", new).out
    if b".gitattributes\0" not in names:
        return b""
    with git.scratch_index() as index:
        git.doorstep("read-tree", new, env=index)
        return git.doorstep("check-attr", "--cached", *_FILTER, stdin=paths, env=index).out


def bring(git: Git, place: Located, old: Sha, new: Sha, mine: Collection[str] = ()) -> Obstacle | None:
    """Bring files and index of a checkout from one commit to another, as a fast-forward would: what is changed there,
    staged (`mine`) or not, stays where both commits are equal. Why it did not go, else None.
    """
    changed = _changed(git, old, new)
    whole = mine if _are_there(place, changed) else {*mine, *unstaged(git, place)}
    if hurdle := obstacle(git, place, old, new, whole, changed):
        return hurdle
    git_dir, top = place.git_dir, place.worktree
    try:
        follow = (*LOOK, "read-tree", "-m", "-u", "--no-recurse-submodules", old, new)
        if git.real(*follow, ok=(0, 128), git_dir=git_dir, work_tree=top).rc:
            # It goes by times and sizes alone, and touches nothing where they differ.
            if hurdle := obstacle(git, place, old, new, {*mine, *unstaged(git, place)}, changed):
                return hurdle
            git.real("update-index", "-q", "--refresh", ok=(0, 1), git_dir=git_dir, work_tree=top)
            git.real(*follow, git_dir=git_dir, work_tree=top)
    except GitProblem as problem:
        return Obstacle("git", problem.message)
    return None


def _are_there(place: Located, changed: dict[bytes, bytes]) -> bool:
    """Whether every file that is to change lies where it was: git writes one that is gone again."""
    top = os.fsencode(place.worktree)
    paths = [path for path, how in changed.items() if how != b"A"]
    nearest = {path.rpartition(b"/")[0] for path in paths}
    folders = {
        b"/".join(parts[:n]) for parts in (path.split(b"/") for path in nearest) for n in range(1, len(parts) + 1)
    }
    return all(lexists(top + b"/" + path) for path in paths) and not any(islink(top + b"/" + path) for path in folders)


def some(paths: Sequence[str]) -> str:
    """A few names, and how many more."""
    return some_names(paths, 3)


def shown_path(path: str) -> str:
    """The path of a checkout as a part of a sentence, whatever it is called."""
    return named(as_text(os.fsencode(path)))
