"""A text: what a check printed, a task's log, its history, why a rule says no."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.cells import cell_len
from rich.text import Text

from foureyes.ui.tui.keys import KeyContext
from foureyes.ui.tui.marks import visible
from foureyes.ui.tui.screens.page import Page
from foureyes.ui.tui.widgets.rows import PaintedLine, Rows

if TYPE_CHECKING:
    from textual.app import ComposeResult

COLUMN = 24
"""Columns begin before this one; farther on blanks are only blanks."""


def column_of(line: str) -> int:
    """Where the last column of a line begins: after blanks at its start, or after the last two of them in it."""
    gaps = list(re.finditer(r"^ +|\S(  +)(?=\S)", line[:COLUMN]))
    return gaps[-1].end() if gaps else 0


class UnwrappedLine(NamedTuple):
    """A line before it is wrapped. `place`: by which it is found again when other lines come before it."""

    line: str
    role: str = "text"
    place: str | None = None


class TextPage(Page):
    """Lines to read and to search. The text is shown as it is; control characters are made visible."""

    context: ClassVar[KeyContext] = "page"

    def __init__(self, title: str, text: str | Sequence[str], right: str = "") -> None:
        super().__init__()
        self._title, self._right = title, right
        self._text = [visible(line, tabs=4) for line in (text.split("\n") if isinstance(text, str) else text)]
        self.lines: list[str] = []
        """What is shown, as wide as the page is; it is searched."""
        self._search = ""

    def body(self) -> ComposeResult:
        yield Rows(id="rows", cursor=False)

    def draw(self) -> None:
        if not self.is_mounted:
            return
        self.top.show(self.across(self.paint(f" {self._title}", "title"), self._right), self.rule())
        rows = [part._replace(line=line) for part in self.parts() for line in self._wrapped(part.line)]
        self.lines = [row.line for row in rows]
        self.rows.show([PaintedLine(self.painter(row.line, row.role), row.place) for row in rows])

    reload = draw

    def parts(self) -> Iterator[UnwrappedLine]:
        """What is shown, line by line, and in which role."""
        for line in self._text:
            yield UnwrappedLine(line)

    def _wrapped(self, line: str) -> list[str]:
        """A line in as many as it needs; what follows the first stands below where its last column begins."""
        width = max(20, self.wide - 3)
        if cell_len(line) <= width:
            return [line]
        indent = " " * min(column_of(line), width // 2)
        first, *rest = [part.plain.rstrip() for part in Text(line).wrap(self.app.console, width)]
        if not rest:
            return [first]
        tail = Text(line[len(first) :].strip())
        return [first, *[indent + part.plain for part in tail.wrap(self.app.console, width - len(indent))]]

    def painter(self, line: str, role: str = "text") -> Callable[[int], Text]:
        """Paints a line, and in it what is looked for."""

        def paint(_: int) -> Text:
            text = self.paint(f" {line}", role)
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
            number for number, line in enumerate(self.lines) if self._search and self._search.lower() in line.lower()
        ]
        if by >= 0:
            hit = next((number for number in hits if number >= here + by), None)
        else:
            hit = next((number for number in reversed(hits) if number < here), None)
        if hit is not None:
            self.rows.scroll_to(y=hit, animate=False)
        self.rows.refresh()
