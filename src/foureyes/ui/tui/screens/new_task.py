"""A new task: title, description, acceptance, labels, priority."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Input, Static, TextArea

from foureyes.ui.tui.desk import Desk
from foureyes.ui.tui.screens.page import Page

if TYPE_CHECKING:
    from foureyes.app.views.outcome import Outcome
    from foureyes.errors import FoureyesError

PARTS = ("title", "labels", "priority", "description", "acceptance")
HINTS = {
    "title": "one sentence: what should be true afterwards",
    "labels": "separated by blanks: docs review:per-task",
    "priority": "0 to 4; 2 where nothing is written",
}


class NewTaskPage(Page):
    """A form. Enter submits from a line, Ctrl+S from everywhere; Esc leaves, and what was typed comes back with N."""

    context: ClassVar = "form"

    def body(self) -> ComposeResult:
        kept = self.app.new_task
        with VerticalScroll(id="form"):
            for name in PARTS:
                yield Static(f" {name.capitalize()}", classes="label", markup=False)
                if name in HINTS:
                    yield Input(kept.get(name, ""), placeholder=HINTS[name], id=f"part-{name}")
                else:
                    yield TextArea(kept.get(name, ""), id=f"part-{name}", tab_behavior="focus")

    def on_mount(self) -> None:
        super().on_mount()
        self.top.show(self.across(self.paint(" NEW TASK", "title"), "Ctrl+S or Enter plans it "), self.rule())
        self.keys.relabel(editor="", preview="", submit="plan it")
        self.set_focus(self.query_one("#part-title", Input))

    def on_key(self, event: events.Key) -> None:  # type: ignore[override]
        """Letters belong to the fields; the rest is the registry's."""
        if event.key in ("ctrl+s", "escape", "ctrl+q"):
            event.stop()
            event.prevent_default()
            self.press(event.key)
        elif event.key in ("tab", "shift+tab"):
            event.stop()
            event.prevent_default()
            self.do_next_part() if event.key == "tab" else self.do_part_before()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        message.stop()
        self.press("ctrl+s")

    def values(self) -> dict[str, str]:
        """What was typed."""
        texts = {}
        for name in PARTS:
            widget = self.query_one(f"#part-{name}")
            texts[name] = widget.value if isinstance(widget, Input) else widget.text  # type: ignore[attr-defined]
        return texts

    def do_next_part(self) -> None:
        self.focus_next()

    def do_part_before(self) -> None:
        self.focus_previous()

    def do_submit(self) -> None:
        values = self.values()
        if not values["title"].strip():
            self.note("a task needs a title")
            return
        priority = values["priority"].strip().lstrip("pP") or "2"
        if priority not in ("0", "1", "2", "3", "4"):
            self.note("the priority is a number from 0 to 4")
            return

        def create(desk: Desk) -> Outcome:
            return desk.application.tasks.create(
                desk.actor,
                values["title"].strip(),
                description=values["description"].strip(),
                acceptance=values["acceptance"].strip(),
                labels=values["labels"].split(),
                priority=int(priority),
            )

        self.app.act(create, self._created, self._refused)

    def _created(self, outcome: Outcome) -> None:
        self.app.new_task = {}
        if self.app.screen is self:
            self.app.pop_screen()
        self.app.pages[-1].note(outcome.message)
        self.app.pages[-1].reload()

    def _refused(self, problem: FoureyesError) -> None:
        """In place: what was typed stays."""
        if not self.is_attached:
            self.app.show_refusal(problem)
            return
        self.note(problem.reasons[0].message if problem.reasons else problem.message)

    def do_back(self) -> None:
        self.keep()
        self.app.pop_screen()

    def keep(self) -> None:
        self.app.new_task = {name: text for name, text in self.values().items() if text.strip()}

    def do_editor(self) -> None:
        self.note("the editor is for feedback; here Tab goes on")

    do_preview = do_editor
