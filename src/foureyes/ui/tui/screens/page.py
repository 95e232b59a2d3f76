"""A page: what every screen has. Keys come from the registry, work goes to the desk, refusals become a sheet."""

from __future__ import annotations

from collections.abc import Callable
from string import Formatter
from typing import TYPE_CHECKING, ClassVar, TypeVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.screen import Screen

from foureyes.errors import FoureyesError
from foureyes.ui.tui.error_boundary import guarded
from foureyes.ui.tui.keys import Key, KeyContext, WholeLabel, action_of, elsewhere, normal, shown
from foureyes.ui.tui.marks import visible
from foureyes.ui.tui.screens.find import FindLine
from foureyes.ui.tui.widgets.bar import Bar
from foureyes.ui.tui.widgets.key_line import KeyLine
from foureyes.ui.tui.widgets.rows import Rows
from foureyes.ui.tui.worker import Desk

if TYPE_CHECKING:
    from textual.widget import Widget

    from foureyes.ui.tui.app import FoureyesApp
    from foureyes.ui.tui.widgets.canvas import Canvas

T = TypeVar("T")
NOTE_LINES = 3


class Page(Screen[None], inherit_bindings=False):
    """A screen with a title, a body, a line for what just happened, and its keys. `context` is its key table."""

    app: FoureyesApp
    context: ClassVar[KeyContext] = "page"
    name_in_flow: ClassVar[str] = ""
    """The review's name for this page; empty for one that is only laid over others."""
    paints_later: ClassVar[bool] = False
    """Whether the page has to ask for what it shows after a decision, and says itself when that is painted."""
    DEFAULT_CSS = """
    Page { layout: vertical; layers: default find; background: $background; color: $foreground; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.task_id = ""
        """The one task that the page is about, where it is about one."""
        self._pressed = ""
        self._away = False
        self._stands = False
        self._early: Text | str = ""
        self._note: Text | str = ""
        self.noted = ""
        """What the line below says now."""
        self.asked = ""
        """What was asked about in the line below, if something was: the same key again says yes, any other key no."""
        self.question = ""
        """That question in words."""
        self._yes = ""
        """The key that says yes."""

    # -- what a page consists of

    def compose(self) -> ComposeResult:
        yield Bar(id="top")
        yield from self.body()
        yield Bar(id="foot")
        yield Bar(id="note")
        yield KeyLine(self.context)

    def body(self) -> ComposeResult:
        """What stands between title and keys; one list where a page says nothing else."""
        yield Rows(id="rows")

    @guarded
    def on_mount(self) -> None:
        if self._stands:  # the library calls the handler of every class, also of one whose child called it already
            return
        self._stands = True
        self.query_one("#foot", Bar).show()
        self.note(self._early)
        self.reload()

    def reload(self) -> None:
        """Ask for what the page shows, and draw it."""

    def draw(self) -> None:
        """Draw what is known, for the size that there is."""

    def arrive(self) -> None:
        """This page is on top (again), and the review may stand somewhere else."""

    def changed(self, seq: int) -> None:
        """Others have written to the journal."""

    def away(self, problem: FoureyesError) -> None:
        """The store does not answer; what is on screen stays."""
        self._away = True
        self.note(self.paint(f" Trying again: {visible(problem.message)}", "banner"))

    def back_again(self) -> None:
        """The store answers. After an absence everything is asked for again."""
        if self._away:
            self._away = False
            self.note("the store answers again")
            self.reload()

    def keep(self) -> None:
        """Save what would be lost: the app ends."""

    @guarded
    def on_resize(self, _: events.Resize) -> None:
        if self._note:
            self.note(self._note)
        self.draw()

    @property
    def wide(self) -> int:
        """How many columns the page has."""
        return self.app.size.width

    @property
    def rows(self) -> Rows:
        return self.query_one("#rows", Rows)

    @property
    def top(self) -> Bar:
        return self.query_one("#top", Bar)

    @property
    def foot(self) -> Bar:
        return self.query_one("#foot", Bar)

    @property
    def keys(self) -> KeyLine:
        return self.query_one(KeyLine)

    def set_focus(self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False) -> None:
        """Who types a filter goes on typing it."""
        if not any(find.keeps(widget) for find in self.query(FindLine)):
            super().set_focus(widget, scroll_visible, from_app_focus)

    def note(self, text: Text | str) -> None:
        """One line about what just happened; the next key clears it. What is said to a page before it stands is shown
        with it.
        """
        bars = self.query("#note").results(Bar)
        bar = next(iter(bars), None)
        if bar is None:
            self._early = text
        else:
            self.noted, self._note = str(text), text
            bar.show(*self.folded(text if isinstance(text, Text) else Text(f" {text}" if text else "")))

    def folded(self, text: Text) -> list[Text]:
        """A note or a banner on as many lines as it needs, at most three: the keys in it stand at its end."""
        if text.cell_len <= self.wide:
            return [text]
        style = text.style
        lines = list(text.copy().wrap(self.app.console, max(20, self.wide - 2), no_wrap=False))[:NOTE_LINES]
        return [line if number == 0 else Text.assemble(Text(" ", style), line) for number, line in enumerate(lines)]

    def paint(self, text: str, role: str = "text") -> Text:
        """Text in one of the palette's roles."""
        return Text(text, self.app.palette[role], no_wrap=True)

    def across(self, left: Text | str, right: Text | str = "", width: int | None = None) -> Text:
        """Left and right on one line; what is on the right stays, the left is cut."""
        wide = width or self.wide
        start = left.copy() if isinstance(left, Text) else Text(left)
        end = right.copy() if isinstance(right, Text) else Text(right)
        start.truncate(max(0, wide - end.cell_len - 1), overflow="ellipsis", pad=True)
        return Text.assemble(start, " ", end)

    def rule(self, title: str = "", *, here: bool = False) -> Text:
        """A line across the page, perhaps with a title in it. `here`: the keys are in what follows, which a double rule
        and a bold title say, not a colour alone.
        """
        mark = self.app.marks.double if here else self.app.marks.rule
        start = f" {mark * 2} {title} " if title else " "
        return self.paint(start + mark * max(0, self.wide - len(start) - 1), "title" if here else "dim")

    # -- keys

    @guarded
    def on_key(self, event: events.Key) -> None:
        key = normal(event.key, event.character)
        row = action_of(self.context, key)
        if row is None:
            self.note(elsewhere(self.context, key))
            return
        event.stop()
        event.prevent_default()
        self.press(key)

    def action_press(self, key: str) -> None:
        """A click on the key line."""
        self.press(key)

    def press(self, key: str) -> None:
        """Do what a key does here."""
        row = action_of(self.context, key)
        if row is None:
            return
        if self.app.deciding and (row.decision or row.action in ("submit", "undo")):
            self.note("still saving the previous decision")
            return
        self.note("")
        if self._answered_no(key):
            return
        if (row.decision or row.action == "undo") and self.app.guard.is_deaf(key, self.app.clock()):
            self.note(self._ignored(key))
            return
        self._pressed = key
        try:
            self.app.last_command = self.command(row) or self.app.last_command
            getattr(self, f"do_{row.action}")()
        except Exception as problem:  # a defect of ours: the app goes on
            self.app.broke(problem)

    def _answered_no(self, key: str) -> bool:
        """Whether the key was needed to say no to what was asked; only Esc has no other meaning then."""
        if not self.asked or key == self._yes:
            return False
        self.asked = self.question = ""
        self.app.guard.calm()
        return key == "escape"

    def do_merge(self) -> None:
        self.app.merging.begin()

    def ask_first(self, key: str, about: str, words: str) -> None:
        """Ask in the line below; the same key again says yes, once it has rested after the question was painted."""
        self.asked, self.question, self._yes = about, words, key
        self.note(self.paint(f" {words}", "banner"))
        self.app.guard.decided()
        self.app.call_after_refresh(lambda: self.app.guard.asked(key, self.app.clock()))

    def agreed(self, key: str, about: str, words: str) -> bool:
        """Whether it was asked about this, and the same key said yes; else it is asked. A key that is held down answers
        nothing.
        """
        if self.asked != about:
            self.ask_first(key, about, words)
        elif self.app.guard.is_deaf(key, self.app.clock()):
            self.note(self.paint(f" {self.question} · pause a moment", "banner"))
        else:
            self.asked = self.question = ""
            self.app.guard.calm()
            return True
        return False

    def _ignored(self, key: str) -> Text | str:
        """What a press says that was not heard: what stands here now, and that the key has to rest."""
        words = f"{shown(key)} was ignored: pause a moment"
        return self.paint(f" {self.question} · {words}", "banner") if self.question else f"{self.deaf()} · {words}"

    @property
    def pressed(self) -> str:
        """The key that is being handled: which digit, which bracket."""
        return self._pressed

    def deaf(self) -> str:
        """What a press says that came too soon after a decision."""
        return "one decision at a time"

    def command(self, row: Key) -> str:
        """What types the same on the command line; nothing where it is not known yet what it would be about."""
        names = [name for _, name, _, _ in Formatter().parse(row.command) if name]
        words = self.words() if names else {}
        words |= {"task": self.app.flow.undo} if row.action == "undo" else {}
        return row.command.format_map(words) if all(words.get(name) for name in names) else ""

    def words(self) -> dict[str, str]:
        """What the commands of this page are about."""
        return {"task": self.rows.at or ""}

    # -- work

    def ask(
        self,
        work: Callable[[Desk], T],
        then: Callable[[T], None],
        otherwise: Callable[[FoureyesError], None] | None = None,
    ) -> None:
        """Have the desk do something; `then` gets the answer, `otherwise` a refusal (else it becomes a sheet)."""
        self.app.desk.ask(self, work, then, otherwise)
        self.app.waiting.begin()

    def refused(self, problem: FoureyesError) -> None:
        """A refusal is a page, not a toast."""
        self.app.show_refusal(problem)

    # -- what every page can do

    @property
    def _pane(self) -> Canvas | Rows:
        """What the arrows move in."""
        return self.rows

    def do_up(self) -> None:
        self._pane.move(-1)

    def do_down(self) -> None:
        self._pane.move(1)

    def do_page_up(self) -> None:
        self._pane.page(-1)

    def do_page_down(self) -> None:
        self._pane.page(1)

    def do_top(self) -> None:
        self._pane.edge(last=False)

    def do_bottom(self) -> None:
        self._pane.edge(last=True)

    def do_back(self) -> None:
        self.app.back()

    def do_leave(self) -> None:
        self.app.leave()

    def do_help(self) -> None:
        self.app.show_help(self.context)

    def do_palette(self) -> None:
        self.app.action_command_palette()

    def do_attention(self) -> None:
        self.app.show_attention()

    def do_undo(self) -> None:
        self.app.undo()

    def do_issues(self) -> None:
        from foureyes.ui.tui.peers import show_issues

        show_issues(self)

    def do_review_now(self) -> None:
        from foureyes.ui.tui.peers import look_now

        look_now(self, self.words().get("task", ""))

    def why_not(self, key: str) -> WholeLabel:
        """The label of a decision key that would be refused (no dead keys)."""
        return WholeLabel(f"[{shown(key)}] Why not?")
