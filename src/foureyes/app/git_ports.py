"""Ports for git, as protocols: reading (`Repo`), writing (`Workshop`) and the remote. `adapters/git` implements them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

import msgspec

from foureyes.app.results.work import CheckpointView, Copied, Dropped, LineCommit, WorktreeState
from foureyes.core.nouns.attempt import Change, Effect, Relation
from foureyes.core.words.ids import Sha
from foureyes.steps import NO_STEP, Steps

if TYPE_CHECKING:
    from foureyes.core.documents.unified_diff import FileDiff
    from foureyes.errors import GitProblem


Fence = Callable[[], AbstractContextManager[object]]
"""Opens the transaction for moving a ref. Only the holder of the lease can open it. (J4)"""
HeldAnchors = Callable[[Sequence[str]], Collection[str]]
"""Returns those of the given anchors that a store has. (J3)"""


class Additions(msgspec.Struct, frozen=True):
    """The additions that committing everything would make: the bytes of each new file, and the growth of others. A
    staged file counts even if git ignores it.
    """

    new: Mapping[str, int] = {}
    grown: Mapping[str, int] = {}


class TargetHistory(msgspec.Struct, frozen=True):
    """Commits of the target. `more`: there are older ones. `lacks`: parents missing in this clone."""

    commits: list[LineCommit]
    more: bool = False
    lacks: frozenset[Sha] = frozenset()


class Repo(Protocol):
    """Read access to the project's git repository, from the caller's directory.

    No attribute, replace ref, driver or configuration can influence what a decision depends on (A2). Methods raise
    `GitProblem` if git fails. For an unknown ref or commit they return None.
    """

    def commit_of(self, ref: str) -> Sha | None:
        """Return the commit of a full ref name, a branch name or a hash."""

    def heads(self) -> dict[str, Sha]:
        """Return every branch (full ref name) with its commit, in one call."""

    def current_ref(self) -> str:
        """Return the full name of the current branch, or DETACHED."""

    def branch_ref(self, name: str) -> str | None:
        """Return the full ref of a local branch, given by its short or full name, or None."""

    def uncommitted(self, ref: str, *, in_conflict: bool = False) -> list[str]:
        """Return uncommitted paths in the worktree of `ref`, including untracked files that are not ignored.
        `in_conflict`: only those with unresolved conflicts.
        """

    def additions(self, ref: str) -> Additions:
        """Return what committing everything in the worktree of `ref` would add."""

    def change(self, *, target: str, ref: str, since: Sha | None, covering: Sha | None = None) -> Change:
        """Return what `ref` changes and the target lacks. If the target has all of it, return what landed since
        `since`. (K4)

        `covering`: start at this commit or earlier, even if the target has part of that.
        """

    def is_ancestor(self, commit: Sha, of: Sha) -> bool:
        """Return True if `commit` is reachable from `of`. False for unknown commits."""

    def relation(self, *, base: Sha, head: Sha, new_head: Sha, target: str) -> Relation:
        """Return the relation of `new_head` to the approved `base..head`. (A3)"""

    def reached(self, commits: Sequence[Sha], target: str) -> set[Sha]:
        """Return the commits that the target contains. Unknown commits may be among them."""

    def merged_by(self, head: Sha, target: str) -> Sha | None:
        """Return the first commit on the target's first-parent line that contains `head`, or None."""

    def diff_text(self, base: Sha, head: Sha) -> str:
        """Return the diff for people, with renames. The diff id is not computed from it."""

    def file_diffs(self, base: Sha, head: Sha, context: int = 3) -> tuple[FileDiff, ...]:
        """Return the diff as files, hunks and numbered lines, with `context` lines around each hunk and the sizes of
        binary files.
        """

    def diffs_since(self, was: Sha, then: Sha, base: Sha, head: Sha, context: int = 3) -> tuple[FileDiff, ...] | None:
        """Return what base..head changes and was..then did not, rebased onto `base`. Return None if git cannot do
        it.
        """

    def line(self, target: str, most: int) -> list[LineCommit]:
        """Return the newest commits on the first-parent line of the target or a commit, newest first."""

    def history(self, target: str, most: int) -> TargetHistory:
        """Return the nearest commits of the target or a commit along all parents, children first."""

    def last_anchor(
        self,
        target: str,
        since: Sha | None = None,
        *,
        work: Collection[Sha] = (),
        held: HeldAnchors | None = None,
        adopted: Sha | None = None,
    ) -> str | None:
        """Return the anchor (`<row>:<hash>`) with the highest row in the target's commits from `since` on. (J3)

        Of the commits in `work`, only merges count. Anchors that are `held`, or reachable from `adopted`, do not count.
        """

    def file_at(self, ref: str, path: str) -> str | None:
        """Return the text of a file at a branch or commit, or None."""

    def kept(self, below: str) -> dict[str, Sha]:
        """Return all refs below a prefix, with their objects."""

    def usual_remote(self) -> str:
        """Return the clone's default remote: origin, or the only one. Return an empty string if neither applies."""

    def replaced(self) -> list[str]:
        """Return what replaces commits in this clone, such as replace refs. Decisions go by hash and ignore it."""

    def in_the_way(self, refs: Sequence[str]) -> list[GitProblem]:
        """Return why git cannot write these refs (another ref, a stale lock), with the fix. Writable refs give none."""

    def locked(self, below: str) -> list[str]:
        """Return refs below a prefix that have a lock file. Another git process writes them, or was killed."""

    def missing(self, objects: Sequence[Sha]) -> set[Sha]:
        """Return those of the objects that are missing, unreadable, or trees with parts missing."""

    def texts(self, commit: Sha, paths: Sequence[str]) -> dict[str, str]:
        """Return texts of files at a commit in one call. Missing, binary and very large files are left out."""

    def links(self, *trees: Sha) -> list[dict[str, str]]:
        """Return the symbolic links of each commit or tree, from path to target."""

    def renames(self, old: Sha, new: Sha) -> dict[str, str]:
        """Return the renames between two commits, from new path to old path."""

    def pieces(self, base: Sha, head: Sha) -> tuple[str, ...]:
        """Return an attempt's pieces: `blob <hash>` for each resulting file, and `diff <id>` for each commit. (A6)"""

    def close(self) -> None:
        """Remove temporary files."""


