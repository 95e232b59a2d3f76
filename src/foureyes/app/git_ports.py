"""Ports for git, as protocols: reading (`Repo`), writing (`Workshop`) and the remote. `adapters/git` implements them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

import msgspec

from foureyes.app.views.work import CheckpointView, Copied, Dropped, LineCommit, WorktreeState
from foureyes.core.nouns.attempt import Change, Effect, Relation
from foureyes.core.words.ids import Sha
from foureyes.steps import NO_STEP, Steps

if TYPE_CHECKING:
    from foureyes.core.documents.unified_diff import FileDiff
    from foureyes.errors import GitProblem


Fence = Callable[[], AbstractContextManager[object]]
"""Opens the transaction around a ref move. Only the holder of a lease can open it. (J4)"""
HeldAnchors = Callable[[Sequence[str]], Collection[str]]
"""Returns the subset of anchors that a store holds. (J3)"""


class Additions(msgspec.Struct, frozen=True):
    """The effect of committing everything: bytes of each file that the last commit lacks, and the growth of others. A
    staged file counts even if git ignores it.
    """

    new: Mapping[str, int] = {}
    grown: Mapping[str, int] = {}


class TargetHistory(msgspec.Struct, frozen=True):
    """Commits of the target. `more`: there are older ones. `lacks`: parents that are not in this clone."""

    commits: list[LineCommit]
    more: bool = False
    lacks: frozenset[Sha] = frozenset()


class Repo(Protocol):
    """Read access to the project's git repository, from the caller's working directory.

    Attributes, replace refs, drivers and configuration do not influence anything that a decision rests on (A2). Methods
    raise `GitProblem` when git fails. An unknown ref or commit gives `None`, never an exception.
    """

    def commit_of(self, ref: str) -> Sha | None:
        """Return the commit of a full ref name, a branch name or a sha."""

    def heads(self) -> dict[str, Sha]:
        """Return every branch (full ref name) with its commit, in one call."""

    def current_ref(self) -> str:
        """Return the full name of the current branch, or DETACHED."""

    def branch_ref(self, name: str) -> str | None:
        """Return the full ref of a local branch, given its short or full name. None if there is none."""

    def uncommitted(self, ref: str, *, in_conflict: bool = False) -> list[str]:
        """Return uncommitted paths in the worktree of `ref`, including untracked but not ignored files. `in_conflict`:
        only those with unresolved conflicts.
        """

    def additions(self, ref: str) -> Additions:
        """Return the effect of committing everything in the worktree of `ref`."""

    def change(self, *, target: str, ref: str, since: Sha | None, covering: Sha | None = None) -> Change:
        """Return the change on `ref` that the target lacks. If the target has all of it, return what landed since
        `since`. (K4)

        `covering`: start the change at this commit at the latest, even if the target has part of it.
        """

    def is_ancestor(self, commit: Sha, of: Sha) -> bool:
        """Return True if `commit` is reachable from `of`. False for unknown commits."""

    def relation(self, *, base: Sha, head: Sha, new_head: Sha, target: str) -> Relation:
        """Return the relation of `new_head` to the approved `base..head`. (A3)"""

    def reached(self, commits: Sequence[Sha], target: str) -> set[Sha]:
        """Return the commits that the target contains. The result may include unknown commits."""

    def merged_by(self, head: Sha, target: str) -> Sha | None:
        """Return the first commit on the target's first-parent line that contains `head`, or None."""

    def diff_text(self, base: Sha, head: Sha) -> str:
        """Return the diff for reading, with renames. The diff id is not computed from it."""

    def file_diffs(self, base: Sha, head: Sha, context: int = 3) -> tuple[FileDiff, ...]:
        """Return the diff as files, hunks and numbered lines, with sizes of binary files and `context` lines around
        each hunk.
        """

    def diffs_since(self, was: Sha, then: Sha, base: Sha, head: Sha, context: int = 3) -> tuple[FileDiff, ...] | None:
        """Return the changes in base..head that was..then lacks after a rebase onto `base`. None if git cannot do it."""

    def line(self, target: str, most: int) -> list[LineCommit]:
        """Return the newest commits on the first-parent line of the target or a commit, newest first."""

    def history(self, target: str, most: int) -> TargetHistory:
        """Return the nearest commits of the target or a commit on all lines, children before parents."""

    def last_anchor(
        self,
        target: str,
        since: Sha | None = None,
        *,
        work: Collection[Sha] = (),
        held: HeldAnchors | None = None,
        adopted: Sha | None = None,
    ) -> str | None:
        """Return the anchor `<row>:<hash>` with the highest row in the target's commits after `since`, and in that
        commit itself. (J3)

        Of the commits in `work`, only merges count. Anchors that are `held` or reachable from `adopted` do not count.
        """

    def file_at(self, ref: str, path: str) -> str | None:
        """Return the text of a file at a branch or commit, or None."""

    def kept(self, below: str) -> dict[str, Sha]:
        """Return every ref below a prefix with its object."""

    def usual_remote(self) -> str:
        """Return the clone's default remote: origin, or the only one. Return an empty string if neither applies."""

    def replaced(self) -> list[str]:
        """Return the mechanisms that replace commits in this clone. Decisions go by hash and ignore them."""

    def in_the_way(self, refs: Sequence[str]) -> list[GitProblem]:
        """Return the reasons why git cannot write these refs (another ref, a stale lock), with a fix. Writable refs are
        left out.
        """

    def locked(self, below: str) -> list[str]:
        """Return the refs below a prefix with a lock file: another git process is writing them, or was killed."""

    def missing(self, objects: Sequence[Sha]) -> set[Sha]:
        """Return the objects that are missing, unreadable commits, and incomplete trees."""

    def texts(self, commit: Sha, paths: Sequence[str]) -> dict[str, str]:
        """Return texts of files at a commit in one call. Missing, binary and very large files are left out."""

    def links(self, *trees: Sha) -> list[dict[str, str]]:
        """Return the symbolic links of each commit or tree, as path and target."""

    def renames(self, old: Sha, new: Sha) -> dict[str, str]:
        """Return the renames between two commits, from new path to old path."""

    def pieces(self, base: Sha, head: Sha) -> tuple[str, ...]:
        """Return an attempt's pieces: `blob <sha>` for each resulting file, `diff <id>` for each commit. (A6)"""

    def close(self) -> None:
        """Remove temporary files."""


