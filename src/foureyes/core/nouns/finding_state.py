"""Where a finding stands, and whether it stands against an approval (D2, L4, L5)."""

from __future__ import annotations

from typing import Literal

import msgspec

FindingState = Literal["open", "claimed", "disputed", "resolved", "deferred", "skipped", "waived", "obsolete"]
STATES: tuple[FindingState, ...] = (
    "open",
    "claimed",
    "disputed",
    "resolved",
    "deferred",
    "skipped",
    "waived",
    "obsolete",
)
UNRESOLVED: frozenset[FindingState] = frozenset({"open", "claimed", "disputed"})
"""D2: a claim is no fix and a dispute no acceptance; each waits for a ruling."""


class Blocking(msgspec.Struct, frozen=True):
    """What D2 says about one open blocking finding."""

    id: str
    severity: str = "HIGH"
    state: FindingState = "open"
    title: str = ""
    where: str = ""
    waiting: bool = False
    expired: bool = False


def holds(blocking: bool, state: str, waived_until: str, now: str) -> bool:
    """D2, L5: whether a finding stands against an approval: every row that keeps a finding asks this."""
    return blocking and (state in UNRESOLVED or (state == "waived" and waived_until <= now))
