"""The vocabulary of the journal: every change is one of these (J1).

The journal row has the task and the session; the payload is the rest. Payloads hold no floats. Fields are only ever
added, with a default: an old payload must decode for ever.
"""

from __future__ import annotations

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
from foureyes.core.ids import DiffId, SessionId, Sha
from foureyes.core.lifecycle import Status
from foureyes.core.loop_events import (
    FindingRuled,
    FindingsAnswered,
    FindingsCleared,
    FindingsPlaced,
    FindingsRaised,
    FindingTracked,
    FindingWaived,
    LeadDecided,
    ReviewReturned,
    ReviewSubmitted,
    RulingTakenBack,
    TaskEscalated,
)
from foureyes.core.task_events import (
    DependencyAdded,
    DependencyRemoved,
    LabelAdded,
    LabelRemoved,
    MinorSet,
    ParentChanged,
    TaskBlocked,
    TaskCancelled,
    TaskClosed,
    TaskCreated,
    TaskDeferred,
    TaskDeleted,
    TaskEdited,
    TaskHeld,
    TaskReleased,
    TaskReopened,
    TaskResumed,
    TaskStarted,
    TaskUnblocked,
    TaskUndeferred,
    TaskUnstarted,
)


class ProjectCreated(Event, frozen=True, kw_only=True):
    """The project exists: `fe init`."""

    name: str
    prefix: str
    target: str


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
    pieces: tuple[str, ...] = ()


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


class ProjectHeld(Event, frozen=True, kw_only=True):
    """A stop for the whole project."""

    reason: str


class ProjectResumed(Event, frozen=True, kw_only=True):
    """The project's hold was lifted."""

    reason: str


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


class TemplateAccepted(Event, frozen=True, kw_only=True):
    """A person made a template of prompts that is on the target branch the one in force (F4, P12)."""

    name: str
    digest: str


class SettingChanged(Event, frozen=True, kw_only=True):
    """A journalled setting (P12): a person's change of policy; `new` None means unset."""

    name: str
    old: str | None
    new: str | None


# Tasks, who is who, what the gate does and the findings loop are told in files of their own, and are part of this
# vocabulary.
__all__ = [
    "ApprovalVoided",
    "AttemptSentBack",
    "AttributionCleared",
    "CheckFinished",
    "CheckpointNoted",
    "DecisionSigned",
    "DependencyAdded",
    "DependencyRemoved",
    "Event",
    "FindingRuled",
    "FindingTracked",
    "FindingWaived",
    "FindingsAnswered",
    "FindingsCleared",
    "FindingsPlaced",
    "FindingsRaised",
    "KeyAdded",
    "KeyRetired",
    "LabelAdded",
    "LabelRemoved",
    "LeadDecided",
    "MergeFailed",
    "MergeLeased",
    "MergeLeft",
    "MergeRetried",
    "MinorSet",
    "ParentChanged",
    "PlanAccepted",
    "ReviewReturned",
    "ReviewSubmitted",
    "RulingTakenBack",
    "SessionEnded",
    "SessionEvidenceAdded",
    "SessionStarted",
    "TaskBlocked",
    "TaskCancelled",
    "TaskClosed",
    "TaskCreated",
    "TaskDeferred",
    "TaskDeleted",
    "TaskEdited",
    "TaskEscalated",
    "TaskHeld",
    "TaskReleased",
    "TaskReopened",
    "TaskResumed",
    "TaskStarted",
    "TaskUnblocked",
    "TaskUndeferred",
    "TaskUnstarted",
    "TestsListed",
    "TokenIssued",
]

KINDS: dict[str, type[Event]] = {event.__name__: event for event in Event.__subclasses__()}
