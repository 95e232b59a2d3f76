"""Lists: pages of tasks, reviewable tasks, one task in full. Reading writes nothing. (D7)

Imports that a page of tasks does not need are local, because agents list and claim often.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.modes import modes_by_task
from foureyes.app.results.task_list import Link, ListedTask, ListQuery, ReviewablePage, TaskRow
from foureyes.core.words.ids import TaskId
from foureyes.core.words.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from foureyes.app.context import Context
    from foureyes.app.ports import Tx
    from foureyes.app.results.task import TaskDetail
    from foureyes.core.nouns.session import Actor


# ---- Lists ----


LOG_LINES = 20


class Lists:
    """Read access to tasks."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def page(self, query: ListQuery) -> list[TaskRow]:
        """Return one page of a list."""
        with self._context.store.read() as tx:
            if query.text is not None:
                clean_text(query.text.replace("\0", " "), "the text to search for")
            if query.parent is not None:
                query = msgspec.structs.replace(query, parent=self._context.find_id(tx, query.parent))
            return tx.tasks(query, TaskRow)

    def listed(self, query: ListQuery) -> list[ListedTask]:
        """Return one page of a list, with the implementer, mode and dependencies of each task."""

        rows = self.page(query)
        with self._context.store.read() as tx:
            return listed(self._context, tx, rows)

    def place(self, task: str) -> tuple[int, int]:
        """Return a task's position in the priority order, to continue after it."""
        with self._context.store.read() as tx:
            mark = tx.one("task.place", PageMark, id=self._context.find_id(tx, task))
        assert mark is not None
        return mark.priority, mark.n

    def reviewable(self, actor: Actor, query: ListQuery) -> ReviewablePage:
        """Return exactly the tasks that P and D1–D3 let the caller approve. One call judges a limited number of tasks.
        (P13)
        """
        from foureyes.app.pages.review_queue import reviewable

        return reviewable(self._context, actor, query)

    def show(self, actor: Actor, task: str, *, log_lines: int = LOG_LINES, with_diff: bool = False) -> TaskDetail:
        """Return everything about one task and what the caller can do. `with_diff`: the diff is shown with it."""
        from foureyes.app.pages.task import show

        return show(self._context, actor, task, log_lines, with_diff=with_diff)

    def tree(self, task: str) -> list[tuple[int, Link]]:
        """Return all tasks that a task depends on, directly or not, with their depth. Each one's own dependencies are
        listed once.
        """
        rows: list[tuple[int, Link]] = []
        with self._context.store.read() as tx:
            root = self._context.find(tx, task)
            seen: set[str] = set()
            stack = [(0, Link(root.id, root.status, root.title))]
            while stack:
                depth, link = stack.pop()
                rows.append((depth, link))
                if link.id not in seen:
                    seen.add(link.id)
                    stack += [(depth + 1, below) for below in reversed(tx.all("task.dependencies", Link, id=link.id))]
        return rows


class PageMark(msgspec.Struct, frozen=True):
    """A position in the order of lists."""

    priority: int
    n: int


# ---- A page of tasks as people read it ----


class TaskHolder(msgspec.Struct, frozen=True):
    """A task's implementer, and the role that has to decide about it."""

    task: str
    who: str
    waiting_for: str


def listed(context: Context, tx: Tx, rows: Sequence[TaskRow]) -> list[ListedTask]:
    """Add implementer, mode and dependencies to the rows, except for closed tasks. The mode is the gate's, for every
    caller.
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
                owner=claim.who if claim else "",
                mode=modes.get(TaskId(row.id), ""),
                waits=waits.get(row.id, ()),
                waiting_for=claim.waiting_for if claim else "",
            )
        )
    return tasks


# ---- Open dependencies ----


class OpenDependency(msgspec.Struct, frozen=True):
    """A task and an open task that it depends on."""

    task: str
    depends_on: str


def awaited(tx: Tx, tasks: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """Return the open dependencies of these tasks. Tasks without any are left out."""
    waits: dict[str, list[str]] = defaultdict(list)
    for row in tx.all("board.waits", OpenDependency, ids=list(tasks)) if tasks else ():
        waits[row.task].append(row.depends_on)
    return {task: tuple(others) for task, others in waits.items()}
