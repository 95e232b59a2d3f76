"""A change on screen: its rows, its files, and the measure of what was shown. Keys are the diff's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal

from foureyes.errors import FoureyesError
from foureyes.ui.tui.banner import Banner, banner_of, rebased
from foureyes.ui.tui.comments import halves, reanchored
from foureyes.ui.tui.decision_labels import offered
from foureyes.ui.tui.decisions import OnScreen
from foureyes.ui.tui.draft_storage import half_in_words, keep_draft
from foureyes.ui.tui.error_boundary import guarded
from foureyes.ui.tui.marks import visible
from foureyes.ui.tui.news import asks_the_same, news_of
from foureyes.ui.tui.reading import ChangeReading, Compared, LoadedChange, read
from foureyes.ui.tui.screens.page import Page
from foureyes.ui.tui.seen import SeenColumns
from foureyes.ui.tui.text.diff import Painter, tail
from foureyes.ui.tui.text.diff_rows import same_row
from foureyes.ui.tui.text.lines import uncut
from foureyes.ui.tui.view_record import LookSoFar
from foureyes.ui.tui.widgets.canvas import Canvas
from foureyes.ui.tui.widgets.file_list import FileList
from foureyes.ui.tui.widgets.hunks import shown_lines
from foureyes.ui.tui.widgets.rows import Rows

if TYPE_CHECKING:
    from foureyes.app.results.task import TaskDetail

WITH_FILES = 120
"""From this width on the list of files stands beside the diff."""
KEEP_SECONDS = 5.0
"""What was seen is written down at least this often."""
TICK = 0.1
"""How often it is looked at what has been on screen for long enough."""


class ChangePage(Page):
    """A change to be read. It stays as it is on screen, whatever happens to it meanwhile, until F5."""

    def __init__(self) -> None:
        super().__init__()
        self.reading: ChangeReading | None = None
        self.painter: Painter | None = None
        self.problem = self.news = ""
        self.banner: Banner | None = None
        self.acts, self.with_files = 0, False
        self.range_from: int | None = None
        """The row at which a range of lines for a comment begins."""
        self._painting = self._unkept = False
        self._kept_at = 0.0

    def body(self) -> ComposeResult:
        with Horizontal(id="diff-main"):
            yield FileList(id="file-box")
            yield Canvas(id="code")

    @guarded
    def on_mount(self) -> None:
        self.task_id = self.app.flow.task
        super().on_mount()
        self.set_focus(self.canvas)
        self.set_interval(TICK, self.tick)

    @property
    def canvas(self) -> Canvas:
        return self.query_one("#code", Canvas)

    @property
    def files(self) -> Rows:
        return self.file_box.rows

    @property
    def file_box(self) -> FileList:
        return self.query_one(FileList)

    @property
    def looking(self) -> LookSoFar:
        return self.app.looks.of(self.task_id)

    # -- reading

    def reload(self) -> None:
        self.load(None)

    def load(self, wanted: Compared | None) -> None:
        if self.task_id:
            self.ask(read(self.task_id, self.looking, wanted), self._loaded, self._unread)

    def _loaded(self, loaded: LoadedChange) -> None:
        if loaded.whole.task != self.task_id:
            return
        before = self.reading
        if loaded.draft is not None and not self.looking.read:
            self.looking.bring_back(loaded.draft.draft)
        self.looking.comments[:] = reanchored(self.looking.comments, loaded.whole)
        self.looking.half = halves(self.looking.half, loaded.whole)
        self.problem, self.banner, self.news = "", None, ""
        self.reading, self.acts = ChangeReading(loaded, self.looking), self.looking.acts
        if before is not None:
            self.reading.fold_as(before)
        at, above = self._place(before)
        self._show(at, above)
        self.take_standing(loaded.detail)
        half = half_in_words(self.looking) if loaded.draft is not None else ""
        if loaded.draft is not None and (loaded.draft.note or half):
            self.note(" · ".join(part for part in (loaded.draft.note, half) if part))
        elif loaded.view.since is not None or before is not None:
            self.note(f"{self.reading.why_in_words()} · I compares with something else")

    def _unread(self, problem: FoureyesError) -> None:
        """Git or the store cannot say what the change is: a sentence, and nothing to decide by."""
        self.problem = problem.message
        self.draw()

    def _place(self, before: ChangeReading | None) -> tuple[int, int]:
        """Where to begin, and how many rows above it: where somebody wants to, else where the same change was left."""
        same = before is not None and self.painter is not None and before.view == self.reading_now.view
        if same and self.looking.aim is None and self.painter is not None:
            at = same_row(self.painter.rows, self.reading_now.rows, self.canvas.at)
            return at, self.canvas.at - self.canvas.first
        return self._aimed(), 1

    @property
    def reading_now(self) -> ChangeReading:
        assert self.reading is not None
        return self.reading

    def _aimed(self) -> int:
        """The row that somebody wants to see first."""
        aim, self.looking.aim = self.looking.aim, None
        if aim is None or self.reading is None:
            return 0
        anchor = self.reading.change.anchor(*aim)
        rows = self.reading.rows
        if anchor.hunk >= 0:
            return max(0, rows.row_of[self.reading.change.places[anchor.hunk].first + anchor.line])
        return rows.file_rows[anchor.file] if anchor.file >= 0 else 0

    def arrive(self) -> None:
        """The review stands at another task, or the reader comes back from a finding."""
        if not self.is_mounted:
            return
        if self.app.flow.task and self.app.flow.task != self.task_id:
            self.turn_away()
            self.looking.came_from = ""
            self.task_id, self.reading, self.painter = self.app.flow.task, None, None
            self.banner, self.news, self.range_from = None, "", None
            self.draw()
            self.reload()
        elif self.reading is not None:
            if self.looking.aim is not None:
                self.canvas.go(self._aimed(), top=1)
            self._ask_standing(own=True)

    def _ask_standing(self, *, own: bool) -> None:
        """How the task stands; `own`: what the reader did elsewhere is no news."""
        task, acts = self.task_id, self.looking.acts
        taken = (lambda detail: self._come_back(detail, acts)) if own else self.take_standing
        self.ask(lambda desk: desk.application.lists.show(desk.actor, task), taken)

    def _come_back(self, detail: TaskDetail, acts: int) -> None:
        """What the reader did elsewhere shows here, at the same place."""
        if self.reading is not None and detail.task.id == self.task_id:
            if self.acts != acts and asks_the_same(self.reading.read_as, detail):
                self.reading.read_as, self.acts = detail, acts
            self.take_standing(detail)
            self.reading.take_findings(detail)
            self.rearrange()

    def changed(self, seq: int) -> None:
        if self.reading is not None:
            self._ask_standing(own=self.acts != self.looking.acts)

    def take_standing(self, detail: TaskDetail) -> None:
        """What others did to the change: said, and nothing moves until F5."""
        case = self.case()
        if case is None or detail.task.id != self.task_id or self.reading is None:
            return
        before, self.banner = self.banner or self.news, banner_of(detail, case.attempt)
        if self.banner is None and (words := rebased(detail, case.attempt)):
            self.note(words)
        self.news = "" if self.banner is not None else news_of(self.reading.read_as, detail)
        self.reading.detail = detail
        if (self.banner or self.news) != before or before:
            self.draw_heading()

    def case(self) -> OnScreen | None:
        """Exactly what is on screen."""
        if self.reading is None:
            return None
        whole, row = self.reading.whole, self.app.row(self.task_id)
        return OnScreen(
            task=whole.task,
            attempt=whole.attempt,
            diff_id=whole.diff_id,
            you=self.reading.detail.you,
            banner=self.banner,
            close=row is not None and row.risk.level == "high",
            version=self.reading.read_as.task.version,
        )

    # -- drawing

    def draw(self) -> None:
        if not self.is_mounted:
            return
        wide = self.app.size.width >= WITH_FILES
        self.file_box.display = wide or self.with_files
        self.draw_heading()
        self.draw_files()
        if self.painter is not None:
            self.painter.palette, self.painter.marks = self.app.palette, self.app.marks
        self.canvas.refresh()

    def draw_heading(self) -> None:
        reading = self.reading
        if reading is None:
            words = self.problem or f"reading the change {self.app.marks.ellipsis}"
            self.top.show(self.paint(f" DIFF {self.task_id}", "title"), self.rule(), self.paint(f" {visible(words)}"))
            return
        here = bool(self.file_box.display) and self.canvas.has_focus
        lines = [self._title(reading), self.rule(here=here)]
        words, role = (self.banner.line, "banner") if self.banner is not None else (self.news, "warn")
        lines += self.folded(self.paint(f" {words}", role)) if words else []
        self.top.show(*lines)
        waits = self.banner is None or self.banner.kind != "decided"
        labels = offered(self, reading.detail.you, waits=waits) | {"split": "unified" if reading.split else "split"}
        if self.app.size.width < WITH_FILES:  # both in one, or there is no room for the rest
            labels |= {"next": "P task", "previous": "", "attention": ""}
        self.keys.relabel(**labels)

    def _title(self, reading: ChangeReading) -> Text:
        """What is shown, compared with what, and how much of it is unseen; of a long path the end is shown."""
        wide, total = self.wide >= WITH_FILES, len(self.looking.hunks or ())
        why = f" ({reading.why_in_words()})" if wide and reading.view.since is not None else ""
        parts = [reading.compared_in_words() + why]
        parts += [reading.space_in_words()] if wide or reading.view.hidden is not None else []
        here = (
            f"unseen {reading.unseen_here()}/{len(reading.change.places)}, whole " if reading.view.since else "unseen "
        )
        parts += [f"{here}{self.looking.unseen}/{total}", f"findings {len(reading.findings)}"]
        parts += [f"comments {len(self.looking.comments)}"] if self.looking.comments else []
        left = Text.assemble((f" DIFF {self.task_id}", self.app.palette["title"]), "  ")
        right = Text(uncut(parts, self.wide - left.cell_len - 2) + " ")
        file = reading.rows.file_at(self.canvas.at)
        if file >= 0:
            where = f" ({file + 1}/{len(reading.change.files)})"
            room = self.wide - right.cell_len - left.cell_len - len(where) - 2
            path = visible(reading.change.files[file].path)
            left.append(tail(path, room, self.app.marks.ellipsis) + where)
        return self.across(left, right)

    def draw_files(self) -> None:
        reading = self.reading
        if reading is None or not self.file_box.display:
            return
        self.file_box.show(reading, self.canvas.at)

    def _show(self, at: int | None = None, above: int | None = None) -> None:
        """Paint other rows, at a place."""
        reading = self.reading_now
        before = self.painter
        self.painter = Painter(
            rows=reading.rows,
            marks=self.app.marks,
            palette=self.app.palette,
            looking=self.looking,
            findings=reading.findings,
            comments=self.looking.comments,
            shift=before.shift if before and before.looking is self.looking else 0,
            words=before.words if before else "",
            parts=before.parts if before and before.rows.change is reading.change else SeenColumns(),
        )
        if len(reading.rows):
            self.canvas.show(len(reading.rows), self.painter.row, at, above)
        else:  # a change without files: what was submitted is words
            texts = [Text(f" {visible(line)}") for line in reading.without_code()]
            self.canvas.show(len(texts), lambda number, _: texts[number].copy(), 0, 0)
        self.draw()

    def rearrange(self) -> None:
        """Rows were folded, noted or answered: the reader stays at the same line."""
        reading = self.reading
        if reading is None or self.painter is None:
            return
        old, at = self.painter.rows, self.canvas.at
        above = at - self.canvas.first
        reading.arrange()
        self._show(same_row(old, reading.rows, at), above)

    @guarded
    def on_descendant_focus(self) -> None:
        """The titles say where the keys are."""
        self.draw_heading()
        self.draw_files()

    # -- what is on screen

    def press(self, key: str) -> None:
        self.looking.watch.touch(self.app.clock())
        super().press(key)

    def turn_away(self) -> None:
        """Something else is looked at from now on."""
        self.looking.watch.leave(self.app.clock())
        if self.reading is not None:
            if self.painter is not None:
                self.painter.parts.look({}, self.app.clock())
            self._count(self.reading.look((), self.app.clock()))
            self.looking.leave()
            if self._unkept:
                self.keep()

    def keep(self) -> None:
        """What was seen and noted outlives the app."""
        self._unkept, self._kept_at = False, self.app.clock()
        if self.reading is not None:
            keep_draft(self.app, self.task_id)

    @guarded
    def on_screen_suspend(self, _: events.ScreenSuspend) -> None:
        if self.task_id:
            self.turn_away()

    @guarded
    def on_screen_resume(self, _: events.ScreenResume) -> None:
        if self.reading is not None:
            self.looking.watch.touch(self.app.clock())
            self.tick()

    @guarded
    def on_canvas_turned(self) -> None:
        if self.reading is None:
            return
        self.draw_heading()
        if self.range_from is not None:
            self.show_range()
        if self.file_box.display and not self.files.has_focus:
            file = str(max(0, self.reading.rows.file_at(self.canvas.at)))
            if file != self.files.at:
                self.files.go(file)
        self._count(self.reading.look(self.reading.seen.staying(self._lines(painted=False)), self.app.clock()))
        if not self._painting:
            self._painting = True
            self.call_after_refresh(self._painted)

    @guarded
    def _painted(self) -> None:
        self._painting = False
        self.tick()

    @guarded
    def tick(self) -> None:
        """Look at what has been on screen for long enough."""
        if self.reading is not None and not self._painting:
            self._count(self.reading.look(self._lines(), self.app.clock()))

    def _lines(self, *, painted: bool = True) -> list[int]:
        """The lines of code that somebody can see now."""
        painter = self.painter if self.reading is not None else None
        return shown_lines(painter, self.canvas, self.app.clock(), painted=painted) if painter is not None else []

    def _count(self, complete: bool) -> None:
        if self._unkept and self.app.clock() - self._kept_at > KEEP_SECONDS:
            self.keep()
        if complete:
            self._unkept = True
            self.draw_heading()
            self.canvas.refresh()
            self.files.refresh()

    def show_range(self) -> None:
        """Mark the rows between the beginning of a range and the cursor."""
        if self.painter is not None:
            first, last = sorted((self.canvas.at, self.range_from or 0))
            self.painter.span = range(0) if self.range_from is None else range(first, last + 1)
            self.canvas.refresh()
