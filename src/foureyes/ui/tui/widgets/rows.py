"""Rows on a virtual canvas: only the lines on screen are painted, so that ten thousand cost what fifty cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Self

from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from foureyes.ui.tui.error_boundary import guarded, painted
from foureyes.ui.tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from foureyes.ui.tui.app import FoureyesApp

PaintRow = Callable[[int], Text]
"""A line's text for a width. It is called when the line is on screen."""
MOST_STRIPS = 500
"""So many painted lines are remembered: some screens full."""


class PaintedLine(NamedTuple):
    """A line: how it is painted, and the row that it belongs to (None: a heading or filler, no cursor there)."""

    paint: PaintRow
    row: str | None = None


def plain(text: Text | str, row: str | None = None) -> PaintedLine:
    """A line that looks the same in every width."""
    ready = Text(text, no_wrap=True) if isinstance(text, str) else text
    return PaintedLine(lambda _: ready, row)


class Rows(LineView, inherit_bindings=False):
    """Lines with a cursor. The cursor stands on a row by its id; whatever moves, it follows the id."""

    app: FoureyesApp

    class Moved(Message):
        """The cursor stands on another row."""

        def __init__(self, rows: Rows, row: str) -> None:
            super().__init__()
            self.rows, self.row = rows, row

    class Opened(Message):
        """A row was double-clicked."""

        def __init__(self, rows: Rows, row: str) -> None:
            super().__init__()
            self.rows, self.row = rows, row

    def __init__(self, *, id: str | None = None, classes: str | None = None, cursor: bool = True) -> None:
        self._strips: dict[tuple[int, int], Strip] = {}
        """Lines as they were painted, by number and width."""
        super().__init__(id=id, classes=classes)
        self.lines: Sequence[PaintedLine] = ()
        self._order: list[str] = []
        self._index: dict[str, int] = {}
        self._first: dict[str, int] = {}
        self._last: dict[str, int] = {}
        self._at: str | None = None
        self._with_cursor = cursor

    @property
    def at(self) -> str | None:
        """The row under the cursor."""
        return self._at

    @property
    def order(self) -> list[str]:
        """The rows' ids from top to bottom."""
        return self._order

    def show(self, lines: Sequence[PaintedLine], at: str | None = None) -> str:
        """Show other lines; the cursor stays with its row, or goes to `at`. Where its row is gone it takes the next
        one, and the row that it lost is returned.
        """
        before, order = self._order, []
        first: dict[str, int] = {}
        last: dict[str, int] = {}
        for number, line in enumerate(lines):
            if line.row is not None:
                if line.row not in first:
                    first[line.row] = number
                    order.append(line.row)
                last[line.row] = number
        lost = self._at if self._at is not None and self._at not in first and at is None else None
        if not self._with_cursor:
            self._at = lost = None
        elif at is not None and at in first:
            self._at = at
        elif self._at not in first:
            index = before.index(self._at) if self._at in before else 0
            following = [row for row in before[index:] if row in first]
            self._at = following[0] if following else order[min(index, len(order) - 1)] if order else None
        top = self._row_on_top()
        into = self.scroll_offset.y - self._first.get(top, 0)
        self.lines, self._order, self._first, self._last = lines, order, first, last
        self._index = {row: number for number, row in enumerate(order)}
        self._measure(self.size)
        self.refresh()
        if lost or at is not None:
            self.call_after_refresh(self._reveal)
        elif top in first:
            self.scroll_to(y=min(first[top] + into, last[top]), animate=False, force=True, immediate=True)
        return lost or ""

    def _measure(self, size: Size) -> None:
        """How much there is to scroll over. Lines that leave room count as filling it: with every other number of them
        the whole page would be laid out again.
        """
        styles = self.styles.height
        filled = 0 if styles is None or styles.is_auto else size.height
        self.virtual_size = Size(size.width or 1, max(len(self.lines), filled))

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """Paint again. Who names no region means that everything may look different."""
        if not regions:
            self._strips.clear()
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def _row_on_top(self) -> str:
        """The row that somebody who scrolled without a cursor reads first; empty at the top, where news appear."""
        line = self.scroll_offset.y
        if self._with_cursor or not 0 < line < len(self.lines):
            return ""
        return self.lines[line].row or ""

    def go(self, row: str) -> None:
        """Put the cursor on a row."""
        if row not in self._first:
            return
        before, self._at = self._at, row
        self._reveal()
        for each in (before, row):
            if each in self._first:
                self.refresh_lines(self._first[each], self._last[each] - self._first[each] + 1)
        if row != before:
            self.post_message(self.Moved(self, row))

    def move(self, by: int) -> None:
        """Move the cursor by rows; without a cursor, scroll by lines."""
        if not self._with_cursor or not self._order:
            self.scroll_relative(y=by, animate=False)
            return
        index = self._index.get(self._at or "", 0)
        self.go(self._order[max(0, min(len(self._order) - 1, index + by))])

    def page(self, by: int) -> None:
        """Move by pages."""
        height = max(1, self.size.height - 1)
        if not self._with_cursor or not self._order:
            self.scroll_relative(y=by * height, animate=False)
            return
        line = max(0, min(len(self.lines) - 1, self._first.get(self._at or "", 0) + by * height))
        span = range(line, -1, -1) if by > 0 else range(line, len(self.lines))
        row = next((row for number in span if (row := self.lines[number].row) is not None), self._order[0])
        self.go(row if row != self._at else self._order[-1 if by > 0 else 0])

    def edge(self, *, last: bool) -> None:
        """To the first or the last row."""
        if self._with_cursor and self._order:
            self.go(self._order[-1 if last else 0])
        if not (self._with_cursor and self._order) or not last:
            (self.scroll_end if last else self.scroll_home)(animate=False)

    @guarded
    def _reveal(self) -> None:
        """Scroll so that the row under the cursor is on screen, with the heading above it if that fits."""
        if self._at not in self._first:
            return
        top, bottom = self._first[self._at], self._last[self._at]
        while top > 0 and self.lines[top - 1].row is None and bottom - top < self.size.height - 1:
            top -= 1
        if bottom - top >= self.size.height:  # for a moment of the layout there may be hardly any room
            self.scroll_to(y=top, animate=False, force=True)
        else:
            self.scroll_to_region(Region(0, top, 1, bottom - top + 1), animate=False, force=True)

    @guarded
    def on_resize(self, event: events.Resize) -> None:
        self._measure(event.size)
        self.call_after_refresh(self._reveal)

    @painted
    def render_line(self, y: int) -> Strip:
        number, width = y + self.scroll_offset.y, self.scrollable_content_region.width
        if not 0 <= number < len(self.lines):
            return Strip.blank(width, self._ground)
        line = self.lines[number]
        strip = self._strip(number, width)
        if self._with_cursor and line.row is not None and line.row == self._at:
            here = self.has_focus and number == self._first[line.row]
            if here and strip.text[:1].isspace():  # never by colour alone
                strip = Strip.join([Strip([Segment(self.app.marks.cursor, self._ground)]), strip.crop(1, width)])
            strip = strip.apply_style(self.app.palette["cursor" if self.has_focus else "focus"])
        return strip

    def _strip(self, number: int, width: int) -> Strip:
        """A line without the cursor, painted once for as long as it stays what it is."""
        if (number, width) not in self._strips:
            text = self.app.drawn(self.lines[number].paint(width), width)
            text.no_wrap, text.end = True, ""
            strip = Strip(text.render(self.app.console)).adjust_cell_length(width).apply_style(self._ground)
            if len(self._strips) >= MOST_STRIPS:
                self._strips.clear()
            self._strips[number, width] = strip
        return self._strips[number, width]

    @guarded
    def on_click(self, event: events.Click) -> None:
        """A click selects, a double click opens; no decision is made by clicking a row."""
        number = event.y + self.scroll_offset.y
        row = self.lines[number].row if 0 <= number < len(self.lines) else None
        if row is None:
            return
        self.go(row)
        if event.chain == 2:
            self.post_message(self.Opened(self, row))
