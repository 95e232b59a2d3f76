"""What the caller may approve: the review queue, judged task by task by the policy itself (P13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.facts import facts_for
from foureyes.app.views.task_list import ListQuery, Preview, ReviewablePage, ReviewableRow, TaskRow
from foureyes.app.work.branches import tip_among
from foureyes.core.rules import gate
from foureyes.core.rules.four_eyes import NOTHING, may_approve
from foureyes.core.rules.stacks import why_refused
from foureyes.core.words.ids import Sha, TaskId

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.core.nouns.session import Actor, Party
    from foureyes.core.rules.facts import Facts
    from foureyes.core.rules.policy import ReviewPolicy

PAGE = 50
LOOKED_AT = 500
"""How many tasks in review one call judges: who may approve none of thousands gets an answer, and where to go on."""


def reviewable(context: Context, actor: Actor, query: ListQuery) -> ReviewablePage:
    """P13: exactly the tasks that P, D1–D3 and A7 would let the caller approve, of those it looked at; `after` is
    where to look on.
    """
    rows: list[ReviewableRow] = []
    heads = context.repo.heads()
    with context.store.read() as tx:
        me, policy = context.party(tx, actor), context.policy(tx, actor)
        target = f"refs/heads/{context.project(tx).target}"
        after, looked_at, more, last = query.after, 0, True, ""
        while more and len(rows) < query.limit and looked_at < LOOKED_AT:
            page = msgspec.structs.replace(query, status="reviewing", sort="priority", limit=PAGE, after=after)
            tasks = tx.tasks(page, TaskRow)
            facts = facts_for(context, tx, [TaskId(task.id) for task in tasks], me)
            judged = (_row(context, task, facts, me, policy, heads, target) for task in tasks)
            rows += [row for row in judged if row is not None]
            looked_at += len(tasks)
            more = len(tasks) == PAGE
            if more:
                after, last = (tasks[-1].priority, tasks[-1].n), tasks[-1].id
    there_is_more = more and len(rows) < query.limit
    return ReviewablePage(rows=rows[: query.limit], looked_at=looked_at, after=last if there_is_more else "")


def _row(
    context: Context,
    row: TaskRow,
    facts: dict[TaskId, Facts],
    me: Party,
    policy: ReviewPolicy,
    heads: dict[str, Sha],
    target: str,
) -> ReviewableRow | None:
    about = facts[TaskId(row.id)]
    if about.attempt is None or gate.is_reviewing(about) or gate.has_blocking(about) or gate.holds(about):
        return None
    if why_refused(about):
        return None
    decision = may_approve(about, me, policy, NOTHING)
    if not decision.allowed and not decision.needs_reason:
        return None
    attempt = about.attempt
    stale = gate.is_stale(about, tip_among(context, attempt, heads, target)) is not None
    you = Preview(may_approve=True, rule=decision.rule, needs_reason=decision.needs_reason, stale=stale)
    return ReviewableRow(task=row, attempt=attempt.n, diff_id=attempt.diff_id, seen=attempt.seen, you=you)
