"""Rows of the store that a runner looks at."""

from __future__ import annotations

import msgspec

from foureyes.core.nouns.cycle import CycleId, ReviewerKind
from foureyes.core.nouns.run import EmitType, ErrorKind, Purpose, RunEnding, RunId, conversation_of
from foureyes.core.runner.snapshot import PastRun
from foureyes.core.words.lifecycle import TaskStatus


class RunTask(msgspec.Struct, frozen=True, kw_only=True):
    """The task of a live run."""

    id: str
    status: str
    hold: str | None = None
    implementer: str | None = None
    waiting_for: str = ""
    iteration: int = 0
    title: str = ""


class ReadyRow(msgspec.Struct, frozen=True, kw_only=True):
    """A task that a run may begin on."""

    id: str
    status: TaskStatus
    priority: int
    n: int
    iteration: int = 0
    waiting_for: str = ""


class PastRow(msgspec.Struct, frozen=True, kw_only=True):
    """A run that is over, and came to nothing."""

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
        """As the plan of a runner on that host asks about it."""
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
    """Somebody who was asked for a review and has not answered (V4)."""

    cycle: CycleId
    task: str
    reviewer: str
    kind: ReviewerKind
    until: str = ""
    look: int = 0


class ClarifyRow(msgspec.Struct, frozen=True, kw_only=True):
    """A target of a cycle that waits to be clarified (R2), and the sessions that were asked."""

    cycle: CycleId
    task: str
    clarifiers: list[str] = []


class ReviewRun(PastRow, frozen=True, kw_only=True):
    """A run that is over, for somebody who was asked."""

    cycle: str


class Awaited(msgspec.Struct, frozen=True):
    """Whose answer a cycle waits for."""

    cycle: str
    task: str
    reviewer: str


class CalledRow(msgspec.Struct, frozen=True):
    """What an agent said that calls for other eyes (V1)."""

    id: str
    type: EmitType
    text: str
    seq: int


class HeardRow(msgspec.Struct, frozen=True, kw_only=True):
    """A live run, by whichever runner (V1): when it began, when its runner last heard of it, when it last wrote; and
    when silence last had its task looked at, or all agreed to it.
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
    """A lease of a runner, and its fence (J4)."""

    id: RunId
    fence: int


class HandedIn(msgspec.Struct, frozen=True):
    """When the latest attempt of a task was submitted."""

    id: str
    at: str


class Cost(msgspec.Struct, frozen=True):
    """What the runs of a task have cost, in millionths."""

    task: str
    n: int


class TaskPlace(msgspec.Struct, frozen=True):
    """A task and its place in the order of tasks."""

    id: str
    priority: int
    n: int


class Touched(msgspec.Struct, frozen=True):
    """A task that the journal speaks of."""

    id: str
    status: str


class Troubled(msgspec.Struct, frozen=True, kw_only=True):
    """Something that waits for a person."""

    id: str
    text: str
    title: str = ""
    seq: int = 0
    """Since when, where the same can come again."""
