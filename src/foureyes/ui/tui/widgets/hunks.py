"""Hunks beside something else: a change to read without leaving the page, measured like the diff itself (H4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.text import Text
from textual.timer import Timer

from foureyes.app.results.diff import DiffView
from foureyes.ui.tui.error_boundary import guarded
from foureyes.ui.tui.marks import visible
from foureyes.ui.tui.seen import LEAST_SECONDS, SeenLines
from foureyes.ui.tui.text.diff import Painter, VisiblePart
from foureyes.ui.tui.text.diff_rows import DiffRows, NumberedChange
from foureyes.ui.tui.view_record import LookSoFar
from foureyes.ui.tui.widgets.canvas import Canvas


def shown_lines(painter: Painter, canvas: Canvas, now: float, *, painted: bool = True) -> list[int]:
    """The lines of code that are in view from end to end: whatever counts as shown is counted by this. One that is
    wider than the screen is among them when all that was not there before, for long enough, is there now.
    """
    width, shown = canvas.scrollable_content_region.width, []
    parts: dict[int, VisiblePart] = {}
    for row in canvas.in_view:
        if row >= len(painter.rows):
            break
        on_screen = dict(painter.on_screen(row, width))
        if short := {line for line, part in on_screen.items() if not part.is_whole}:
            of_hunk = painter.looking.cut.setdefault(
                painter.rows.change.places[painter.rows.rows[row].hunk].hunk.id, set()
            )
            if not short <= of_hunk:
                of_hunk |= short
                canvas.refresh()
        parts |= on_screen
        shown += [line for line in painter.rows.lines_at(row, row + 1) if line not in parts]
    cut = {line: range(part.start, part.end) for line, part in parts.items() if not part.is_whole}
    painter.parts.look(cut, now, painted=painted)
    whole = [line for line, part in parts.items() if line not in cut or painter.parts.is_whole(line, part.whole)]
    return shown + whole


class Hunks(Canvas):
    """The hunks of a change. What is on screen for long enough counts as shown; `seen` is told when a hunk did."""

    def __init__(self, seen: Callable[[], None], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.can_focus = False
        self._told = seen
        self._looking: LookSoFar | None = None
        self._seen: SeenLines | None = None
        self._painter: Painter | None = None
        self._view: DiffView | None = None
        self._timer: Timer | None = None

    def show_change(self, view: DiffView, looking: LookSoFar) -> None:
        """Show a change, from its first hunk that was not shown yet; the same one stays where it is."""
        if self._view is view:
            self.refresh()
            return
        self._view, self._looking = view, looking
        change = NumberedChange(view)
        rows, self._seen = DiffRows(change), SeenLines(change.sizes)
        self._painter = painter = Painter(rows=rows, marks=self.app.marks, palette=self.app.palette, looking=looking)
        first = next((n for n, place in enumerate(change.places) if not looking.is_seen(place.hunk.id)), None)
        at = rows.hunk_rows[first] if first else 0
        self.show(len(rows), painter.row, at=at, above=1 if at else 0)
        self.at = -1

    def clear(self) -> None:
        """Show nothing."""
        self.look_away()
        self._view = self._looking = self._seen = self._painter = None
        self.count = 0
        self.refresh()

    def show_words(self, lines: Sequence[str]) -> None:
        """Show text where there is no change."""
        self.clear()
        texts = [Text(f" {visible(line)}") for line in lines]
        self.show(len(texts), lambda number, _: texts[number].copy(), at=0, above=0)
        self.at = -1

    def look_away(self) -> None:
        """Something lies over it from now on."""
        self._measure(on_screen=False)

    @guarded
    def on_mount(self) -> None:
        self.watch(self.app, "app_focus", self.measure, init=False)

    @guarded
    def on_hide(self) -> None:
        self.look_away()

    def read_on(self) -> bool:
        """A page on; False where there is no more."""
        before = self.first
        self._scroll(before + max(1, self.page_size - 1))
        return self.first != before

    @guarded
    def on_canvas_turned(self) -> None:
        self.measure()

    @guarded
    def measure(self) -> None:
        """What is on screen, now."""
        self._measure(on_screen=True)

    def _measure(self, *, on_screen: bool) -> None:
        if self._seen is None or self._painter is None or self._looking is None:
            return
        now = self.app.clock()
        lines = shown_lines(self._painter, self, now) if on_screen else []
        complete = self._seen.look(lines, now)
        if complete:
            self._looking.shown.update(complete)
            self.refresh()
            self._told()
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(LEAST_SECONDS, self.measure) if self._seen.waiting else None
