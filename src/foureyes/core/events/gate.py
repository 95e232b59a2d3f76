"""The vocabulary of the journal about the gate: checks, modes, what is sent back, the merge queue, checkpoints."""

from __future__ import annotations

from typing import Literal

from foureyes.core.events.event import Event
from foureyes.core.nouns.attempt import Mark
from foureyes.core.nouns.check import CheckedTree, CheckOutcome, ToolFinding
from foureyes.core.words.ids import SessionId, Sha, TaskId


class CheckFinished(Event, frozen=True, kw_only=True):
    """A check ran on a tree (D5). The session of the row ran it; the row's task, if any, is what it was run for. `on`:
    what the tree is to that task; empty in rows of older versions. `failed`: how many failed, of which `failing` names
    the first ones; `found`: those with their words and places.
    """

    tree: Sha
    name: str
    digest: str
    command: str
    outcome: CheckOutcome
    summary: str
    exit_code: int | None = None
    duration_ms: int = 0
    failing: tuple[str, ...] = ()
    tests: str = ""
    program: str = ""
    output: str = ""
    found: tuple[ToolFinding, ...] = ()
    on: CheckedTree = ""
    failed: int = 0


class TestsListed(Event, frozen=True, kw_only=True):
    """The names of all tests of a report, or all that a tool found, packed, under the digest that results name; each
    list once.
    """

    digest: str
    packed: str
    count: int


class PlanAccepted(Event, frozen=True, kw_only=True):
    """M7: a person makes the planned mode of a task their own, with the key that they signed it with (M6)."""

    mode: str
    signed_by: str = ""


class AttemptSentBack(Event, frozen=True, kw_only=True):
    """T `send_back`: blocking findings are open or required checks are red, and no person is asked for; that is the
    feedback.
    """

    iteration: int
    feedback: str
    failing: tuple[str, ...] = ()
    source: Literal["checks", "findings"] = "checks"


class ApprovalVoided(Event, frozen=True, kw_only=True):
    """T `void`: D or P no longer hold for an approval that waited to be merged; every reason is kept.

    `marks`: those of attempt `attempt` from now on, where the merge itself showed that more is asked for (Q2).
    """

    approval: int
    reasons: tuple[str, ...]
    attempt: int = 0
    marks: tuple[Mark, ...] = ()


class MergeLeased(Event, frozen=True, kw_only=True):
    """Q1: the merge of a task began. `process` and `until` say when somebody else may take it over (Q4); `beacon` is
    the lock that it holds as long as it is connected (J4); a runner's merge has its runner's.
    """

    attempt: int
    approval: int
    until: str
    process: str
    host: str = ""
    via: SessionId | None = None
    beacon: str = ""


class MergeSent(Event, frozen=True, kw_only=True):
    """Q6: the merge `made` is being pushed to the remote, from where its target is at `onto`. Until it is known whether
    it arrived, nothing takes the approval back. `until`: how long its lease holds at least.
    """

    attempt: int
    made: Sha
    onto: Sha
    remote: str
    until: str = ""


class MergeLeft(Event, frozen=True, kw_only=True):
    """The merge ended without a merge; the approval stands. A stuck one is tried again by the next `fe merge`. `unknown`: whether
    it was pushed could not be found out (Q6).
    """

    attempt: int
    why: str
    stuck: bool = False
    unknown: bool = False


class MergeRetried(Event, frozen=True, kw_only=True):
    """Somebody wants a stuck merge tried again."""

    attempt: int


class MergesPlaced(Event, frozen=True, kw_only=True):
    """Q6: a person said that merges are made in this clone from now on, where no remote carries the target."""

    clone: str


class RemoteAddressed(Event, frozen=True, kw_only=True):
    """Q6: where the remote of this clone is from now on: by the first push from there, or because a person said so.
    `digest` is of the addresses as git has them, `shown` is without credentials.
    """

    clone: str
    remote: str
    digest: str
    shown: str


class TargetSetBack(Event, frozen=True, kw_only=True):
    """Q6: a person said that the target lacks merges on purpose: they go on from `tip`. `newest` is what it has to have
    from now on, which was the last of them that it has, or nothing, in rows of older versions; `lost` are the tasks
    whose merges it lacks.
    """

    tip: Sha
    newest: str = ""
    lost: tuple[TaskId, ...] = ()


class MergeFailed(Event, frozen=True, kw_only=True):
    """T `merge_failed`: a conflict or red checks on the merge result; the task is open with automatic feedback (Q3)."""

    iteration: int
    kind: Literal["conflict", "checks"]
    feedback: str
    paths: tuple[str, ...] = ()


class CheckpointNoted(Event, frozen=True, kw_only=True):
    """K2: a checkpoint was made, gone back to, or forgotten."""

    did: Literal["create", "restore", "prune"]
    name: str
    sha: Sha
