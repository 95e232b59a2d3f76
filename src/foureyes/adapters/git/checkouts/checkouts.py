"""Finds the worktrees of the repository and moves their files to another commit: after a merge (Q5), a redo (F1) or to
a checkpoint (K2)."""

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
from foureyes.core.words.ids import Sha
from foureyes.core.words.untrusted_text import named
from foureyes.core.words.untrusted_text import some as some_names
from foureyes.errors import GitProblem
from foureyes.steps import Steps, in_turn, prose, shell

# ---- The worktrees of the repository ----

# Reading writes nothing, not even the index's stat cache. `read-tree -m -u` keeps changed and untracked files but
# overwrites ignored ones, so we check for those first.

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
    """A worktree in git's records. Its directory may be gone. `locked` is None if it is not locked."""

    path: str
    branch: str
    locked: str | None


def registered(git: Git) -> list[Registered]:
    """Return every worktree, the main one first."""
    records = git.real("worktree", "list", "--porcelain", "-z").out.split(b"\0\0")
    return [_registered(record.split(b"\0")) for record in records if record]


def _registered(words: list[bytes]) -> Registered:
    facts = {key: value for key, _, value in (word.partition(b" ") for word in words)}
    locked = as_text(facts[b"locked"]) if b"locked" in facts else None
    return Registered(os.fsdecode(facts.get(b"worktree", b"")), as_text(facts.get(b"branch", b"")), locked)


def checkout_at(git: Git, path: str) -> Located | None:
    """Return the worktree at a path, or None if it is damaged, bare or not of this repository."""
    try:
        place = locate(path) if isdir(path) else None
    except GitProblem:  # its .git file is damaged
        return None
    if place is None or place.worktree == place.git_dir or realpath(place.common_dir) != realpath(git.common_dir):
        return None
    return place if place.worktree == realpath(path) or place.git_dir == git.common_dir else None


def checkouts_of(git: Git, ref: str) -> tuple[list[Located], list[str]]:
    """Return the checkouts of a branch, and the paths of those that are unreachable or in a rebase or bisection."""
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
    """Yield the git directories of worktrees that return to a branch when their rebase or bisection ends."""
    for git_dir in git_dirs(git.common_dir):
        if any(noted(join(git_dir, name)) in (ref, ref.removeprefix("refs/heads/")) for name in _HOLDS_A_BRANCH):
            yield git_dir


def is_in_use(git: Git, ref: str) -> bool:
    """Return True if a worktree has the branch checked out, or will when its rebase or bisection ends."""
    heads = (head_ref(git, git_dir) for git_dir in git_dirs(git.common_dir) if lexists(join(git_dir, "HEAD")))
    return ref in heads or any(_held(git, ref))


def noted(path: str) -> str:
    try:
        return read(path, 4096).decode("utf-8", "backslashreplace").strip()
    except OSError:
        return ""


def in_progress(place: Located) -> str:
    """Return the operation in progress in a worktree, such as "a rebase", or an empty string."""
    return next((what for name, what in _IN_PROGRESS.items() if lexists(join(place.git_dir, name))), "")


def index_tree(git: Git, place: Located) -> Sha | None:
    """Return the tree of the index, or None while it has conflicts. `write-tree` is not used, because it would write to
    the real index.
    """
    return tree_id(_index_rows(git, place))


def _index_rows(git: Git, place: Located) -> bytes:
    return git.real("ls-files", "--stage", "-z", git_dir=place.git_dir, work_tree=place.worktree).out


def own_side_tree(git: Git, place: Located) -> Sha | None:
    """Return the tree of the index, with the checkout's own side of each conflict."""
    return tree_id(_own_side(_index_rows(git, place)))


def _own_side(rows: bytes) -> bytes:
    """Return index rows (mode, id, stage, a tab, path) without conflicts: stage 2 is the checkout's own side."""
    kept = []
    for row in rows.split(b"\0"):
        about, tab, path = row.partition(b"\t")
        words = about.split(b" ")
        if tab and words[2] in (b"0", b"2"):
            kept.append(b" ".join([*words[:2], b"0"]) + tab + path + b"\0")
    return b"".join(kept)


