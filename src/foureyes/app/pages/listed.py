"""A page of tasks as people read it: who works on each, how it is reviewed, what it waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.modes import modes_by_task
from foureyes.app.pages.awaiting import awaited
from foureyes.app.views.task_list import ListedTask, TaskRow
from foureyes.core.words.ids import TaskId

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx


class TaskHolder(msgspec.Struct, frozen=True):
    """Who has a task, and who has to decide before anybody can go on with it."""

    task: str
    who: str
    waiting_for: str


def listed(context: Context, tx: Tx, rows: Sequence[TaskRow]) -> list[ListedTask]:
    """The rows with what stands beside a task; of closed ones nothing is said. The mode is what the gate would say,
    whoever asks.
    """
    live = [TaskId(row.id) for row in rows if row.status != "closed"]
    claims = {row.task: row for row in tx.all("task.claimed", TaskHolder, ids=live)} if live else {}
    waits = awaited(tx, live)
    modes = modes_by_task(context, tx, context.gate, live) if live else {}
    tasks = []
    for row in rows:
        claim = claims.get(row.id)
        tasks.append(
            ListedTask(
                **msgspec.structs.asdict(row),
                who=claim.who if claim else "",
                mode=modes.get(TaskId(row.id), ""),
                waits=waits.get(row.id, ()),
                waiting_for=claim.waiting_for if claim else "",
            )
        )
    return tasks
