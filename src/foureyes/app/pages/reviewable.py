"""What the caller may approve now, and what the rest lacks: the review queue, judged task by task by the policy itself
(P13).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.facts import facts_for
from foureyes.app.call.noted_target import noted_tip
from foureyes.app.call.signing import why_unsignable
from foureyes.app.pages.next_steps import lifting
from foureyes.app.pages.preview import preview
from foureyes.app.views.task_list import ListQuery, Preview, ReviewablePage, ReviewableRow, TaskRow
from foureyes.app.work.branches import tip_among
from foureyes.core.rules.four_eyes import NOTHING, may_approve
from foureyes.core.rules.gate import waits_for_checks
from foureyes.core.words.ids import Sha, TaskId
from foureyes.steps import NO_STEP

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.core.nouns.session import Actor, Party
    from foureyes.core.rules.facts import Facts
    from foureyes.core.rules.policy import ReviewPolicy
    from foureyes.core.words.ids import Sha
    from foureyes.errors import Reason

PAGE = 50
LOOKED_AT = 500
"""How many tasks in review one call judges: who may approve none of thousands gets an answer, and where to go on."""


class QueueQuery(msgspec.Struct, frozen=True):
    """One look at the queue: who looks, by which rules, and where branches stand."""

    context: Context
    actor: Actor
    me: Party
    policy: ReviewPolicy
    heads: dict[str, Sha]
    target: Sha | None
    unsigned: Reason | None = None

    def barred(self, task: TaskRow, facts: Facts) -> ReviewableRow | None:
        """A task that P does not let the caller approve, with why; only people are told."""
        attempt, decision = facts.attempt, may_approve(facts, self.me, self.policy, NOTHING)
        if attempt is None or self.actor.kind != "human" or decision.allowed or decision.needs_reason:
            return None
        you = Preview(may_approve=False, rule=decision.rule, reasons=decision.reasons)
        step = lifting(task, you, self.actor)
        return ReviewableRow(
            task=task, attempt=attempt.n, diff_id=attempt.diff_id, seen=attempt.seen, you=you, next=step
        )

    def row(self, task: TaskRow, facts: Facts) -> ReviewableRow | None:
        """A task as the caller could approve it, now or once something is there that is missing; None where P does not
        let them. A stale attempt is marked (D4).
        """
        attempt, decision = facts.attempt, may_approve(facts, self.me, self.policy, NOTHING)
        if attempt is None or not (decision.allowed or decision.needs_reason):
            return None
        tip = tip_among(self.context, attempt, self.heads, self.target)
        you = preview(facts, self.me, self.policy, tip, self.unsigned)
        missing = tuple(reason for reason in you.reasons if reason.rule != "D4")
        you = msgspec.structs.replace(you, may_approve=not missing, reasons=missing)
        step = lifting(task, you, self.actor) if missing else NO_STEP
        return ReviewableRow(
            task=task, attempt=attempt.n, diff_id=attempt.diff_id, seen=attempt.seen, you=you, next=step
        )


def reviewable(context: Context, actor: Actor, query: ListQuery) -> ReviewablePage:
    """P13: exactly the tasks that P and D would let the caller approve, of those it looked at, and beside them those
    that only P would; `after` is where to look on.
    """
    heads = context.repo.heads()
    with context.store.read() as tx:
        target = noted_tip(context, tx, context.project(tx))
        policy = context.policy(tx, actor)
        unsigned = why_unsignable(context, tx, actor, "approve", policy)
        look = QueueQuery(context, actor, context.party(tx, actor), policy, heads, target, unsigned)
        return _page(tx, look, query)


def _page(tx: Tx, look: QueueQuery, query: ListQuery) -> ReviewablePage:
    rows: list[ReviewableRow] = []
    missing: list[ReviewableRow] = []
    barred: list[ReviewableRow] = []
    after, looked_at, more, last, unchecked = query.after, 0, True, "", 0
    while more and len(rows) < query.limit and looked_at < LOOKED_AT:
        page = msgspec.structs.replace(query, status="reviewing", sort="priority", limit=PAGE, after=after)
        tasks = tx.tasks(page, TaskRow)
        facts = facts_for(look.context, tx, [TaskId(task.id) for task in tasks], look.me)
        judged = [row for task in tasks if (row := look.row(task, facts[TaskId(task.id)])) is not None]
        rows += [row for row in judged if row.you.may_approve]
        missing += [row for row in judged if not row.you.may_approve]
        others = [look.barred(task, facts[TaskId(task.id)]) for task in tasks]
        barred += [row for row in others if row is not None]
        unchecked += sum(waits_for_checks(each, look.policy) for each in facts.values())
        looked_at += len(tasks)
        more = len(tasks) == PAGE
        if more:
            after, last = (tasks[-1].priority, tasks[-1].n), tasks[-1].id
    there_is_more = more and len(rows) < query.limit
    return ReviewablePage(
        rows=rows[: query.limit],
        missing=missing[: query.limit],
        barred=barred[: query.limit],
        unchecked=unchecked,
        looked_at=looked_at,
        after=last if there_is_more else "",
    )
