"""Cards of the board: what a card says about its task, wherever it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict

import msgspec

from foureyes.app.call.context import seconds_since
from foureyes.app.gate.merge_queue import explain, rules_of
from foureyes.app.pages.awaiting import awaited
from foureyes.app.views.board import Card, CardState
from foureyes.core.nouns.approval import basis_of

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.app.views.merge import MergeItem
    from foureyes.app.views.review import QueueRow

MERGING: dict[str, CardState] = {"merging": "merging", "stuck": "stuck"}


class CardRow(msgspec.Struct, frozen=True, kw_only=True):
    """A task as the store has it, for its card."""

    task: str
    title: str
    status: str
    priority: int
    type: str
    labels: list[str]
    iteration: int
    version: int
    tier: str
    hold: str | None
    blocked_reason: str
    rejected: bool
    defer_until: str | None
    waiting_for: str
    parent: str | None
    started_at: str | None
    updated_at: str
    closed_at: str | None
    resolution: str
    ready: bool
    created_at: str
    implementer: str


class Approver(msgspec.Struct, frozen=True):
    """Who approved a task, and on whose word that rests."""

    task: str
    approver: str
    grade: str
    at: str


def open_cards(context: Context, tx: Tx, ids: Sequence[str]) -> list[Card]:
    """Cards of what nobody works on: ready, or what it waits for."""
    waits = awaited(tx, ids)
    return [
        _card(context, row, state=_standing(row), note=_why(row), waits_for=waits.get(row.task, ()))
        for row in _rows(tx, ids)
    ]


def claimed_cards(context: Context, tx: Tx, ids: Sequence[str]) -> list[Card]:
    """Cards of what somebody works on."""
    return [
        _card(context, row, state="in_progress", who=row.implementer, since=row.started_at or row.updated_at)
        for row in _rows(tx, ids)
    ]


def waiting_cards(context: Context, tx: Tx, ids: Sequence[str], reviews: Mapping[str, QueueRow]) -> list[Card]:
    """Cards of what waits in review, with what the queue says about it."""
    return [
        _card(
            context,
            row,
            state="reviewing",
            who=row.implementer,
            since=reviews[row.task].submitted_at if row.task in reviews else row.updated_at,
            review=reviews.get(row.task),
        )
        for row in _rows(tx, ids)
    ]


def merging_cards(context: Context, tx: Tx, items: Sequence[MergeItem]) -> list[Card]:
    """Cards of what is approved and not merged, each with its place in the merge queue and what it waits for."""
    if not items:
        return []
    rules = rules_of(context, tx)
    explained = {item.task: explain(context, item, rules) for item in items}
    approvers = _approvers(tx, list(explained))
    return [
        _card(
            context,
            row,
            state=MERGING.get(explained[row.task].state, "approved"),
            place=explained[row.task].n,
            note=explained[row.task].why,
            **_approval(approvers.get(row.task), explained[row.task].approved_at),
        )
        for row in _rows(tx, list(explained))
    ]


def closed_cards(context: Context, tx: Tx, ids: Sequence[str]) -> list[Card]:
    """Cards of what is over."""
    approvers = _approvers(tx, ids)
    return [
        _card(
            context,
            row,
            state="merged" if row.resolution == "merged" else "closed",
            **_approval(approvers.get(row.task), row.closed_at or row.updated_at),
        )
        for row in _rows(tx, ids)
    ]


def _rows(tx: Tx, ids: Sequence[str]) -> list[CardRow]:
    """The rows of tasks, in the order in which they are asked for."""
    rows = {row.task: row for row in tx.all("board.cards", CardRow, ids=list(ids))} if ids else {}
    return [rows[task] for task in ids if task in rows]


def _approvers(tx: Tx, ids: Sequence[str]) -> dict[str, Approver]:
    return {row.task: row for row in tx.all("board.approvers", Approver, ids=list(ids))} if ids else {}


class Approval(TypedDict):
    """Who agreed, since when it is as it is, and whether only a rule did."""

    who: str
    since: str
    by_rule: bool


def _approval(row: Approver | None, since: str) -> Approval:
    if row is None:
        return {"who": "", "since": since, "by_rule": False}
    return {"who": row.approver, "since": since, "by_rule": basis_of(row.grade) == "rule"}


def _card(
    context: Context,
    row: CardRow,
    *,
    state: CardState,
    who: str = "",
    since: str = "",
    note: str = "",
    waits_for: tuple[str, ...] = (),
    place: int = 0,
    by_rule: bool = False,
    review: QueueRow | None = None,
) -> Card:
    begin = since or row.updated_at
    return Card(
        task=row.task,
        title=row.title,
        state=state,
        status=row.status,
        priority=row.priority,
        type=row.type,
        labels=tuple(row.labels),
        iteration=row.iteration,
        version=row.version,
        tier=row.tier,
        held=row.hold is not None,
        who=who,
        since=begin,
        age_seconds=seconds_since(context, begin),
        waits_for=waits_for,
        note=note or (row.hold or ""),
        place=place,
        by_rule=by_rule,
        resolution=row.resolution,
        review=review,
    )


def _standing(row: CardRow) -> CardState:
    """Where a card stands in the column of open tasks."""
    if row.status == "blocked":
        return "rejected" if row.rejected else "blocked"
    if row.status == "deferred":
        return "deferred"
    if row.hold is not None:
        return "held"
    return "ready" if row.ready and row.type != "epic" else "waiting"


def _why(row: CardRow) -> str:
    """Why nobody can start it; what it waits for stands on the card itself."""
    if row.status == "blocked":
        return row.blocked_reason
    if row.status == "deferred":
        return f"until {row.defer_until}" if row.defer_until else ""
    if row.hold is None and row.ready and row.type == "epic":
        return "an epic: its tasks are the work"
    if row.hold is not None or row.ready:
        return row.hold or ""
    if row.waiting_for:
        return "waits for a person to decide" if row.waiting_for == "user" else "waits for the lead to decide"
    return f"its parent {row.parent} is blocked" if row.parent else ""
