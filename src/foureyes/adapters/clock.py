"""The machine's clock and its randomness."""

from __future__ import annotations

import os
from datetime import UTC, datetime


class SystemClock:
    """The time now."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class SharedClock:
    """The clock of a shared store; the machine's own where the store has none."""

    def __init__(self, store: object) -> None:
        self._now = getattr(store, "now", None)

    def now(self) -> datetime:
        return self._now() if self._now is not None else datetime.now(UTC)


class RandomIds:
    """Numbers nobody can guess or repeat."""

    def number(self) -> int:
        return int.from_bytes(os.urandom(16), "big")
