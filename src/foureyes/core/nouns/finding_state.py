"""States of findings, and when a finding blocks an approval. (D2, L4, L5)"""

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
"""States that need a ruling: a claim is not yet a fix, and a dispute is not yet accepted. (D2)"""


class Blocking(msgspec.Struct, frozen=True):
    """One open blocking finding for the gate. (D2)"""

    id: str
    severity: str = "HIGH"
    state: FindingState = "open"
    title: str = ""
    where: str = ""
    waiting: bool = False
    expired: bool = False


def holds(blocking: bool, state: str, waived_until: str, now: str) -> bool:
    """Return True if the finding blocks an approval. Used for every stored form of a finding. (D2, L5)"""
    return blocking and (state in UNRESOLVED or (state == "waived" and waived_until <= now))
