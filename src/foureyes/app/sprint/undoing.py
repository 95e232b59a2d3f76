"""Undo (X5): what a sprint merged is taken back by tasks of its own, worked on and reviewed like any other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.refusals import refuse_verb
from foureyes.app.sprint.starting import refuse_unnamed
from foureyes.app.tasks.ids import free_id
from foureyes.app.tasks.sprinting import find
from foureyes.app.views.sprint import SprintUndo
from foureyes.core import events as e
from foureyes.core.words.ids import TaskId
from foureyes.errors import Reason
from foureyes.steps import fe

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.core.nouns.session import Actor

TITLE = 400


class SprintMerge(msgspec.Struct, frozen=True, kw_only=True):
    """What a sprint merged, the last one first."""

    id: str
    title: str
    priority: int
    sha: str
    revert: str = ""


def undo(context: Context, actor: Actor, name: str) -> SprintUndo:
    """One task for each merge, the last merge first; what has one already gets no second."""
    with context.writing(actor, "sprint undo") as work:
        refuse_unnamed(context, work)
        sprint = find(work.tx, name)
        if sprint.is_active:
            why = Reason("X5", f"{sprint.id} is {sprint.state}: stop it first", fe("sprint", "stop", sprint.id))
            refuse_verb("nothing was planned.", why)
        rows = work.tx.all("sprint.brought", SprintMerge, sprint=sprint.id)
        already = tuple((row.id, row.revert) for row in rows if row.revert)
        made = []
        for row in rows:
            if row.revert:
                continue
            new = free_id(context, work.tx)
            work.record(new, _task(row, sprint.id, context.project(work.tx).target))
            made.append((TaskId(row.id), new))
        if made:
            work.record("", e.SprintUndone(sprint=sprint.id, reverts=tuple(made)))
    message = f"planned {len(made)} task{'' if len(made) == 1 else 's'} that take back what {sprint.id} merged"
    if not made:
        message = f"{sprint.id} is taken back already" if already else f"{sprint.id} merged nothing"
    step = fe("show", made[0][1]) if made else fe("sprint", "report", sprint.id)
    return SprintUndo(id=sprint.id, reverts=tuple(made), already=already, message=message, next=step)


def _task(row: SprintMerge, sprint: str, target: str) -> e.TaskCreated:
    description = (
        f"Take back what {row.id} brought to {target} in sprint {sprint}: git revert -m 1 {row.sha}\n\n"
        "What was merged later may rest on it: later merges are taken back first, and every test passes afterwards."
    )
    title = f"Revert {row.id}: {row.title}"[:TITLE]
    return e.TaskCreated(title=title, description=description, type="chore", priority=row.priority)
