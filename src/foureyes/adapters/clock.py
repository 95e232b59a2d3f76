"""The machine's clock and random numbers."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime

LOCAL_TIME = "/etc/localtime"
"""A link to the machine's time zone."""
ZONES = "/zoneinfo/"


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def zone(self) -> str:
        _, is_zone, name = os.path.realpath(LOCAL_TIME).partition(ZONES)
        if is_zone and name:
            return name
        minutes = time.localtime().tm_gmtoff // 60
        return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}" if minutes else "UTC"

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)


class SharedClock(SystemClock):
    """The clock of a shared store, or the machine's own if the store has none."""

    def __init__(self, store: object) -> None:
        self._now = getattr(store, "now", None)

    def now(self) -> datetime:
        return self._now() if self._now is not None else super().now()


class RandomIds:
    """Random ids that no one can guess."""

    def number(self) -> int:
        return int.from_bytes(os.urandom(16), "big")
