"""The stack of pages: which of them a place of the review stands on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.ui.tui import review_session as review

if TYPE_CHECKING:
    from foureyes.ui.tui.screens.page import Page


def wanted(flow: review.Flow) -> list[str]:
    """The pages that a place of the review stands on, the lowest first."""
    path = [*flow.before, flow.place]
    names = ["board"]
    for place in path:
        if place == "idle":
            continue
        if place in ("task", "diff") and len(flow.rows) > 1 and "summary" not in names:
            names.append("summary")
        name = "task" if place == "single" else str(place)
        if name not in names:
            names.append(name)
        if name == "summary" and flow.batch:
            names.append("batch")
    return names


def make_page(name: str, flow: review.Flow) -> Page:
    """A page of the review by its name."""
    if name == "summary":
        from foureyes.ui.tui.screens.summary import SummaryPage

        return SummaryPage()
    if name == "batch":
        from foureyes.ui.tui.screens.batch import BatchPage

        return BatchPage()
    if name == "task":
        from foureyes.ui.tui.screens.task import TaskPage

        return TaskPage()
    if name == "diff":
        from foureyes.ui.tui.screens.diff import DiffPage

        return DiffPage()
    if flow.form == "reject":
        from foureyes.ui.tui.screens.reject import RejectPage

        return RejectPage()
    from foureyes.ui.tui.screens.redo import RedoPage

    return RedoPage()
