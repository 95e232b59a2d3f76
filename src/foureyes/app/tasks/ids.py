"""Ids of new tasks."""

from __future__ import annotations

from foureyes.app.call.context import Context
from foureyes.app.call.rows import IdRow
from foureyes.app.ports import Tx
from foureyes.app.views.project import CounterRow
from foureyes.core.words.ids import TaskId, length_for, task_id
from foureyes.errors import BadInput

TRIES = 20


def free_id(context: Context, tx: Tx) -> TaskId:
    """An id nobody has: checked in the creating transaction, longer when the short ones run out."""
    tx.along(("project.counters", {}))
    prefix = context.project(tx).prefix
    total = sum(row.n for row in tx.all("project.counters", CounterRow) if row.name.startswith("status:"))
    for tries in range(TRIES):
        new = task_id(prefix, context.ids.number(), length_for(total, tries))
        if tx.one("task.exists", IdRow, id=new) is None:
            return new
    raise BadInput("no free task id was found; try again.")
