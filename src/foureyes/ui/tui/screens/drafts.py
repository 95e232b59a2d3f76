"""Drafts: what the person who sits here has begun to say and not sent, also about what others decided meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text

from foureyes.errors import FoureyesError
from foureyes.ui.tui import review_session as review
from foureyes.ui.tui.error_boundary import guarded
from foureyes.ui.tui.marks import visible
from foureyes.ui.tui.screens.page import Page
from foureyes.ui.tui.text.drafts import DraftRow, draft_lines, row_line
from foureyes.ui.tui.widgets.bar import Bar
from foureyes.ui.tui.widgets.rows import PaintedLine, Rows, plain
from foureyes.ui.tui.worker import Desk

if TYPE_CHECKING:
    from textual.app import ComposeResult

MOST_DRAFTS = 200
"""So many drafts are listed."""


class DraftsPage(Page):
    """A list, and the words of the one under the cursor. Nothing is sent from here: a draft is sent from its task."""

    context: ClassVar = "drafts"

    def __init__(self, task: str = "") -> None:
        super().__init__()
        self.drafts: list[DraftRow] | None = None
        self._first = task

    def body(self) -> ComposeResult:
        yield Rows(id="rows")
        yield Bar(id="why-title")
        yield Rows(id="why", cursor=False)

    @property
    def why(self) -> Rows:
        return self.query_one("#why", Rows)

    # -- reading

    def reload(self) -> None:
        first = self._first or self.rows.at or ""
        self.ask(lambda desk: read(desk, first), self._read)

    def _read(self, rows: list[DraftRow]) -> None:
        self.drafts, self._first = rows, ""
        self.draw()

    # -- drawing

    def draw(self) -> None:
        if not self.is_mounted or self.drafts is None:
            return
        app, count = self.app, len(self.drafts)
        self.top.show(self.across(self.paint(f" DRAFTS ({count})", "title"), "not sent "), self.rule())
        self.foot.show(self.rule())
        self.rows.styles.height = min(count, max(3, app.size.height // 3)) if count else "1fr"
        self.why.display = self.query_one("#why-title").display = bool(count)
        if not count:
            self.rows.show([plain(self.paint(" You have begun nothing that was not sent.", "dim"))])
            self.keys.relabel(open="", discard="")
            return
        self.rows.show(
            [PaintedLine(lambda width, row=row: row_line(row, app.palette, width), row.task) for row in self.drafts]  # type: ignore[misc]
        )
        self._explain()

    def _explain(self) -> None:
        row = self.row()
        if row is None:
            return
        self._title(row)
        width = max(20, self.wide - 3)
        lines = [visible(line, tabs=4) for line in ([row.note] if row.note else [*draft_lines(row.draft)])]
        parts = [part.plain for line in lines for part in (Text(line).wrap(self.app.console, width) or [Text("")])]
        self.why.show([plain(self.paint(f" {part}")) for part in parts])
        self.why.scroll_home(animate=False)

    def _title(self, row: DraftRow) -> None:
        """The line between the two, which says where the keys are."""
        title = self.rule(f"{row.task}  {visible(row.title)}", here=self._pane is self.why)
        self.query_one("#why-title", Bar).show(title)

    @guarded
    def on_rows_moved(self, message: Rows.Moved) -> None:
        if message.rows is self.rows:
            self._explain()

    @guarded
    def on_rows_opened(self, _: Rows.Opened) -> None:
        self.do_open()

    def row(self) -> DraftRow | None:
        """What the cursor stands on."""
        return next((row for row in self.drafts or () if row.task == self.rows.at), None)

    def words(self) -> dict[str, str]:
        return {"task": self.rows.at or ""}

    # -- keys

    def do_page_down(self) -> None:
        """Space reads on in the words; PgDn goes through the drafts, as PgUp does."""
        (self.why if self.pressed == "space" or self._pane is self.why else self.rows).page(1)

    @property
    def _pane(self) -> Rows:
        return self.why if self.focused is self.why else self.rows

    def do_part(self) -> None:
        """Tab: between the list and the words."""
        self.set_focus(self.rows if self._pane is self.why else self.why)
        if row := self.row():
            self._title(row)

    def do_open(self) -> None:
        if row := self.row():
            self.app.go(review.look(self.app.flow, row.task))

    def do_refresh(self) -> None:
        self.reload()

    def do_discard(self) -> None:
        """Delete: the words are gone for good, so it is asked."""
        row = self.row()
        if row is None:
            self.note("there is nothing to discard")
        elif self.agreed("delete", row.task, f"discard what you wrote about {row.task}? Delete again · Esc"):
            self._discard(row.task)

    def _discard(self, task: str) -> None:
        self.app.looks.of(task).forget_words()

        def done(gone: bool) -> None:
            self.note(f"the draft about {task} is gone" if gone else f"the draft about {task} is open elsewhere")
            self.reload()

        self.ask(lambda desk: discard(desk, task), done)


def read(desk: Desk, first: str) -> list[DraftRow]:
    """The drafts with words, that of the task `first` before the others, and how their tasks stand."""
    app = desk.application
    rows = []
    for file in app.drafts.begun(desk.actor, first, MOST_DRAFTS):
        if not file.draft.has_words:
            continue
        try:
            task = app.lists.show(desk.actor, file.draft.task, log_lines=0).task
        except FoureyesError as problem:
            rows.append(DraftRow(draft=file.draft, note=problem.message))
        else:
            rows.append(DraftRow(draft=file.draft, title=task.title, status=task.status))
    return rows


def discard(desk: Desk, task: str) -> bool:
    """Forget the words of a draft; whether it was ours to forget."""
    drafts = desk.application.drafts
    gone = drafts.drop(desk.actor, task)
    drafts.release(desk.actor, task)
    return gone