def build_index_tree(git: Git, place: Located) -> Sha | None:
    """Write the tree of the index to the clean room, so that git can compare it there. Takes the checkout's own side of
    each conflict."""
    with git.scratch_index() as index:
        if rows := _own_side(_index_rows(git, place)):
            git.doorstep("update-index", "-z", "--index-info", stdin=rows, env=index)
        return as_sha(git.doorstep("write-tree", "--missing-ok", env=index).out.strip())


def unstaged(git: Git, place: Located) -> list[str]:
    """Return the tracked files that differ from the index."""
    entries = status(git, place, "/dev/null", options=("--untracked-files=no",))
    return [as_text(path) for code, path in entries if code[1:] != b" "]


def busy(git: Git, place: Located) -> str:
    """Return the reason a checkout must not be touched, or an empty string if it is clean."""
    if doing := in_progress(place):
        return f"{doing} is in progress there"
    if changed := unstaged(git, place):
        return f"{some(changed)} {'is' if len(changed) == 1 else 'are'} changed there"
    return ""


Hurdle = Literal["in the way", "changed", "filtered", "git"]


class Obstacle(NamedTuple):
    """Why a checkout cannot move to another commit: the kind of reason, and a sentence."""

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
    """Return what prevents moving a checkout between two commits, or None.

    It must lose no work and run no filter. `mine` are uncommitted changes, which survive where both commits are equal.
    `changed` is the difference between the commits, if known.
    """
    changed = _changed(git, old, new) if changed is None else changed
    if blocked := _in_the_way(place, changed):
        are = "is" if len(blocked) == 1 else "are"
        return Obstacle("in the way", f"{some(blocked)} would be overwritten and {are} in no commit")
    if touched := sorted({as_text(path) for path in changed}.intersection(mine)):
        are = "is" if len(touched) == 1 else "are"
        return Obstacle("changed", f"{some(touched)} {are} changed there, and by the merge")
    if filtered := _filtered(git, place, new, list(changed)):
        return Obstacle("filtered", f"{some(filtered)} would need a git filter, and Foureyes runs none")
    return None


def _in_the_way(place: Located, changed: dict[bytes, bytes]) -> list[str]:
    """Return the untracked files, ignored ones included, that the new commit would overwrite."""
    top = os.fsencode(place.worktree)
    gone = {path for path, status in changed.items() if status == b"D"}
    new = [path for path, status in changed.items() if status == b"A"]
    blockers = {blocker for path in new for blocker in _blockers(top, path) if blocker not in gone}
    return sorted(as_text(path) for path in blockers)


def _blockers(top: bytes, path: bytes) -> Iterator[bytes]:
    """Yield the files at or below a path, or the file in place of one of its parent directories."""
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
    """Return the paths that the index, given as a tree, has different from both commits."""
    return {as_text(path) for path in _changed(git, old, index).keys() & _changed(git, index, new).keys()}


def _changed(git: Git, old: Sha, new: Sha) -> dict[bytes, bytes]:
    """Return every path that differs, with its status letter: A, D or M."""
    words = git.doorstep("diff-tree", "-r", "-z", "--no-renames", "--name-status", old, new).out.split(b"\0")[:-1]
    return dict(zip(words[1::2], words[::2], strict=True))


def _filtered(git: Git, place: Located, new: Sha, changed: list[bytes]) -> list[str]:
    """Return the changed paths with a `filter` attribute, from the new commit, the checkout, `info/` or the user's
    attribute file."""
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
    """Return the filter attributes set by a commit. Most commits have none, so check that first."""
    names = git.doorstep("ls-tree", "-r", "-z", "--name-only", "--full-tree", new).out
    if b".gitattributes\0" not in names:
        return b""
    with git.scratch_index() as index:
        git.doorstep("read-tree", new, env=index)
        return git.doorstep("check-attr", "--cached", *_FILTER, stdin=paths, env=index).out


