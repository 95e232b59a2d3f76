"""The board: four columns of cards, live claims and the status line.

One view reads a few cards per column and calls git once, for any number of tasks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict

import msgspec

from foureyes.app.context import Count, IdRow, seconds_since, stamp
from foureyes.app.gate.merge_queue import explain, items_of, rules_of
from foureyes.app.pages.active_work import at_work, resting
from foureyes.app.pages.lists import awaited
from foureyes.app.pages.review_queue import Judge
from foureyes.app.results.board import COLUMNS, BoardView, Card, CardState, Column, ColumnName
from foureyes.app.results.journal import JournalHead
from foureyes.app.results.project import CounterRow
from foureyes.app.runner_registry import live_runners
from foureyes.app.tasks.sprint_records import sprint_summary
from foureyes.core.nouns.decision import basis_of
from foureyes.core.words.ids import Sha
from foureyes.errors import BadInput, ConfigError, GitProblem

if TYPE_CHECKING:
    from foureyes.app.context import Context
    from foureyes.app.ports import Tx
    from foureyes.app.results.attempt import MergeItem
    from foureyes.app.results.review import QueueRow
    from foureyes.core.nouns.session import Actor
    from foureyes.core.rules.policy import ReviewPolicy


# ---- The board ----

LIMIT = 50
BLOCK = 200
"""Number of tasks in review to judge at once. Within a block they are in queue order. Blocks are in order of priority
and age.
"""
LATEST = 1_000
"""Number of the latest approvals to search for today's."""


class CardGroup(msgspec.Struct, frozen=True):
    """A part of a column: the query that lists it, and its size."""

    statement: str
    size: int
    status: str = ""


class BoardQuery(msgspec.Struct, kw_only=True):
    """Inputs of one view of the board, and the rows judged so far."""

    tx: Tx
    actor: Actor
    counters: Mapping[str, int]
    heads: Mapping[str, Sha]
    policy: ReviewPolicy | None
    problem: str = ""
    judged: dict[int, list[QueueRow]] = msgspec.field(default_factory=dict)


