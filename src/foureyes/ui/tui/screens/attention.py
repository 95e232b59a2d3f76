"""Attention: everything that only a person can move, with why, and the ways to move it by number."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from foureyes.ui.tui import flow as review
from foureyes.ui.tui.desk import Desk
from foureyes.ui.tui.screens.page import Page
from foureyes.ui.tui.text.attention import choice_lines, row_line, why_lines
from foureyes.ui.tui.widgets.rows import Line, Rows, plain

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from foureyes.app.views.attention import AttentionRow, AttentionView, Choice
    from foureyes.app.views.outcome import Outcome


class AttentionPage(Page):
    """The sole place with resume and override: nobody resumes without having read why."""

    context: ClassVar = "attention"

    def __init__(self) -> None:
        super().__init__()
        self.view: AttentionView | None = None

    def body(self) -> ComposeResult:
        yield Rows(id="rows")
        yield Rows(id="why", cursor=False)

    def reload(self) -> None:
        self.ask(lambda desk: desk.application.attention.view(desk.actor), self._read)

    def _read(self, view: AttentionView) -> None:
        self.view = view
        self.draw()

    def changed(self, seq: int) -> None:
        self.reload()

    def draw(self) -> None:
        if not self.is_mounted or self.view is None:
            return
        rows = self.view.rows
        self.top.show(self.paint(f" ATTENTION ({len(rows)})", "title"), self.rule())
        if not rows:
            self.rows.show([plain(self.paint(" Nothing waits for a person here.", "dim"))])
            self.query_one("#why", Rows).show([])
            return
        lines = [Line(lambda width, row=row: row_line(row, self.app.palette, width), _key(row)) for row in rows]  # type: ignore[misc]
        self.rows.show(lines)
        self._explain()

    def _explain(self) -> None:
        row = self.row()
        if row is None:
            return
        width = self.app.size.width
        lines = [plain(self.rule())]
        lines += [plain(self.paint(line)) for line in why_lines(row, width)]
        lines += [plain(self.paint(line, "title")) for line in choice_lines(row)]
        self.query_one("#why", Rows).show(lines)

    def on_rows_moved(self, _: Rows.Moved) -> None:
        self._explain()

    def on_rows_opened(self, _: Rows.Opened) -> None:
        self.do_open()

    def row(self) -> AttentionRow | None:
        """What the cursor stands on."""
        return next((row for row in self.view.rows if _key(row) == self.rows.at), None) if self.view else None

    def words(self) -> dict[str, str] | None:
        row = self.row()
        return {"task": row.task or "TASK"} if row else None

    def do_open(self) -> None:
        row = self.row()
        if row is None or not row.task:
            self.note("this is about the whole project")
            return
        self.app.go(review.look(self.app.flow, row.task))

    def do_diff(self) -> None:
        row = self.row()
        if row is None or not row.task:
            self.note("this is about the whole project")
            return
        self.app.go(review.step(review.look(self.app.flow, row.task), "diff"))

    def do_page_down(self) -> None:
        self.query_one("#why", Rows).page(1)

    def do_choose(self) -> None:
        row, number = self.row(), int(self.pressed)
        if row is None:
            return
        if number > len(row.choices):
            self.note(f"there is no choice {number}")
            return
        choice = row.choices[number - 1]
        if not choice.asks:
            self._do(choice, "")
            return
        from foureyes.ui.tui.screens.ask_text import ask_text

        ask_text(self, f"{choice.text}", lambda text: self._do(choice, text))

    def _do(self, choice: Choice, text: str) -> None:
        """Every choice is a verb of the catalogue."""
        values = dict(choice.values)
        if choice.asks:
            values[choice.asks] = text

        def work(desk: Desk) -> Outcome:
            noun = getattr(desk.application, choice.noun)
            answer: Outcome = getattr(noun, choice.verb)(desk.actor, **values)
            return answer

        self.ask(work, lambda answer: self._done(getattr(answer, "message", "") or "done"))

    def _done(self, message: str) -> None:
        self.note(message)
        self.reload()


def _key(row: AttentionRow) -> str:
    return f"{row.kind} {row.task} {row.since}"
