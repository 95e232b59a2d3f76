"""Checkpoints and worktrees."""

from __future__ import annotations

import msgspec

from foureyes.app.views.task_list import Outcome
from foureyes.core.words.ids import Sha
from foureyes.core.words.text import visible

SHOWN_SUBJECT, SHOWN_AUTHOR = 60, 40


class CheckpointView(msgspec.Struct, frozen=True):
    """A checkpoint (K2): a commit under a name. `task` is empty for one that belongs to no task."""

    task: str
    name: str
    sha: Sha
    at: str
    subject: str


class WorktreeView(msgspec.Struct, frozen=True, kw_only=True):
    """Where to work on a task; `notes` about what it could not be given."""

    task: str
    path: str
    branch: str
    notes: tuple[str, ...] = ()


class WorktreeState(msgspec.Struct, frozen=True, kw_only=True):
    """A task's worktree: its branch, its size in bytes (`more`: at least that), and what is wrong with it, if anything."""

    branch: str = ""
    bytes: int = 0
    more: bool = False
    wrong: str = ""


class WorktreeRow(msgspec.Struct, frozen=True, kw_only=True):
    """A worktree of the project: whose task it is, how that stands, whether it is `over`, and how the worktree does."""

    task: str
    title: str
    status: str
    path: str
    over: bool
    state: WorktreeState


class PrunedRow(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the worktree of a closed task: why it stays, else empty; what git ignores that went along."""

    task: str
    path: str
    stays: str = ""
    gone: tuple[str, ...] = ()


class Dropped(msgspec.Struct, frozen=True):
    """What became of a worktree that was to go: why it stays, else empty; and what git ignores that went with it."""

    stays: str = ""
    gone: tuple[str, ...] = ()


class Copied(msgspec.Struct, frozen=True):
    """What a worktree got of the main checkout's files, and what not, each with why."""

    files: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


class ClaimedWorktree(Outcome, frozen=True, kw_only=True):
    """A claim with a checkout of its own: where it is, and the branch that is checked out there."""

    worktree: str
    branch: str


class LineCommit(msgspec.Struct, frozen=True):
    """A commit of the target branch, its first line, the tasks that it says it is of, and who it says made it."""

    sha: Sha
    subject: str
    tasks: tuple[str, ...] = ()
    author: str = ""
    parents: tuple[Sha, ...] = ()

    @property
    def words(self) -> str:
        """What it says of itself, in one line."""
        by = f" ({visible(self.author)[:SHOWN_AUTHOR]})" if self.author else ""
        return f"{self.sha[:7]} {visible(self.subject)[:SHOWN_SUBJECT]}{by}"


class Unwritable(msgspec.Struct, frozen=True):
    """A place that work has to write and this caller cannot: what it is, where, and why in the system's words."""

    what: str
    path: str
    why: str
