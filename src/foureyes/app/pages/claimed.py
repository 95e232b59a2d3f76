"""Live claims: who works on what, since when, and whether they are still heard of (T1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.context import seconds_since
from foureyes.app.views.board import AgentRow
from foureyes.core.rules.policy import ReviewPolicy
from foureyes.core.words.text import one_line

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx

MOST = 100
LINE = 120


class ClaimRow(msgspec.Struct, frozen=True, kw_only=True):
    """A claim as the store has it."""

    task: str
    title: str
    iteration: int
    tier: str
    since: str
    session: str
    name: str
    kind: str
    last_seen_at: str
    ended: bool
    line: str
    line_at: str


def claims_of(context: Context, tx: Tx, policy: ReviewPolicy | None, *, most: int = MOST) -> tuple[AgentRow, ...]:
    """Every live claim; of very many, those of the highest priority. `unstart` calls the same ones silent."""
    limit = context.ago((policy or ReviewPolicy()).claim_stale_minutes)
    return tuple(_row(context, row, limit) for row in tx.all("board.claims", ClaimRow, limit=most))


def _row(context: Context, row: ClaimRow, limit: str) -> AgentRow:
    return AgentRow(
        session=row.session,
        name=row.name,
        kind=row.kind,
        task=row.task,
        title=row.title,
        iteration=row.iteration + 1,
        tier=row.tier,
        since=row.since,
        age_seconds=seconds_since(context, row.since),
        quiet_seconds=seconds_since(context, row.last_seen_at),
        silent=row.ended or row.last_seen_at <= limit,
        line=one_line(row.line, LINE),
        line_at=row.line_at,
    )
