"""Merging from the app: the queue is processed beside the app's own desk, so that nothing waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.ui.tui.marks import visible

if TYPE_CHECKING:
    from foureyes.app.results.attempt import MergeRow
    from foureyes.errors import FoureyesError
    from foureyes.ui.tui.app import FoureyesApp
    from foureyes.ui.tui.worker import Desk

ROWS_SHOWN = 3


class Merging:
    """One `fe merge` at a time."""

    def __init__(self, app: FoureyesApp) -> None:
        self._app = app
        self._desk: Desk | None = None
        self._runs = False

    def begin(self) -> None:
        """Merge what is approved; the result is said on whatever page is open by then."""
        app = self._app
        app.pages[-1].note("merging: checks run on the result first")
        if self._runs:
            return
        self._runs, app.last_command = True, "fe merge"
        self._desk = self._desk or app.desk.beside()
        self._desk.ask(app, lambda desk: desk.application.merges.process(desk.actor), self._done, self._refused)

    def _done(self, rows: list[MergeRow]) -> None:
        self._runs = False
        said = [f"{row.task} {row.outcome}: {visible(row.message)}" for row in rows[:ROWS_SHOWN]]
        said += [f"{len(rows) - ROWS_SHOWN} more: fe merge --list"] if len(rows) > ROWS_SHOWN else []
        for page in self._app.pages:
            page.changed(self._app.seq)
        self._app.pages[-1].note(" · ".join(said) or "nothing to merge")

    def _refused(self, problem: FoureyesError) -> None:
        self._runs = False
        self._app.show_refusal(problem)

    def close(self) -> None:
        """The app ends; a merge that has begun is finished first."""
        if self._desk is not None:
            self._desk.close()
