"""A change as a face shows it: files, hunks and numbered lines; texts are raw, control characters and all."""

from __future__ import annotations

import msgspec

from foureyes.core.documents.unified_diff import CONTEXT
from foureyes.core.documents.unified_diff import DiffLine as DiffLine
from foureyes.core.documents.unified_diff import FileDiff as FileDiff
from foureyes.core.documents.unified_diff import Hunk as Hunk
from foureyes.core.words.ids import seen_name


class DiffView(msgspec.Struct, frozen=True, kw_only=True):
    """The change of an attempt, or what changed since attempt `since`; `diff_id` is what a decision about it names.

    `unchanged`: the paths whose change is the same as it was in attempt `since`. `context`: so many lines stand around
    each place. `hidden`: how many hunks are left out because only white space changed in them; None where white space
    is shown.
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
        """What this change is called by whoever saw it (D7)."""
        return seen_name(self.attempt, self.diff_id)

    @property
    def hunks(self) -> int:
        """How many hunks there are to look at."""
        return sum(len(file.hunks) for file in self.files if file.counts)
