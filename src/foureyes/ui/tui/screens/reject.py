"""Reject: block a task with a reason; nothing is thrown away."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.widgets import Static

from foureyes.ui.tui.decisions import send_reject
from foureyes.ui.tui.draft_storage import bring_back
from foureyes.ui.tui.screens.form import FormPage
from foureyes.ui.tui.text.feedback import kept_words
from foureyes.ui.tui.widgets.text_part import TextPart

if TYPE_CHECKING:
    from foureyes.app.results.task import TaskDetail

WHAT = "The task becomes blocked and no agent takes it until someone reopens it."
EMPTY = "say why: it is shown on the task (F1)"


class RejectPage(FormPage):
    """One text, required. Enter begins a new line in it, as in every text of several lines; Ctrl+S rejects."""

    form: ClassVar = "reject"

    def body(self) -> ComposeResult:
        yield TextPart(id="text")
        yield Static("", id="comments", markup=False)

    def reload(self) -> None:
        self.set_focus(self.text_part)
        task = self.task_id
        bring_back(self, task, hold=True)
        self.ask(lambda desk: desk.application.lists.show(desk.actor, task), self._read)

    def _read(self, detail: TaskDetail) -> None:
        self.known(detail)
        self.put_text(self.looking.reject)
        self.stands()

    def draw(self) -> None:
        if not self.is_mounted:
            return
        lines = [self.across(self.paint(" REJECT", "title"), f"[{self.task_id}] "), self.paint(f" {WHAT}")]
        if self.detail is not None:
            lines.append(self.paint(f" {kept_words(self.detail)}", "dim"))
        title = self.paint(f" Why? (required, shown on the task){self.added()}", "heading")
        self.top.show(*lines, *self.remarks(), title)
        self.foot.show(self.rule())
        self.draw_comments()
        self.keys.relabel_keys({"enter": "", "ctrl+s": "reject", "tab": "", "ctrl+o": ""})

    def put_down(self) -> None:
        self.looking.reject = self.text_part.text

    def do_submit(self) -> None:
        if self.detail is None:
            return
        self.put_down()
        if not self.looking.reject.strip():
            self.note(self.paint(f" {EMPTY}", "banner"))
        elif not self.asks_again():
            send_reject(self, self.task_id, self.looking.reject)
