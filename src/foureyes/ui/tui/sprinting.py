"""Sprints on the board: Shift+S, and the one line when one has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foureyes.app.results.board import BoardView
    from foureyes.ui.tui.app import FoureyesApp
    from foureyes.ui.tui.screens.board import BoardPage


def open_sprint(board: BoardPage) -> None:
    """The progress of the sprint that goes on, else planning."""
    from foureyes.ui.tui.screens.sprint import SprintPage
    from foureyes.ui.tui.screens.sprint_planning import SprintPlanningPage

    sprint = board.view.sprint if board.view is not None else None
    if sprint is not None and sprint.state in ("running", "paused"):
        board.app.push_screen(SprintPage(sprint.id))
    else:
        board.app.push_screen(SprintPlanningPage())


def tell_end(app: FoureyesApp, view: BoardView | None) -> None:
    """X2: that a sprint has ended is said once, also to who was not there then; where that was said is kept."""
    if view is None or app.told_sprint is None or view.sprint.state != "ended" or app.told_sprint == view.sprint.id:
        return
    app.told_sprint = view.sprint.id
    board = app.pages[0]
    board.note(" · ".join(part for part in (view.sprint.ended, board.noted.strip()) if part))

    from foureyes.ui.tui.resume_position import keep_position

    keep_position(app)
