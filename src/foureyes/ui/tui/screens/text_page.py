"""A text: what a check printed, a task's log, its history, why a rule says no."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text

from foureyes.ui.tui.desk import Desk
from foureyes.ui.tui.marks import visible
from foureyes.ui.tui.screens.page import Page
from foureyes.ui.tui.text.lines import clock
from foureyes.ui.tui.widgets.rows import Line, Rows

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from foureyes.app.views.check import CheckReport


class TextPage(Page):
    """Lines to read and to search. The text is shown as it is; control characters are made visible."""

    context: ClassVar = "page"

    def __init__(self, title: str, text: str | Sequence[str], right: str = "") -> None:
        super().__init__()
        self._title, self._right = title, right
        self._lines = [visible(line, tabs=4) for line in (text.split("\n") if isinstance(text, str) else text)]
        self._search = ""

    def body(self) -> ComposeResult:
        yield Rows(id="rows", cursor=False)

    def draw(self) -> None:
        if not self.is_mounted:
            return
        self.top.show(self.across(self.paint(f" {self._title}", "title"), self._right), self.rule())
        self.rows.show([Line(self._line(line)) for line in self._lines])

    reload = draw

    def _line(self, line: str) -> Callable[[int], Text]:
        def paint(_: int) -> Text:
            text = Text(f" {line}")
            if self._search:
                text.highlight_words([self._search], self.app.palette["banner"], case_sensitive=False)
            return text

        return paint

    def do_find(self) -> None:
        from foureyes.ui.tui.screens.find import ask_filter

        ask_filter(self, self._search, self._searched, self._onward)

    def _searched(self, text: str) -> None:
        self._search = text
        self._onward(0)

    def _onward(self, by: int) -> None:
        """To the next line with what is looked for."""
        here = self.rows.scroll_offset.y
        hits = [
            number for number, line in enumerate(self._lines) if self._search and self._search.lower() in line.lower()
        ]
        if by >= 0:
            hit = next((number for number in hits if number >= here + by), None)
        else:
            hit = next((number for number in reversed(hits) if number < here), None)
        if hit is not None:
            self.rows.scroll_to(y=hit, animate=False)
        self.rows.refresh()

    def do_choose(self) -> None:
        pass


def show_log(page: Page, task: str) -> None:
    """A task's log, the latest line last."""

    def read(desk: Desk) -> list[str]:
        detail = desk.application.lists.show(desk.actor, task)
        return [f"{clock(line.at)} {detail.name(line.session)}: {line.text}" for line in detail.logs]

    def open_it(lines: list[str]) -> None:
        page.app.push_screen(TextPage(f"LOG {task}", lines or ["nothing was logged"]))

    page.ask(read, open_it)


def show_checks(page: Page, task: str) -> None:
    """Every check of a task's latest attempt, with what it printed."""

    def open_it(report: CheckReport) -> None:
        lines: list[str] = []
        for row in report.checks:
            lines += [f"{row.check}: {row.outcome}" + (f"   {row.summary}" if row.summary else "")]
            lines += [f"    {line}" for line in row.output.splitlines()] + [""]
        none = ["no checks: nothing is auto-approved until one exists (M4)"]
        page.app.push_screen(TextPage(f"CHECKS {task}", lines or none))

    page.ask(lambda desk: desk.application.checks.show(desk.actor, task), open_it)
