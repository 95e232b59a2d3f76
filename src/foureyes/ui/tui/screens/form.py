"""A form: what redo and reject share. At most 100 columns wide; what is behind it stays visible."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.timer import Timer
from textual.widgets import Static

from foureyes.errors import Conflict, FoureyesError
from foureyes.ui.tui.banner import banner_of
from foureyes.ui.tui.draft_storage import keep_draft, not_kept_in_words
from foureyes.ui.tui.editor import edit
from foureyes.ui.tui.error_boundary import guarded
from foureyes.ui.tui.keys import shown
from foureyes.ui.tui.restored_text import WHENCE, KeptWords, question
from foureyes.ui.tui.screens.page import Page
from foureyes.ui.tui.text.feedback import comment_line
from foureyes.ui.tui.widgets.bar import Bar
from foureyes.ui.tui.widgets.key_line import KeyLine
from foureyes.ui.tui.widgets.text_part import TextPart

if TYPE_CHECKING:
    from rich.text import Text

    from foureyes.app.results.task import TaskDetail
    from foureyes.ui.tui.review_session import FlowForm
    from foureyes.ui.tui.view_record import LookSoFar

WIDEST = 100
PAUSE_SECONDS = 0.4
"""After so long without a key what was typed is kept."""
FORM_KEYS = ("ctrl+s", "ctrl+e", "ctrl+o", "ctrl+t", "ctrl+q", "escape", "tab", "shift+tab")


class FormPage(Page):
    """A form of the review. Esc keeps what was typed; so do a pause, and the end of the app, however it comes."""

    context: ClassVar = "form"
    name_in_flow = "feedback"
    form: ClassVar[FlowForm] = "redo"
    DEFAULT_CSS = """
    FormPage { align: center middle; background: $background 60%; }
    FormPage #sheet { width: 100%; max-width: 100; height: auto; max-height: 100%; background: $background; }
    FormPage #parts { height: auto; background: $background; }
    FormPage Static { height: auto; width: 1fr; background: $background; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.detail: TaskDetail | None = None
        self.about = ""
        """The change that is written about: what was on screen before, else what was there when the form opened."""
        self.kept = KeptWords()
        self.news = ""
        """What became of the task while the form is open."""
        self._pause: Timer | None = None
        self._ready = False

    def compose(self) -> ComposeResult:
        with Vertical(id="sheet"):
            yield Bar(id="top")
            with VerticalScroll(id="parts", can_focus=False):  # what is taller than the screen scrolls
                yield from self.body()
            yield Bar(id="foot")
            yield Bar(id="note")
            yield KeyLine(self.context)

    @guarded
    def on_mount(self) -> None:
        self.task_id = self.app.flow.task
        self.about = self.looking.about
        super().on_mount()

    @property
    def wide(self) -> int:
        return min(WIDEST, self.app.size.width)

    @property
    def looking(self) -> LookSoFar:
        return self.app.looks.of(self.task_id)

    @property
    def text_part(self) -> TextPart:
        return self.query_one(TextPart)

    # -- keys

    @guarded
    def on_key(self, event: events.Key) -> None:
        """The form's own keys; everything else belongs to its parts."""
        if event.key in FORM_KEYS:
            event.stop()
            event.prevent_default()
            self.press(event.key)
        elif event.key == "enter" and self.focused is not self.text_part:
            event.stop()
            event.prevent_default()
            self.press("enter")
        elif event.is_printable and event.character:
            event.stop()
            event.prevent_default()
            self._typed_elsewhere(event.character)

    @guarded
    def on_paste(self, event: events.Paste) -> None:
        """What is pasted is text, wherever the keys are; in the text it is there already."""
        if self.focused is not self.text_part:
            self._type(event.text)

    def _typed_elsewhere(self, character: str) -> None:
        """A key over options that have no use for it: a digit that names none is no text; a letter is, and that is
        said.
        """
        if character.isdigit():
            self.note(f"there is no {character} here")
        else:
            self._type(character)
            self.note("Enter adds a line; Ctrl+S submits; Shift+Tab goes back")

    def _type(self, text: str) -> None:
        """The first letter goes into the text, wherever the keys were."""
        self.set_focus(self.text_part)
        self.text_part.insert(text)

    def do_next_part(self) -> None:
        self.focus_next()

    def do_part_before(self) -> None:
        self.focus_previous()

    def do_editor(self) -> None:
        text = edit(self, self.text_part.text)
        if text is not None:
            self.text_part.load_text(text)
            self.typed()

    def do_preview(self) -> None:
        self.note("there is nothing to preview here")

    def do_discard(self) -> None:
        self.note("Esc keeps the draft; the list of your drafts discards it (Ctrl+P on the board)")

    @guarded
    def on_descendant_focus(self, _: events.DescendantFocus) -> None:
        self.draw_focus()

    @guarded
    def on_screen_resume(self, _: events.ScreenResume) -> None:
        self.draw()

    def known(self, detail: TaskDetail) -> None:
        """The task was read."""
        self.detail = detail
        self.about = self.about or (detail.attempts[-1].seen if detail.attempts else "")

    def changed(self, seq: int) -> None:
        """Somebody wrote: who is about to send words learns what they would meet."""
        task = self.task_id
        self.ask(lambda desk: desk.application.lists.show(desk.actor, task), self._compare, lambda _: None)

    def _compare(self, now: TaskDetail) -> None:
        banner = banner_of(now, self.detail.attempts[-1].n) if self.detail and self.detail.attempts else None
        words = banner.words if banner is not None and banner.kind != "stale" else ""
        if words and now.task.status == "approved" and self.form == "redo":
            words += " Sending this ends that approval."
        if words != self.news:
            self.news = words
            self.draw()

    def put_text(self, text: str) -> None:
        """The text as it was kept; what was typed while it was read, and what is typed now, goes on at its end."""
        typed = "" if self._ready else self.text_part.text
        self.text_part.load_text("\n".join(part for part in (text, typed) if part))
        self.text_part.move_cursor(self.text_part.document.end)

    def stands(self) -> None:
        """Everything is in the form. What came from a file is shown from its top, and known as that until somebody
        touches it.
        """
        self._ready = True
        if self.form in self.looking.kept:
            self.kept.take(self.written)
            self.call_after_refresh(self.text_part.scroll_home, animate=False)
        self.draw()

    def remarks(self) -> list[Text]:
        """Where the words come from, and whether they are kept."""
        lines = self.folded(self.paint(f" {self.news}", "banner")) if self.news else []
        lines += [self.paint(f" {WHENCE}", "warn")] if self.kept else []
        if self.looking.held_by:
            words = f" {not_kept_in_words(self.looking)}; what you write can be sent "
            lines += self.folded(self.paint(words, "banner"))
        return lines

    def draw_comments(self) -> None:
        """The comments on lines of the change: they go with the decision, as findings."""
        comments = self.looking.own_comments
        lines = "\n".join(f" {self.app.marks.edge} {comment_line(comment)}" for comment in comments[:3])
        part = self.query_one("#comments", Static)
        part.update(self.app.drawn(self.paint(lines, "dim")))
        part.display = bool(comments)

    def added(self) -> str:
        """How many comments go with the decision, in words for a title."""
        own = len(self.looking.own_comments)
        kept = len(self.looking.comments) - own
        parts = [f"{own} comment{'' if own == 1 else 's'} from the diff added"] if own else []
        parts += [f"{kept} kept, sent once you saw {'it' if kept == 1 else 'them'} in the diff"] if kept else []
        return f" ({', '.join(parts)})" if parts else ""

    def draw_focus(self) -> None:
        """Which part the keys are in, and what submits from there."""

    # -- the draft

    @guarded
    def on_text_area_changed(self, _: TextPart.Changed) -> None:
        self.typed()

    def typed(self) -> None:
        """Something was written: it is kept after a pause."""
        if not self._ready:
            return
        self.put_down()
        if self.kept.touch(self.written):
            self.looking.kept.discard(self.form)
            self.draw()
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(PAUSE_SECONDS, self.save)

    @property
    def written(self) -> object:
        """What stands in the form."""
        return self.text_part.text

    def put_down(self) -> None:
        """What stands in the form becomes the draft."""

    @guarded
    def save(self) -> None:
        """Keep the draft where it outlives the app."""
        keep_draft(self.app, self.task_id)

    def keep(self) -> None:
        if self._ready:
            self.put_down()
            self.save()

    def do_back(self) -> None:
        self.keep()
        self.app.back()

    # -- submitting

    def asks_again(self) -> bool:
        """Words that came from a file, and that nobody touched, are asked about once."""
        if not self.kept.asks(self.written, self.app.clock()):
            return False
        words = question(shown(self.pressed), self.text_part.document.line_count)
        self.note(self.paint(f" {words}", "banner"))
        return True

    def not_sent(self, problem: FoureyesError) -> None:
        """A refusal is said in place, so that nothing that was typed is lost; several reasons are a page, and so
        is what comes after the form was left.
        """
        self.app.guard.painted()
        if len(problem.reasons) > 1 or not self.is_attached:
            self.app.show_refusal(problem)
            return
        reason = problem.reasons[0] if problem.reasons else None
        words = f"{reason.message} ({reason.rule})" if reason and reason.rule else problem.message
        if isinstance(problem, Conflict):
            words += "; Esc and F5 show it, what you wrote is kept"
        self.note(self.paint(f" {words}", "banner"))
