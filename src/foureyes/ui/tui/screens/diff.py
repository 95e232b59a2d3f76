"""The diff: the change with its findings at their lines, read with one key and decided where it is read."""

from __future__ import annotations

from typing import ClassVar

from foureyes.ui.tui import decisions
from foureyes.ui.tui import review_session as review
from foureyes.ui.tui.error_boundary import guarded
from foureyes.ui.tui.screens.change import ChangePage
from foureyes.ui.tui.view_record import AROUND, Lens
from foureyes.ui.tui.widgets.canvas import Canvas
from foureyes.ui.tui.widgets.rows import Rows

SIDEWAYS = 8
"""So many columns a press of an arrow scrolls to the side."""


class DiffPage(ChangePage):
    """The keys of a change that is read."""

    context: ClassVar = "diff"
    name_in_flow = "diff"

    def __init__(self) -> None:
        super().__init__()
        self.at_end = False
        """Whether the reader was told that this is the end: the next press goes to what was missed."""

    # -- reading on

    def do_read_on(self) -> None:
        from foureyes.ui.tui.next_unseen import read_on

        read_on(self)

    def open_hunk(self, number: int) -> None:
        """Show a hunk of a file that is so long that its hunks are shown one by one."""
        if self.reading is not None:
            self.reading.opened.add(self.reading.change.places[number].hunk.id)
            self.rearrange()

    # -- moving

    @property
    def _pane(self) -> Canvas | Rows:
        return self.files if self.files.has_focus else self.canvas

    @guarded
    def on_rows_moved(self, message: Rows.Moved) -> None:
        """Another file is chosen in the list."""
        if self.reading is not None and self.files.has_focus:
            self.canvas.go(self.reading.rows.file_rows[int(message.row)], top=0)

    @guarded
    def on_rows_opened(self, message: Rows.Opened) -> None:
        self.set_focus(self.canvas)

    @guarded
    def on_canvas_opened(self) -> None:
        self.do_open()

    def do_hunk(self) -> None:
        if self.reading is None:
            return
        by = 1 if self.pressed == "]" else -1
        row = self.reading.rows.following(self.reading.rows.hunk_rows, self.canvas.at, by)
        if row is None:
            self.note("no hunk after this one" if by > 0 else "no hunk before this one")
            return
        number = self.reading.rows.rows[row].hunk
        self.canvas.go(row, top=1)
        if self.reading.rows.rows[row].kind == "closed":
            self.open_hunk(number)

    def do_file(self) -> None:
        if self.reading is None:
            return
        by = 1 if self.pressed == "}" else -1
        row = self.reading.rows.following(self.reading.rows.file_rows, self.canvas.at, by)
        if row is None:
            self.note("the last file" if by > 0 else "the first file")
        else:
            self.canvas.go(row, top=0)

    def do_finding(self) -> None:
        if self.reading is None:
            return
        by = 1 if self.pressed == "." else -1
        rows = self.reading.rows
        row = rows.following(rows.finding_rows, self.canvas.at, by)
        if row is None:
            none = "no findings" if not rows.finding_rows else "no finding after this one" if by > 0 else ""
            self.note(none or "no finding before this one")
        else:
            self.canvas.go(row, top=self.canvas.page_size // 3)

    def do_left(self) -> None:
        self.shift(-SIDEWAYS)

    def do_right(self) -> None:
        self.shift(SIDEWAYS)

    def shift(self, by: int) -> None:
        """Scroll the code to the side."""
        if self.painter is not None:
            self.painter.shift = max(0, self.painter.shift + by)
            self.canvas.refresh()
            self.on_canvas_turned()
            self.note(f"column {self.painter.shift + 1}" if self.painter.shift else "")

    # -- what is shown

    def do_open(self) -> None:
        """Enter: unfold, open a hunk, a finding, one's own comment."""
        reading = self.reading
        if self.files.has_focus:
            self.set_focus(self.canvas)
            return
        if reading is None or self.canvas.at >= len(reading.rows):
            return
        row = reading.rows.rows[self.canvas.at]
        if row.kind in ("file", "fold") and reading.change.files[row.file].folded:
            reading.unfolded ^= {reading.change.files[row.file].path}
            self.rearrange()
        elif row.kind == "closed":
            self.open_hunk(row.hunk)
        elif row.kind == "finding":
            from foureyes.ui.tui.screens.finding import FindingPage

            self.app.push_screen(FindingPage(reading.findings[row.item].id))
        elif row.kind == "comment":
            self.do_comment()

    def do_iteration(self) -> None:
        mode = self.reading.next_mode() if self.reading is not None else None
        if mode is None:
            self.note("the first iteration: there is nothing else to compare with")
        else:
            self.load(mode)

    def do_split(self) -> None:
        if self.reading is not None:
            self.reading.split = not self.reading.split
            self.rearrange()

    def do_context(self) -> None:
        """Z: more lines around each place, and after the most again the fewest."""
        lens = self.looking.lens
        around = AROUND[(AROUND.index(lens.around) + 1) % len(AROUND)]
        self._through(lens._replace(around=around), f"{around} lines around each change")

    def do_whitespace(self) -> None:
        """From the palette: what changed in white space only is hidden, or shown again."""
        lens = self.looking.lens._replace(space=not self.looking.lens.space)
        self._through(lens, "whitespace is shown" if lens.space else "whitespace is hidden: the record says so")

    def _through(self, lens: Lens, words: str) -> None:
        """Read the change through another lens; the reader stays at the line."""
        reading = self.reading
        if reading is None or not len(reading.rows):
            return
        self.looking.lens, self.looking.aim = lens, reading.rows.place_of(self.canvas.at)
        row, above = reading.rows.rows[self.canvas.at], self.canvas.at - self.canvas.first
        heading = reading.change.places[row.hunk].hunk.id if row.kind == "hunk" else ""
        if row.kind == "file" and self.looking.aim is not None:
            self.looking.aim = (self.looking.aim[0], 0)

        def there(_: None) -> None:
            now = self.reading_now
            places = [number for number, place in enumerate(now.change.places) if place.hunk.id == heading]
            self.canvas.go(now.rows.hunk_rows[places[0]] if places else self.canvas.at, top=above)
            self.note(words)

        self.load(reading.mode)
        self.ask(lambda _: None, there)

    def do_mark(self) -> None:
        """M: the file is ticked off by hand, which the record tells from shown."""
        reading = self.reading
        file = reading.rows.file_at(self.canvas.at) if reading is not None else -1
        if reading is None or file < 0:
            return
        each = reading.change.files[file]
        if not self.looking.unseen_in(each):
            self.note("every hunk of this file was shown already" if each.counts else "nobody has to look at this file")
            return
        self.looking.mark(hunk.id for hunk in each.hunks)
        self.keep()
        self.draw()
        self.note("marked as seen by hand; the record says marked, not shown")

    def do_files(self) -> None:
        """T and Tab: to the list of files and back; where there is no room for both, it comes and goes."""
        if self.files.has_focus:
            self.with_files = False
            self.set_focus(self.canvas)
        else:
            self.with_files = True
            self.file_box.display = True
            self.set_focus(self.files)
        self.draw()

    def do_find(self) -> None:
        from foureyes.ui.tui.screens.find import ask_filter

        ask_filter(self, self.painter.words if self.painter else "", self._searched, self._onward)

    def _searched(self, words: str) -> None:
        if self.painter is not None:
            self.painter.words = words
            self._onward(0)

    def _onward(self, by: int) -> None:
        """To the next row with what is looked for, or the one before."""
        if self.reading is None or self.painter is None:
            return
        hits = self.reading.rows.search(self.painter.words) if self.painter.words else []
        start = self.canvas.at - 1 if by == 0 else self.canvas.at
        row = self.reading.rows.following(hits, start, -1 if by < 0 else 1)
        if row is None and hits:
            row = hits[-1 if by < 0 else 0]
        if row is not None:
            self.canvas.go(row, top=self.canvas.page_size // 3)
        elif self.painter.words:
            self.note(f"nothing in this diff reads so: {self.painter.words}")
        self.canvas.refresh()

    def do_pager(self) -> None:
        from foureyes.ui.tui.pager import open_pager

        if self.reading is not None:
            open_pager(self, self.reading.view)

    # -- comments

    @guarded
    def tick(self) -> None:
        """What has been on screen for long enough, code and comments."""
        super().tick()
        if self.reading is not None and self.painter is not None and not self._painting:
            rows = self.canvas.in_view if len(self.reading.rows) else ()
            shown = self.painter.whole_comments(rows, self.canvas.scrollable_content_region.width)
            self.reading.see_comments(shown, self.app.clock())

    def do_comment(self) -> None:
        from foureyes.ui.tui.comment_form import write_comment

        write_comment(self)

    def do_range(self) -> None:
        from foureyes.ui.tui.comment_form import begin_range

        begin_range(self)

    # -- deciding

    def do_approve(self) -> None:
        case = self.case()
        if case is None:
            self.note("nothing is shown here that could be approved · Esc")
        else:
            decisions.approve(self, case)

    def do_redo(self) -> None:
        self._send_back("redo")

    def do_reject(self) -> None:
        self._send_back("reject")

    def _send_back(self, form: review.FlowForm) -> None:
        case = self.case()
        if case is not None:
            decisions.send_back(self, case, form)

    def do_next(self) -> None:
        self.app.go(review.step(self.app.flow, "next"))

    def do_previous(self) -> None:
        self.app.go(review.step(self.app.flow, "previous"))

    def do_why(self) -> None:
        from foureyes.ui.tui.screens.text_page import TextPage
        from foureyes.ui.tui.text.why import detail_lines

        if self.reading is not None:
            lines = detail_lines(self.reading.detail, self.app.row(self.task_id))
            self.app.push_screen(TextPage(f"WHY {self.task_id}", lines))

    def do_refresh(self) -> None:
        """F5: what there is now, compared with what was on screen."""
        if self.reading is not None and self.banner is not None and self.banner.kind == "moved":
            self.looking.attempt = self.reading.whole.attempt  # what is on screen is what the new one is compared with
            self.load("looked")
        else:
            self.reload()

    def do_back(self) -> None:
        if self.range_from is not None:
            self.range_from = None
            self.note("no range")
            self.show_range()
        elif self.painter is not None and self.painter.words:
            self.painter.words = ""
            self.canvas.refresh()
        else:
            finding, self.looking.came_from = self.looking.came_from, ""
            super().do_back()
            if finding:
                from foureyes.ui.tui.screens.finding import FindingPage

                self.app.push_screen(FindingPage(finding))

    def deaf(self) -> str:
        return f"new task: {self.task_id}"

    def words(self) -> dict[str, str]:
        return {
            "task": self.task_id,
            "seen": self.reading.whole.seen if self.reading is not None else "",
        }
