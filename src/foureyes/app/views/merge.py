"""The merge queue and what became of an item."""

from __future__ import annotations

import msgspec

from foureyes.app.views.stack import StackRow


class MergeRow(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an approved task. `outcome`: merged, found (on the target already), waiting, stuck, conflict,
    checks, void.
    """

    task: str
    attempt: int
    outcome: str
    sha: str = ""
    message: str = ""
    notes: tuple[str, ...] = ()

    @property
    def merged(self) -> bool:
        """Whether it is on the target now."""
        return self.outcome in ("merged", "found")


class MergeItem(msgspec.Struct, frozen=True, kw_only=True):
    """An approved task in the queue, in its place. `stack`: the tasks whose work is inside (A7)."""

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
    stack: tuple[StackRow, ...] = ()
