"""What a review says about a change as a whole (V5)."""

from __future__ import annotations

from typing import Literal

Verdict = Literal["approved", "concerns", "blocker"]
VERDICTS: tuple[Verdict, ...] = ("approved", "concerns", "blocker")
