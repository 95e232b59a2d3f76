"""What stands still and why: pauses, tasks that are stuck, profiles that are skipped."""

from __future__ import annotations

import msgspec

from foureyes.app.views.pause import PauseView
from foureyes.core.nouns.run import ErrorKind, StuckKind


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
