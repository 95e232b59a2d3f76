"""Begin a review, and take in what is new: the queue becomes the snapshot that the flow walks over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.ui.tui import flow as review

if TYPE_CHECKING:
    from foureyes.app.views.review import QueueView
    from foureyes.ui.tui.screens.page import Page


def begin(page: Page) -> None:
    """R: everything that waits, as it is now."""

    def opened(view: QueueView) -> None:
        app = page.app
        app.take_snapshot(view)
        app.go(review.start(app.flow, tuple(row.task for row in view.rows)))

    page.ask(lambda desk: desk.application.queue.view(desk.actor), opened)


def take_in(page: Page) -> None:
    """F5: what is new joins the snapshot; what was decided keeps its number."""

    def taken(view: QueueView) -> None:
        app = page.app
        known = {row.task: row for row in app.snapshot.rows} if app.snapshot else {}
        fresh = {row.task: row for row in view.rows}
        rows = tuple(fresh.get(task) or row for task, row in known.items())
        rows += tuple(row for row in view.rows if row.task not in known)
        from msgspec.structs import replace

        app.take_snapshot(replace(view, rows=tuple(replace(row, n=n) for n, row in enumerate(rows, 1))))
        app.go(review.take_in(app.flow, tuple(row.task for row in view.rows)))

    page.ask(lambda desk: desk.application.queue.view(desk.actor), taken)
