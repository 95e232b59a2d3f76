"""An agent's own work that is not finished: a question of reviewers, work that was sent back, a finding to answer, a red
check (R2, T4, L6, D5).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.facts import facts_of
from foureyes.app.call.rows import Count, IdRow
from foureyes.app.views.status import OpenPoint
from foureyes.app.work.releasing import is_successor
from foureyes.core.rules.check_states import check_states
from foureyes.core.words.ids import TaskId
from foureyes.core.words.text import one_line
from foureyes.steps import fe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.core.nouns.session import Actor
    from foureyes.core.nouns.task import Task
    from foureyes.steps import Steps

SAID = 3
"""How many tasks are named."""
QUESTION = 200
"""How much of what reviewers ask is said."""


class OwnWork(msgspec.Struct, frozen=True):
    """A task, what its author can do for it now, and the command. `sent_back`: it can be started again."""

    task: str
    text: str
    step: Steps
    sent_back: bool = False


def own_work(context: Context, tx: Tx, actor: Actor) -> list[OwnWork]:
    """What comes before new work, for an agent; the same for the next process of its program once it has ended (T2)."""
    if actor.kind != "agent":
        return []
    points = tx.all("cycle.asks_maker", OpenPoint, session=actor.session, limit=SAID)
    found = [OwnWork(point.task, _question(point), point.step) for point in points]
    for row in tx.all("task.own", IdRow, session=actor.session, agent=actor.agent):
        task = context.get(tx, TaskId(row.id))
        if task.ready:
            text = f"{task.id} was sent back to you: fe start {task.id}, then fe context {task.id}"
            found.append(OwnWork(task.id, text, fe("start", task.id), sent_back=True))
        elif task.implementer == actor.session or is_successor(context, tx, actor, task):
            found += _in_review(context, tx, actor, task)
        if len(found) >= SAID:
            break
    return found


def _in_review(context: Context, tx: Tx, actor: Actor, task: Task) -> Iterator[OwnWork]:
    count = tx.one("finding.to_answer", Count, task=task.id)
    if count is not None and count.n:
        findings = f"{count.n} finding{'' if count.n == 1 else 's'}"
        text = f"{task.id} has {findings} for you to answer: fe finding list {task.id} --open"
        yield OwnWork(task.id, text, fe("finding", "list", task.id, "--open"))
        return
    states = check_states(facts_of(context, tx, task.id), context.policy(tx, actor))
    red = [
        f"{state.rule.name} {state.result.outcome.replace('_', ' ')}"
        for state in states
        if state.rule.required and state.result is not None and state.result.outcome != "passed"
    ]
    if red:
        words = f"a required check did not pass ({', '.join(red)})"
        text = f"{task.id} is in review, and {words}: fe check show {task.id}"
        yield OwnWork(task.id, text, fe("check", "show", task.id))


def _question(point: OpenPoint) -> str:
    """R2: what reviewers ask, and what answers it, in a line."""
    line = one_line(f"reviewers ask you about {point.task}, {point.cycle} {point.id}: {point.text}", QUESTION)
    return f'{line} · answer: fe review clarify {point.cycle} {point.id} -m "…"'
