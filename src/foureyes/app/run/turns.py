"""Turns: when a runner looks because somebody else wrote. Each of several has its own, so that what one writes does not
make all of them ask the store at the same moment, and again for the next row.
"""

from __future__ import annotations

from math import inf
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foureyes.app.ports import Changes

TURN_SECONDS = 0.05
"""All runners of a project together look so often because of each other, however many they are."""


class Turns:
    """Whether somebody wrote, and when it is this runner's turn to see what."""

    def __init__(self, changes: Changes | None) -> None:
        self._changes = changes
        self._place, self._among = 0, 1
        self._looked = -inf
        self.due = inf
        """When it is this runner's turn, where somebody wrote since its last look."""

    def look(self) -> None:
        """A look begins: it sees whatever was written so far."""
        self._has_changed()
        self._looked, self.due = monotonic(), inf

    def take(self, place: int, among: int) -> None:
        """As the look has it: which of how many runners this one is, the oldest first."""
        self._place, self._among = place, max(1, among)

    def fileno(self) -> int:
        """Becomes readable when somebody writes; -1 while a turn is waited for: one more row changes nothing."""
        return -1 if self._changes is None or self.due < inf else self._changes.fileno()

    def is_due(self) -> bool:
        """Whether somebody wrote and it is this runner's turn."""
        if self.due == inf and self._has_changed():
            turn, round_ = self._place * TURN_SECONDS, self._among * TURN_SECONDS
            self.due = max(monotonic() + turn, self._looked + round_)
        return self.due <= monotonic()

    def _has_changed(self) -> bool:
        return self._changes is not None and self._changes.changed()
