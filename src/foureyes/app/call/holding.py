"""The open blocking findings of tasks, as the store has them (D2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from foureyes.core.nouns.finding_state import Blocking, FindingState, holds

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx


class HoldingRow(msgspec.Struct, frozen=True, kw_only=True):
    """A blocking finding that is not resolved, or only waived."""

    task: str
    id: str
    severity: str
    state: FindingState
    title: str
    path: str = ""
    line: int = 0
    waiting: bool = False
    waived_until: str = ""
    by_check: str = ""

    @property
    def blocking(self) -> Blocking:
        """What the rules are told about it."""
        where = f"{self.path}:{self.line}" if self.path and self.line else self.path
        expired = self.state == "waived"
        return Blocking(self.id, self.severity, self.state, self.title, where, self.waiting, expired=expired)


def holding_of(context: Context, tx: Tx, ids: Sequence[str]) -> dict[str, list[HoldingRow]]:
    """D2: what stands against an approval of each task, also what checks raised."""
    now = context.now()
    holding: dict[str, list[HoldingRow]] = defaultdict(list)
    for row in tx.all("finding.holding", HoldingRow, ids=list(ids)):
        if holds(True, row.state, row.waived_until, now):
            holding[row.task].append(row)
    return holding
