"""The vocabulary of the journal about a task itself: planned, edited, claimed, put aside, held, closed.

`signed_by` is the key that a person signed it with, where it loosens how the task is looked at (M6).
"""

from __future__ import annotations

import msgspec

from foureyes.core.events.event import Event
from foureyes.core.nouns.task import DEFAULT_PRIORITY, TaskType
from foureyes.core.words.ids import SessionId, Sha, TaskId
from foureyes.core.words.lifecycle import RunEnd


class TaskCreated(Event, frozen=True, kw_only=True):
    """A task was planned; the session of the row is its creator for ever."""

    title: str
    description: str = ""
    type: TaskType = "task"
    priority: int = DEFAULT_PRIORITY
    labels: tuple[str, ...] = ()
    parent: TaskId | None = None
    depends_on: tuple[TaskId, ...] = ()
    acceptance: str = ""
    minor: bool = False
    group: str = ""
    estimate_minutes: int | None = None
    key: str = ""
    planned: str = ""
    signed_by: str = ""


class TaskEdited(Event, frozen=True, kw_only=True):
    """Fields of a task were changed; only the given ones. Never its status (T2)."""

    title: str | None = None
    description: str | None = None
    acceptance: str | None = None
    type: TaskType | None = None
    priority: int | None = None
    group: str | None = None
    estimate_minutes: int | None = None
    old: dict[str, str] = msgspec.field(default_factory=dict)
    signed_by: str = ""


class ParentChanged(Event, frozen=True, kw_only=True):
    """A task moved under another task, or out of one."""

    old: TaskId | None
    new: TaskId | None


class MinorSet(Event, frozen=True, kw_only=True):
    """The minor mark changed after creation (P10 asks by whom)."""

    minor: bool
    signed_by: str = ""


class LabelAdded(Event, frozen=True, kw_only=True):
    """A label was put on."""

    label: str
    signed_by: str = ""


class LabelRemoved(Event, frozen=True, kw_only=True):
    """A label was taken off."""

    label: str
    signed_by: str = ""


class DependencyAdded(Event, frozen=True, kw_only=True):
    """The task now waits for another."""

    depends_on: TaskId


class DependencyRemoved(Event, frozen=True, kw_only=True):
    """The task no longer waits for another; shown in review (T3)."""

    depends_on: TaskId


class TaskReserved(Event, frozen=True, kw_only=True):
    """K1: the row's session is about to start the task, by this process; its worktree is made first."""

    process: str = ""
    until: str = ""


class ReservationEnded(Event, frozen=True, kw_only=True):
    """K1: the worktree could not be made, and the task is free again."""

    reason: str = ""


class TaskStarted(Event, frozen=True, kw_only=True):
    """The claim (T1), of the row's session or, made for it, of `implementer`. `target_head` is where the target stood
    (K4).
    """

    target_head: Sha | None = None
    implementer: SessionId | None = None


class TaskUnstarted(Event, frozen=True, kw_only=True):
    """The implementer gave the claim back. `how` says how the run ended, if it did not end well (L17)."""

    reason: str = ""
    how: RunEnd = ""


class TaskReleased(Event, frozen=True, kw_only=True):
    """Somebody else freed the claim; no implementation action of the doer."""

    implementer: SessionId
    reason: str = ""
    how: RunEnd = ""


class TaskBlocked(Event, frozen=True, kw_only=True):
    """Blocked by circumstances."""

    reason: str


class TaskUnblocked(Event, frozen=True, kw_only=True):
    """Free again."""

    reason: str = ""


class TaskDeferred(Event, frozen=True, kw_only=True):
    """Not now."""

    until: str | None = None


class TaskUndeferred(Event, frozen=True, kw_only=True):
    """Now after all."""


class TaskHeld(Event, frozen=True, kw_only=True):
    """A stop that only a person lifts (D3)."""

    reason: str


class TaskResumed(Event, frozen=True, kw_only=True):
    """A hold was lifted by a person."""

    reason: str


class TaskClosed(Event, frozen=True, kw_only=True):
    """Closed without an approval, by rule C."""

    rule: str
    exception: str = ""
    reason: str = ""


class TaskCancelled(Event, frozen=True, kw_only=True):
    """Nobody began it and nobody will."""

    reason: str = ""


class TaskDeleted(Event, frozen=True, kw_only=True):
    """Cancelled and hidden from lists."""

    reason: str = ""


class TaskReopened(Event, frozen=True, kw_only=True):
    """Open again; approvals end, history stays."""

    reason: str = ""
