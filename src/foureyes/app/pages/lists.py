"""Lists: pages of tasks, what the caller may approve, one task in full. Reads write nothing (D7).

What a page of tasks does not need is loaded where it is needed: agents list and claim all the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.views.task_list import Link, ListQuery, ReviewablePage, TaskRow
from foureyes.core.words.text import clean_text

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.views.task import TaskDetail
    from foureyes.app.views.task_list import ListedTask
    from foureyes.core.nouns.session import Actor

LOG_LINES = 20


class Lists:
    """The read side of tasks."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def page(self, query: ListQuery) -> list[TaskRow]:
        """One page of a list."""
        with self._context.store.read() as tx:
            if query.text is not None:
                clean_text(query.text.replace("\0", " "), "the text to search for")
            if query.parent is not None:
                query = msgspec.structs.replace(query, parent=self._context.find_id(tx, query.parent))
            return tx.tasks(query, TaskRow)

    def listed(self, query: ListQuery) -> list[ListedTask]:
        """One page of a list, with who works on each task, its mode and what it waits for."""
        from foureyes.app.pages.listed import listed

        rows = self.page(query)
        with self._context.store.read() as tx:
            return listed(self._context, tx, rows)

    def place(self, task: str) -> tuple[int, int]:
        """Where a task stands in a list, to continue after it."""
        with self._context.store.read() as tx:
            mark = tx.one("task.place", PageMark, id=self._context.find_id(tx, task))
        assert mark is not None
        return mark.priority, mark.n

    def reviewable(self, actor: Actor, query: ListQuery) -> ReviewablePage:
        """P13: exactly the tasks that P and D1–D3 would let the caller approve, of so many in review as one call looks
        at.
        """
        from foureyes.app.pages.reviewable import reviewable

        return reviewable(self._context, actor, query)

    def show(self, actor: Actor, task: str, *, log_lines: int = LOG_LINES, with_diff: bool = False) -> TaskDetail:
        """Everything about one task, with what the caller could do about it; `with_diff`: beside the change itself."""
        from foureyes.app.pages.task import show

        return show(self._context, actor, task, log_lines, with_diff=with_diff)

    def tree(self, task: str) -> list[tuple[int, Link]]:
        """What a task waits for, and what that waits for, as depth and task; each task once."""
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
    """What lists are ordered by."""

    priority: int
    n: int
