"""The vocabulary of the journal: every change is one of these (J1).

The journal row has the task and the session; the payload is the rest. Payloads hold no floats. Fields are only ever
added, with a default: an old payload must decode for ever.
"""

from __future__ import annotations

import msgspec

from foureyes.core.attempt import Author, ChangedFile, Commit, Mark, Relation, Signal
from foureyes.core.feedback import PriorityChange, RedoOption
from foureyes.core.gate_events import (
    ApprovalVoided,
    AttemptSentBack,
    CheckFinished,
    CheckpointNoted,
    MergeFailed,
    MergeLeased,
    MergeLeft,
    MergeRetried,
    PlanAccepted,
    TestsListed,
)
from foureyes.core.identity_events import (
    AttributionCleared,
    DecisionSigned,
    Event,
    KeyAdded,
    KeyRetired,
    SessionEnded,
    SessionEvidenceAdded,
    SessionStarted,
    TokenIssued,
)
from foureyes.core.ids import DiffId, SessionId, Sha, TaskId
from foureyes.core.lifecycle import Status
from foureyes.core.task import DEFAULT_PRIORITY, TaskType


class ProjectCreated(Event, frozen=True, kw_only=True):
    """The project exists: `fe init`."""

    name: str
    prefix: str
    target: str


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


class ParentChanged(Event, frozen=True, kw_only=True):
    """A task moved under another task, or out of one."""

    old: TaskId | None
    new: TaskId | None


class MinorSet(Event, frozen=True, kw_only=True):
    """The minor mark changed after creation (P10 asks by whom)."""

    minor: bool


class LabelAdded(Event, frozen=True, kw_only=True):
    """A label was put on."""

    label: str


class LabelRemoved(Event, frozen=True, kw_only=True):
    """A label was taken off."""

    label: str


class DependencyAdded(Event, frozen=True, kw_only=True):
    """The task now waits for another."""

    depends_on: TaskId


class DependencyRemoved(Event, frozen=True, kw_only=True):
    """The task no longer waits for another; shown in review (T3)."""

    depends_on: TaskId


class TaskStarted(Event, frozen=True, kw_only=True):
    """The claim (T1), of the row's session or, made for it, of `implementer`. `target_head` is where the target stood (K4)."""

    target_head: Sha | None = None
    implementer: SessionId | None = None


class TaskUnstarted(Event, frozen=True, kw_only=True):
    """The implementer gave the claim back."""

    reason: str = ""


class TaskReleased(Event, frozen=True, kw_only=True):
    """Somebody else freed the claim; no implementation action of the doer."""

    implementer: SessionId
    reason: str = ""


class AttemptSubmitted(Event, frozen=True, kw_only=True):
    """A frozen hand-in (A1). `implementer` is whom it counts for; the session of the row did it."""

    n: int
    implementer: SessionId
    base: Sha
    head: Sha
    tree: Sha
    ref: str
    diff_id: DiffId
    landed: bool = False
    no_code: bool = False
    files: tuple[ChangedFile, ...] = ()
    commits: tuple[Commit, ...] = ()
    added: int = 0
    removed: int = 0
    authors: tuple[Author, ...] = ()
    message: str = ""
    duration_seconds: int = 0
    relation: Relation | None = None
    signal: Signal = "DONE"
    base_tree: str = ""
    marks: tuple[Mark, ...] = ()


class Approved(Event, frozen=True, kw_only=True):
    """A different pair of eyes agreed to exactly this diff (D7)."""

    attempt: int
    diff_id: DiffId
    rule: str
    status: Status
    exception: str = ""
    reason: str = ""
    seen: str = ""
    grade: str = ""
    batch: str = ""
    gone: tuple[str, ...] = ()


class ApprovalRecorded(Event, frozen=True, kw_only=True):
    """P11: an approval that somebody has yet to finish; the task stays in review."""

    attempt: int
    diff_id: DiffId
    rule: str
    exception: str = ""
    reason: str = ""
    seen: str = ""
    grade: str = ""


class ApprovalFinished(Event, frozen=True, kw_only=True):
    """P11: a recorded approval of the current diff took effect."""

    approval: int
    status: Status
    reason: str = ""


class ApprovalWithdrawn(Event, frozen=True, kw_only=True):
    """Who approved took it back."""

    approval: int
    reason: str = ""


class ApprovalEnded(Event, frozen=True, kw_only=True):
    """An approval stopped holding: the task's text was edited (T8)."""

    approval: int
    why: str


class RedoRequested(Event, frozen=True, kw_only=True):
    """Back to open with feedback (F1). `reset_to` is where the branch begins again, unless the work is kept."""

    iteration: int
    feedback: str
    quick_issues: tuple[str, ...] = ()
    option: RedoOption = "keep"
    reset_to: Sha | None = None
    priority: PriorityChange = "same"


class TaskRejected(Event, frozen=True, kw_only=True):
    """Blocked by a decision, with its reason."""

    iteration: int
    reason: str


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


class ProjectHeld(Event, frozen=True, kw_only=True):
    """A stop for the whole project."""

    reason: str


class ProjectResumed(Event, frozen=True, kw_only=True):
    """The project's hold was lifted."""

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


class TaskMerged(Event, frozen=True, kw_only=True):
    """The approved head is on the target branch: by the merge queue, or found there."""

    sha: Sha
    via: SessionId | None = None


class UnapprovedMergeSeen(Event, frozen=True, kw_only=True):
    """Work that was closed without an approval turned up on the target branch."""

    sha: Sha


class Logged(Event, frozen=True, kw_only=True):
    """A line in the task's log."""

    text: str
    type: str = "progress"


class HandedOff(Event, frozen=True, kw_only=True):
    """What a session leaves for the next."""

    done: tuple[str, ...] = ()
    remaining: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    uncertain: tuple[str, ...] = ()


class SecurityRecorded(Event, frozen=True, kw_only=True):
    """An exception, audited (P8): also a `security` line in the task's log and in the mirror file."""

    kind: str
    rule: str
    reason: str
    detail: str = ""


class PolicyAccepted(Event, frozen=True, kw_only=True):
    """A person made the foureyes.toml that is on the target branch the one in force (P12)."""

    digest: str
    text: str


class SettingChanged(Event, frozen=True, kw_only=True):
    """A journalled setting (P12): a person's change of policy; `new` None means unset."""

    name: str
    old: str | None
    new: str | None


# Who is who, and what the gate does, is told in files of their own, and is part of this vocabulary.
__all__ = [
    "ApprovalVoided",
    "AttemptSentBack",
    "AttributionCleared",
    "CheckFinished",
    "CheckpointNoted",
    "DecisionSigned",
    "Event",
    "KeyAdded",
    "KeyRetired",
    "MergeFailed",
    "MergeLeased",
    "MergeLeft",
    "MergeRetried",
    "PlanAccepted",
    "SessionEnded",
    "SessionEvidenceAdded",
    "SessionStarted",
    "TestsListed",
    "TokenIssued",
]

KINDS: dict[str, type[Event]] = {event.__name__: event for event in Event.__subclasses__()}