class Board:
    """The board and its columns."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._judge = context.shared(Judge, lambda: Judge(context))

    def view(self, actor: Actor, *, limit: int = LIMIT) -> BoardView:
        """Return the whole board for this caller: each column's count and first cards."""
        heads, problem = self._heads()
        with self._context.store.read() as tx:
            query = self._query(tx, actor, heads, problem)
            project, head = self._context.project(tx), tx.one("journal.head", JournalHead)
            columns = {name: self._column(query, name, 0, _window(limit)) for name in COLUMNS}
            reviews = query.judged.get(0, [])
            since = stamp(self._context.clock.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0))
            by_rule = tx.one("board.by_rule", Count, limit=LATEST, since=since)
            return BoardView(
                head=head.seq if head else 0,
                at=self._context.now(),
                project=project.name,
                target=project.target,
                policy=query.policy.name if query.policy else "strict",
                hold=project.hold,
                waiting=sum(row.you.may_approve for row in reviews),
                waiting_more=columns["reviewing"].count > len(reviews),
                auto_approved_today=by_rule.n if by_rule else 0,
                checks=tuple(rule.name for rule in query.policy.checks) if query.policy else (),
                open=columns["open"],
                in_progress=columns["in_progress"],
                reviewing=columns["reviewing"],
                done=columns["done"],
                agents=at_work(self._context, tx, query.policy),
                resting=resting(self._context, tx),
                runners=len(live_runners(self._context, tx)),
                sprint=sprint_summary(self._context, tx),
                demo=query.policy is not None and query.policy.demo,
                problem=query.problem,
            )

    def column(self, actor: Actor, name: str, *, after: int = 0, limit: int = LIMIT) -> Column:
        """Return part of one column: up to `limit` cards, from number `after` on."""
        column = next((known for known in COLUMNS if known == name), None)
        if column is None:
            raise BadInput(f"there is no column {name!r}. Columns: {', '.join(COLUMNS)}.")
        heads, problem = self._heads() if column == "reviewing" else ({}, "")
        with self._context.store.read() as tx:
            return self._column(self._query(tx, actor, heads, problem), column, max(0, after), _window(limit))

    def _heads(self) -> tuple[Mapping[str, Sha], str]:
        """Return all branch heads, or the problem with git."""
        try:
            return self._context.repo.heads(), ""
        except GitProblem as problem:
            return {}, problem.message

    def _query(self, tx: Tx, actor: Actor, heads: Mapping[str, Sha], problem: str) -> BoardQuery:
        counters = {row.name: row.n for row in tx.all("project.counters", CounterRow)}
        policy: ReviewPolicy | None = None
        try:
            policy = self._context.policy(tx, actor)
        except ConfigError as broken:
            problem = broken.message
        return BoardQuery(tx=tx, actor=actor, counters=counters, heads=heads, policy=policy, problem=problem)

    def _column(self, query: BoardQuery, name: ColumnName, after: int, limit: int) -> Column:
        count, cards = {
            "open": self._open,
            "in_progress": self._in_progress,
            "reviewing": self._reviewing,
            "done": self._done,
        }[name](query, after, limit)
        return Column(name=name, count=count, cards=tuple(cards), after=after)

    def _open(self, query: BoardQuery, after: int, limit: int) -> tuple[int, list[Card]]:
        """Return tasks without an implementer: ready ones first, then waiting ones with their reasons."""
        groups = _open_groups(query)
        ids = _ids(query.tx, groups, after, limit)
        return sum(group.size for group in groups), open_cards(self._context, query.tx, ids)

    def _in_progress(self, query: BoardQuery, after: int, limit: int) -> tuple[int, list[Card]]:
        group = CardGroup("board.of_status", query.counters.get("status:in_progress", 0), "in_progress")
        return group.size, claimed_cards(self._context, query.tx, _ids(query.tx, [group], after, limit))

    def _reviewing(self, query: BoardQuery, after: int, limit: int) -> tuple[int, list[Card]]:
        """Return cards in queue order, block by block. At most two blocks are judged."""
        ids: list[str] = []
        reviews: dict[str, QueueRow] = {}
        for block in range(after // BLOCK, (after + limit - 1) // BLOCK + 1):
            tasks = query.tx.all("board.of_status", IdRow, status="reviewing", after=block * BLOCK, limit=BLOCK)
            rows = self._judged(query, block, [row.id for row in tasks])
            reviews |= {row.task: row for row in rows}
            ids += [row.task for row in rows] or [row.id for row in tasks]
        first, count = after % BLOCK, query.counters.get("status:reviewing", 0)
        return count, waiting_cards(self._context, query.tx, ids[first : first + limit], reviews)

    def _judged(self, query: BoardQuery, block: int, tasks: Sequence[str]) -> list[QueueRow]:
        """Return the rows of the review queue. Empty if the configuration is invalid or git fails."""
        if query.problem or not tasks:
            return []
        try:
            rows = self._judge.rows(query.tx, query.actor, tasks, query.heads)
        except (ConfigError, GitProblem) as problem:
            query.problem = problem.message
            return []
        query.judged[block] = rows
        return rows

    def _done(self, query: BoardQuery, after: int, limit: int) -> tuple[int, list[Card]]:
        """Return tasks that wait to be merged, in order, then closed ones, latest first."""
        approved, closed = (query.counters.get(f"status:{status}", 0) for status in ("approved", "closed"))
        items = items_of(query.tx, after=after, limit=limit) if after < approved else []
        cards = merging_cards(self._context, query.tx, items)
        rest = CardGroup("board.closed", closed)
        ids = _ids(query.tx, [rest], max(0, after - approved), limit - len(cards))
        return approved + closed, cards + closed_cards(self._context, query.tx, ids)


def _window(limit: int) -> int:
    return min(max(1, limit), BLOCK)


def _open_groups(query: BoardQuery) -> list[CardGroup]:
    """Return the parts of the open column in order. Epics are left out, because nobody works on the epic itself.
    (T4)
    """
    count = query.counters.get
    held = query.tx.one("board.count_held", Count) if count("held", 0) else None
    stopped = held.n if held else 0
    ready, rejected = count("ready", 0), count("rejected", 0)
    epics = query.tx.one("project.ready_goals", Count) if ready else None
    goals = epics.n if epics else 0
    return [
        CardGroup("board.ready", ready - goals),
        CardGroup("board.goals", goals),
        CardGroup("board.waiting", count("status:open", 0) - ready - stopped),
        CardGroup("board.rejected", rejected),
        CardGroup("board.blocked", count("status:blocked", 0) - rejected),
        CardGroup("board.of_status", count("status:deferred", 0), "deferred"),
        CardGroup("board.held", stopped),
    ]


def _ids(tx: Tx, groups: Sequence[CardGroup], after: int, limit: int) -> list[str]:
    """Return the ids of `limit` cards from number `after` on, counted across the groups. Only what is needed is
    read.
    """
    ids: list[str] = []
    for group in groups:
        if after < group.size and len(ids) < limit:
            wanted = {"status": group.status} if group.status else {}
            rows = tx.all(group.statement, IdRow, after=after, limit=limit - len(ids), **wanted)
            ids += [row.id for row in rows]
        after = max(0, after - group.size)
    return ids


# ---- Cards of the board ----

MERGING: dict[str, CardState] = {"merging": "merging", "stuck": "stuck"}


class CardRow(msgspec.Struct, frozen=True, kw_only=True):
    """A task's stored fields for its card."""

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
    """A task's approver and the basis of the approval."""

    task: str
    approver: str
    grade: str
    at: str


def open_cards(context: Context, tx: Tx, ids: Sequence[str]) -> list[Card]:
    """Return cards of tasks without an implementer, with their dependencies or other reasons to wait."""
    waits = awaited(tx, ids)
    return [
        _card(context, row, state=_standing(row), note=_why(row), waits_for=waits.get(row.task, ()))
        for row in _rows(tx, ids)
    ]


def claimed_cards(context: Context, tx: Tx, ids: Sequence[str]) -> list[Card]:
    """Return cards of tasks in progress."""
    return [
        _card(context, row, state="in_progress", owner=row.implementer, since=row.started_at or row.updated_at)
        for row in _rows(tx, ids)
    ]


def waiting_cards(context: Context, tx: Tx, ids: Sequence[str], reviews: Mapping[str, QueueRow]) -> list[Card]:
    """Return cards of tasks in review, with their rows of the review queue."""
    return [
        _card(
            context,
            row,
            state="reviewing",
            owner=row.implementer,
            since=reviews[row.task].submitted_at if row.task in reviews else row.updated_at,
            review=reviews.get(row.task),
        )
        for row in _rows(tx, ids)
    ]


def merging_cards(context: Context, tx: Tx, items: Sequence[MergeItem]) -> list[Card]:
    """Return cards of approved tasks, with their place in the merge queue and why they wait."""
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
    """Return cards of closed tasks."""
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
    """Return the rows of tasks in the requested order."""
    rows = {row.task: row for row in tx.all("board.cards", CardRow, ids=list(ids))} if ids else {}
    return [rows[task] for task in ids if task in rows]


def _approvers(tx: Tx, ids: Sequence[str]) -> dict[str, Approver]:
    return {row.task: row for row in tx.all("board.approvers", Approver, ids=list(ids))} if ids else {}


class Approval(TypedDict):
    """Card fields about the approval."""

    owner: str
    since: str
    by_rule: bool


def _approval(row: Approver | None, since: str) -> Approval:
    if row is None:
        return {"owner": "", "since": since, "by_rule": False}
    return {"owner": row.approver, "since": since, "by_rule": basis_of(row.grade) == "rule"}


def _card(
    context: Context,
    row: CardRow,
    *,
    state: CardState,
    owner: str = "",
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
        owner=owner,
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
    """Return the state of a card in the open column."""
    if row.status == "blocked":
        return "rejected" if row.rejected else "blocked"
    if row.status == "deferred":
        return "deferred"
    if row.hold is not None:
        return "held"
    return "ready" if row.ready and row.type != "epic" else "waiting"


def _why(row: CardRow) -> str:
    """Return why nobody can start the task, or "". Dependencies are shown separately on the card."""
    if row.status == "blocked":
        return row.blocked_reason
    if row.status == "deferred":
        return f"until {row.defer_until}" if row.defer_until else ""
    if row.hold is None and row.ready and row.type == "epic":
        return "an epic, so work happens in its tasks"
    if row.hold is not None or row.ready:
        return row.hold or ""
    if row.waiting_for:
        return "stuck until a person decides" if row.waiting_for == "user" else "stuck until the lead decides"
    return f"its parent {row.parent} is blocked" if row.parent else ""
