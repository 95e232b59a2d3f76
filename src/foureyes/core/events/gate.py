"""Journal events about the gate: checks, modes, send-backs, the merge queue, checkpoints."""

from __future__ import annotations

from typing import Literal

from foureyes.core.events.event import Event
from foureyes.core.nouns.attempt import Mark
from foureyes.core.nouns.check import CheckedTree, CheckOutcome, ToolFinding
from foureyes.core.words.ids import SessionId, Sha, TaskId


class CheckFinished(Event, frozen=True, kw_only=True):
    """The row's session ran a check on a tree, for the row's task if there is one (D5). `on` is the tree's kind, empty
    in rows of older versions. `failed` counts the failures, `failing` names the first ones, and `found` has their
    messages and places.
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
    """The packed names of all tests of a report, or of all tool findings, under the digest used by results. Each list
    is stored once.
    """

    digest: str
    packed: str
    count: int


class PlanAccepted(Event, frozen=True, kw_only=True):
    """A person accepted the planned mode of a task (M7), with the signing key (M6)."""

    mode: str
    signed_by: str = ""


class AttemptSentBack(Event, frozen=True, kw_only=True):
    """The gate sent the attempt back without asking a person: blocking findings are open or required checks are red,
    which is the feedback. (T `send_back`)
    """

    iteration: int
    feedback: str
    failing: tuple[str, ...] = ()
    source: Literal["checks", "findings"] = "checks"


class ApprovalVoided(Event, frozen=True, kw_only=True):
    """The approval of a task waiting to be merged became void, because D or P no longer hold. Every reason is kept. (T
    `void`)

    `marks` replace the marks of attempt `attempt`, if the merge showed that a stricter review is needed (Q2).
    """

    approval: int
    reasons: tuple[str, ...]
    attempt: int = 0
    marks: tuple[Mark, ...] = ()


class MergeLeased(Event, frozen=True, kw_only=True):
    """The merge of a task began (Q1). `process` and `until` say when another process may take it over (Q4). `beacon`
    is the lock held while connected (J4). A runner's merge has the runner's.
    """

    attempt: int
    approval: int
    until: str
    process: str
    host: str = ""
    via: SessionId | None = None
    beacon: str = ""


class MergeSent(Event, frozen=True, kw_only=True):
    """The merge `made` is being pushed to the remote onto its target at `onto`. Until the result is known, nothing can
    end the approval. `until` is the least duration of its lease. (Q6)
    """

    attempt: int
    made: Sha
    onto: Sha
    remote: str
    until: str = ""


class MergeLeft(Event, frozen=True, kw_only=True):
    """The merge ended without a result, and the approval stays valid. The next `fe merge` retries a stuck one.
    `unknown`: it is not known if it was pushed (Q6).
    """

    attempt: int
    why: str
    stuck: bool = False
    unknown: bool = False


class MergeRetried(Event, frozen=True, kw_only=True):
    """A retry of a stuck merge was requested."""

    attempt: int


class MergesPlaced(Event, frozen=True, kw_only=True):
    """A person chose this clone for merges from now on, if no remote has the target. (Q6)"""

    clone: str


class RemoteAddressed(Event, frozen=True, kw_only=True):
    """The address of this clone's remote, from its first push or set by a person. `digest` covers the addresses as git
    has them, `shown` has no credentials. (Q6)
    """

    clone: str
    remote: str
    digest: str
    shown: str


class TargetSetBack(Event, frozen=True, kw_only=True):
    """A person declared that the target lacks merges on purpose and continues from `tip`. `newest` is the merge that
    it must contain from now on, possibly empty in rows of older versions. `lost` are the tasks with missing merges.
    (Q6)
    """

    tip: Sha
    newest: str = ""
    lost: tuple[TaskId, ...] = ()


class MergeFailed(Event, frozen=True, kw_only=True):
    """A merge failed by a conflict or red checks on its result. The task is open with automatic feedback (Q3). (T
    `merge_failed`)
    """

    iteration: int
    kind: Literal["conflict", "checks"]
    feedback: str
    paths: tuple[str, ...] = ()


class CheckpointNoted(Event, frozen=True, kw_only=True):
    """A checkpoint was created, restored or deleted. (K2)"""

    did: Literal["create", "restore", "prune"]
    name: str
    sha: Sha
