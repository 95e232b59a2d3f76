"""Journal events about the gate: checks, modes, send-backs, the merge queue, checkpoints."""

from __future__ import annotations

from typing import Literal

from foureyes.core.events.event import Event
from foureyes.core.nouns.attempt import Mark
from foureyes.core.nouns.check import CheckedTree, CheckOutcome, ToolFinding
from foureyes.core.words.ids import SessionId, Sha, TaskId


class CheckFinished(Event, frozen=True, kw_only=True):
    """The row's session ran a check on a tree, for the row's task if it has one. (D5)

    `on` is the tree's kind, empty in rows of older versions. `failed` counts the failures, `failing` names the first
    ones, and `tool_findings` has their messages and places.
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
    tool_findings: tuple[ToolFinding, ...] = ()
    on: CheckedTree = ""
    failed: int = 0


class TestsListed(Event, frozen=True, kw_only=True):
    """A packed list of all test names in a report, or of all tool findings, stored once under its digest. Results refer
    to the digest.
    """

    digest: str
    packed: str
    count: int


class PlanAccepted(Event, frozen=True, kw_only=True):
    """A person accepted the planned mode of a task (M7), with the signing key (M6)."""

    mode: str
    signed_by: str = ""


class AttemptSentBack(Event, frozen=True, kw_only=True):
    """The gate sent the attempt back without asking a person, because blocking findings are open or required checks are
    red. Those are the feedback. (T `send_back`)
    """

    iteration: int
    feedback: str
    failing: tuple[str, ...] = ()
    source: Literal["checks", "findings"] = "checks"


class ApprovalVoided(Event, frozen=True, kw_only=True):
    """The approval of a task waiting to be merged became void, because D or P no longer hold. Every reason is kept. (T
    `void`)

    `marks` replace those of attempt `attempt`, if the merge showed that a stricter review is needed (Q2).
    """

    approval: int
    reasons: tuple[str, ...]
    attempt: int = 0
    marks: tuple[Mark, ...] = ()


class MergeLeased(Event, frozen=True, kw_only=True):
    """The merge of a task began. (Q1)

    `process` and `until` say when another process may take it over (Q4). `beacon` is the lock held while connected
    (J4). A runner's merge has the runner's.
    """

    attempt: int
    approval: int
    until: str
    process: str
    host: str = ""
    via: SessionId | None = None
    beacon: str = ""


class MergeSent(Event, frozen=True, kw_only=True):
    """A merge commit, `made`, is about to be pushed to the remote, whose target was at `onto`. (Q6)

    Until the result is known, nothing can end the approval. `until` is the earliest end of its lease.
    """

    attempt: int
    made: Sha
    onto: Sha
    remote: str
    until: str = ""


class MergeLeft(Event, frozen=True, kw_only=True):
    """The merge ended without a result, and the approval stays valid.

    The next `fe merge` retries a stuck one. `unknown`: it may have been pushed or not (Q6).
    """

    attempt: int
    why: str
    stuck: bool = False
    unknown: bool = False


class MergeRetried(Event, frozen=True, kw_only=True):
    """A retry of a stuck merge was requested."""

    attempt: int


class MergesPlaced(Event, frozen=True, kw_only=True):
    """A person chose this clone for merges from now on. It counts if no remote has the target. (Q6)"""

    clone: str


class RemoteAddressed(Event, frozen=True, kw_only=True):
    """The address of this clone's remote, recorded at its first push or set by a person. (Q6)

    `digest` covers the addresses as git has them. `shown` has no credentials.
    """

    clone: str
    remote: str
    digest: str
    shown: str


class TargetSetBack(Event, frozen=True, kw_only=True):
    """A person declared that the target lacks merges on purpose and continues from `tip`. (Q6)

    `newest` is the merge that it must contain from now on, possibly empty in rows of older versions. `lost` are the
    tasks whose merges are missing.
    """

    tip: Sha
    newest: str = ""
    lost: tuple[TaskId, ...] = ()


class MergeFailed(Event, frozen=True, kw_only=True):
    """A merge failed because of a conflict, or because checks were red on its result. The task is open again with
    automatic feedback (Q3). (T `merge_failed`)
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
