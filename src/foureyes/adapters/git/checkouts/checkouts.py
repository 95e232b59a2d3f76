"""Worktrees as other people's desks: what lies on them, brought from one commit to another, after a merge (Q5), a redo (F1) or to a checkpoint (K2)."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from os.path import expanduser, isdir, islink, join, lexists, realpath, relpath
from typing import Literal, NamedTuple

from foureyes.adapters.folders import read, walked
from foureyes.adapters.git.checkouts.freshness import git_dirs
from foureyes.adapters.git.checkouts.status import LOOK, head_ref, status
from foureyes.adapters.git.client.answers import as_sha, as_text
from foureyes.adapters.git.client.config_programs import users_settings
from foureyes.adapters.git.client.git import Git
from foureyes.adapters.git.client.locate import Located, locate
from foureyes.adapters.git.client.object_files import noted_tree, tree_id
from foureyes.adapters.git.objects import refs
from foureyes.app.git_ports import CaughtUp
from foureyes.core.words.fence import named
from foureyes.core.words.fence import some as some_names
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem
from foureyes.steps import Steps, in_turn, prose, shell

# ---- The worktrees of the repository as somebody else's desks ----

# Looking writes nothing, not even the index's stat cache. `read-tree -m -u` keeps what is changed or untracked, but takes
# ignored files for worthless and overwrites them; they are looked for before.

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


# ---- Q5 ----

# The branch moved under them, so to git they look as if somebody had staged the reverse of what was merged, and any
# commit there would take the merge back. Each is brought forward as a fast-forward would: what somebody has changed there
# stays, if the merge does not touch it. Otherwise nothing of it is touched, and the person is told.
#
# Where a checkout was is what the branch itself was at before it moved, wherever that lies in the history of now:
# of a merge that somebody else made it may be the second parent.

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
