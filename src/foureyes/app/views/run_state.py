"""Views of the state of runs: pauses (V9), stuck tasks, profiles in cooldown, active agents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from foureyes.core.nouns.run import ErrorKind, StuckKind

# ---- Pauses ----


class PauseView(msgspec.Struct, frozen=True, kw_only=True):
    """A pause. It covers everything if it has no task. (V9)"""

    task: str
    reason: str
    made_by: Literal["person", "rule"]
    session: str
    at: str
    rule: str = ""
    cycle: str = ""


def once(pauses: Iterable[PauseView]) -> list[PauseView]:
    """Return all pauses by people, and the last one by a rule for each task. Repeated rounds of one dispute pause a
    task once. (V9)
    """
    return list({(row.task, row.made_by, "" if row.made_by == "rule" else row.at): row for row in pauses}.values())


# ---- Stopped ----


class StuckView(msgspec.Struct, frozen=True, kw_only=True):
    """A task that the runner gave up on. A person has to look at it."""

    task: str
    kind: StuckKind
    why: str
    at: str


class Standstill(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that keeps runs from starting: pauses, and tasks the runner gave up on."""

    pauses: list[PauseView] = []
    stuck: list[StuckView] = []


class Cooldown(msgspec.Struct, frozen=True, kw_only=True):
    """A profile in cooldown on a host. Without `until`, it ends when a person says so or the program works."""

    profile: str
    host: str
    until: str
    error: ErrorKind
    error_text: str
    at: str

    def holds(self, now: str) -> bool:
        """Return True if it is still in force."""
        return not self.until or self.until > now


# ---- Active ----


class AgentRow(msgspec.Struct, frozen=True, kw_only=True):
    """A live claim or run.

    - since, age_seconds: when it started
    - quiet_seconds: time since its last sign of life
    - silent: quiet for too long, or its session has ended. Anyone may release it (T1).
    - run, profile: its run, "" without a runner
    - stopping: why the run is to end
    - reviews: it reads another's work
    - left: a message that its runner is gone, so that nobody works on it (J4)
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
        """A unique key. Several may work on one task."""
        return self.run or self.task


class Resting(msgspec.Struct, frozen=True, kw_only=True):
    """A profile in cooldown, with the program's own message. Without `until`, it ends when the program works."""

    profile: str
    until: str
    error: str
    text: str
