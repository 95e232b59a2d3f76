"""The merge queue and what became of an item."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from foureyes.app.views.stack import InsideRow
from foureyes.steps import NO_STEP, Steps


class MergeRow(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an approved task. `outcome`: merged, found (on the target already), waiting, stuck, conflict,
    checks, void; cut, where something went wrong meanwhile. `next` is what a refusal says to do.
    """

    task: str
    attempt: int
    outcome: str
    sha: str = ""
    message: str = ""
    notes: tuple[str, ...] = ()
    next: Steps = NO_STEP

    @property
    def merged(self) -> bool:
        """Whether it is on the target now."""
        return self.outcome in ("merged", "found")

    def with_next(self, step: Steps) -> MergeRow:
        return msgspec.structs.replace(self, next=step)

    @property
    def is_trouble(self) -> bool:
        """Whether it came back, or cannot be merged until somebody does something about it."""
        return self.outcome in ("conflict", "checks", "void", "stuck")


class MergesGoOn(msgspec.Struct, frozen=True, kw_only=True):
    """What a person said about where merges go on (Q6). `changed` is false where it was so already."""

    message: str
    changed: bool = True
    notes: tuple[str, ...] = ()
    next: Steps = NO_STEP


class MergeItem(msgspec.Struct, frozen=True, kw_only=True):
    """An approved task in the queue, in its place. `inside`: the tasks whose work is inside (A7); `passed`: those that a
    person passed over (N3). `why`: what it waits for, or why it was left the last time. `ready`: nothing keeps it from
    being merged now. `next`: what brings it on.
    """

    n: int = 0
    task: str
    title: str
    priority: int
    attempt: int
    approval: int
    approver: str
    approver_kind: str
    approved_at: str
    state: str
    tries: int = 0
    why: str = ""
    hold: str | None = None
    open_deps: int = 0
    merge_failures: int = 0
    until: str = ""
    process: str = ""
    host: str = ""
    beacon: str = ""
    inside: tuple[InsideRow, ...] = ()
    exception: str = ""
    passed: tuple[str, ...] = ()
    ready: bool = False
    next: Steps = NO_STEP


def what_brings_it_on(items: Sequence[MergeItem]) -> Steps:
    """What brings the queue on: the merge, where something can be taken; else what the first item waits for."""
    return next((item.next for item in items if item.ready), items[0].next) if items else NO_STEP
