"""What is kept of agents for tasks that are over (homes of their runs): found, and removed once nothing runs there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.run.rows import RunTask
from foureyes.core.nouns.run import Run
from foureyes.core.words.ids import TaskId

if TYPE_CHECKING:
    from foureyes.app.agent_ports import LocalAgents
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx

LOOK_SECONDS = 60
MOST_RUNS = 500
"""So many folders, and runs of a task, are looked at."""


class Keeping:
    """Looks from time to time for what is kept for closed tasks."""

    def __init__(self, context: Context, agents: LocalAgents) -> None:
        self._context, self._agents = context, agents
        self._next = ""

    def look(self, tx: Tx) -> tuple[TaskId, ...]:
        """Closed tasks for which something is kept on this machine."""
        if self._next > self._context.now():
            return ()
        self._next = self._context.later(LOOK_SECONDS)
        kept = sorted(self._agents.kept())[:MOST_RUNS]
        rows = tx.all("runner.tasks", RunTask, ids=kept) if kept else []
        return tuple(TaskId(row.id) for row in rows if row.status == "closed")


def forget(context: Context, agents: LocalAgents, task: TaskId, host: str) -> bool:
    """Remove what is kept for a task, if nothing of any of its runs is alive here; whether it was."""
    with context.store.read() as tx:
        runs = [run for run in tx.all("run.of_task", Run, task=task, limit=MOST_RUNS) if run.host == host]
    if any(run.state != "ended" for run in runs):
        return False
    ids = [run.id for run in runs]
    if set(agents.end_left([], ids)) != set(ids):
        return False
    agents.forget(task)
    return True
