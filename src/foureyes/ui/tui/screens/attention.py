"""Attention: everything that only a person can move, with why, and the ways to move it by number."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from foureyes.ui.steps import steps_text
from foureyes.ui.tui import review_session as review
from foureyes.ui.tui.error_boundary import guarded
from foureyes.ui.tui.keys import WholeLabel
from foureyes.ui.tui.screens.page import Page
from foureyes.ui.tui.text.attention import choice_lines, list_height, row_line, title, why_lines
from foureyes.ui.tui.widgets.bar import Bar
from foureyes.ui.tui.widgets.rows import PaintedLine, Rows, plain
from foureyes.ui.tui.worker import Desk

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from foureyes.app.results.status import AttentionRow, AttentionView, Choice
    from foureyes.errors import FoureyesError


TICK = 5.0
"""How often it is looked at what git says."""


class AttentionPage(Page):
    """The sole place with resume and override: nobody resumes without having read why."""

    context: ClassVar = "attention"

    def __init__(self, first: str = "") -> None:
        super().__init__()
        self._first = first
        """The row that the cursor begins at."""
        self.view: AttentionView | None = None
        self.acting = False
        self.banner = ""
        """What became of the row that was read while it was read; the digits are off until F5."""

    def body(self) -> ComposeResult:
        yield Rows(id="rows")
        yield Bar(id="why-title")
        yield Rows(id="why", cursor=False)

    @guarded
    def on_mount(self) -> None:
        super().on_mount()
        self.set_interval(TICK, self.tick)

    @guarded
    def tick(self) -> None:
        """What is committed on the target is seen, though nobody wrote."""
        if self.view is not None and not self.banner and self.app.screen is self:
            self.app.desk.ask(
                self, lambda desk: desk.application.attention.view(desk.actor), self._changed, lambda _: None
            )

    def reload(self) -> None:
        self.ask(lambda desk: desk.application.attention.view(desk.actor), self._read)

    def _read(self, view: AttentionView) -> None:
        self.view, self.banner = view, ""
        self.draw()
        self.app.call_after_refresh(self.app.guard.painted)

    def changed(self, seq: int) -> None:
        self.ask(lambda desk: desk.application.attention.view(desk.actor), self._changed)

    def _changed(self, view: AttentionView) -> None:
        """Somebody wrote. What is new joins the list; a row that was being read and is another one now, or gone, is
        said, and nothing moves under the finger until F5.
        """
        row = self.row()
        now = next((each for each in view.rows if row is not None and each.id == row.id), None)
        if row is None or (now is not None and _means(now) == _means(row)):
            self._read(view)
        elif not self.acting:
            self.banner = f"CHANGED  {row.task or 'this'} does not wait as you read it.  F5 shows what waits now"
            self.draw()

    def do_refresh(self) -> None:
        self.reload()

    def do_back(self) -> None:
        super().do_back()
        self.app.call_after_refresh(self.app.guard.painted)

    def draw(self) -> None:
        if not self.is_mounted or self.view is None:
            return
        view, app = self.view, self.app
        lines = [self.paint(title(view), "title"), self.rule()]
        self.top.show(*lines, *([self.paint(f" {self.banner}", "banner")] if self.banner else []))
        self.foot.show(self.rule())
        self.rows.styles.height = list_height(view, app.size.height) if view.rows else "1fr"
        self.why.display = self.query_one("#why-title").display = bool(view.rows)
        if not view.rows:
            self.rows.show([plain(self.paint(" Nothing waits for a person here.", "dim"))])
            self.keys.relabel(choose="", open="", diff="", attention="")
            return
        self.rows.show(
            [PaintedLine(partial(row_line, row, app.palette, app.marks), row.id) for row in view.rows],
            self._first or None,
        )
        self._first = ""
        self._explain()

    @property
    def why(self) -> Rows:
        return self.query_one("#why", Rows)

    def _title_why(self) -> None:
        """The line between the two, which says where the keys are."""
        self.query_one("#why-title", Bar).show(self.rule(here=self._pane is self.why))

    def _explain(self) -> None:
        row = self.row()
        if row is None:
            return
        self._title_why()
        lines = [plain(self.paint(line)) for line in why_lines(row, self.wide)]
        lines += [plain(self.paint(line, "title" if row.choices else "dim")) for line in choice_lines(row, self.wide)]
        self.why.show(lines)
        self.why.scroll_home(animate=False)
        numbers = f"1-{len(row.choices)}" if len(row.choices) > 1 else "1"
        self.keys.relabel(
            attention="",
            choose=WholeLabel(f"{numbers} choose") if row.choices else "",
            **({} if row.task else {"open": "", "diff": ""}),
        )

    @guarded
    def on_rows_moved(self, _: Rows.Moved) -> None:
        self._explain()

    @guarded
    def on_rows_opened(self, _: Rows.Opened) -> None:
        self.do_open()

    def row(self) -> AttentionRow | None:
        """What the cursor stands on."""
        return next((row for row in self.view.rows if row.id == self.rows.at), None) if self.view else None

    def words(self) -> dict[str, str]:
        row = self.row()
        return {"task": row.task} if row else {}

    def do_open(self) -> None:
        row = self.row()
        if row is None or not row.task:
            self.note("this is about the whole project")
            return
        self.app.go(review.look(self.app.flow, row.task))
        self.app.came_from = row.id

    def do_diff(self) -> None:
        row = self.row()
        if row is None or not row.task:
            self.note("this is about the whole project")
            return
        self.app.go(review.step(review.look(self.app.flow, row.task), "diff"))
        self.app.came_from = row.id

    def do_page_down(self) -> None:
        """Space reads on in why the row waits; PgDn goes through the rows, as PgUp does."""
        (self.why if self.pressed == "space" or self._pane is self.why else self.rows).page(1)

    @property
    def _pane(self) -> Rows:
        return self.why if self.focused is self.why else self.rows

    def do_part(self) -> None:
        """Tab: between the list and why the row waits."""
        self.set_focus(self.rows if self._pane is self.why else self.why)
        self._title_why()

    def do_choose(self) -> None:
        row, number = self.row(), int(self.pressed)
        if row is None:
            return
        if self.banner:
            self.note(self.banner)
            return
        if number > len(row.choices):
            self.note(f"there is no choice {number}")
            return
        choice = row.choices[number - 1]
        if not choice.asks:
            self.app.guard.decided()
            self._do(choice, {})
        elif choice.lists:
            self._ask_parts(choice)
        else:
            self._ask(choice, {})

    def _ask_parts(self, choice: Choice) -> None:
        from foureyes.ui.tui.screens.ask_text import ask_text

        def given(text: str) -> None:
            parts = [part.strip() for part in text.split(";") if part.strip()]
            self._ask(choice, {choice.lists: parts})

        lines = ["the titles, with ; between them"]
        ask_text(self, choice.text, given, lines=lines, enter="go on", words=f"{_sheet(choice)} parts")

    def _ask(self, choice: Choice, values: dict[str, object]) -> None:
        from foureyes.ui.tui.screens.ask_text import ask_text

        lines = ["what is it called?" if choice.asks == "title" else "a note says why; it stays on record"]

        def given(text: str) -> None:
            self._do(choice, values | {choice.asks: text})

        ask_text(self, choice.text, given, lines=lines, words=_sheet(choice))

    def _do(self, choice: Choice, given: dict[str, object]) -> None:
        """Every choice is a verb of the catalogue."""
        self.app.last_command = steps_text(choice.step)
        self.acting = True
        task = str(choice.values.get("task", ""))
        if task:
            self.app.looks.of(task).acts += 1

        def work(desk: Desk) -> object:
            noun = getattr(desk.application, choice.noun)
            answer: object = getattr(noun, choice.verb)(desk.actor, **choice.values, **given)
            return answer

        def done(answer: object) -> None:
            self.app.unsent.pop(f"{_sheet(choice)} parts", None)
            self._done(getattr(answer, "message", "") or "done")

        self.app.act(work, done, self._not_done, words=_sheet(choice))

    def _done(self, message: str) -> None:
        """It counts wherever the reader is by then."""
        self.acting = False
        self.app.pages[-1].note(message)
        if self.is_attached:
            self.reload()
        else:
            self.app.guard.painted()

    def _not_done(self, problem: FoureyesError) -> None:
        self.acting = False
        self.app.guard.painted()
        self.refused(problem)


def _sheet(choice: Choice) -> str:
    """By what the words of a choice are remembered until they are sent."""
    return f"{choice.noun} {choice.verb} {choice.values}"


def _means(row: AttentionRow) -> tuple[object, ...]:
    """What the digits do about a row, and what they are about; not how long it waits."""
    return row.kind, row.task, row.text, row.choices
