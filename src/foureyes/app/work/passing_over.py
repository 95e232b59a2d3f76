"""What `fe next` passes over: ready tasks that could not be started, so that the next one is given (T4)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from foureyes.app.call.placing import merged_reason
from foureyes.app.call.refusals import refuse_verb
from foureyes.app.call.rows import IdRow
from foureyes.app.call.told_target import ToldTarget, told_target
from foureyes.app.views.task_list import ListQuery, TaskRow
from foureyes.core.words.ids import TaskId
from foureyes.core.words.refs import own_branch
from foureyes.errors import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.core.nouns.session import Actor
    from foureyes.core.words.ids import Sha

HOW_MANY = 200


def passed_over(context: Context, actor: Actor, merged: Mapping[str, Sha], *, worktree: bool) -> dict[str, Reason]:
    """The ready tasks before the first one that can be started, and why each cannot: its merge is on the target (P12);
    or with a `worktree`, its branch has work of nobody whom the record knows (P2). What others are about to start is
    not given either, so what comes after it is looked at, too.
    """
    if not merged and not worktree:
        return {}
    over: dict[str, Reason] = {}
    target = cache(lambda: told_target(context))  # nobody waits for a remote once for each task
    for most in (1, HOW_MANY):  # nearly always the first one will do
        with context.store.read() as tx:
            rows = tx.tasks(ListQuery(ready=True, limit=most), TaskRow)
            taken = _reserved(context, tx, actor)
        for row in (row for row in rows if row.id not in over):
            reason = merged_reason(row.id, merged) or (_planted(context, row, target) if worktree else None)
            if reason is not None:
                over[row.id] = reason
            elif row.id not in taken:
                return over
    return over


def _reserved(context: Context, tx: Tx, actor: Actor) -> set[str]:
    if tx.one("reservation.any", IdRow) is None:
        return set()
    from foureyes.app.work.reserving import taken_by_others

    return set(taken_by_others(context, tx, actor))


def _planted(context: Context, row: TaskRow, target: Callable[[], ToldTarget]) -> Reason | None:
    if row.iteration or context.repo.commit_of(own_branch(row.id)) is None:
        return None
    from foureyes.app.work.worktrees import planted

    task, base = TaskId(row.id), told_target(context, asks=False).at
    problem = planted(context, task, own_branch(task), base, target)
    return Reason("P2", problem.message, problem.next_step) if problem else None


def refuse_all(over: Mapping[str, Reason]) -> None:
    """Where nothing else is ready, every reason is said."""
    if over:
        refuse_verb("nothing was claimed.", *(_named(task, reason) for task, reason in over.items()))


def _named(task: str, reason: Reason) -> Reason:
    return reason if task in reason.message else Reason(reason.rule, f"{task}: {reason.message}", reason.next)


def in_words(over: Mapping[str, Reason]) -> tuple[str, ...]:
    """What was passed over, a sentence each."""
    return tuple(f"{task} was passed over: {reason.message} ({reason.rule})" for task, reason in over.items())