class MergeResult(msgspec.Struct, frozen=True):
    """Result of a merge by git: a tree, or the conflicting paths.

    `diff_id` is that of base..head as read for this merge (A2). `effect` is what it changes on the target.
    """

    tree: Sha | None
    conflicts: tuple[str, ...] = ()
    diff_id: str = ""
    effect: Effect = Effect()


class CaughtUp(msgspec.Struct, frozen=True):
    """A checkout of the target after a merge: updated, or skipped for a reason. `here` is its path relative to the
    caller's directory. (Q5)
    """

    path: str
    here: str
    moved: bool
    why: str = ""
    next: Steps = NO_STEP


class Workshop(Protocol):
    """Write access to the repository, for the gate, for tasks' worktrees and for the caller. Nothing else moves refs.

    The gate's git runs without hooks, user and system configuration, external drivers and filters (Q2). Only
    `catch_up`, `reset` and `apply_patch` write files in a person's checkout. `commit_all` and `commit_file` make the
    caller's own commits, with their hooks and identity.
    """

    def commit_all(
        self, message: str, trailers: Sequence[tuple[str, str]], *, worktree_of: str = "", fence: Fence = nullcontext
    ) -> Sha:
        """Commit everything in the caller's worktree, or in that of the task `is_split`.

        For `is_split`, no program of the tree is run. The branch moves inside `fence`, which a caller without the lease
        cannot open. (J4)
        """

    def snapshot(self, task: str, message: str) -> Sha:
        """Return a new commit of the current files in a task's worktree, for an early review. (V1)

        It creates no ref, changes nothing in the worktree and runs no program of the tree.
        """

    def commit_file(self, path: str, message: str) -> Sha:
        """Commit exactly one file of the main worktree to the current branch."""

    def export(self, tree: Sha, path: str, only: Sequence[str] = ()) -> None:
        """Write a tree's files, or only those in `only`, to an empty directory. Runs no program and creates no
        `.git`.
        """

    def files_of(self, tree: Sha) -> dict[str, str]:
        """Return every path of a tree with its mode and object."""

    def keep(self, ref: str, commit: Sha) -> None:
        """Create a ref below `refs/foureyes/` so that git never deletes the commit."""

    def merge(self, *, base: Sha, tip: Sha, head: Sha, landed: Sha | None = None) -> MergeResult:
        """Merge base..head onto `tip`, without drivers or attributes, and without moving a ref. (A7)

        The base is exactly the reviewed one, never one that git finds. `landed` is the part that the target has
        already. If the merge from `base` conflicts, only the rest is merged.
        """

    def is_merge_of(self, commit: Sha, *, base: Sha, head: Sha) -> bool:
        """Return True if a commit of the target has exactly the content that the gate's merge of base..head would
        have.
        """

    def commit(self, *, tree: Sha, parents: Sequence[Sha], message: str) -> Sha:
        """Create a commit as the gate, without a ref."""

    def tree_of(self, commit: Sha) -> Sha | None:
        """Return the tree of a commit, or None."""

    def move(self, ref: str, *, new: Sha, old: Sha) -> bool:
        """Move a branch, or return False if it is not at `old`."""

    def programs_named(self) -> list[str]:
        """Return settings in the repository's own configuration that name a program for git to run. (Q2)"""

    def catch_up(self, target: str) -> list[CaughtUp]:
        """Update each checkout of the target whose files match an earlier commit of it. (Q5)"""

    def behind(self, target: str) -> list[CaughtUp]:
        """Return checkouts of the target that were not updated. Changes nothing. (Q5)"""

    def add_worktree(self, task: str, *, branch: str, base: Sha, session: str) -> str:
        """Create or find a task's worktree and return its path. Commits there get trailers with the task and session.
        (K1)
        """

    def copy_into(self, task: str, globs: Sequence[str]) -> Copied:
        """Copy matching files from the main checkout into a task's worktree. (K1)

        Only files that git ignores in both are copied. Links are skipped, and nothing is overwritten.
        """

    def lay_into(self, task: str, source: str, was: str) -> tuple[str, ...]:
        """Copy packages from a directory into a task's worktree, and return their names. (K1)

        A package is copied only if git ignores its place and nothing is there. `was` is the path by which the files
        refer to themselves.
        """

    def worktrees(self) -> dict[str, str]:
        """Return the path of each task's worktree."""

    def unlock_worktree(self, task: str) -> str:
        """Remove an `index.lock` left by an ended process from a task's worktree. Return the full name of its branch,
        or "".

        Make sure that nobody works there before calling this.
        """

    def worktree_state(self, task: str) -> WorktreeState:
        """Return the state of a task's worktree. Changes nothing."""

    def drop_worktree(self, task: str, *, only_try: bool = False) -> Dropped:
        """Remove a task's worktree, if nothing is lost. `only_try` only reports the result.

        Uncommitted files keep it, and so do ignored files that cannot be built again.
        """

    def delete_merged(self, branch: str, *, target: str) -> bool:
        """Delete a branch if the target contains all of it and no checkout uses it."""

    def reset(self, ref: str, *, old: Sha, new: Sha) -> str:
        """Move a branch and its clean checkout from `old` to `new`. Return why it was skipped, or ""."""

    def apply_patch(self, patch: str, *, only_try: bool) -> str:
        """Apply a unified diff to the caller's files, all or nothing. Return why not, or ""."""

    def add_checkpoint(self, task: str, name: str, commit: Sha, *, at: datetime) -> None:
        """Create a ref below `refs/foureyes/checkpoints/`. Raise `Conflict` if another commit has that name."""

    def checkpoints(self) -> list[CheckpointView]:
        """Return all checkpoints, newest first."""

    def drop_checkpoint(self, task: str, name: str, sha: Sha) -> bool:
        """Delete a checkpoint."""

    def close(self) -> None:
        """Remove temporary files."""


