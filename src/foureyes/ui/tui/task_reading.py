"""Reading a task for its page: itself, its change, and what the queue says of it. Work for the desk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from foureyes.errors import FoureyesError
from foureyes.ui.tui.reading import last_look
from foureyes.ui.tui.text.task import TaskView
from foureyes.ui.tui.worker import Desk

if TYPE_CHECKING:
    from foureyes.app.results.review import QueueRow
    from foureyes.app.results.task import TaskDetail

MANY = 500
"""So many tasks are judged to learn the risk of one: what else waits has a say in it."""


def is_as_now(row: QueueRow | None, detail: TaskDetail) -> bool:
    """Whether a row of the queue was judged about what the task is now: this version, this change, these checks."""
    if row is None or not detail.attempts or row.diff_id != detail.attempts[-1].diff_id:
        return False
    checks = {check.check: check.outcome for check in detail.checks}
    return row.version == detail.task.version and all(row.checks.get(name) == word for name, word in checks.items())


def read(desk: Desk, task: str, row: QueueRow | None, *, looked: int, acts: int) -> TaskView:
    """A task for one look. A change that git cannot show is said, and the rest is shown all the same. `looked`: the
    attempt that was looked at before; `acts`: what the reader has done about the task when this was asked for.
    """
    app = desk.application
    detail = app.lists.show(desk.actor, task)
    attempt = detail.attempts[-1] if detail.attempts else None
    if detail.task.status == "reviewing" and not is_as_now(row, detail):
        rows = app.queue.view(desk.actor, most=MANY).rows
        row = next((each for each in rows if each.task == detail.task.id), None)
    cycles = tuple(app.cycles.listed(task=detail.task.id, limit=1))
    view = TaskView(detail=detail, row=row, acts=acts, cycles=cycles)
    if attempt is None or attempt.no_code:
        return view
    try:
        change = app.attempts.changes(task, attempt=attempt.n)
        since = None
        before = looked or last_look(detail, desk.actor.session)
        if 0 < before < attempt.n:
            newer = app.attempts.changes(task, attempt=attempt.n, since=before)
            since = (sum(file.added for file in newer.files), sum(file.removed for file in newer.files), before)
        return replace(view, change=change, since=since)
    except FoureyesError as problem:
        return replace(view, problem=problem.message)
