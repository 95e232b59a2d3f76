"""A text: what a check printed, a task's log, its history, why a rule says no."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text

from foureyes.ui.tui.marks import visible
from foureyes.ui.tui.screens.page import Page
from foureyes.ui.tui.widgets.rows import Line, Rows

if TYPE_CHECKING:
    from textual.app import ComposeResult


class TextPage(Page):
    """Lines to read and to search. The text is shown as it is; control characters are made visible."""

    context: ClassVar = "page"

    def __init__(self, title: str, text: str | Sequence[str], right: str = "") -> None:
        super().__init__()
        self._title, self._right = title, right
        self.lines = [visible(line, tabs=4) for line in (text.split("\n") if isinstance(text, str) else text)]
        self._search = ""

    def body(self) -> ComposeResult:
        yield Rows(id="rows", cursor=False)

    def draw(self) -> None:
        if not self.is_mounted:
            return
        self.top.show(self.across(self.paint(f" {self._title}", "title"), self._right), self.rule())
        self.rows.show(list(self.painters()))

    reload = draw

    def painters(self) -> Iterator[Line]:
        """What is shown, line by line; `lines` is what is searched."""
        for line in self.lines:
            yield Line(self.painter(line))

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

    def do_choose(self) -> None:
        pass