def bring(git: Git, place: Located, old: Sha, new: Sha, mine: Collection[str] = ()) -> Obstacle | None:
    """Move the files and index of a checkout between two commits, as a fast-forward would. Return what prevents that,
    or None.

    Staged changes (`mine`) and unstaged ones survive where both commits are equal.
    """
    changed = _changed(git, old, new)
    whole = mine if _are_there(place, changed) else {*mine, *unstaged(git, place)}
    if hurdle := obstacle(git, place, old, new, whole, changed):
        return hurdle
    git_dir, top = place.git_dir, place.worktree
    try:
        follow = (*LOOK, "read-tree", "-m", "-u", "--no-recurse-submodules", old, new)
        if git.real(*follow, ok=(0, 128), git_dir=git_dir, work_tree=top).rc:
            # read-tree goes by times and sizes alone, and changes nothing where they differ.
            if hurdle := obstacle(git, place, old, new, {*mine, *unstaged(git, place)}, changed):
                return hurdle
            git.real("update-index", "-q", "--refresh", ok=(0, 1), git_dir=git_dir, work_tree=top)
            git.real(*follow, git_dir=git_dir, work_tree=top)
    except GitProblem as problem:
        return Obstacle("git", problem.message)
    return None


def _are_there(place: Located, changed: dict[bytes, bytes]) -> bool:
    """Return True if every file about to change still exists. Otherwise git would restore a deleted one."""
    top = os.fsencode(place.worktree)
    paths = [path for path, how in changed.items() if how != b"A"]
    nearest = {path.rpartition(b"/")[0] for path in paths}
    folders = {
        b"/".join(parts[:n]) for parts in (path.split(b"/") for path in nearest) for n in range(1, len(parts) + 1)
    }
    return all(lexists(top + b"/" + path) for path in paths) and not any(islink(top + b"/" + path) for path in folders)


def some(paths: Sequence[str]) -> str:
    return some_names(paths, 3)


def shown_path(path: str) -> str:
    """Return the path of a checkout, quoted for use in a sentence."""
    return named(as_text(os.fsencode(path)))


# ---- Updating checkouts after a merge (Q5) ----

# After a merge moved the branch, git reports the reverse of the merge as staged in such a checkout, and any commit
# there would undo the merge. So each checkout is updated like a fast-forward: local changes stay if the merge does not
# touch them. Otherwise the checkout stays unchanged and the user gets a message.
#
# The checkout was at the branch's earlier position, which may be anywhere in the current history: after another user's
# merge, it may be the second parent.

OLDEST = 200
"""Number of merges by which a checkout may be behind. One further behind is not updated."""

_NEAR = 20

_WHOLE = 2000
"""Largest number of commits of the whole history to search for a checkout's files."""


class _LineCommit(NamedTuple):
    """A commit on the branch's first-parent line, with its tree."""

    commit: Sha
    tree: Sha


def catch_up(git: Git, target: str, *, only_read: bool = False) -> list[CaughtUp]:
    """Update every outdated checkout of the branch, or report why it was not updated. With `only_read`, only report."""
    ref = refs.branch(target)
    tip = refs.at(git, ref).value
    places, _ = checkouts_of(git, ref)
    if tip is None or not places:
        return []
    line, name = _newest(git, tip, places), ref.removeprefix("refs/heads/")
    line = line or _line(git, tip, "--first-parent", f"--max-count={OLDEST + 1}")
    seen = [_caught_up(git, place, name, line, only_read) for place in places]
    return [caught_up for caught_up in seen if caught_up is not None]


