"""A bar: some lines of text above or below a page's body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual.widgets import Static

if TYPE_CHECKING:
    from foureyes.ui.tui.app import FoureyesApp


class Bar(Static):
    """Lines of text, cut at the edge of the screen, never wrapped and never read as markup."""

    app: FoureyesApp
    DEFAULT_CSS = """
    Bar { height: auto; width: 1fr; background: $background; text-wrap: nowrap; text-overflow: clip; }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__("", id=id, classes=classes, markup=False)
        self._shown = Text("")
        self._tall = 0

    def show(self, *lines: Text | str) -> None:
        """Show other lines; none takes no room."""
        self.display = bool(lines)
        text = Text("\n").join(Text(line) if isinstance(line, str) else line for line in lines)
        text.no_wrap = True
        drawn = self.app.drawn(text)
        if drawn != self._shown:
            was, self._shown, self._tall = self._tall, drawn, len(lines)
            self.update(drawn, layout=was != self._tall)  # the layout of a whole page costs more than all of its text
