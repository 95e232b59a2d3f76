"""The review summary: everything that waits, as it was when the review was opened, the riskiest first."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from foureyes.ui.tui import review_session as review
from foureyes.ui.tui.error_boundary import guarded
from foureyes.ui.tui.filters import Filter, parse, searched
from foureyes.ui.tui.marks import visible
from foureyes.ui.tui.resume_position import keep_position
from foureyes.ui.tui.reviewing import begin, take_in, waiting_now, walked
from foureyes.ui.tui.screens.page import Page
from foureyes.ui.tui.text.summary import (
    DECIDED,
    FEW,
    ORDERS,
    QueueOrder,
    RowOutcome,
    SummaryDrawing,
    counts_line,
    header,
    ordered,
    preview_lines,
    reasons_of,
    summary_lines,
    title_line,
)
from foureyes.ui.tui.widgets.bar import Bar
from foureyes.ui.tui.widgets.rows import PaintedLine, Rows, plain

if TYPE_CHECKING:
    from textual.timer import Timer

    from foureyes.app.results.review import QueueRow, QueueView
    from foureyes.app.results.task import TaskDetail
    from foureyes.errors import FoureyesError

WIDE = 120
"""From this width the task under the cursor is shown on the right."""
KEEP_AFTER = 0.3
"""Seconds without a key until a filter that is being typed is written down."""


class SummaryPage(Page):
    """A snapshot: its rows and their numbers stay until F5, whatever others do meanwhile."""

    context: ClassVar = "summary"
    name_in_flow = "summary"

    def __init__(self) -> None:
        super().__init__()
        self.filter = Filter()
        self.shown: list[QueueRow] = []
        self.fresh = 0
        """How many tasks wait that are not in the snapshot."""
        self._details: dict[str, TaskDetail] = {}
        self._reading = ""
        self._drawn: object = None
        self._searched: tuple[QueueView, list[str]] | None = None
        self._measured: tuple[QueueView, int] | None = None
        self._counted: tuple[object, QueueView, str] | None = None
        self._whole: tuple[object, list[PaintedLine], QueueView] | None = None
        """The lines of the unfiltered summary: who takes a filter back finds them again."""
        self._open = (0, 0, 0)
        """How many that still wait can be approved in one go, and how many others."""
        self._batch = 0
        """How many of those are shown."""
        self._keeping: Timer | None = None
        self._left = False
        """Whether a task was opened from here: then its row is where the reader comes back to."""

    def body(self) -> ComposeResult:
        with Horizontal(id="main"):
            with Vertical(id="left"):
                yield Bar(id="columns")
                yield Rows(id="rows")
            yield Rows(id="preview", cursor=False)

    @guarded
    def on_mount(self) -> None:
        self.query_one("#preview", Rows).can_focus = False
        self.filter = parse(self.app.review_filter)
        super().on_mount()
        self.set_focus(self.rows)

    def reload(self) -> None:
        self.draw()

    def arrive(self) -> None:
        """Back from a task: the cursor stands where the reader was."""
        if self.is_mounted:
            flow = self.app.flow
            self.draw()
            if flow.rows and self._left:
                self._left = False
                self.rows.go(flow.rows[min(flow.at, len(flow.rows) - 1)].task)

    # -- what others do

    def changed(self, seq: int) -> None:
        """Count what is new, and see what left; the rows stay as they are."""
        self.ask(waiting_now, self._compare, lambda problem: self.away(problem))

    def _compare(self, waiting: set[str]) -> None:
        rows = self.app.flow.rows
        known = {row.task for row in rows}
        self.fresh = len(waiting - known)
        gone = {row.task for row in rows if not row.decided and row.task not in waiting}
        if gone != self.app.gone_elsewhere:
            self.app.gone_elsewhere = gone
            self._drawn = None
        self.draw()

    def do_refresh(self) -> None:
        self.fresh, self._details = 0, {}
        take_in(self)

    # -- drawing

    def draw(self) -> None:
        view = self.app.snapshot
        if not self.is_mounted or view is None:
            return
        wide = self.app.size.width >= WIDE
        self.set_class(wide, "-wide")
        looks = self._looks()
        gone = frozenset(self.app.gone_elsewhere)
        state = (id(view), self.app.flow.rows, self.app.order, self.filter, self.app.look, gone, wide)
        if self._drawn != state:
            self._drawn = state
            self._draw_rows(looks, wide)
        dot = self.app.marks.dot
        title = " REVIEW SUMMARY" + (f"   filter: {visible(self.filter.text)}" if self.filter.text else "")
        right = title_line(view, len(self.shown), self.app.order, self._opened_at(), dot)
        fresh = f"{self.fresh:,} new since you opened  [F5] " if self.fresh else ""
        auto, others, now = self._open
        counts = f" Auto-approvable: {auto:,}    Need attention: {others:,}"
        counts += f"    You can approve now: {now:,}" if now < auto + others and not (fresh and not wide) else ""
        self.top.show(
            self.across(self.paint(title, "title"), right), self.across(counts, self.paint(fresh, "warn")), self.rule()
        )
        self.call_after_refresh(self._draw_columns)  # whether the rows have a scroll bar is known then
        self._draw_foot(looks)
        batch = f"approve auto-approvable ({self._batch:,})" if self._batch else "nothing to batch"
        self.keys.relabel(batch=batch, **({"jump": "jump, /10 further"} if len(view.rows) > 9 else {}))
        self._draw_preview()

    @guarded
    def _draw_columns(self) -> None:
        if self.is_mounted and self.app.snapshot is not None:
            width = self.rows.scrollable_content_region.width
            self.query_one("#columns", Bar).show(header(self._looks(), width))

    def _looks(self) -> SummaryDrawing:
        view = self.app.snapshot
        assert view is not None
        return SummaryDrawing(
            marks=self.app.marks,
            palette=self.app.palette,
            checks=view.checks,
            digits=max(2, len(f"{len(view.rows):,}")),
            id_width=self._id_width(view),
        )

    def _id_width(self, view: QueueView) -> int:
        """The longest id of a snapshot, measured once."""
        if self._measured is None or self._measured[0] is not view:
            self._measured = (view, max((len(row.task) for row in view.rows), default=6))
        return self._measured[1]

    def _opened_at(self) -> str:
        return time.strftime("%H:%M", time.localtime(self.app.opened_at))

    def _draw_rows(self, looks: SummaryDrawing, wide: bool) -> None:
        view = self.app.snapshot
        assert view is not None
        rows = self.filter.among(view.rows, self._texts(view), self._unseen) if self.filter.text else view.rows
        happened, order = self._happened(), self.app.order
        waiting = [row for row in view.rows if row.task not in happened]
        auto = sum(row.is_batchable for row in waiting)
        self._open = (auto, len(waiting) - auto, sum(row.you.may_approve for row in waiting))
        if self.filter.is_mine:  # what is decided is nobody's to approve
            rows = [row for row in rows if row.task not in happened]
        self.shown = ordered(rows, order)
        self._batch = sum(row.is_batchable for row in self.shown if row.task not in happened)
        few = len(self.shown) <= FEW or wide
        state = (id(view), happened, order, self.app.look, few)
        if self.filter.text or self._whole is None or self._whole[0] != state:
            lines = summary_lines(self.shown, happened, looks, grouped=order == "risk", reasons=few)
            self._whole = self._whole if self.filter.text else (state, lines, view)
        else:
            lines = self._whole[1]
        if not lines:
            lines = [plain(self.paint(f"  {self.filter.no_match(len(view.rows))}", "dim"))]
        self.rows.show(lines)

    def _texts(self, view: QueueView) -> list[str]:
        """What words are looked for in, row by row: made once for a snapshot."""
        if self._searched is None or self._searched[0] is not view:
            self._searched = (view, [searched(row) for row in view.rows])
        return self._searched[1]

    def _unseen(self, row: QueueRow) -> int | None:
        return self.app.looks.of(row.task).unseen

    def _happened(self) -> dict[str, RowOutcome]:
        happened = {task: RowOutcome("decided elsewhere") for task in self.app.gone_elsewhere}
        for row in self.app.flow.rows:
            if row.decided:
                at = self.app.decided_at.get(row.task, "")
                words = f"{DECIDED[row.decided]} {at}".strip()
                happened[row.task] = RowOutcome(words, undo=row.task == self.app.flow.undo)
        return happened

    def _draw_foot(self, looks: SummaryDrawing) -> None:
        view = self.app.snapshot
        assert view is not None
        names = " ".join(visible(name) for name in view.checks) or "none"
        legend = self.across(f" Checks left to right: {names}", "a = auto-approvable ")
        last = self.app.last_decision or "–"
        counts = self.across(self._counts(view), f"last: {last} ")
        row = self.row()
        reasons = reasons_of(row) if row is not None and len(self.shown) > FEW and not self.has_class("-wide") else ""
        extra = [self.paint(f" {row.task}: {reasons}", "dim")] if reasons and row is not None else []
        self.foot.show(self.rule(), *extra, self.paint(legend.plain, "dim"), counts)

    def _counts(self, view: QueueView) -> str:
        """What was decided and what is left, counted once for as long as that stays so."""
        flow = self.app.flow
        if self._counted is None or self._counted[0] is not flow.rows or self._counted[1] is not view:
            self._counted = (flow.rows, view, counts_line(flow, view.rows, self.app.marks.dot))
        return self._counted[2]

    # -- the task under the cursor

    def row(self) -> QueueRow | None:
        """The row under the cursor."""
        at = self.rows.at
        view = self.app.snapshot
        index = self.app.number_of(at) if at else None
        return view.rows[index] if view is not None and index is not None else None

    def _draw_preview(self) -> None:
        """On a wide screen: what is known at once, the rest when it has been read. One is read at a time, so that a
        held arrow key does not pile up work.
        """
        row, preview = self.row(), self.query_one("#preview", Rows)
        if row is None or not self.has_class("-wide"):
            preview.show([])
            return
        width = max(20, self.app.size.width * 2 // 5 - 3)
        unseen = self.app.looks.of(row.task).unseen
        words = f"{unseen} unseen" if unseen else "all shown"
        words = f" {self.app.marks.dot} {words}" if unseen is not None else ""
        bar = Text(f"{self.app.marks.bar} ", self.app.palette["dim"])
        lines = preview_lines(row, self._details.get(row.task), self._looks(), words, width)
        preview.show([plain(Text.assemble(bar, line)) for line in lines])
        if row.task not in self._details and not self._reading:
            self._reading = row.task
            self.ask(lambda desk: desk.application.lists.show(desk.actor, row.task), self._read, self._unread)

    def _read(self, detail: TaskDetail) -> None:
        self._details[detail.task.id] = detail
        self._reading = ""
        self._draw_preview()

    def _unread(self, problem: FoureyesError) -> None:
        self._reading = ""
        self.note(problem.message)

    @guarded
    def on_rows_moved(self, message: Rows.Moved) -> None:
        if message.rows.id == "rows":
            self._draw_foot(self._looks())
            self._draw_preview()

    @guarded
    def on_rows_opened(self, message: Rows.Opened) -> None:
        self.do_open()

    # -- keys

    def do_open(self) -> None:
        """One by one, from the cursor on."""
        self._step("open")

    def do_diff(self) -> None:
        self._step("diff")

    def _step(self, event: review.FlowEvent) -> None:
        row = self.row()
        if row is not None:
            self._go(event, self.app.number_of(row.task))

    def _go(self, event: review.FlowEvent, number: int | None) -> None:
        """From here on the review goes through what is shown now, in this order."""
        self._left = True
        self.app.go(review.step(walked(self.app, self.app.flow, self.shown), event, at=number))

    def do_jump(self) -> None:
        number = int(self.pressed)
        view = self.app.snapshot
        if view is None or number > len(view.rows):
            self.note(f"there is no number {number}")
            return
        self._go("open", number - 1)

    def do_review(self) -> None:
        """R: when all is decided, what came meanwhile."""
        if self.app.flow.left:
            self.note("F5 takes in what is new; R begins again when all is decided")
        else:
            self.fresh, self._details = 0, {}
            begin(self)

    def do_batch(self) -> None:
        self.app.go(review.gather(self.app.flow))

    def do_find(self) -> None:
        from foureyes.ui.tui.screens.find import ask_filter

        if self.app.snapshot is not None:
            self._texts(self.app.snapshot)  # before the first letter, which has enough to do
        ask_filter(self, self.filter.text, self._filtered)

    def _filtered(self, text: str) -> None:
        self.filter = parse(text)
        self.app.review_filter = text
        if self._keeping is not None:
            self._keeping.stop()
        self._keeping = self.set_timer(KEEP_AFTER, self.keep)
        self.draw()

    @guarded
    def keep(self) -> None:
        keep_position(self.app)

    def do_filters(self) -> None:
        from foureyes.ui.tui.filters import HELP
        from foureyes.ui.tui.screens.text_page import TextPage

        self.app.push_screen(TextPage("FILTERS", HELP))

    def do_order(self) -> None:
        order: QueueOrder = ORDERS[(ORDERS.index(self.app.order) + 1) % len(ORDERS)]
        self.app.order = order
        keep_position(self.app)
        self.note(f"by {order}; the numbers stay")
        self.draw()

    def do_why(self) -> None:
        """Why this row is here, and what an approval of yours would meet."""
        from foureyes.ui.tui.screens.text_page import TextPage
        from foureyes.ui.tui.text.why import why_lines

        row = self.row()
        if row is not None:
            self.app.push_screen(TextPage(f"WHY {row.task}", why_lines(row)))

    def do_back(self) -> None:
        """Esc clears the filter before it leaves."""
        if self.filter.text:
            self._filtered("")
        else:
            self.app.back()
