"""Opening a batch (H3): its samples are drawn by a random number, on record, and are the same for everybody from then
on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from foureyes.core.events.decision import BatchOpened, Drawn
from foureyes.core.rules.sampling import Drawable, samples, to_be_drawn
from foureyes.core.words.ids import DiffId, TaskId
from foureyes.errors import FoureyesError

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.core.nouns.session import Actor
    from foureyes.core.rules.policy import HumanRule

VERB = "batch open"


def drawables_of(tx: Tx, tasks: Sequence[str]) -> dict[str, Drawable]:
    """What was drawn of tasks so far."""
    return {row.task: row for row in tx.all("attempt.draws", Drawable, ids=list(tasks))} if tasks else {}


def is_sample(tx: Tx, task: TaskId) -> bool:
    """Whether a task was drawn to be looked at."""
    row = drawables_of(tx, [task]).get(task)
    return row is not None and row.is_sample


def _waiting(context: Context, tx: Tx, names: Sequence[str]) -> list[TaskId]:
    """Those of these tasks that wait in review; what means no task is refused when its turn comes."""
    tasks = []
    for name in names:
        try:
            tasks.append(context.find(tx, name))
        except FoureyesError:
            continue
    return [task.id for task in tasks if task.status == "reviewing"]


def open_batch(context: Context, actor: Actor, names: Sequence[str], rule: HumanRule) -> frozenset[str]:
    """The samples among these tasks. Of what was never drawn some are drawn now; who comes second finds them drawn."""
    with context.store.read() as tx:
        tasks = _waiting(context, tx, names)
        rows = drawables_of(tx, tasks)
    if to_be_drawn(rows.values(), rule):
        with context.writing(actor, VERB) as work:
            new = to_be_drawn(drawables_of(work.tx, tasks).values(), rule)
            if new:
                number = f"{context.ids.number():032x}"
                chosen = samples(new, number, rule)
                drawn = tuple(
                    Drawn(TaskId(row.task), row.attempt, DiffId(row.diff_id), sample=row.task in chosen) for row in new
                )
                work.record("", BatchOpened(number=number, drawn=drawn))
            rows = drawables_of(work.tx, tasks)
    return frozenset(task for task, row in rows.items() if row.is_sample)
