"""The guard against the second press: a decision opens the next task under the same finger."""

from __future__ import annotations

QUIET_SECONDS = 0.8
"""So long must a decision key rest after it was last pressed; terminals do not tell a repeat from a press."""


class Guard:
    """Which decision keys are deaf. Times come from the caller, in seconds."""

    def __init__(self) -> None:
        self._pressed: dict[str, float] = {}
        self._armed = False
        self._painted = True
        self._rested: set[str] = set()

    def decided(self) -> None:
        """A decision is being made, and something else will stand under the finger."""
        self._armed, self._painted = True, False
        self._rested.clear()

    def painted(self) -> None:
        """What stands there now has been painted."""
        self._painted = True

    def asked(self, key: str, now: float) -> None:
        """Record that the question is on screen: its answer key must be released before it counts."""
        self._painted = True
        self._pressed[key] = now

    def calm(self) -> None:
        """The question is answered with no: what stands here is what stood here before."""
        self._armed, self._painted = False, True

    def is_deaf(self, key: str, now: float) -> bool:
        """Whether this press counts as the tail of the one before. Each press starts the rest again; a key that rested
        once is heard until the next decision.
        """
        last = self._pressed.get(key)
        self._pressed[key] = now
        if not self._painted:
            return True
        if last is None or now - last >= QUIET_SECONDS:
            self._rested.add(key)
        return self._armed and key not in self._rested