class MergeResult(msgspec.Struct, frozen=True):
    """The result of a merge by git: a tree, or the conflicting paths.

    `diff_id` is that of base..head as read for this merge (A2). `effect` is the change to the target.
    """

    tree: Sha | None
    conflicts: tuple[str, ...] = ()
    diff_id: str = ""
    effect: Effect = Effect()


class CaughtUp(msgspec.Struct, frozen=True):
    """A checkout of the target after a merge: updated, or skipped with the reason. (Q5)

    `here` is its path relative to the caller's directory.
    """

    path: str
    here: str
    moved: bool
    why: str = ""
    next: Steps = NO_STEP


class Workshop(Protocol):
    """Write access to the repository for the gate, for tasks' worktrees and for the caller. Nothing else moves refs.

    The gate's git runs without hooks, user and system configuration, external drivers and filters (Q2). Only
    `catch_up`, `reset` and `apply_patch` write files of a person's checkout. `commit_all` and `commit_file` are the
    caller's own commits, with their hooks and identity.
    """

    def commit_all(
        self, message: str, trailers: Sequence[tuple[str, str]], *, apart: str = "", fence: Fence = nullcontext
    ) -> Sha:
        """Commit everything in the caller's worktree, or in that of the task `apart`. There it runs no program of the
        tree, and the branch moves inside of `fence`, which a caller without the lease cannot open. (J4)
        """

    def look(self, task: str, message: str) -> Sha:
        """Return a commit of the current files in a task's worktree, without a ref. Changes nothing there and runs no
        program of the tree. (V1)
        """

    def commit_file(self, path: str, message: str) -> Sha:
        """Commit exactly one file of the main worktree to the current branch."""

    def export(self, tree: Sha, path: str, only: Sequence[str] = ()) -> None:
        """Write a tree's files, or `only` these, into an empty directory, without `.git` and without running a program."""

    def files_of(self, tree: Sha) -> dict[str, str]:
        """Return every path of a tree with its mode and object."""

    def keep(self, ref: str, commit: Sha) -> None:
        """Create a ref below `refs/foureyes/` so that git never deletes the commit."""

    def merge(self, *, base: Sha, tip: Sha, head: Sha, landed: Sha | None = None) -> MergeResult:
        """Merge base..head onto `tip`, without drivers and attributes, and without moving a ref. Uses exactly the
        reviewed `base`, never one that git finds.

        `landed` is the part that the target has already. If the merge from `base` conflicts, only the rest is merged.
        (A7)
        """

    def is_merge_of(self, commit: Sha, *, base: Sha, head: Sha) -> bool:
        """Return True if a commit of the target has exactly the content that the gate's merge of base..head would have."""

    def commit(self, *, tree: Sha, parents: Sequence[Sha], message: str) -> Sha:
        """Create a commit by the gate, without a ref."""

    def tree_of(self, commit: Sha) -> Sha | None:
        """Return the tree of a commit, or None."""

    def move(self, ref: str, *, new: Sha, old: Sha) -> bool:
        """Move a branch by compare-and-swap. Return False if it was not at `old`."""

    def programs_named(self) -> list[str]:
        """Return the settings of the repository's own configuration that name a program for git to run. (Q2)"""

    def catch_up(self, target: str) -> list[CaughtUp]:
        """Update every checkout of the target whose files match an earlier commit of it. (Q5)"""

    def behind(self, target: str) -> list[CaughtUp]:
        """Return checkouts of the target that did not follow it. Changes nothing. (Q5)"""

    def add_worktree(self, task: str, *, branch: str, base: Sha, session: str) -> str:
        """Create a task's worktree, or find it again, and return its path. Commits there get the task and session
        trailers. (K1)
        """

    def copy_into(self, task: str, globs: Sequence[str]) -> Copied:
        """Copy matching files from the main checkout into a task's worktree. Only files that git ignores in both, no
        links, no overwriting. (K1)
        """

    def lay_into(self, task: str, source: str, was: str) -> tuple[str, ...]:
        """Copy packages from a directory into a task's worktree, if git ignores the place and nothing is there. Return
        their names. `was` is the path that the files contain as their own. (K1)
        """

    def worktrees(self) -> dict[str, str]:
        """Return the tasks with a worktree, and its path."""

    def unlock_worktree(self, task: str) -> str:
        """Remove an `index.lock` of an ended process from a task's worktree. Return the full name of the branch there,
        or an empty string. Call it only after checking that nobody works there.
        """

    def worktree_state(self, task: str) -> WorktreeState:
        """Return the state of a task's worktree. Changes nothing."""

    def drop_worktree(self, task: str, *, only_try: bool = False) -> Dropped:
        """Remove a task's worktree if that loses nothing: uncommitted files keep it, and so do ignored files that
        cannot be built again. `only_try` only reports the result.
        """

    def delete_merged(self, branch: str, *, target: str) -> bool:
        """Delete a branch that the target fully contains and that is checked out nowhere."""

    def reset(self, ref: str, *, old: Sha, new: Sha) -> str:
        """Move a branch and its clean checkout from `old` to `new`. Return the reason if it was skipped, else an empty
        string.
        """

    def apply_patch(self, patch: str, *, only_try: bool) -> str:
        """Apply a unified diff to the caller's files if it fits as a whole. Return the reason if not, else an empty
        string.
        """

    def add_checkpoint(self, task: str, name: str, commit: Sha, *, at: datetime) -> None:
        """Create a ref below `refs/foureyes/checkpoints/`. Raises `Conflict` if the name is taken by another commit."""

    def checkpoints(self) -> list[CheckpointView]:
        """Return all checkpoints, newest first."""

    def drop_checkpoint(self, task: str, name: str, sha: Sha) -> bool:
        """Delete a checkpoint."""

    def close(self) -> None:
        """Remove temporary files."""


