"""Rows that the figures of `metrics` are computed from, as the store counts them (Y)."""

from __future__ import annotations

from datetime import datetime

import msgspec

from foureyes.core.nouns.finding_state import holds


class FindingRow(msgspec.Struct, frozen=True, kw_only=True):
    """A finding and what happened to it, counted over the moves that stand; a ruling that was taken back is none of
    them (L18).

    `spoken`: somebody said it, no check and no tool's report. `fixed_right` are claims of a fix that held,
    `fixed_wrong` those that did not. `upheld` and `dropped` are the journal rows of the last ruling for and against
    it; 0 for none. `missed`: it was raised after an approval of the very change.
    """

    session: str = ""
    blocking: bool = False
    state: str = "open"
    waived_until: str = ""
    answer: str = ""
    spoken: bool = True
    checked: bool = False
    tracked: bool = False
    anchored: bool = True
    task_closed: bool = False
    rejected: bool = False
    accepted: bool = False
    fixed_right: int = 0
    fixed_wrong: int = 0
    settled: bool = False
    reopened: bool = False
    upheld: int = 0
    dropped: int = 0
    missed: bool = False

    @property
    def is_judged(self) -> bool:
        return bool(self.upheld or self.dropped)

    @property
    def is_upheld(self) -> bool:
        """It was accepted as real: the last ruling says so."""
        return self.upheld > self.dropped

    @property
    def is_adopted(self) -> bool:
        """A note that led to something: a fix that nobody called wrong, a check that passes now, or a task of its
        own.
        """
        fixed = self.answer == "FIXED" and self.state in ("claimed", "resolved")
        return self.tracked or fixed or (self.checked and self.state == "resolved")

    def holds(self, now: str) -> bool:
        """L5: open and blocking, in a task that is not closed; a waiver counts while it is valid."""
        return holds(self.blocking, self.state, self.waived_until, now) and not self.task_closed


class ReviewRow(msgspec.Struct, frozen=True, kw_only=True):
    """A review: how many files had changed, how many of those it does not say it read, or says so and its program's
    stream does not tell (`untold`), when it came.
    """

    session: str
    at: str
    submitted_at: str
    changed: int = 0
    unread: int = 0
    untold: int = 0
    actionable: bool = False

    @property
    def seconds(self) -> int:
        """From hand-in to review."""
        return between(self.submitted_at, self.at)


class ReturnRow(msgspec.Struct, frozen=True, kw_only=True):
    """How often a session's reviews went back, and why (V3, V7)."""

    session: str
    why: str
    n: int


class ApprovalRow(msgspec.Struct, frozen=True, kw_only=True):
    """How many tasks were approved in this iteration, and how many of them by rule alone (M4)."""

    iterations: int
    tasks: int
    automatic: int = 0


class EscalationRow(msgspec.Struct, frozen=True, kw_only=True):
    """A step to a tier. `unclear`: blocking findings of the rounds before it had no location or no fix."""

    tier: str
    unclear: bool = False


class StatusRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the journal that changed a task's status."""

    task: str
    at: str
    kind: str
    closes: bool = False


class SessionRow(msgspec.Struct, frozen=True, kw_only=True):
    """Who reviewed. `profile`: that of the run that it reviewed in; every run has a session of its own."""

    id: str
    name: str = ""
    kind: str = ""
    agent: str = ""
    model: str = ""
    profile: str = ""


class MissedRow(msgspec.Struct, frozen=True, kw_only=True):
    """How many true blocking findings of others are in attempts that a session agreed to."""

    session: str
    n: int


class ReviewRunRow(msgspec.Struct, frozen=True, kw_only=True):
    """A run that was to review, whatever came of it."""

    profile: str
    seconds: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_micros: int = 0


def between(first: str, second: str) -> int:
    """Whole seconds from one moment to another; a clock that went back counts as none."""
    return max(0, int((datetime.fromisoformat(second) - datetime.fromisoformat(first)).total_seconds()))
