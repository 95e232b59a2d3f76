"""Results about checkpoints and worktrees."""

from __future__ import annotations

import msgspec

from foureyes.app.results.task_list import Outcome
from foureyes.core.words.ids import Sha
from foureyes.core.words.text import visible

SHOWN_SUBJECT, SHOWN_AUTHOR = 60, 40


class CheckpointView(msgspec.Struct, frozen=True):
    """A checkpoint: a named commit. `task` is empty if it belongs to none. (K2)"""

    task: str
    name: str
    sha: Sha
    at: str
    subject: str


class WorktreeView(msgspec.Struct, frozen=True, kw_only=True):
    """A task's worktree. `notes` say which parts are missing."""

    task: str
    path: str
    branch: str
    notes: tuple[str, ...] = ()


class WorktreeState(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a worktree: its branch, its size in bytes (`more`: at least that), and its problem, if any."""

    branch: str = ""
    bytes: int = 0
    more: bool = False
    wrong: str = ""


class WorktreeRow(msgspec.Struct, frozen=True, kw_only=True):
    """A task's worktree, with the state of both. `over`: the task has ended."""

    task: str
    title: str
    status: str
    path: str
    over: bool
    state: WorktreeState


class PrunedRow(msgspec.Struct, frozen=True, kw_only=True):
    """The result of pruning a closed task's worktree. `stays`: why it was kept, or "". `gone`: ignored files that were
    deleted.
    """

    task: str
    path: str
    stays: str = ""
    gone: tuple[str, ...] = ()


class Dropped(msgspec.Struct, frozen=True):
    """The result of removing a worktree. `stays`: why it was kept, or "". `gone`: ignored files that were deleted."""

    stays: str = ""
    gone: tuple[str, ...] = ()


class Copied(msgspec.Struct, frozen=True):
    """Files copied into a worktree, and those refused, with reasons."""

    files: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


class ClaimedWorktree(Outcome, frozen=True, kw_only=True):
    """A claim with its worktree and branch."""

    worktree: str
    branch: str


class LineCommit(msgspec.Struct, frozen=True):
    """A commit of the target: its subject, the tasks in its trailers, and its author."""

    sha: Sha
    subject: str
    tasks: tuple[str, ...] = ()
    author: str = ""
    parents: tuple[Sha, ...] = ()

    @property
    def words(self) -> str:
        """The commit in one line."""
        by = f" ({visible(self.author)[:SHOWN_AUTHOR]})" if self.author else ""
        return f"{self.sha[:7]} {visible(self.subject)[:SHOWN_SUBJECT]}{by}"


class Unwritable(msgspec.Struct, frozen=True):
    """A place that the caller cannot write. `why` is the system's message."""

    what: str
    path: str
    why: str
