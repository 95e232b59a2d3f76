"""`GitWorkshop`: the application's `Workshop` port over the git executable."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import nullcontext
from datetime import datetime
from typing import TYPE_CHECKING

from foureyes.adapters.git import checkouts, objects, reading
from foureyes.adapters.git.client.locate import Located, SharedGit

if TYPE_CHECKING:
    from foureyes.adapters.git.client.git import Git
    from foureyes.adapters.git.objects.export import Exports
    from foureyes.app.git_ports import CaughtUp, Fence, MergeResult
    from foureyes.app.results.work import CheckpointView, Copied, Dropped, WorktreeState
    from foureyes.core.words.ids import Sha


class GitWorkshop:
    """The write operations on one repository. `folder` is the project folder and contains the task worktrees."""

    def __init__(self, here: Located, folder: str, shared: SharedGit | None = None) -> None:
        self._here = here
        self._folder = folder
        self._shared = shared or SharedGit(here)
        self._exports: Exports | None = None

    @property
    def _git(self) -> Git:
        return self._shared.git

    def close(self) -> None:
        """Remove the temporary directory now rather than at exit. The object stays usable."""
        self._shared.close()

    # Objects

    def export(self, tree: Sha, path: str, only: Sequence[str] = ()) -> None:
        """Write the files of a tree or commit, or `only` these paths, into an empty directory. Creates no `.git` and
        runs no program."""
        if self._exports is None:
            self._exports = objects.export.Exports(self._here.common_dir)
        self._exports.write(tree, path, only)

    def files_of(self, tree: Sha) -> dict[str, str]:
        """Return every path of a tree with its mode and object."""
        return objects.export.files_of(self._git, tree)

    def merge(self, *, base: Sha, tip: Sha, head: Sha, landed: Sha | None = None) -> MergeResult:
        """Merge base..head onto `tip` by that base alone, without moving a ref.

        If that conflicts, merge only the part after `landed`, which the target already has.
        """
        return objects.merge.merge(self._git, base=base, tip=tip, head=head, landed=landed)

    def is_merge_of(self, commit: Sha, *, base: Sha, head: Sha) -> bool:
        """Return True if a commit of the target holds exactly the gate's own merge of base..head."""
        return objects.merge.is_merge_of(self._git, commit, base=base, head=head)

    def commit(self, *, tree: Sha, parents: Sequence[Sha], message: str) -> Sha:
        """Write a commit object, authored by the gate, and return its id. No ref names it yet."""
        return objects.merge.commit(self._git, tree=tree, parents=parents, message=message)

    def tree_of(self, commit: Sha) -> Sha | None:
        """Return the tree of a commit, or None."""
        from foureyes.adapters.git.client import object_files

        if (tree := object_files.tree_of(self._here.common_dir, commit)) is not None:
            return tree
        (known,) = reading.history.known(self._git, commit)
        return known.tree if known else None

    # Refs

    def keep(self, ref: str, commit: Sha) -> None:
        """Point a ref below `refs/foureyes/` at a commit so that git never collects it."""
        objects.refs.keep(self._git, ref, commit)

    def move(self, ref: str, *, new: Sha, old: Sha) -> bool:
        """Move a branch from `old` to `new` by compare-and-swap. Return False if it was no longer at `old`."""
        return objects.refs.swap(
            self._git, objects.refs.well_formed(ref, objects.refs.BRANCHES), new=new, old=old, why="foureyes: merge"
        )

    def delete_merged(self, branch: str, *, target: str) -> bool:
        """Delete a branch that the target contains completely and no worktree has checked out. Return True if deleted."""
        ref, onto = objects.refs.branch(branch), objects.refs.branch(target)
        here, there = objects.refs.at(self._git, ref), objects.refs.at(self._git, onto)
        if ref == onto or here.value is None or there.value is None or here.symbolic:
            return False
        in_use = checkouts.checkouts.is_in_use(self._git, ref)
        if in_use or not reading.history.is_ancestor(self._git, here.value, there.value):
            return False
        return objects.refs.delete(self._git, ref, old=here.value)

    def reset(self, ref: str, *, old: Sha, new: Sha) -> str:
        """Move a branch, and its clean checkout if any, from `old` to `new`. Return why it was skipped, or ""."""
        return checkouts.reset.reset(self._git, ref, old=old, new=new)

    def add_checkpoint(self, task: str, name: str, commit: Sha, *, at: datetime) -> None:
        """Add a ref below `refs/foureyes/checkpoints/`. Raise Conflict if another commit has that name."""
        objects.checkpoints.add(self._git, task, name, commit, at)

    def checkpoints(self) -> list[CheckpointView]:
        """Return all checkpoints, the newest first."""
        return objects.checkpoints.listed(self._git)

    def drop_checkpoint(self, task: str, name: str, sha: Sha) -> bool:
        """Delete a checkpoint. Return False if there is none of that name at that commit."""
        return objects.checkpoints.drop(self._git, task, name, sha)

    # The repository and its worktrees

    def commit_all(
        self, message: str, trailers: Sequence[tuple[str, str]], *, worktree_of: str = "", fence: Fence = nullcontext
    ) -> Sha:
        """Commit everything in the caller's worktree with trailers, as the caller's own git would. (J4)

        With `worktree_of`, commit in that task's worktree instead. This runs no program of the tree and moves the branch
        inside `fence`.
        """
        if worktree_of:
            path = checkouts.task_worktrees.worktree_of(self._folder, worktree_of).path
            return checkouts.commits.commit_separately(self._git, path, message, trailers, fence)
        return checkouts.commits.commit_all(self._git, self._here, message, trailers)

    def snapshot(self, task: str, message: str) -> Sha:
        """Return the id of a new commit of the current files in a task's worktree, without a ref. (V1)

        The worktree stays unchanged, and no program of the tree is run.
        """
        path = checkouts.task_worktrees.worktree_of(self._folder, task).path
        return checkouts.commits.snapshot_worktree(self._git, path, message)

    def commit_file(self, path: str, message: str) -> Sha:
        """Commit one file of the main worktree to its branch. Leaves every other change uncommitted."""
        here = self._here
        main = Located(here.root, here.common_dir, here.common_dir, here.root)
        return checkouts.commits.commit_file(self._git, main, path, message)

    def apply_patch(self, patch: str, *, only_try: bool) -> str:
        """Apply a unified diff to the caller's worktree, all of it or nothing. Return why not, or ""."""
        return checkouts.patch.apply_patch(self._git, self._here.worktree, patch, only_try=only_try)

    def programs_named(self) -> list[str]:
        """Return the settings in the repository's configuration that name a program for git to run. (Q2)"""
        from foureyes.adapters.git.client.config_programs import programs_named

        places = dict.fromkeys((self._git.git_dir, self._git.common_dir))
        return programs_named([setting for place in places for setting in self._git.settings(place)])

    def behind(self, target: str) -> list[CaughtUp]:
        """Return the checkouts of the target branch that lag behind it. Read-only."""
        if checkouts.freshness.all_follow(self._here.common_dir, f"refs/heads/{target.removeprefix('refs/heads/')}"):
            return []
        return checkouts.checkouts.catch_up(self._git, target, only_read=True)

    def catch_up(self, target: str) -> list[CaughtUp]:
        """Update every checkout of the target branch whose files match an earlier commit of it. (Q5)"""
        return checkouts.checkouts.catch_up(self._git, target)

    def prepare_worktrees(self) -> None:
        """Enable per-worktree configuration now, because the first worktree may be created inside a sandbox."""
        checkouts.hooks.enable_worktree_config(self._git)

    def add_worktree(self, task: str, *, branch: str, base: Sha, session: str) -> str:
        """Create or reuse the worktree of a task and return its path. Commits in it get the task and session trailers.
        (K1)"""
        return checkouts.task_worktrees.add(
            self._git,
            checkouts.task_worktrees.worktree_of(self._folder, task),
            branch=branch,
            base=base,
            session=session,
        )

    def copy_into(self, task: str, globs: Sequence[str]) -> Copied:
        """Copy ignored files that match the globs from the main checkout into a task's worktree. (K1)"""
        return checkouts.worktree_files.copy_into(
            self._git, checkouts.task_worktrees.worktree_of(self._folder, task), globs
        )

    def lay_into(self, task: str, source: str, was: str) -> tuple[str, ...]:
        """Copy packages from a directory into a task's worktree, where git ignores them. Return their names. (K1)"""
        return checkouts.worktree_files.lay_into(
            self._git, checkouts.task_worktrees.worktree_of(self._folder, task), source, was
        )

    def worktrees(self) -> dict[str, str]:
        """Return the path of each task's worktree, by task."""
        place = os.path.join(self._folder, "worktrees")
        try:
            names = [
                name for name in sorted(os.listdir(place)) if checkouts.task_worktrees.is_task_worktree(place, name)
            ]
            return {name: os.path.join(place, name) for name in names}
        except OSError:
            return {}

    def unlock_worktree(self, task: str) -> str:
        """Remove an `index.lock` left by a dead process in a task's worktree. Return the branch checked out there."""
        return checkouts.task_worktrees.unlock(self._git, checkouts.task_worktrees.worktree_of(self._folder, task))

    def worktree_state(self, task: str) -> WorktreeState:
        """Return the state of a task's worktree. Read-only."""
        return checkouts.task_worktrees.state(self._git, checkouts.task_worktrees.worktree_of(self._folder, task))

    def drop_worktree(self, task: str, *, only_try: bool = False) -> Dropped:
        """Remove a task's worktree if nothing would be lost. With `only_try`, only report the outcome."""
        at = checkouts.task_worktrees.worktree_of(self._folder, task)
        return checkouts.task_worktrees.drop(self._git, at, only_try=only_try)
