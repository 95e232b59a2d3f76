"""The review queue: what waits for a person, the riskiest first, and what could be approved in one go (H, M8)."""

from __future__ import annotations

import msgspec

from foureyes.app.call.context import Context
from foureyes.app.call.refusals import refuse_verb
from foureyes.app.call.rows import IdRow
from foureyes.app.pages.next_steps import after_queue
from foureyes.app.pages.waiting import Judge
from foureyes.app.views.project import CounterRow
from foureyes.app.views.review import Batch, QueueView
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.policy import BATCH_MAX
from foureyes.errors import Reason
from foureyes.steps import fe

ALL = 2**62
AHEAD = 50
"""So many are judged ahead in one go: whoever presses a key meanwhile waits for no more."""


class Queue:
    """What waits for eyes."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._judge = context.shared(Judge, lambda: Judge(context))

    def view(self, actor: Actor, *, limit: int | None = None, most: int = 0) -> QueueView:
        """Everything in review: per-task and held first, then by risk, priority, what waits for it, and age (H1).

        `limit`: only so many rows of it; the counts are of all. `most`: judge only so many tasks, those of the highest
        priority and age; then only `count` is of all.
        """
        heads = self._context.repo.heads()
        with self._context.store.read() as tx:
            tasks = tx.all("board.of_status", IdRow, status="reviewing", after=0, limit=most or ALL)
            counters = {row.name: row.n for row in tx.all("project.counters", CounterRow)}
            rows = self._judge.rows(tx, actor, [row.id for row in tasks], heads)
            names = tuple(rule.name for rule in self._context.policy(tx, actor).checks)
        numbered = tuple(msgspec.structs.replace(row, n=number) for number, row in enumerate(rows[:limit], 1))
        auto = sum(row.is_in_batch for row in rows)
        count = max(len(rows), counters.get("status:reviewing", 0)) if most else len(rows)
        return QueueView(
            count=count,
            auto_approvable=auto,
            need_attention=len(rows) - auto,
            approvable=sum(row.you.may_approve for row in rows),
            checks=names,
            rows=numbered,
            next=after_queue(numbered, auto if actor.kind == "human" else 0),
        )

    def ahead(self, actor: Actor, *, after: int = 0) -> int:
        """Judge the next tasks after the first `after` before anybody asks for them, so that a long queue is there when
        it is opened; where to go on, or 0 at the end. For a program that stays.
        """
        with self._context.store.read() as tx:
            tasks = tx.all("board.of_status", IdRow, status="reviewing", after=after, limit=AHEAD)
            self._judge.ahead(tx, actor, [row.id for row in tasks])
        return after + AHEAD if len(tasks) == AHEAD else 0

    def batch(self, actor: Actor) -> Batch:
        """M8, H2: what `--all-auto` would approve. High risk is never pre-selected."""
        if actor.kind != "human":
            reason = Reason(
                "D7",
                "an agent has to approve each change by its diff. Only people can approve all at once.",
                fe("list", "--reviewable"),
            )
            refuse_verb("nothing was approved.", reason)
        rows = [row for row in self.view(actor).rows if row.is_batchable]
        chosen = [row for row in rows if row.is_in_batch]
        return Batch(
            tasks=tuple(chosen[:BATCH_MAX]),
            high=tuple(row for row in rows if row.risk.level == "high"),
            left_off=max(0, len(chosen) - BATCH_MAX),
        )
