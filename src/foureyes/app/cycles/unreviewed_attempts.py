"""Attempts that nobody reviewed and that need a person. (R0, V4)

No reviewer could be asked, none answered, or the cycle ended without a review.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from foureyes.app.ports import Tx


class Unreviewed(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt that was not reviewed as it should be, and its last cycle."""

    cycle: str
    task: str
    state: Literal["open", "decided", "ended"]
    why: str
    reasons: list[str]
    at: str

    @property
    def sentence(self) -> str:
        """The end of its cycle, in words."""
        if self.state == "open":
            return f"no reviewer is left to ask in {self.cycle}"
        return (
            f"{self.cycle} ended without a review (R0)"
            if self.state == "decided"
            else f"{self.cycle} ended without a review"
        )

    @property
    def causes(self) -> list[str]:
        """The reasons why it was not reviewed."""
        if self.state == "open":
            return ["None of the project's reviewers (review.peers.reviewers) can be asked about it (V4)."]
        return self.reasons if self.state == "decided" else [f"{self.cycle} was ended: {self.why}"]


def unreviewed(tx: Tx, reviewers: Collection[str], limit: int) -> list[Unreviewed]:
    """Return unreviewed attempts, newest first.

    If the policy names no reviewers, peers may still come by. Only R0 then means that nobody did.
    """
    rows = tx.all("cycle.unreviewed", Unreviewed, limit=limit)
    return [row for row in rows if row.state == "decided" or reviewers]
