"""The state of runs: pauses (V9), stuck tasks, resting profiles, who is at work."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from foureyes.core.nouns.run import ErrorKind, StuckKind

# ---- Pauses ----


class PauseView(msgspec.Struct, frozen=True, kw_only=True):
    """V9: what was paused, and by whom; without a task: everything."""

    task: str
    reason: str
    made_by: Literal["person", "rule"]
    session: str
    at: str
    rule: str = ""
    cycle: str = ""


def once(pauses: Iterable[PauseView]) -> list[PauseView]:
    """V9: of each task the last pause by a rule, and all by people: the rounds of one quarrel stop a task once."""
    return list({(row.task, row.made_by, "" if row.made_by == "rule" else row.at): row for row in pauses}.values())


# ---- Standstill ----


class StuckView(msgspec.Struct, frozen=True, kw_only=True):
    """A task that the runner can do no more for: a person looks."""

    task: str
    kind: StuckKind
    why: str
    at: str


class Standstill(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that keeps runs from beginning: pauses, and tasks that are stuck."""

    pauses: list[PauseView] = []
    stuck: list[StuckView] = []


class Cooldown(msgspec.Struct, frozen=True, kw_only=True):
    """A profile that is skipped on a host; `until` empty: until a person says so, or its program works again."""

    profile: str
    host: str
    until: str
    error: ErrorKind
    error_text: str
    at: str

    def holds(self, now: str) -> bool:
        """Whether it is still skipped."""
        return not self.until or self.until > now


# ---- At work ----


class AgentRow(msgspec.Struct, frozen=True, kw_only=True):
    """A live claim or run: who works on what, since when, and what was last heard. `silent`: longer than a claim may be
    silent, or its session has ended; anybody may release it (T1). `run` is the run that it is of, with its `profile`;
    `stopping` why it is to end; empty for who was not started by a runner. `reviews`: it reads the work of another.
    `left`: that its runner is gone, in words; then nobody is at work (J4).
    """

    session: str
    name: str
    kind: str
    task: str
    title: str
    iteration: int
    tier: str
    since: str
    age_seconds: int
    quiet_seconds: int
    silent: bool
    line: str = ""
    line_at: str = ""
    run: str = ""
    profile: str = ""
    stopping: str = ""
    reviews: bool = False
    left: str = ""

    @property
    def row(self) -> str:
        """Its own among all rows: several may be at work on one task."""
        return self.run or self.task


class Resting(msgspec.Struct, frozen=True, kw_only=True):
    """A profile that is skipped for a while, and why, in the program's own words; `until` empty: until it works."""

    profile: str
    until: str
    error: str
    text: str
