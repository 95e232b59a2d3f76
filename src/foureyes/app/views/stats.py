"""Figures of the loops."""

from __future__ import annotations

from typing import Literal

import msgspec

from foureyes.core.loop.metrics import KindCount

Pressure = Literal["stuck", "near", ""]


class LoopRow(msgspec.Struct, frozen=True, kw_only=True):
    """A task that goes round, in the words of the one engine. `pressure`: it waits for a decision, or is one round
    before that.
    """

    task: str
    title: str
    status: str
    pressure: Pressure
    tier: str
    next_tier: str
    iterations: int
    round: int
    no_progress: int
    open_blocking: int
    escalations: int
    lead_decisions: int
    waiting_for: str = ""
    warning: str = ""
    why: str = ""


class LoopTotals(msgspec.Struct, frozen=True, kw_only=True):
    """All loops together: those that go round now, and every step that was ever taken."""

    loops: int
    stuck: int
    near: int
    iterations: int
    open_blocking: int
    tiers: tuple[KindCount, ...]
    steps: tuple[KindCount, ...]
    odd_ends: tuple[KindCount, ...]
    left_off: int = 0


class LoopStats(msgspec.Struct, frozen=True, kw_only=True):
    """The loops, the ones that are stuck or near it first."""

    totals: LoopTotals
    tasks: tuple[LoopRow, ...]
