"""Texts about a task, each a page to read: its log, its attempts, what happened, why."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from foureyes.ui.tui.screens.text_page import TextPage
from foureyes.ui.tui.text.story import history_lines, iteration_lines, log_lines, words_lines
from foureyes.ui.tui.text.why import detail_lines

if TYPE_CHECKING:
    from foureyes.app.results.task import TaskDetail
    from foureyes.ui.tui.screens.page import Page
    from foureyes.ui.tui.text.task import TaskView


def _show(page: Page, task: str, title: str, lines: Callable[[TaskDetail], list[str]]) -> None:
    def shown(detail: TaskDetail) -> None:
        page.app.push_screen(TextPage(f"{title} {task}", lines(detail)))

    page.ask(lambda desk: desk.application.lists.show(desk.actor, task, log_lines=LOG_LINES), shown)


LOG_LINES = 500


def show_log(page: Page, task: str) -> None:
    """A task's log, the latest line last."""
    _show(page, task, "LOG", log_lines)


def show_iterations(page: Page, task: str) -> None:
    """Its attempts, the latest first."""
    _show(page, task, "ITERATIONS", iteration_lines)


def show_history(page: Page, task: str) -> None:
    """What happened to it, the latest first."""
    _show(page, task, "HISTORY", history_lines)


def show_why(page: Page, view: TaskView) -> None:
    """Every rule, for whoever sits here."""
    page.app.push_screen(TextPage(f"WHY {view.detail.task.id}", detail_lines(view.detail, view.row)))


def show_words(page: Page, detail: TaskDetail) -> None:
    """What a task asks for: its description, and when it is done."""
    page.app.push_screen(TextPage(f"TASK {detail.task.id}", words_lines(detail.task)))
