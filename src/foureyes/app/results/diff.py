"""Results about a change: files, hunks and numbered lines. Texts are raw, with control characters."""

from __future__ import annotations

import msgspec

from foureyes.core.documents.unified_diff import CONTEXT
from foureyes.core.documents.unified_diff import DiffLine as DiffLine
from foureyes.core.documents.unified_diff import FileDiff as FileDiff
from foureyes.core.documents.unified_diff import Hunk as Hunk
from foureyes.core.words.ids import seen_name


class DiffView(msgspec.Struct, frozen=True, kw_only=True):
    """The change of an attempt, or the change since attempt `since`.

    A decision about it names `diff_id`. `unchanged` has paths with the same change as in attempt `since`. `context` is
    the number of lines around each hunk. `hidden` is the number of hunks left out because only white space changed,
    None if white space is shown.
    """

    task: str
    attempt: int
    diff_id: str
    base: str
    head: str
    since: int | None = None
    files: tuple[FileDiff, ...] = ()
    unchanged: tuple[str, ...] = ()
    context: int = CONTEXT
    hidden: int | None = None

    @property
    def seen(self) -> str:
        """The name of this change for a reviewer who saw it. (D7)"""
        return seen_name(self.attempt, self.diff_id)

    @property
    def hunks(self) -> int:
        """The number of hunks to review."""
        return sum(len(file.hunks) for file in self.files if file.counts)