class RefUpdate(msgspec.Struct, frozen=True):
    """A ref of the remote to move to `new`. It must be at `old`, or not exist if that is None."""

    ref: str
    new: Sha
    old: Sha | None = None


class Pushed(msgspec.Struct, frozen=True):
    """A push that succeeded. `said` is the remote's message."""

    said: str = ""


class Moved(msgspec.Struct, frozen=True):
    """A push that was rejected because this ref is at `now`, not where it was expected. None means that it is gone."""

    ref: str
    now: Sha | None


class TakenAway(msgspec.Struct, frozen=True):
    """Refs deleted at the remote, and why others were not."""

    gone: tuple[str, ...] = ()
    stay: dict[str, str] = {}


class Address(msgspec.Struct, frozen=True):
    """A remote's address.

    `digest` identifies it, and `shown` is for people, without credentials. `is_split`: it pushes to another address than
    it fetches from.
    """

    digest: str
    shown: str
    is_split: bool = False


class Remote(Protocol):
    """The project's git remote, `[git] remote`. (Q6)

    It uses the caller's transport and credentials, and nothing of the repository's own configuration except the
    address. Each method raises `RemoteProblem` if the remote cannot be reached or refuses.
    """

    @property
    def name(self) -> str:
        """The remote's name in git."""

    def address(self) -> Address:
        """Return the address as configured at first use. All calls go there."""

    def tips(self, refs: Sequence[str]) -> dict[str, Sha]:
        """Return the current commits of these refs (full names), with one request. Missing refs are left out."""

    def fetch(self, refs: Sequence[str]) -> dict[str, Sha]:
        """Return the current commits of these refs, and fetch them. `tracked` names them. Moves no branch."""

    def push(self, updates: Sequence[RefUpdate]) -> Pushed | Moved:
        """Make all updates or none, each only from its expected commit.

        The remote's hooks apply. A ref that is already at its new commit is fine. If the answer got lost, look at the
        remote for the result.
        """

    def take_away(self, refs: Mapping[str, Sha]) -> TakenAway:
        """Delete refs at the remote, each one only if it is at the given commit. One failure does not stop the others.
        Their tracking refs are removed too.
        """
