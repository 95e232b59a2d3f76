"""What stands still and why: pauses, tasks that are stuck, profiles that are left alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from foureyes.core.nouns.run import ErrorKind, StuckKind


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
    """A profile that is left alone on a host; `until` empty: until a person says so, or its program works again."""

    profile: str
    host: str
    until: str
    error: ErrorKind
    error_text: str
    at: str

    def holds(self, now: str) -> bool:
        """Whether it is still left alone."""
        return not self.until or self.until > now
