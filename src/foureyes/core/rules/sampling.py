"""H3: which tasks of a large batch somebody looks at all the same. Each hand-in is drawn once, by a random number that
nobody knew when it was handed in; so looking again does not roll again, and no author can steer it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from foureyes.core.words.digest import sha256

if TYPE_CHECKING:
    from foureyes.core.rules.policy import HumanRule

MILLION = 1_000_000
NOT_DRAWN, LEFT_OUT, SAMPLE = 0, 1, 2
"""What a draw made of a hand-in."""


class Drawable(msgspec.Struct, frozen=True, kw_only=True):
    """A task of a batch with its latest hand-in: what was drawn of that, and at most of any hand-in of the task."""

    task: str
    attempt: int
    diff_id: str
    drawn: int = NOT_DRAWN
    ever: int = NOT_DRAWN

    @property
    def is_sample(self) -> bool:
        """A task that was drawn once stays a sample, whatever is handed in for it next."""
        return self.ever == SAMPLE

    @property
    def is_new(self) -> bool:
        return not self.is_sample and self.drawn == NOT_DRAWN


def to_be_drawn(batch: Iterable[Drawable], rule: HumanRule) -> tuple[Drawable, ...]:
    """What has to be drawn when this batch is opened; nothing of a small one."""
    rows = tuple(batch)
    if len(rows) < rule.sample_from or rule.sample_share <= 0:
        return ()
    return tuple(row for row in rows if row.is_new)


def samples(new: Sequence[Drawable], number: str, rule: HumanRule) -> frozenset[str]:
    """The tasks that stay pending until they were looked at: a part of what is new, rounded up. Of a few that come to a
    batch that was opened before, each has that chance: else whoever hands in last would always be looked at, or never.
    """
    ordered = sorted(new, key=lambda row: _rank(number, row.task, row.diff_id))
    millionths = round(rule.sample_share * MILLION)  # a tenth of thirty is three, and floats say a little more
    whole, rest = divmod(millionths * len(ordered), MILLION)
    if len(ordered) >= rule.sample_from:
        return frozenset(row.task for row in ordered[: max(1, whole + bool(rest))])
    chance = int.from_bytes(_rank(number, "", "")[:8], "big") % MILLION
    return frozenset(row.task for row in ordered[: whole + (chance < rest)])


def _rank(number: str, task: str, diff_id: str) -> bytes:
    return sha256(f"{number}\n{task}\n{diff_id}".encode()).digest()
