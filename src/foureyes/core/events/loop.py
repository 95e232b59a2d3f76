"""The vocabulary of the journal about the findings loop: reviews, findings, answers, rulings, escalation."""

from __future__ import annotations

from typing import Literal

import msgspec

from foureyes.core.events.event import Event
from foureyes.core.nouns.finding import Answer, FindingKind, Raised, ReviewStatus, RulingWord
from foureyes.core.words.ids import DiffId, SessionId, Sha, TaskId
from foureyes.core.words.vocabulary import Verdict

Tier = Literal["developer", "senior", "lead", "user"]
LeadOption = Literal["split", "senior", "fresh", "ask", "continue"]


class ReviewSubmitted(Event, frozen=True, kw_only=True):
    """V3: one reviewer's result about one diff. Stated and effective verdict are both kept (V5).

    `missing` are the changed files it does not say it read; with none it is whole (V6). `cycle`: the one that it is an
    answer in, `reviewer`: whom that had asked. `look`: it is about a look and no attempt (V1). `untold`: changed files
    that it says it read and that its program's stream, which need not tell every one, does not tell of.
    """

    attempt: int
    diff_id: DiffId
    verdict: Verdict
    effective: Verdict
    status: ReviewStatus
    summary: str
    files: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    raised: int = 0
    blocking: int = 0
    actionable: bool = False
    cycle: str = ""
    reviewer: str = ""
    look: int = 0
    untold: tuple[str, ...] = ()


class ReviewReturned(Event, frozen=True, kw_only=True):
    """V3, V7: a review went back to its reviewer; the second time it is taken as it is, or counts as none. `attempt` 0:
    it was about a look.
    """

    attempt: int
    why: Literal["document", "quote"]


class FindingsRaised(Event, frozen=True, kw_only=True):
    """L2: findings are recorded, for the first time or again. `by_check` names the check that found them."""

    iteration: int
    kind: FindingKind
    source: str
    findings: tuple[Raised, ...]
    by_check: str = ""


class FindingsAnswered(Event, frozen=True, kw_only=True):
    """L6: the implementer's answers, one per finding. `automatic`: what was left unanswered counts as skipped."""

    iteration: int
    implementer: SessionId
    answers: tuple[Answer, ...]
    automatic: bool = False


class FindingRuled(Event, frozen=True, kw_only=True):
    """L8, L9: somebody who could approve says what an answer is worth."""

    root: str
    iteration: int
    ruling: RulingWord
    reason: str = ""


class RulingTakenBack(Event, frozen=True, kw_only=True):
    """L18: who gave a ruling took it back before the next submission."""

    root: str
    ruling: int


class FindingsCleared(Event, frozen=True, kw_only=True):
    """L8: the check that raised findings no longer finds them; or their file left the diff (non-blocking ones, L4); or
    they came along from another task, are settled there, and their code is not here any more (`root`, A6).
    """

    iteration: int
    roots: tuple[str, ...]
    why: Literal["check", "left", "root"]


class FindingWaived(Event, frozen=True, kw_only=True):
    """E3: a person lets a blocking finding pass until a day."""

    root: str
    iteration: int
    reason: str
    until: str


class FindingWithdrawn(Event, frozen=True, kw_only=True):
    """L4: who raised a finding takes it back, or a person who did not make the change does."""

    root: str
    iteration: int
    reason: str


class Placed(msgspec.Struct, frozen=True):
    """Where a finding is in a later attempt; `left`: its file is no longer part of the change."""

    root: str
    path: str
    line: int
    left: bool = False


class FindingsPlaced(Event, frozen=True, kw_only=True):
    """A new attempt: findings are where their code is now."""

    iteration: int
    places: tuple[Placed, ...]


class FindingTracked(Event, frozen=True, kw_only=True):
    """L16: an open note became a task of its own."""

    root: str
    follow_up: TaskId


class TaskEscalated(Event, frozen=True, kw_only=True):
    """E1: the loop goes to the next tier. `asked`: L14, it waits for the lead where it is."""

    iteration: int
    tier: Tier
    waiting_for: Literal["", "lead", "user"]
    why: str
    asked: bool = False


class LeadDecided(Event, frozen=True, kw_only=True):
    """E3: what the lead, or a person, does with a loop that is stuck. `feedback` is what the next attempt is told of
    it.

    `reset_to` is where the branch begins again.
    """

    iteration: int
    option: LeadOption
    tier: Tier
    waiting_for: Literal["", "lead", "user"]
    reason: str
    into: tuple[TaskId, ...] = ()
    feedback: str = ""
    reset_to: Sha | None = None
