"""A canvas of rows with a cursor: rows are painted when they are on screen, so that a long text costs what a short one
costs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.errors import NoWidget
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from foureyes.ui.tui.error_boundary import guarded, painted
from foureyes.ui.tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from foureyes.ui.tui.app import FoureyesApp

PaintCells = Callable[[int, int], Text]
"""A row's text, by its number and for a width."""


class Canvas(LineView, inherit_bindings=False):
    """Numbered rows. The cursor is one of them; the screen follows it."""

    app: FoureyesApp

    class Turned(Message):
        """Other rows are on screen, or the cursor stands on another."""

    class Opened(Message):
        """A row was double-clicked."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.count = 0
        self.at = 0
        self._paint: PaintCells = lambda number, width: Text("")

    def show(self, count: int, paint: PaintCells, at: int | None = None, above: int | None = None) -> None:
        """Show other rows; the cursor goes to `at`, with so many rows above it on screen."""
        self.count, self._paint = count, paint
        self.virtual_size = Size(self.size.width or 1, count)
        self.at = max(0, min(count - 1, self.at if at is None else at))
        if above is not None:
            self._scroll(self.at - above)
        self.refresh()
        self.post_message(self.Turned())

    @property
    def first(self) -> int:
        """The first row on screen."""
        return self.scroll_offset.y

    @property
    def last(self) -> int:
        """The row after the last one on screen."""
        return min(self.count, self.first + max(0, self.size.height))

    @property
    def in_view(self) -> range:
        """The rows that somebody can see now. None while another page or program is in front, while there is no room
        for the canvas, or as long as that is not laid out.
        """
        app = self.app
        if not self.is_attached or not self.display or app.screen is not self.screen or not app.app_focus:
            return range(0)
        try:
            height = self.screen.find_widget(self).visible_region.height
        except NoWidget:
            return range(0)
        return range(max(0, self.first), min(self.last, self.first + height))

    @property
    def page_size(self) -> int:
        return max(1, self.size.height)

    def go(self, number: int, *, top: int | None = None) -> None:
        """Put the cursor on a row; `top`: with so many rows above it, else so that it is on screen."""
        self.at = max(0, min(self.count - 1, number))
        if top is not None:
            self._scroll(self.at - top)
        elif self.at < self.first:
            self._scroll(self.at)
        elif self.at >= self.first + self.page_size:
            self._scroll(self.at - self.page_size + 1)
        self.refresh()
        self.post_message(self.Turned())

    def move(self, by: int) -> None:
        self.go(self.at + by)

    def page(self, by: int) -> None:
        """A page on or back: the last row stays as the first, for the eye."""
        step = max(1, self.page_size - 1) * by
        before = self.first
        self._scroll(before + step)
        moved = self.first - before
        self.go(self.at + (moved or step))

    def edge(self, *, last: bool) -> None:
        self.go(self.count - 1 if last else 0, top=None if last else 0)

    def _scroll(self, top: int) -> None:
        most = max(0, self.count - self.page_size)
        self.scroll_to(y=max(0, min(most, top)), animate=False, force=True, immediate=True)

    @guarded
    def on_resize(self, event: events.Resize) -> None:
        self.virtual_size = Size(event.size.width, self.count)
        self.go(self.at)

    def watch_scroll_y(self, old: float, new: float) -> None:
        super().watch_scroll_y(old, new)
        if self.at >= 0 and self.first < self.last:  # the wheel takes the cursor along
            self.at = max(self.first, min(self.last - 1, self.at))
        if self.count:
            self.post_message(self.Turned())

    @painted
    def render_line(self, y: int) -> Strip:
        number, width = y + self.scroll_offset.y, self.scrollable_content_region.width
        if not 0 <= number < self.count:
            return Strip.blank(width, self._ground)
        text = self.app.drawn(self._paint(number, width), width)
        text.no_wrap, text.end = True, ""
        strip = Strip(text.render(self.app.console)).adjust_cell_length(width).apply_style(self._ground)
        if number != self.at:
            return strip
        if self.has_focus and strip.text[:1].isspace():  # never by colour alone
            strip = Strip.join([Strip([Segment(self.app.marks.cursor, self._ground)]), strip.crop(1, width)])
        return strip.apply_style(self.app.palette["cursor" if self.has_focus else "focus"])

    @guarded
    def on_click(self, event: events.Click) -> None:
        """A click puts the cursor there, a double click opens; no decision is made by clicking."""
        number = event.y + self.scroll_offset.y
        if 0 <= number < self.count:
            self.go(number)
            if event.chain == 2:
                self.post_message(self.Opened())
