"""Begin a review, and take in what is new: the queue becomes the snapshot that the flow walks over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from foureyes.app.results.task_list import ListQuery
from foureyes.ui.tui import review_session as review
from foureyes.ui.tui.filters import Filter, parse, searched
from foureyes.ui.tui.resume_position import resume
from foureyes.ui.tui.text.summary import ordered
from foureyes.ui.tui.worker import Desk

if TYPE_CHECKING:
    from foureyes.app.results.review import QueueRow, QueueView
    from foureyes.ui.tui.app import FoureyesApp
    from foureyes.ui.tui.screens.page import Page


PAGE = 500


def waiting_now(desk: Desk) -> set[str]:
    """The ids of everything in review now."""
    waiting: set[str] = set()
    after = None
    while rows := desk.application.lists.page(ListQuery(status="reviewing", limit=PAGE, after=after)):
        waiting |= {row.id for row in rows}
        after = (rows[-1].priority, rows[-1].n)
    return waiting


def rows_shown(app: FoureyesApp, narrow: Filter) -> list[QueueRow]:
    """What the summary shows of the snapshot, in its order."""
    rows: Sequence[QueueRow] = app.snapshot.rows if app.snapshot is not None else ()
    if narrow.text:
        rows = narrow.among(rows, [searched(row) for row in rows], lambda row: app.looks.of(row.task).unseen)
    return ordered(rows, app.order)


def walked(app: FoureyesApp, flow: review.Flow, rows: Sequence[QueueRow]) -> review.Flow:
    """A review that goes through these rows from now on, in this order."""
    numbers = [app.number_of(row.task) for row in rows]
    return replace(flow, walk=tuple(number for number in numbers if number is not None))


def begin(page: Page) -> None:
    """R: everything that waits, as it is now. The first one after a restart goes on where the person was."""

    def opened(view: QueueView) -> None:
        app = page.app
        left_at, app.left_at = app.left_at, None
        app.review_filter = left_at.filter if left_at is not None else ""
        if left_at is not None and len(left_at.tasks) > 1:  # a single one was no review: nothing has its place by it
            view = in_order(view, left_at.tasks)
        app.take_snapshot(view)
        if not rows_shown(app, parse(app.review_filter)):
            app.review_filter = ""  # nothing of what was looked for waits any more
        begun = review.start(app.flow, tuple(row.task for row in view.rows))
        begun = walked(app, begun, rows_shown(app, parse(app.review_filter)))
        app.go(begun if left_at is None else resume(begun, left_at))

    page.ask(lambda desk: desk.application.queue.view(desk.actor), opened)


def in_order(view: QueueView, tasks: tuple[str, ...]) -> QueueView:
    """What still waits of a snapshot, in its order, and then what is new."""
    place = {task: number for number, task in enumerate(tasks)}
    rows = sorted(view.rows, key=lambda row: place.get(row.task, len(place)))
    return replace(view, rows=tuple(replace(row, n=number) for number, row in enumerate(rows, 1)))


def take_in(page: Page) -> None:
    """F5: what is new joins the snapshot; what was decided keeps its number."""

    def taken(view: QueueView) -> None:
        app = page.app
        known = {row.task: row for row in app.snapshot.rows} if app.snapshot else {}
        fresh = {row.task: row for row in view.rows}
        rows = tuple(fresh.get(task) or row for task, row in known.items())
        rows += tuple(row for row in view.rows if row.task not in known)
        app.take_snapshot(replace(view, rows=tuple(replace(row, n=n) for n, row in enumerate(rows, 1))))
        app.go(review.take_in(app.flow, tuple(row.task for row in view.rows)))

    page.ask(lambda desk: desk.application.queue.view(desk.actor), taken)
