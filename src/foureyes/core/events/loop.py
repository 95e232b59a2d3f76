"""Journal events about the findings loop: reviews, findings, answers, rulings, escalation."""

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
    """A reviewer's result for one diff. The stated and the effective verdict are both kept (V5). (V3)

    - missing: changed files not named as read. If there are none, the review is complete (V6).
    - cycle, reviewer: the cycle it answers, and the name under which the reviewer was asked
    - look: the number of an early review. It then covers no attempt (V1).
    - unconfirmed: files named as read that the program's stream does not report. The stream may omit some.
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
    early_review: int = 0
    unconfirmed: tuple[str, ...] = ()


class ReviewReturned(Event, frozen=True, kw_only=True):
    """A review was returned to its reviewer. The next one is accepted as it is, or counts as none. `attempt` is 0 for
    an early review. (V3, V7)
    """

    attempt: int
    why: Literal["document", "quote"]


class FindingsRaised(Event, frozen=True, kw_only=True):
    """Findings were recorded, for the first time or again. `by_check` is the check that found them. (L2)"""

    iteration: int
    kind: FindingKind
    source: str
    findings: tuple[Raised, ...]
    by_check: str = ""


class FindingsAnswered(Event, frozen=True, kw_only=True):
    """The implementer answered findings, once each. `automatic`: unanswered findings counted as skipped. (L6)"""

    iteration: int
    implementer: SessionId
    answers: tuple[Answer, ...]
    automatic: bool = False


class FindingRuled(Event, frozen=True, kw_only=True):
    """Someone who may approve ruled on an answer. (L8, L9)"""

    root: str
    iteration: int
    ruling: RulingWord
    reason: str = ""


class RulingTakenBack(Event, frozen=True, kw_only=True):
    """A ruling was withdrawn by its author before the next submission. (L18)"""

    root: str
    ruling: int


class FindingsCleared(Event, frozen=True, kw_only=True):
    """Findings were settled without a ruling.

    - check: the check no longer reports them (L8)
    - left: their file left the diff. Only for findings that do not block (L4).
    - root: they came from another task, are settled there, and their code is gone (A6)
    """

    iteration: int
    roots: tuple[str, ...]
    why: Literal["check", "left", "root"]


class FindingWaived(Event, frozen=True, kw_only=True):
    """A person waived a blocking finding until a date. (E3)"""

    root: str
    iteration: int
    reason: str
    until: str


class FindingWithdrawn(Event, frozen=True, kw_only=True):
    """A finding was withdrawn by its reviewer, or by a person who is not an author of the change. (L4)"""

    root: str
    iteration: int
    reason: str


class Placed(msgspec.Struct, frozen=True):
    """The place of a finding in a later attempt. `left`: its file is no longer part of the change."""

    root: str
    path: str
    line: int
    left: bool = False


class FindingsPlaced(Event, frozen=True, kw_only=True):
    """The places of findings were updated in a new attempt, to follow their code."""

    iteration: int
    places: tuple[Placed, ...]


class FindingTracked(Event, frozen=True, kw_only=True):
    """An open note became its own task. (L16)"""

    root: str
    follow_up: TaskId


class TaskEscalated(Event, frozen=True, kw_only=True):
    """The loop moved to the next tier (E1). `requested`: it waits for the lead in its current tier (L14)."""

    iteration: int
    tier: Tier
    waiting_for: Literal["", "lead", "user"]
    why: str
    requested: bool = False


class LeadDecided(Event, frozen=True, kw_only=True):
    """The lead or a person decided about a stuck loop. `feedback` is shown to the next attempt. `reset_to` is where
    the branch starts over. (E3)
    """

    iteration: int
    option: LeadOption
    tier: Tier
    waiting_for: Literal["", "lead", "user"]
    reason: str
    into: tuple[TaskId, ...] = ()
    feedback: str = ""
    reset_to: Sha | None = None
