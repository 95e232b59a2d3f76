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
    from foureyes.app.views.work import CheckpointView, Copied, Dropped, WorktreeState
    from foureyes.core.words.ids import Sha


class GitWorkshop:
    """What is done to one repository. `folder` is the project's: worktrees of tasks are below it."""

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
        """Write the files of a tree (or of a commit's tree), or `only` these, into an empty directory; no `.git`, no
        program is run for it.
        """
        if self._exports is None:
            self._exports = objects.export.Exports(self._here.common_dir)
        self._exports.write(tree, path, only)

    def files_of(self, tree: Sha) -> dict[str, str]:
        """Every path of a tree, with its mode and object."""
        return objects.export.files_of(self._git, tree)

    def merge(self, *, base: Sha, tip: Sha, head: Sha, landed: Sha | None = None) -> MergeResult:
        """What git by itself makes of base..head brought onto `tip`, by that base and no other; where that conflicts,
        of what comes after `landed`, which is there already. Moves nothing.
        """
        return objects.merge.merge(self._git, base=base, tip=tip, head=head, landed=landed)

    def is_merge_of(self, commit: Sha, *, base: Sha, head: Sha) -> bool:
        """Whether a commit of the target holds exactly what the gate would have made of base..head there."""
        return objects.merge.is_merge_of(self._git, commit, base=base, head=head)

    def commit(self, *, tree: Sha, parents: Sequence[Sha], message: str) -> Sha:
        """A commit object in the repository's store, by the gate; no ref names it yet."""
        return objects.merge.commit(self._git, tree=tree, parents=parents, message=message)

    def tree_of(self, commit: Sha) -> Sha | None:
        """The tree of a commit; None when it is not there."""
        from foureyes.adapters.git.client import object_files

        if (tree := object_files.tree_of(self._here.common_dir, commit)) is not None:
            return tree
        (known,) = reading.history.known(self._git, commit)
        return known.tree if known else None

    # Refs

    def keep(self, ref: str, commit: Sha) -> None:
        """Make a ref below `refs/foureyes/` name a commit, so that it is never lost."""
        objects.refs.keep(self._git, ref, commit)

    def move(self, ref: str, *, new: Sha, old: Sha) -> bool:
        """Compare-and-swap of a branch; False when it was not at `old` any more."""
        return objects.refs.swap(
            self._git, objects.refs.well_formed(ref, objects.refs.BRANCHES), new=new, old=old, why="foureyes: merge"
        )

    def delete_merged(self, branch: str, *, target: str) -> bool:
        """Delete a branch that is on the target as a whole and checked out nowhere."""
        ref, onto = objects.refs.branch(branch), objects.refs.branch(target)
        here, there = objects.refs.at(self._git, ref), objects.refs.at(self._git, onto)
        if ref == onto or here.value is None or there.value is None or here.symbolic:
            return False
        in_use = checkouts.checkouts.is_in_use(self._git, ref)
        if in_use or not reading.history.is_ancestor(self._git, here.value, there.value):
            return False
        return objects.refs.delete(self._git, ref, old=here.value)

    def reset(self, ref: str, *, old: Sha, new: Sha) -> str:
        """Bring a branch, and its clean checkout if it has one, from `old` to `new`; why it was skipped, else
        empty.
        """
        return checkouts.reset.reset(self._git, ref, old=old, new=new)

    def add_checkpoint(self, task: str, name: str, commit: Sha, *, at: datetime) -> None:
        """A ref below `refs/foureyes/checkpoints/`; `Conflict` when the name is taken by another commit."""
        objects.checkpoints.add(self._git, task, name, commit, at)

    def checkpoints(self) -> list[CheckpointView]:
        """All of them, the newest first."""
        return objects.checkpoints.listed(self._git)

    def drop_checkpoint(self, task: str, name: str, sha: Sha) -> bool:
        """Forget one; False when there is none of that name at that commit."""
        return objects.checkpoints.drop(self._git, task, name, sha)

    # The repository and its worktrees

    def commit_all(
        self, message: str, trailers: Sequence[tuple[str, str]], *, apart: str = "", fence: Fence = nullcontext
    ) -> Sha:
        """Commit everything in the caller's worktree, as the caller's own git would, with trailers; or, `apart`, in
        the worktree of that task, where no program of the tree is run and the branch moves inside of `fence` (J4).
        """
        if apart:
            path = checkouts.task_worktrees.desk(self._folder, apart).path
            return checkouts.commits.commit_apart(self._git, path, message, trailers, fence)
        return checkouts.commits.commit_all(self._git, self._here, message, trailers)

    def look(self, task: str, message: str) -> Sha:
        """V1: the files of a task's worktree as they are now, as a commit that no ref names yet; nothing changes there,
        and no program of the tree is run.
        """
        path = checkouts.task_worktrees.desk(self._folder, task).path
        return checkouts.commits.look_apart(self._git, path, message)

    def commit_file(self, path: str, message: str) -> Sha:
        """Commit exactly one file of the main worktree to the checked-out branch, leaving everything else alone."""
        here = self._here
        main = Located(here.root, here.common_dir, here.common_dir, here.root)
        return checkouts.commits.commit_file(self._git, main, path, message)

    def apply_patch(self, patch: str, *, only_try: bool) -> str:
        """Apply a unified diff to the files where the caller stands, if git says that it fits as a whole; why not, else
        empty.
        """
        return checkouts.patch.apply_patch(self._git, self._here.worktree, patch, only_try=only_try)

    def programs_named(self) -> list[str]:
        """The settings of the repository's own configuration that name a program which git would run (Q2)."""
        from foureyes.adapters.git.client.config_programs import programs_named

        places = dict.fromkeys((self._git.git_dir, self._git.common_dir))
        return programs_named([setting for place in places for setting in self._git.settings(place)])

    def behind(self, target: str) -> list[CaughtUp]:
        """The checkouts of the target branch that did not follow it; looks, and touches nothing."""
        if checkouts.freshness.all_follow(self._here.common_dir, f"refs/heads/{target.removeprefix('refs/heads/')}"):
            return []
        return checkouts.checkouts.catch_up(self._git, target, look_only=True)

    def catch_up(self, target: str) -> list[CaughtUp]:
        """Bring every checkout of the target branch whose files are those of an earlier commit of it up to date
        (Q5).
        """
        return checkouts.checkouts.catch_up(self._git, target)

    def prepare_worktrees(self) -> None:
        """What the first worktree would change of the repository's configuration, now: later it may be in a sandbox."""
        checkouts.hooks.enable_worktree_config(self._git)

    def add_worktree(self, task: str, *, branch: str, base: Sha, session: str) -> str:
        """K1: the worktree of a task, made or found again; its path. Commits in it get the trailers of task and
        session.
        """
        return checkouts.task_worktrees.add(
            self._git, checkouts.task_worktrees.desk(self._folder, task), branch=branch, base=base, session=session
        )

    def copy_into(self, task: str, globs: Sequence[str]) -> Copied:
        """K1: copy what git ignores and the globs mean from the main checkout into the worktree of a task."""
        return checkouts.worktree_files.copy_into(self._git, checkouts.task_worktrees.desk(self._folder, task), globs)

    def lay_into(self, task: str, source: str, was: str) -> tuple[str, ...]:
        """K1: copy packages from a directory into the worktree of a task, where git ignores them; their names."""
        return checkouts.worktree_files.lay_into(
            self._git, checkouts.task_worktrees.desk(self._folder, task), source, was
        )

    def worktrees(self) -> dict[str, str]:
        """The tasks that have a worktree of their own, and where it is."""
        place = os.path.join(self._folder, "worktrees")
        try:
            names = [name for name in sorted(os.listdir(place)) if checkouts.task_worktrees.is_desk(place, name)]
            return {name: os.path.join(place, name) for name in names}
        except OSError:
            return {}

    def unlock_worktree(self, task: str) -> str:
        """Remove an `index.lock` that a dead process left in the worktree of a task; the branch checked out there."""
        return checkouts.task_worktrees.unlock(self._git, checkouts.task_worktrees.desk(self._folder, task))

    def worktree_state(self, task: str) -> WorktreeState:
        """How the worktree of a task stands; looks, and touches nothing."""
        return checkouts.task_worktrees.state(self._git, checkouts.task_worktrees.desk(self._folder, task))

    def drop_worktree(self, task: str, *, only_try: bool = False) -> Dropped:
        """Remove the worktree of a task if nothing in it is lost by that; `only_try`: say what would become of it."""
        at = checkouts.task_worktrees.desk(self._folder, task)
        return checkouts.task_worktrees.drop(self._git, at, only_try=only_try)
