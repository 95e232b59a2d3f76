"""Review cycles as faces show them."""

from __future__ import annotations

import msgspec

from foureyes.core.nouns.cycle import AskState, CycleState, ReviewerKind, Trigger
from foureyes.core.words.verdicts import Verdict
from foureyes.steps import NO_STEP, Steps


class CycleTargetView(msgspec.Struct, frozen=True, kw_only=True):
    """What a cycle is about. `over`: why it is that no more. `diff_id`: what a review of it names (D7)."""

    task: str
    attempt: int = 0
    look: int = 0
    diff_id: str = ""
    summary: str = ""
    over: str = ""


class AskedView(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who was asked about a target. `late`: until then was too long ago."""

    task: str
    reviewer: str
    kind: ReviewerKind
    state: AskState
    until: str = ""
    why: str = ""
    text: str = ""
    late: bool = False


class GivenView(msgspec.Struct, frozen=True, kw_only=True):
    """A review in a cycle. `against`: why one that agrees does not count by who gave it (V3, V4)."""

    task: str
    by: str
    verdict: Verdict
    effective: Verdict
    summary: str
    review: int
    counts: bool = False
    against: str = ""
    at: str = ""


class PointView(msgspec.Struct, frozen=True, kw_only=True):
    """R2: a point to clarify, and the answer."""

    id: str
    task: str
    reviewer: str
    text: str
    finding: str = ""
    answer: str = ""
    by: str = ""


class CycleView(msgspec.Struct, frozen=True, kw_only=True):
    """A review cycle. `waits_for`: whom; `next`: what moves it."""

    id: str
    trigger: Trigger
    state: CycleState
    rule: str = ""
    wide: bool = False
    reason: str = ""
    reasons: tuple[str, ...] = ()
    why: str = ""
    follows: str = ""
    quorum: int = 1
    seats: int = 1
    targets: tuple[CycleTargetView, ...] = ()
    asked: tuple[AskedView, ...] = ()
    reviews: tuple[GivenView, ...] = ()
    points: tuple[PointView, ...] = ()
    clarify_until: str = ""
    waits_for: tuple[str, ...] = ()
    at: str = ""
    ended_at: str = ""
    next: Steps = NO_STEP


class CycleOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a verb did to a cycle. `changed` is false where it was there already, or nothing was due."""

    cycle: str
    state: CycleState
    rule: str = ""
    changed: bool = True
    message: str = ""
    asked: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    next: Steps = NO_STEP


class IssueRow(msgspec.Struct, frozen=True, kw_only=True):
    """A concern, or a missing review, in work that goes on (R0, R3) or stands still (R1, R2)."""

    cycle: str
    task: str
    rule: str
    reviewer: str
    verdict: str
    text: str
    at: str = ""
    next: Steps = NO_STEP
