"""Checkpoints and worktrees."""

from __future__ import annotations

import msgspec

from foureyes.app.views.outcome import Outcome
from foureyes.core.words.ids import Sha


class CheckpointView(msgspec.Struct, frozen=True):
    """A checkpoint (K2): a commit under a name. `task` is empty for one that belongs to no task."""

    task: str
    name: str
    sha: Sha
    at: str
    subject: str


class WorktreeView(msgspec.Struct, frozen=True, kw_only=True):
    """Where to work on a task."""

    task: str
    path: str
    branch: str


class Dropped(msgspec.Struct, frozen=True):
    """What became of a worktree that was to go: why it stays, else empty; and what git ignores that went with it."""

    stays: str = ""
    gone: tuple[str, ...] = ()


class ClaimedWorktree(Outcome, frozen=True, kw_only=True):
    """A claim with a checkout of its own: where it is, and the branch that is checked out there."""

    worktree: str
    branch: str


class LineCommit(msgspec.Struct, frozen=True):
    """A commit of the target branch, and its first line."""

    sha: Sha
    subject: str


class Unwritable(msgspec.Struct, frozen=True):
    """A place that work has to write and this caller cannot: what it is, where, and why in the system's words."""

    what: str
    path: str
    why: str
