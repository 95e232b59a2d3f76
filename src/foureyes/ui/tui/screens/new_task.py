"""A new task: title, description, acceptance, labels, priority."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.timer import Timer
from textual.widgets import Input

from foureyes.app.results.draft import NewTaskDraft
from foureyes.ui.tui.draft_storage import keep_new_task
from foureyes.ui.tui.error_boundary import guarded
from foureyes.ui.tui.keys import shown
from foureyes.ui.tui.restored_text import WHENCE, KeptWords, question
from foureyes.ui.tui.screens.form import FORM_KEYS, PAUSE_SECONDS
from foureyes.ui.tui.screens.page import Page
from foureyes.ui.tui.widgets.bar import Bar
from foureyes.ui.tui.widgets.text_part import TextLine, TextPart
from foureyes.ui.tui.worker import Desk

if TYPE_CHECKING:
    from foureyes.app.results.draft import NewTaskFile
    from foureyes.app.results.task_list import Outcome
    from foureyes.errors import FoureyesError

PARTS = ("title", "labels", "priority", "description", "acceptance")
HINTS = {
    "title": "one sentence: what should be true afterwards",
    "labels": "separated by blanks: docs review:per-task",
    "priority": "0 to 4; 2 where nothing is written",
}
"""What a line is for; parts without a hint are texts of several lines."""


class NewTaskPage(Page):
    """A form. Enter plans from a line, Ctrl+S from everywhere. What was typed is kept after a pause, by Esc, and when
    the app ends, however that comes; N goes on with it.
    """

    context: ClassVar = "form"

    def __init__(self) -> None:
        super().__init__()
        self.held_by = 0
        """The process that writes the draft of a task, where that is another one: then nothing is kept from here."""
        self.lock_note = ""
        """Why nothing is kept, where no process is the reason."""
        self.kept = KeptWords()
        self._ready = False
        self._pause: Timer | None = None

    def body(self) -> ComposeResult:
        with VerticalScroll(id="form", can_focus=False):
            for name in PARTS:
                yield Bar(id=f"rule-{name}")
                part = f"part-{name}"
                yield TextLine(placeholder=HINTS[name], id=part) if name in HINTS else TextPart(id=part)

    @guarded
    def on_mount(self) -> None:
        super().on_mount()
        self.set_focus(self._part("title"))
        self.draw()

    def _part(self, name: str) -> Input | TextPart:
        part = self.query_one(f"#part-{name}")
        assert isinstance(part, Input | TextPart)
        return part

    # -- the draft

    def reload(self) -> None:
        if not self._ready:
            self.ask(lambda desk: desk.application.drafts.new_task(desk.actor), self._read, self._unread)

    def _read(self, file: NewTaskFile) -> None:
        """What was begun before; what was typed while it was read goes on at its end."""
        self.held_by, self.lock_note = 0 if file.held else file.held.pid or -1, file.held.note.rstrip(".")
        kept = self.app.new_task
        from_file = not kept.has_words and bool(file.held) and file.draft.has_words
        kept = file.draft if from_file else kept
        for name, typed in self.values().items():
            self._put(name, getattr(kept, name) + typed)
        self._ready = True
        if from_file:
            self.kept.take(self.values())
            self.call_after_refresh(self._show_tops)
        self.draw()
        if file.note:
            self.note(file.note)

    def _unread(self, problem: FoureyesError) -> None:
        self._ready = True
        self.note(problem.message)

    def _put(self, name: str, text: str) -> None:
        part = self._part(name)
        if isinstance(part, Input):
            part.value, part.cursor_position = text, len(text)
        else:
            part.load_text(text)
            part.move_cursor(part.document.end)

    @guarded
    def _show_tops(self) -> None:
        """What came from a file is shown from its beginning."""
        for name in PARTS:
            self._part(name).scroll_home(animate=False)

    def values(self) -> dict[str, str]:
        """What was typed."""
        parts = {name: self._part(name) for name in PARTS}
        return {name: part.value if isinstance(part, Input) else part.text for name, part in parts.items()}

    @guarded
    def on_input_changed(self, message: Input.Changed) -> None:
        message.stop()
        self.typed()

    @guarded
    def on_text_area_changed(self, _: TextPart.Changed) -> None:
        self.typed()

    def typed(self) -> None:
        """Something was written: it is kept after a pause."""
        self.asked = self.question = ""  # who types on has answered no
        if self._ready and self.kept.touch(self.values()):
            self.draw()
        if self._ready and self.app.new_task != NewTaskDraft(**self.values()):
            self._no_pause()
            self._pause = self.set_timer(PAUSE_SECONDS, self.keep)

    def _no_pause(self) -> None:
        if self._pause is not None:
            self._pause.stop()

    @guarded
    def keep(self) -> None:
        self._keep(left=False)

    def _keep(self, *, left: bool) -> None:
        if self._ready:
            self.app.new_task = NewTaskDraft(**self.values())
            if not self.held_by:
                keep_new_task(self.app, self.app.new_task, release=left)

    # -- drawing

    def draw(self) -> None:
        if not self.is_mounted:
            return
        in_text = isinstance(self.focused, TextPart)
        hint = "Ctrl+S plans it, Enter begins a line " if in_text else "Enter or Ctrl+S plans it "
        lines = [self.across(self.paint(" NEW TASK", "title"), hint)]
        lines += [self.paint(f" {WHENCE}", "warn")] if self.kept else []
        if self.held_by:
            who = f"process {self.held_by}" if self.held_by > 0 else "another process"
            why = self.lock_note or f"{who} has a new task open too"
            words = f" {why}: what you type here is kept until you quit "
            lines += self.folded(self.paint(words, "banner"))
        self.top.show(*lines)
        for name in PARTS:
            here = self.focused is self._part(name)
            self.query_one(f"#rule-{name}", Bar).show(self.rule(name.capitalize(), here=here))
        self.foot.show(self.rule())
        self.keys.relabel_keys(
            {
                "enter": "" if in_text else "plan it",
                "ctrl+s": "plan it",
                "ctrl+e": "",
                "ctrl+o": "",
                "ctrl+t": "discard",
            }
        )

    @guarded
    def on_descendant_focus(self, _: events.DescendantFocus) -> None:
        self.draw()

    # -- keys

    @guarded
    def on_key(self, event: events.Key) -> None:
        """Letters belong to the fields; the rest is the registry's. Enter in a line is heard here, before the next key:
        the field's own answer to it would come after that one.
        """
        if event.key in FORM_KEYS or (event.key == "enter" and isinstance(self.focused, Input)):
            event.stop()
            event.prevent_default()
            self.press(event.key)

    def do_next_part(self) -> None:
        self.focus_next()

    def do_part_before(self) -> None:
        self.focus_previous()

    def do_editor(self) -> None:
        self.note("the editor is for feedback; here Tab goes on")

    do_preview = do_editor

    def do_back(self) -> None:
        self._no_pause()
        self._keep(left=True)
        self.app.pop_screen()

    def do_discard(self) -> None:
        """Ctrl+T: the words are gone for good, so it is asked."""
        if not NewTaskDraft(**self.values()).has_words:
            self.note("there is nothing to discard")
        elif self.agreed("ctrl+t", "draft", "discard what you wrote for a new task? Ctrl+T again · Esc"):
            self._is_over("the draft of a new task is gone")

    # -- planning

    def do_submit(self) -> None:
        values = self.values()
        if not values["title"].strip():
            self.note("a task needs a title")
            return
        priority = values["priority"].strip().lstrip("pP") or "2"
        if priority not in ("0", "1", "2", "3", "4"):
            self.note("the priority is a number from 0 to 4")
            return
        if self.kept.asks(values, self.app.clock()):
            lines = sum(len(text.splitlines()) for text in values.values())
            self.note(self.paint(f" {question(shown(self.pressed), lines)}", "banner"))
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
        self._is_over(outcome.message)
        self.app.pages[-1].reload()

    def _is_over(self, words: str) -> None:
        """It is planned or thrown away: no draft is left of it."""
        self._ready = False
        self._no_pause()
        self.app.new_task = NewTaskDraft()
        if not self.held_by:
            keep_new_task(self.app, self.app.new_task, release=True)
        if self.app.screen is self:
            self.app.pop_screen()
        self.app.pages[-1].note(words)

    def _refused(self, problem: FoureyesError) -> None:
        """In place: what was typed stays."""
        if not self.is_attached:
            self.app.show_refusal(problem)
            return
        self.note(problem.reasons[0].message if problem.reasons else problem.message)
