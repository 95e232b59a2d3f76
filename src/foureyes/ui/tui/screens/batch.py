"""Approving several: a list with ticks and a preview. One decision for each; the list is the question (H2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult

from foureyes.errors import FoureyesError
from foureyes.ui.tui import review_session as review
from foureyes.ui.tui.closing import close_review
from foureyes.ui.tui.draft_storage import forget_draft
from foureyes.ui.tui.error_boundary import guarded
from foureyes.ui.tui.filters import Filter, parse
from foureyes.ui.tui.keys import WholeLabel
from foureyes.ui.tui.marks import visible
from foureyes.ui.tui.resume_position import keep_position
from foureyes.ui.tui.screens.page import Page
from foureyes.ui.tui.text.batch import BatchRow, Pens, batch_line, header, refused_lines, result_line
from foureyes.ui.tui.widgets.bar import Bar
from foureyes.ui.tui.widgets.hunks import Hunks
from foureyes.ui.tui.widgets.rows import PaintedLine, Rows, plain
from foureyes.ui.tui.worker import Desk

if TYPE_CHECKING:
    from foureyes.app.results.diff import DiffView
    from foureyes.app.results.draft import DraftFile
    from foureyes.app.results.review import ApprovalOutcome, Batch, QueueRow, ViewReport

DEAF_SECONDS = 0.5
"""So long Enter is not heard after the list was opened: `A Enter` typed blind opens it, and stops there."""

COUNTED = 60
"""So many rows say how much of them was seen before anybody has gone there; each is one question to git."""


class BatchPage(Page):
    """Everything that can be approved in one go. High risk is never ticked."""

    context: ClassVar = "batch"
    name_in_flow = "batch"

    def __init__(self) -> None:
        super().__init__()
        self.list: list[BatchRow] = []
        self.left_off = 0
        self.filter = Filter()
        self.busy = False
        self._is_read = False
        self._opened = 0.0
        self._changes: dict[str, DiffView] = {}
        self._notes: dict[str, str] = {}
        """What was submitted without code says, by task."""
        self._counted: set[str] = set()
        self._reading = ""
        self._at = ""

    def body(self) -> ComposeResult:
        yield Bar(id="columns")
        yield Rows(id="rows")
        yield Bar(id="preview-title")
        yield Hunks(self.draw, id="hunks")

    @guarded
    def on_mount(self) -> None:
        self._opened = self.app.clock()
        self.filter = parse(self.app.review_filter)  # what the summary shows is what one wants to approve
        super().on_mount()
        self.set_focus(self.rows)

    @property
    def hunks(self) -> Hunks:
        return self.query_one("#hunks", Hunks)

    # -- reading

    def reload(self) -> None:
        self.ask(lambda desk: desk.application.queue.batch(desk.actor), self._read)

    def _read(self, batch: Batch) -> None:
        rows = [self._row(row) for row in batch.high]
        rows += [self._row(row, ticked=True) for row in batch.tasks]
        rows += self._carry_over({row.row.task: row for row in rows})
        self._changes, self._counted = {}, set()
        self.list = sorted(rows, key=lambda row: (row.number or 10**9, row.row.task))
        self.left_off, self._is_read = batch.left_off, True
        self._look()
        self.draw()
        self._preview()
        self._count_next()

    def _count_next(self) -> None:
        """How many hunks the rows have, and how many of them were shown, also in an earlier session: one row after the
        other, for as many as a screen may have.
        """
        row = next((row for row in self.list[:COUNTED] if row.is_open and row.row.task not in self._counted), None)
        if row is None:
            return
        task, looking = row.row.task, self.app.looks.of(row.row.task)
        self._counted.add(task)
        attempt, kept = row.row.attempt, looking.read

        def read(desk: Desk) -> tuple[DiffView, DraftFile | None]:
            draft = None if kept else desk.application.drafts.load(desk.actor, task)
            return desk.application.attempts.changes(task, attempt=attempt), draft

        def counted(answer: tuple[DiffView, DraftFile | None]) -> None:
            change, file = answer
            if file is not None and not looking.read:
                looking.bring_back(file.draft)
            looking.take(change)
            self.draw()
            self._count_next()

        self.ask(read, counted, lambda _: None)

    def _carry_over(self, now: dict[str, BatchRow]) -> list[BatchRow]:
        """What was done here stays in the list, and what was ticked by hand stays so. What was taken back,
        or is another change now, is ticked by nobody but the reader.
        """
        gone = []
        for before in self.list:
            row = now.get(before.row.task)
            if row is None:
                gone += [] if before.is_open else [before]
            elif before.decided or before.row.diff_id != row.row.diff_id:
                row.ticked, row.by_hand = False, True
            elif before.by_hand:
                row.ticked, row.by_hand = before.ticked, True
        return gone

    def _row(self, row: QueueRow, *, ticked: bool = False) -> BatchRow:
        number = self.app.number_of(row.task)
        return BatchRow(row=row, number=0 if number is None else number + 1, ticked=ticked)

    def arrive(self) -> None:
        """Back from a diff or a form: what was decided there, what was seen."""
        if not self.is_mounted:
            return
        decided = {row.task: row.decided for row in self.app.flow.rows if row.decided}
        for row in self.list:
            if row.is_open and row.row.task in decided:
                row.decided, row.ticked = decided[row.row.task], False
                row.done = f"{row.decided} by you"
        self._look()
        self.draw()
        self.call_after_refresh(self.hunks.measure)

    def _look(self) -> None:
        """How much of each was seen."""
        for row in self.list:
            looking = self.app.looks.of(row.row.task)
            if looking.hunks is None or looking.current != row.row.attempt:
                row.seen = row.hunks = None
                continue
            row.hunks = len(looking.hunks)
            row.seen = row.hunks - (looking.unseen or 0)

    # -- drawing

    def draw(self) -> None:
        if not self.is_mounted:
            return
        self._look()
        shown, view = self.shown, self.app.snapshot
        pending = f"{len(self.list)} of {len(view.rows) if view else len(self.list)} pending"
        pending = f"{len(shown)} of {len(self.list)} shown" if self.filter.text else pending
        pending = pending if self._is_read else "reading …"
        title = " APPROVE AUTO-APPROVABLE" + (f"   filter: {visible(self.filter.text)}" if self.filter.text else "")
        dot = self.app.marks.dot
        self.top.show(self.across(self.paint(title, "title"), f"{pending} {dot} one decision each "), self.rule())
        pens = self._pens()
        self.call_after_refresh(self._draw_columns)  # whether the rows have a scroll bar is known then
        lines: list[PaintedLine] = []
        for row in shown:
            lines.append(PaintedLine(lambda width, row=row: batch_line(row, pens, width), row.row.task))  # type: ignore[misc]
            lines += [plain(text, row.row.task) for text in refused_lines(row, self.app.palette)]
        if not lines:
            words = "nothing is auto-approvable; Enter in the summary goes one by one"
            words = self.filter.no_match(len(self.list)) if self.list else words if self._is_read else ""
            lines = [plain(self.paint(f"  {words}", "dim"))]
        if self.left_off:
            lines.append(plain(self.paint(f"  {self.left_off:,} more after these", "dim")))
        self.rows.show(lines)
        self._draw_foot()
        ticked = sum(row.ticked for row in shown)
        approve = f"approve {ticked}" if ticked else "nothing ticked"
        self.keys.relabel(approve_ticked=approve, back=WholeLabel("Esc do nothing"))

    @guarded
    def _draw_columns(self) -> None:
        if self.is_mounted:
            self.query_one("#columns", Bar).show(header(self._pens(), self.rows.scrollable_content_region.width))

    @property
    def shown(self) -> list[BatchRow]:
        """The rows that the filter shows: a decision is about these alone."""
        narrow = self.filter
        fits = [row for row in self.list if narrow.fits(row.row, number=row.number, unseen=row.unseen)]
        return fits if narrow.text else self.list

    def _pens(self) -> Pens:
        view = self.app.snapshot
        width = max((len(row.row.task) for row in self.list), default=6)
        checks = view.checks if view is not None else ()
        return Pens(marks=self.app.marks, palette=self.app.palette, checks=checks, id_width=width)

    def _draw_foot(self) -> None:
        lines = []
        if any(row.row.risk.level == "high" and row.is_open for row in self.list):
            lines.append(f" {self.app.marks.risks['high']}  never ticked for you: Space ticks it")
        self.foot.show(self.rule(), *[self.paint(line, "dim") for line in lines])

    # -- the preview

    def selected(self) -> BatchRow | None:
        """The row under the cursor."""
        return next((row for row in self.list if row.row.task == self.rows.at), None)

    @guarded
    def on_rows_moved(self, message: Rows.Moved) -> None:
        """The time that a row is looked at counts for it alone."""
        self._turn_to(message.row)

    def _turn_to(self, task: str) -> None:
        """Another row is under the cursor, or none."""
        now = self.app.clock()
        if self._at:
            self.app.looks.of(self._at).watch.leave(now)
        self._at = task
        if task:
            self.app.looks.of(task).watch.touch(now)
        self._preview()

    def _preview(self) -> None:
        """The change of the row under the cursor; one is read at a time."""
        row = self.selected()
        title = self.query_one("#preview-title", Bar)
        if row is None:
            title.show(self.rule())
            self.hunks.clear()
            return
        task = row.row.task
        up_down = "↑↓ changes it" if self.app.marks.rule != "-" else "up and down change it"
        title.show(self.rule(f"preview of {task} ({up_down})"))
        change = self._changes.get(task)
        if change is not None and change.files:
            self.hunks.show_change(change, self.app.looks.of(task))
            return
        self.hunks.show_words(["No code: submitted as a note.", "", *self._notes[task].split("\n")] if change else [])
        if change is None and not self._reading:
            self._reading = task
            self.ask(lambda desk: previewed(desk, task), self._previewed, self._unread)

    def _previewed(self, answer: tuple[DiffView, str]) -> None:
        change, note = answer
        self._changes[change.task], self._notes[change.task] = change, note
        self._reading = ""
        self.app.looks.of(change.task).take(change)
        self._look()
        self.draw()
        self._preview()

    def _unread(self, problem: FoureyesError) -> None:
        self._reading = ""
        self.note(problem.message)

    # -- keys

    def words(self) -> dict[str, str]:
        ticked = " ".join(row.row.task for row in self.shown if row.ticked)
        return {"task": self.rows.at or "", "tasks": ticked}

    def do_tick(self) -> None:
        row = self.selected()
        if row is None or not row.is_open:
            return
        row.ticked, row.by_hand = not row.ticked, True
        self.draw()

    def do_diff(self) -> None:
        self._go("diff")

    def do_redo(self) -> None:
        self._go("feedback")

    def _go(self, where: review.FlowEvent) -> None:
        row = self.selected()
        if row is None or not row.is_open:
            return
        if not row.number:
            self.note("this task is new: press Esc, then F5, to include it")
            return
        self.hunks.look_away()
        self.app.looks.of(row.row.task).about = row.row.seen
        self.app.go(review.step(self.app.flow, where, at=row.number - 1))

    def do_find(self) -> None:
        from foureyes.ui.tui.screens.find import ask_filter

        ask_filter(self, self.filter.text, self._filtered)

    def _filtered(self, text: str) -> None:
        self.filter = parse(text)
        self.draw()
        if self._at != (self.rows.at or ""):
            self._turn_to(self.rows.at or "")

    def do_back(self) -> None:
        if self.filter.text:
            self._filtered("")
        else:
            self.app.back()

    # -- deciding

    def do_approve_ticked(self) -> None:
        if self.app.clock() - self._opened < DEAF_SECONDS:
            self.note("look at the list first; Enter approves what is ticked")
            return
        chosen = [row for row in self.shown if row.ticked and row.is_open]
        if not chosen or self.busy:
            self.note("nothing is ticked: Space ticks a row" if not chosen else "one moment")
            return
        self.busy = True
        self.hunks.measure()
        pairs: list[tuple[str, int | None]] = [(row.row.task, row.row.version) for row in chosen]
        seen = {row.row.task: row.row.seen for row in chosen if row.seen}
        now = self.app.clock()
        looks = {row.row.task: self.app.looks.of(row.row.task).look(now) for row in chosen}

        def work(desk: Desk) -> list[ApprovalOutcome | FoureyesError]:
            return list(desk.application.decisions.approve_many(desk.actor, pairs, each_viewed=looks, seen=seen))

        self.note(f"approving {len(pairs)}")
        self.app.act(work, lambda answers: self._approved(chosen, answers, looks), self._not_approved)

    def _not_approved(self, problem: FoureyesError) -> None:
        self.busy = False
        self.app.show_refusal(problem)

    def _approved(
        self, chosen: list[BatchRow], answers: list[ApprovalOutcome | FoureyesError], looks: Mapping[str, ViewReport]
    ) -> None:
        self.busy = False
        for row, answer in zip(chosen, answers, strict=True):
            row.ticked = False
            if isinstance(answer, FoureyesError):
                reasons = [f"{reason.rule}  {reason.message}" for reason in answer.reasons]
                row.refused = tuple(reasons) or (answer.message,)
                continue
            place = f", place {answer.position}" if answer.position else ""
            row.decided, row.done, row.refused = "approved", f"approved ({answer.rule}){place}", ()
            self.app.unread.approved(row.row.task, looks[row.row.task], close=row.row.risk.level == "high")
            self.app.looks.drop(row.row.task)
            forget_draft(self.app, row.row.task)
            self.app.noted(row.row.task, "approved")
        keep_position(self.app)
        self.draw()
        if self.app.flow.left or self.app.flow.place != "summary":
            self.app.pages[-1].note(result_line(self.list))
        else:
            close_review(self.app, "U takes the last back")

    def do_undo(self) -> None:
        """U: the last one back; it can be ticked again."""
        self.app.undo(self.reload)


def previewed(desk: Desk, task: str) -> tuple[DiffView, str]:
    """The change of a row, and the note that was submitted where there is no code."""
    change = desk.application.attempts.changes(task)
    attempts = desk.application.lists.show(desk.actor, task, log_lines=0).attempts if not change.files else []
    return change, attempts[-1].message.strip() if attempts else ""