def _newest(git: Git, tip: Sha, places: list[Located]) -> list[_LineCommit]:
    """Return the tip and its parent if the indexes of all checkouts match one of the two, otherwise none. Most
    checkouts are one merge behind, so this often saves a git call.
    """
    heads = git.lookup.commits([tip])
    heads |= git.lookup.commits(parent for head in heads.values() for parent in head.parents[:1])
    trees = {head.tree for head in heads.values()}
    is_near = all(noted_tree(place.git_dir, len(tip) // 2) in trees for place in places)
    return [_LineCommit(sha, head.tree) for sha, head in heads.items()] if is_near else []


def _line(git: Git, *which: str, ok: tuple[int, ...] = (0,)) -> list[_LineCommit]:
    """Return commits with their trees, newest first."""
    form = ("--no-commit-header", "--format=%H %T")
    out = git.real("rev-list", *form, *which, ok=ok).out
    return [_LineCommit(*(Sha(word) for word in line.split())) for line in out.decode("ascii").splitlines()]


def _was_at(git: Git, target: str, tip: Sha) -> list[_LineCommit]:
    """Return the earlier commits of the branch from its reflog, newest first, but only ancestors of the tip.

    Others were removed from the branch, so that a staged copy of one is its owner's work.
    """
    logged = _line(git, "--walk-reflogs", f"--max-count={OLDEST}", f"refs/heads/{target}", ok=(0, 128))
    known = list(dict.fromkeys(commit for commit in logged if commit.commit != tip))
    if not known:
        return []
    unmerged = git.real("rev-list", *(commit.commit for commit in known), f"^{tip}", ok=(0, 128))
    off = set(unmerged.out.decode("ascii").split())
    return [] if unmerged.rc else [commit for commit in known if commit.commit not in off]


def _caught_up(git: Git, place: Located, target: str, line: list[_LineCommit], only_read: bool) -> CaughtUp | None:
    tip = line[0]
    tree = noted_tree(place.git_dir, len(tip.tree) // 2) or index_tree(git, place)
    if tree == tip.tree:
        return None
    settled = tree or own_side_tree(git, place)
    old, mine = _began(git, place, target, line, settled) if settled else (None, set[str]())
    if old == tip:
        return None  # staged work on top of the tip: up to date
    if tree is None:
        return _left(place, target, Obstacle("git", "there are conflicts to resolve"), None)
    if old is None:
        return _left(place, target, Obstacle("git", "it is unknown at which commit of the branch it was"), None)
    if doing := in_progress(place):
        return _left(place, target, Obstacle("git", f"{doing} is in progress there"), None)
    # The update command would overwrite the files in the way, or run a filter.
    if only_read:
        mine.update(unstaged(git, place))
        hurdle = obstacle(git, place, old.commit, tip.commit, mine)
        behind = Obstacle("filtered", "its files are those of an earlier commit of the branch")
        return _left(place, target, hurdle or behind, old.commit)
    hurdle = bring(git, place, old.commit, tip.commit, mine)
    return _left(place, target, hurdle, old.commit) if hurdle else CaughtUp(*_paths(place), moved=True)


def _began(
    git: Git, place: Located, target: str, line: list[_LineCommit], tree: Sha
) -> tuple[_LineCommit | None, set[str]]:
    """Return the commit that a checkout was last at, and the paths staged since, or None if that is unclear.

    Usually the index equals one commit exactly. Otherwise it is the nearest earlier state of the branch. If that is the
    tip, the checkout is up to date and has staged work.
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
    """Return the commit with the fewest files that differ from a tree.

    Of several, the commit before the tip is preferred, because a checkout usually misses one merge, and then the
    oldest.
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
    why = f"{hurdle.why}. Until it follows, a commit there would undo the merge"
    return CaughtUp(*_paths(place), moved=False, why=why, next=_next_step(place.worktree, target, hurdle, old))


def _paths(place: Located) -> tuple[str, str]:
    """Return the path of a checkout, absolute and as shown relative to the caller's directory."""
    return as_text(os.fsencode(place.worktree)), shown_path(relpath(place.worktree))


def _next_step(path: str, target: str, hurdle: Obstacle, old: Sha | None) -> Steps:
    """Return the commands that bring the checkout up to date without losing work."""
    if old is None or hurdle.kind == "git":
        return shell("git", "-C", path, "status")
    follow = shell("git", "-C", path, "read-tree", "-m", "-u", old, "HEAD")
    if hurdle.kind == "in the way":
        return in_turn(prose("move the files in the way elsewhere"), follow)
    if hurdle.kind != "changed":
        return follow
    # A stash would also contain the reverse of the merge while the index is behind, so move the checkout back first.
    words = (("update-ref", "--no-deref", "HEAD", old), ("stash",), ("switch", target), ("stash", "pop"))
    return in_turn(*[shell("git", "-C", path, *command) for command in words])
