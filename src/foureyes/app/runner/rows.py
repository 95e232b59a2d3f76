"""Store rows that a runner reads."""

from __future__ import annotations

import msgspec

from foureyes.core.nouns.cycle import CycleId, ReviewerKind
from foureyes.core.nouns.run import EmitType, ErrorKind, Purpose, RunEnding, RunId, conversation_of
from foureyes.core.runner.snapshot import PastRun
from foureyes.core.words.lifecycle import TaskStatus


class RunTask(msgspec.Struct, frozen=True, kw_only=True):
    """Task of a live run."""

    id: str
    status: str
    hold: str | None = None
    implementer: str | None = None
    waiting_for: str = ""
    iteration: int = 0
    title: str = ""


class ReadyRow(msgspec.Struct, frozen=True, kw_only=True):
    """Task that a run may start on."""

    id: str
    status: TaskStatus
    priority: int
    n: int
    iteration: int = 0
    waiting_for: str = ""


class PastRow(msgspec.Struct, frozen=True, kw_only=True):
    """Ended run without a result."""

    task: str
    profile: str
    purpose: Purpose
    ending: RunEnding
    error: ErrorKind
    signal: str
    conversation: str
    resumes: str
    host: str = ""
    error_text: str = ""
    message: str = ""
    final: str = ""

    def past(self, host: str) -> PastRun:
        """Return the run as the planner on this host sees it."""
        return PastRun(
            profile=self.profile,
            ending=self.ending,
            purpose=self.purpose,
            error=self.error,
            signal=self.signal,
            conversation=conversation_of(self.conversation),
            resumed=bool(self.resumes),
            elsewhere=self.host != host,
            text=self.error_text,
        )


class AskedRow(msgspec.Struct, frozen=True, kw_only=True):
    """Requested reviewer that has not answered. (V4)"""

    cycle: CycleId
    task: str
    reviewer: str
    kind: ReviewerKind
    until: str = ""
    early_review: int = 0


class ClarifyRow(msgspec.Struct, frozen=True, kw_only=True):
    """Task of a cycle that waits for clarification, with the requested sessions. (R2)"""

    cycle: CycleId
    task: str
    clarifiers: list[str] = []


class ReviewRun(PastRow, frozen=True, kw_only=True):
    """Ended run of a requested reviewer or clarifying author."""

    cycle: str


class Awaited(msgspec.Struct, frozen=True):
    """Requested answer that a cycle still waits for."""

    cycle: str
    task: str
    reviewer: str


class CalledRow(msgspec.Struct, frozen=True):
    """Message of an agent that triggers a peer review. (V1)"""

    id: str
    type: EmitType
    text: str
    seq: int


class HeardRow(msgspec.Struct, frozen=True, kw_only=True):
    """A live run of any runner, with its start, when its runner last heard from it, and its last message. (V1)

    `fired` is when silence last opened a review of its task, and `agreed` the last agreement of all reviewers.
    """

    id: str
    task: str
    host: str
    purpose: Purpose
    started_at: str
    heard: str = ""
    said: str = ""
    fired: str = ""
    agreed: str = ""


class Held(msgspec.Struct, frozen=True):
    """Run leased by a runner, with its fence. (J4)"""

    id: RunId
    fence: int


class SubmissionTime(msgspec.Struct, frozen=True):
    """Time of a task's latest submission, or of a review."""

    id: str
    at: str


class Cost(msgspec.Struct, frozen=True):
    """Total cost of a task's runs, in millionths."""

    task: str
    n: int


class TaskPlace(msgspec.Struct, frozen=True):
    """Task and its position in the task order."""

    id: str
    priority: int
    n: int


class Touched(msgspec.Struct, frozen=True):
    """Task that the journal mentions."""

    id: str
    status: str


class Troubled(msgspec.Struct, frozen=True, kw_only=True):
    """Item that waits for a person."""

    id: str
    text: str
    title: str = ""
    seq: int = 0
    """Journal row of its start, for items that can recur."""
