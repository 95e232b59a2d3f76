"""Review cycles: reviewers are asked about targets, and a rule decides on their answers. (V1, V4, V8)"""

from __future__ import annotations

from typing import Literal, NewType

import msgspec

from foureyes.core.words.ids import DiffId, SessionId, Sha, TaskId

CycleId = NewType("CycleId", str)
"""`c-1`, `c-2` …, numbered in the transaction that opens the cycle."""

Trigger = Literal["MILESTONE", "BLOCKER", "REQUEST_REVIEW", "USER_MANUAL", "TIMEOUT_FALLBACK", "CLARIFIED"]
TRIGGERS: tuple[Trigger, ...] = (
    "MILESTONE", "BLOCKER", "REQUEST_REVIEW", "USER_MANUAL", "TIMEOUT_FALLBACK", "CLARIFIED",
)  # fmt: skip
"""Events that open a cycle. CLARIFIED repeats a cycle after R2. (V1)"""

CycleRule = Literal["R0", "R1", "R2", "R3", "R4"]
CYCLE_RULES: tuple[CycleRule, ...] = ("R0", "R1", "R2", "R3", "R4")

ReviewerKind = Literal["profile", "session", "person"]
"""An agent profile that a runner starts, a session already at work, or a person."""
REVIEWER_KINDS: tuple[ReviewerKind, ...] = ("profile", "session", "person")

ANY_PERSON = "a person"
"""Name of the reviewer if no candidate is left: any person."""

NotGivenWhy = Literal["timeout", "invalid", "quota", "auth", "missing", "crash", "refused", "superseded"]
NOT_GIVEN: tuple[NotGivenWhy, ...] = (
    "timeout", "invalid", "quota", "auth", "missing", "crash", "refused", "superseded",
)  # fmt: skip
"""Reasons for a missing review. It never counts as a pass (G1). (V3, V4)"""

CycleState = Literal["open", "clarifying", "decided", "ended"]
"""open: reviewers are asked. clarifying: waiting for answers (R2). decided: a rule decided it. ended: its targets moved
on, or a person ended it.
"""
LIVE: tuple[CycleState, ...] = ("open", "clarifying")

AskState = Literal["asked", "answered", "not_given"]

CLARIFICATIONS_MOST = 3
"""Number of consecutive cycles that ask the agents to clarify. After that a person is asked. (R2)"""


class CycleTarget(msgspec.Struct, frozen=True, kw_only=True):
    """A target of a cycle: either an attempt of a task (`attempt`) or an early review of its worktree (`early_review`). The
    other number is 0.
    """

    task: TaskId
    attempt: int = 0
    early_review: int = 0
    diff_id: DiffId = DiffId("")
    summary: str = ""


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """A concern that agents are asked to clarify. `review` is the journal row of its review, `finding` the finding that
    the review raised, if any. (R2)
    """

    id: str
    task: TaskId
    reviewer: str
    review: int
    text: str
    finding: str = ""


class Cycle(msgspec.Struct, frozen=True, kw_only=True):
    """A stored cycle.

    `seats` is the number of answers expected per target, and `quorum` the number of counting reviews each needs (V8).
    `rule` is set if a rule decided it, `why` if it ended otherwise.
    """

    id: CycleId
    trigger: Trigger
    state: CycleState
    quorum: int
    seats: int
    wide: bool = False
    task: str = ""
    """The task if there is only one target, otherwise ""."""
    reason: str = ""
    follows: str = ""
    """The cycle that this one repeats after clarification."""
    rule: str = ""
    reasons: list[str] = []
    requested: int = 0
    answered: int = 0
    counting: int = 0
    why: str = ""
    session: SessionId
    """The session that opened it."""
    at: str
    ended_at: str = ""
    clarify_until: str = ""
    clarifiers: list[str] = []
    """The sessions and profiles asked to clarify. (R2)"""
    seq: int = 0

    @property
    def is_live(self) -> bool:
        return self.state in LIVE


class TargetRow(CycleTarget, frozen=True, kw_only=True):
    """A target with its cycle. `over` says why it is no longer one."""

    cycle: CycleId
    over: str = ""


class InCycle(msgspec.Struct, frozen=True, kw_only=True):
    """The current or last cycle of a task's latest attempt, or of an early review.

    `paused` is the cycle whose R2 pauses the task. If the attempt itself has no cycle, only `paused` is given, as
    `ended`.
    """

    task: str
    cycle: CycleId
    state: CycleState
    attempt: int = 0
    early_review: int = 0
    rule: str = ""
    paused: str = ""

    @property
    def is_live(self) -> bool:
        return self.state in LIVE

    @property
    def is_current(self) -> bool:
        return self.state != "ended"


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A stored request for a review of one target. `review` is the journal row of the answer, and `session` its
    author.
    """

    cycle: CycleId
    task: TaskId
    reviewer: str
    kind: ReviewerKind
    state: AskState
    until: str = ""
    why: str = ""
    text: str = ""
    review: int = 0
    session: str = ""
    at: str = ""
    ended_at: str = ""


class EarlyReview(msgspec.Struct, frozen=True, kw_only=True):
    """An early review's frozen worktree tree, under `refs/foureyes/looks/<task>/<n>`. It cannot approve anything. (V1)"""

    task: TaskId
    n: int
    commit: Sha
    base: Sha
    diff_id: DiffId
    files: list[str] = []
    run: str = ""
    session: str = ""
    at: str = ""
    seq: int = 0


class Clarification(msgspec.Struct, frozen=True, kw_only=True):
    """A point of a cycle, with its answer if there is one. (R2)"""

    cycle: CycleId
    id: str
    task: TaskId
    reviewer: str
    review: int
    text: str
    finding: str = ""
    answer: str = ""
    session: str = ""
    answered_at: str = ""


def cycle_number(n: int) -> CycleId:
    """Return the id of the n-th cycle."""
    return CycleId(f"c-{n}")


def early_review_ref(task: str, n: int) -> str:
    """Return the git ref of an early review's tree. (V1)"""
    return f"refs/foureyes/looks/{task}/{n}"
