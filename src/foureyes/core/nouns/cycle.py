"""Review cycles: reviewers are asked about targets, and a rule ends it (V1, V4, V8)."""

from __future__ import annotations

from typing import Literal, NewType

import msgspec

from foureyes.core.words.ids import DiffId, SessionId, Sha, TaskId

CycleId = NewType("CycleId", str)
"""`c-1`, `c-2` …; numbered in the transaction that opens it."""

Trigger = Literal["MILESTONE", "BLOCKER", "REQUEST_REVIEW", "USER_MANUAL", "TIMEOUT_FALLBACK", "CLARIFIED"]
TRIGGERS: tuple[Trigger, ...] = (
    "MILESTONE", "BLOCKER", "REQUEST_REVIEW", "USER_MANUAL", "TIMEOUT_FALLBACK", "CLARIFIED",
)  # fmt: skip
"""V1: why a cycle was opened; CLARIFIED is one that runs again after R2."""

CycleRule = Literal["R0", "R1", "R2", "R3", "R4"]
CYCLE_RULES: tuple[CycleRule, ...] = ("R0", "R1", "R2", "R3", "R4")

ReviewerKind = Literal["profile", "session", "person"]
"""Who is asked: an agent profile, which a runner starts; a session that is at work anyway; a person."""
REVIEWER_KINDS: tuple[ReviewerKind, ...] = ("profile", "session", "person")

ANY_PERSON = "a person"
"""Who is asked where nobody is left: whoever comes first."""

NotGivenWhy = Literal["timeout", "invalid", "quota", "auth", "missing", "crash", "refused", "superseded"]
NOT_GIVEN: tuple[NotGivenWhy, ...] = (
    "timeout", "invalid", "quota", "auth", "missing", "crash", "refused", "superseded",
)  # fmt: skip
"""V3, V4: why somebody who was asked gave no review. Never a pass (G1)."""

CycleState = Literal["open", "clarifying", "decided", "ended"]
"""Reviewers are asked; R2 waits for answers; a rule ended it; its targets moved on, or a person ended it."""
LIVE: tuple[CycleState, ...] = ("open", "clarifying")

AskState = Literal["asked", "answered", "not_given"]

CLARIFICATIONS_MOST = 3
"""R2: so many cycles in a row ask the agents to clarify; after that a person is asked."""


class CycleTarget(msgspec.Struct, frozen=True, kw_only=True):
    """What a cycle is about: an attempt of a task, or a look at its worktree; exactly one of both is not 0."""

    task: TaskId
    attempt: int = 0
    look: int = 0
    diff_id: DiffId = DiffId("")
    summary: str = ""


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """R2: one concern that the agents are asked to clarify. `review` is the journal row of the review it stands in,
    `finding` what it raised, if anything.
    """

    id: str
    task: TaskId
    reviewer: str
    review: int
    text: str
    finding: str = ""


class Cycle(msgspec.Struct, frozen=True, kw_only=True):
    """A cycle as the store has it. `seats`: how many reviewers each target waits for; `quorum`: how many counting
    reviews each needs (V8). `rule` is set once it is decided, `why` once it ended otherwise.
    """

    id: CycleId
    trigger: Trigger
    state: CycleState
    quorum: int
    seats: int
    wide: bool = False
    task: str = ""
    """The only target's; empty where there are several."""
    reason: str = ""
    follows: str = ""
    """The cycle that was clarified before this one."""
    rule: str = ""
    reasons: list[str] = []
    asked: int = 0
    answered: int = 0
    counting: int = 0
    why: str = ""
    session: SessionId
    """Who opened it."""
    at: str
    ended_at: str = ""
    clarify_until: str = ""
    clarifiers: list[str] = []
    """R2: the sessions and profiles that were asked to clarify."""
    seq: int = 0

    @property
    def is_live(self) -> bool:
        return self.state in LIVE


class TargetRow(CycleTarget, frozen=True, kw_only=True):
    """A target with its cycle; `over`: why it is none any more."""

    cycle: CycleId
    over: str = ""


class InCycle(msgspec.Struct, frozen=True, kw_only=True):
    """The cycle that the latest attempt of a task, or a look at it, is in, or came out of. `paused`: the one whose R2
    pauses the task; where the attempt is in no cycle, that one alone is told, as `ended`.
    """

    task: str
    cycle: CycleId
    state: CycleState
    attempt: int = 0
    look: int = 0
    rule: str = ""
    paused: str = ""

    @property
    def is_live(self) -> bool:
        return self.state in LIVE

    @property
    def stands(self) -> bool:
        return self.state != "ended"


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who was asked for a review of one target, as the store has it. `review` is the row of the answer,
    `session` who gave it.
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


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """V1: the tree of a worktree in the middle of work, frozen under `refs/foureyes/looks/<task>/<n>`. It approves
    nothing.
    """

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
    """R2: a point of a cycle, and its answer once there is one."""

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
    """The id of the n-th cycle."""
    return CycleId(f"c-{n}")


def look_ref(task: str, n: int) -> str:
    """V1: where a look lies."""
    return f"refs/foureyes/looks/{task}/{n}"
