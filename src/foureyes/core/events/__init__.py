"""Events of the journal. Every change of state is one of these. (J1)

The journal row has the task and the session, and the payload the rest, without floats. Fields are only ever added, with
a default, because old payloads must always decode. A module is imported when one of its events is first used, because a
command needs few.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from foureyes.core.events.event import Event as Event

if TYPE_CHECKING:
    from foureyes.core.events.cycle import *  # noqa: F403
    from foureyes.core.events.decision import *  # noqa: F403
    from foureyes.core.events.gate import *  # noqa: F403
    from foureyes.core.events.identity import *  # noqa: F403
    from foureyes.core.events.loop import *  # noqa: F403
    from foureyes.core.events.note import *  # noqa: F403
    from foureyes.core.events.project import *  # noqa: F403
    from foureyes.core.events.run import *  # noqa: F403
    from foureyes.core.events.sprint import *  # noqa: F403
    from foureyes.core.events.task import *  # noqa: F403

    KINDS: dict[str, type[Event]]

MODULES: dict[str, tuple[str, ...]] = {
    "cycle": (
        "ClarificationAnswered", "ClarificationAsked", "CycleDecided", "CycleEnded", "CycleOpened", "EarlyReviewTaken",
        "ReviewAsked", "ReviewNotGiven",
    ),
    "decision": (
        "ApprovalEnded", "ApprovalFinished", "ApprovalRecorded", "ApprovalWithdrawn", "Approved", "AttemptSubmitted",
        "RedoRequested", "StackFound", "TaskMerged", "TaskRejected", "UnapprovedMergeSeen",
    ),
    "gate": (
        "ApprovalVoided", "AttemptSentBack", "CheckFinished", "CheckpointNoted", "MergeFailed", "MergeLeased",
        "MergeLeft", "MergeRetried", "MergeSent", "MergesPlaced", "PlanAccepted", "RemoteAddressed", "TargetSetBack",
        "TestsListed",
    ),
    "identity": (
        "AttributionCleared", "DecisionSigned", "KeyAdded", "KeyRetired", "SessionEnded", "SessionEvidenceAdded",
        "SessionStarted", "TokenIssued",
    ),
    "loop": (
        "FindingRuled", "FindingTracked", "FindingWaived", "FindingWithdrawn", "FindingsAnswered", "FindingsCleared",
        "FindingsPlaced", "FindingsRaised", "LeadDecided", "ReviewReturned", "ReviewSubmitted", "RulingTakenBack",
        "TaskEscalated",
    ),
    "note": ("HandedOff", "Logged"),
    "project": (
        "PolicyAccepted", "ProjectCreated", "ProjectHeld", "ProjectResumed", "SecurityRecorded", "SettingChanged",
        "StorePlaced", "TemplateAccepted",
    ),
    "run": (
        "ChecksLeft", "ChecksTaken", "Emitted",
        "ProfileCooled", "ProfileWarmed", "RunBound", "RunEnded", "RunReserved", "RunStopAsked", "RunStuck",
        "RunTaken", "RunnerEnded", "RunnerStarted", "RunsPaused", "RunsResumed", "Signalled",
    ),
    "sprint": (
        "SprintEnded", "SprintPaused", "SprintPlanned", "SprintResumed", "SprintStarted", "SprintUndone",
    ),
    "task": (
        "DependencyAdded", "DependencyRemoved", "LabelAdded", "LabelRemoved", "MinorSet", "ParentChanged",
        "ReservationEnded", "TaskBlocked", "TaskCancelled", "TaskClosed", "TaskCreated", "TaskDeferred", "TaskDeleted",
        "TaskEdited", "TaskHeld", "TaskReleased", "TaskReopened", "TaskReserved", "TaskResumed", "TaskStarted",
        "TaskUnblocked", "TaskUndeferred", "TaskUnstarted",
    ),
}  # fmt: skip
"""The events of each module of this package."""

WHERE = {kind: module for module, kinds in MODULES.items() for kind in kinds}


@cache
def kind_of(name: str) -> type[Event]:
    """Return the event class for a kind of journal row. Raise KeyError for a kind unknown to this version."""
    kind: type[Event] = getattr(_module(WHERE[name]), name)
    return kind


def _module(name: str) -> object:
    """Import a module of this package. The imports are written out so that tools can see them."""
    match name:
        case "cycle":
            from foureyes.core.events import cycle

            return cycle
        case "decision":
            from foureyes.core.events import decision

            return decision
        case "gate":
            from foureyes.core.events import gate

            return gate
        case "identity":
            from foureyes.core.events import identity

            return identity
        case "loop":
            from foureyes.core.events import loop

            return loop
        case "note":
            from foureyes.core.events import note

            return note
        case "project":
            from foureyes.core.events import project

            return project
        case "run":
            from foureyes.core.events import run

            return run
        case "sprint":
            from foureyes.core.events import sprint

            return sprint
        case "task":
            from foureyes.core.events import task

            return task
    raise KeyError(name)


@cache
def _kinds() -> dict[str, type[Event]]:
    return {name: kind_of(name) for name in WHERE}


def __getattr__(name: str) -> Any:
    """Return an event class by name, or all of them as `KINDS`."""
    if name == "KINDS":
        return _kinds()
    if name not in WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return kind_of(name)
