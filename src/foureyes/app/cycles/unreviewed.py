"""Attempts that wait and that nobody reviews (R0, V4): no reviewer could be asked, none answered, or the cycle was
ended without a word of one. A person looks.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from foureyes.app.ports import Tx


class Unreviewed(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt that nobody reviewed as it was to be, with the last cycle about it."""

    cycle: str
    task: str
    state: Literal["open", "decided", "ended"]
    why: str
    reasons: list[str]
    at: str

    @property
    def sentence(self) -> str:
        """What became of its cycle."""
        if self.state == "open":
            return f"no reviewer is left to ask in {self.cycle}"
        return (
            f"{self.cycle} ended without a review (R0)"
            if self.state == "decided"
            else f"{self.cycle} ended without a review"
        )

    @property
    def causes(self) -> list[str]:
        """Why that is so."""
        if self.state == "open":
            return ["None of the project's reviewers (review.peers.reviewers) can be asked about it (V4)."]
        return self.reasons if self.state == "decided" else [f"{self.cycle} was ended: {self.why}"]


def unreviewed(tx: Tx, reviewers: Collection[str], limit: int) -> list[Unreviewed]:
    """The newest first. Where the policy names no reviewers, peers who come by are waited for, and only R0 says that
    nobody did.
    """
    rows = tx.all("cycle.unreviewed", Unreviewed, limit=limit)
    return [row for row in rows if row.state == "decided" or reviewers]
