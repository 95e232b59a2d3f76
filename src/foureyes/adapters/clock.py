"""The machine's clock and its randomness."""

from __future__ import annotations

import os
from datetime import UTC, datetime


class SystemClock:
    """The time now."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class RandomIds:
    """Numbers nobody can guess or repeat."""

    def number(self) -> int:
        return int.from_bytes(os.urandom(16), "big")