class RefUpdate(msgspec.Struct, frozen=True):
    """A ref of the remote to move to `new`. It must be at `old` until then, None if it must not exist."""

    ref: str
    new: Sha
    old: Sha | None = None


class Pushed(msgspec.Struct, frozen=True):
    """A successful push. `said` is the remote's message."""

    said: str = ""


class Moved(msgspec.Struct, frozen=True):
    """A rejected push: this ref was not where it was expected but at `now`, None if it is gone."""

    ref: str
    now: Sha | None


class TakenAway(msgspec.Struct, frozen=True):
    """Refs deleted at the remote, and the reasons why others stay."""

    gone: tuple[str, ...] = ()
    stay: dict[str, str] = {}


class Address(msgspec.Struct, frozen=True):
    """A remote's address. `digest` identifies it, `shown` is for people, without credentials. `apart`: its push address
    differs from its fetch address.
    """

    digest: str
    shown: str
    apart: bool = False


class Remote(Protocol):
    """The project's git remote (`[git] remote`). (Q6)

    It uses the caller's transport and credentials, and nothing from the repository's own configuration except the
    address. Every method raises `RemoteProblem` if the remote cannot be reached or refuses.
    """

    @property
    def name(self) -> str:
        """The remote's name in git."""

    def address(self) -> Address:
        """Return the configured address at first use. All calls go there."""

    def tips(self, refs: Sequence[str]) -> dict[str, Sha]:
        """Return the current commits of these refs (full names) in one round trip. Missing refs are left out."""

    def fetch(self, refs: Sequence[str]) -> dict[str, Sha]:
        """Like tips(), and fetch the objects. `tracked` names them. Moves nobody's branch."""

    def push(self, updates: Sequence[RefUpdate]) -> Pushed | Moved:
        """Push all updates or none, each only from its expected commit. The remote's hooks apply. A ref that is already
        there is no error. After a lost answer, look up the result.
        """

    def take_away(self, refs: Mapping[str, Sha]) -> TakenAway:
        """Delete refs at the remote, each only if it is at the given commit and independent of the others. Also removes
        all their tracking refs.
        """
