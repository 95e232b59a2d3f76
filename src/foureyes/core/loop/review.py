"""Reviews: what a stated verdict comes to (V5), what was not read (V6), and when a review counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from foureyes.core.events.loop import Verdict
from foureyes.core.nouns.attempt import ChangedFile
from foureyes.core.nouns.finding import ReviewStatus
from foureyes.core.words.globs import matching
from foureyes.core.words.ids import SessionId


class Review(msgspec.Struct, frozen=True, kw_only=True):
    """One reviewer's result as the ledger has it."""

    seq: int
    task: str
    attempt: int
    diff_id: str
    session: SessionId
    verdict: Verdict
    effective: Verdict
    status: ReviewStatus
    summary: str
    files: list[str] = []
    missing: list[str] = []
    notes: list[str] = []
    raised: int = 0
    blocking: int = 0
    actionable: bool = False
    at: str = ""

    @property
    def is_whole(self) -> bool:
        """V6: it says that it read every changed file."""
        return not self.missing

    @property
    def agrees(self) -> bool:
        """Whole and, by what it found, for the change. Whether it counts also hangs on who gave it (P)."""
        return self.is_whole and self.effective == "approved"


def unread(changed: Sequence[ChangedFile], read: Iterable[str], exclude: Sequence[str]) -> tuple[str, ...]:
    """V6: the changed files that a review does not say it read, those that need no reading aside."""
    said = {path.strip().removeprefix("./") for path in read}
    left = [file.path for file in changed if file.path not in said]
    excluded = set(matching(left, exclude))
    return tuple(path for path in left if path not in excluded)
