"""Journal events of a task itself: planned, edited, claimed, deferred, held, closed.

`signed_by` is the key of a person's signature, if the event loosens the task's review (M6).
"""

from __future__ import annotations

import msgspec

from foureyes.core.events.event import Event
from foureyes.core.nouns.task import DEFAULT_PRIORITY, TaskType
from foureyes.core.words.ids import SessionId, Sha, TaskId
from foureyes.core.words.lifecycle import RunEnd


class TaskCreated(Event, frozen=True, kw_only=True):
    """A task was planned. The row's session stays its creator."""

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
    """Fields of a task were edited. Only the changed ones are set. It never changes the status. (T2)"""

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
    """The minor mark was changed after the task's creation. P10 checks who did it."""

    minor: bool
    signed_by: str = ""


class LabelAdded(Event, frozen=True, kw_only=True):
    """A label was added."""

    label: str
    signed_by: str = ""


class LabelRemoved(Event, frozen=True, kw_only=True):
    """A label was removed."""

    label: str
    signed_by: str = ""


class DependencyAdded(Event, frozen=True, kw_only=True):
    """The task now waits for another."""

    depends_on: TaskId


class DependencyRemoved(Event, frozen=True, kw_only=True):
    """The task no longer waits for another. Reviewers see that. (T3)"""

    depends_on: TaskId


class TaskReserved(Event, frozen=True, kw_only=True):
    """The row's session is about to start the task from this process. Its worktree is created first. (K1)"""

    process: str = ""
    until: str = ""


class ReservationEnded(Event, frozen=True, kw_only=True):
    """The worktree could not be created, and the task is free again. (K1)"""

    reason: str = ""


class TaskStarted(Event, frozen=True, kw_only=True):
    """The task was claimed by the row's session, or for `implementer` if the session was created for that.
    `target_head` is the target's position (K4). (T1)
    """

    target_head: Sha | None = None
    implementer: SessionId | None = None


class TaskUnstarted(Event, frozen=True, kw_only=True):
    """The implementer released the claim. `how` says how the run ended if it ended badly (L17)."""

    reason: str = ""
    how: RunEnd = ""


class TaskReleased(Event, frozen=True, kw_only=True):
    """Another session released the claim. For that session it does not count as work on the task."""

    implementer: SessionId
    reason: str = ""
    how: RunEnd = ""


class TaskBlocked(Event, frozen=True, kw_only=True):
    """The task was blocked by something outside it."""

    reason: str


class TaskUnblocked(Event, frozen=True, kw_only=True):
    """The task was unblocked."""

    reason: str = ""


class TaskDeferred(Event, frozen=True, kw_only=True):
    """The task was deferred."""

    until: str | None = None


class TaskUndeferred(Event, frozen=True, kw_only=True):
    """The deferred task is ready again."""


class TaskHeld(Event, frozen=True, kw_only=True):
    """A hold was set. Only a person lifts it. (D3)"""

    reason: str


class TaskResumed(Event, frozen=True, kw_only=True):
    """A person lifted a hold."""

    reason: str


class TaskClosed(Event, frozen=True, kw_only=True):
    """The task was closed without an approval, by rule C."""

    rule: str
    exception: str = ""
    reason: str = ""


class TaskCancelled(Event, frozen=True, kw_only=True):
    """The task was cancelled before any work."""

    reason: str = ""


class TaskDeleted(Event, frozen=True, kw_only=True):
    """The task was cancelled and hidden from lists."""

    reason: str = ""


class TaskReopened(Event, frozen=True, kw_only=True):
    """The task is open again. Approvals end, and the history stays."""

    reason: str = ""
