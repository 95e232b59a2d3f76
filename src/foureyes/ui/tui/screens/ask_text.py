"""A sheet that asks for a sentence: a reason, a note."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from foureyes.ui.tui.error_boundary import guarded
from foureyes.ui.tui.marks import visible
from foureyes.ui.tui.widgets.text_part import TextLine

if TYPE_CHECKING:
    from foureyes.ui.tui.app import FoureyesApp
    from foureyes.ui.tui.screens.page import Page


class AskText(ModalScreen[None], inherit_bindings=False):
    """Enter gives what was typed, Esc nothing. An empty sentence is asked for again. `words`: under this name what was
    typed is remembered until it is sent.
    """

    app: FoureyesApp
    DEFAULT_CSS = """
    AskText { align: center bottom; background: $background 60%; }
    AskText Vertical { height: auto; width: 1fr; max-width: 100; background: $background; border: heavy $foreground; }
    AskText Static { height: auto; padding: 0 1; }
    AskText Input, AskText Input:focus { height: 1; border: none; padding: 0 1; background: $background; }
    """

    def __init__(self, title: str, lines: Sequence[str], given: Callable[[str], None], enter: str, words: str) -> None:
        super().__init__()
        self._title, self._lines, self._given, self._enter, self._words = title, lines, given, enter, words

    def compose(self) -> ComposeResult:
        with Vertical():
            text = Text(visible(self._title), "bold")
            for line in self._lines:
                text.append("\n" + visible(line), "not bold")
            yield Static(self.app.drawn(text), markup=False)
            yield TextLine(self.app.unsent.get(self._words, {}).get("text", ""), placeholder="type here")
            yield Static(f"Enter {self._enter}   Esc cancel", id="asked", markup=False)

    @guarded
    def on_key(self, event: events.Key) -> None:
        """Enter is heard here, before the next key: the field's own answer to it would come after that one."""
        text = self.query_one(TextLine).value.strip()
        if event.key == "escape":
            event.stop()
            self._remember(text)
            self.dismiss()
        elif event.key in ("enter", "ctrl+s"):
            event.stop()
            event.prevent_default()
            self._submit(text)
        elif event.key == "ctrl+q":
            event.stop()
            self.app.leave()

    def _remember(self, text: str) -> None:
        if self._words:
            self.app.unsent[self._words] = {"text": text}

    def _submit(self, text: str) -> None:
        if not text:
            self.query_one("#asked", Static).update("a sentence is needed   Esc cancel")
            return
        self._remember(text)
        self.dismiss()
        self._given(text)


def ask_text(
    page: Page,
    title: str,
    given: Callable[[str], None],
    *,
    lines: Sequence[str] = (),
    enter: str = "done",
    words: str = "",
) -> None:
    """Ask for a sentence; `given` gets it."""
    page.app.push_screen(AskText(title, lines, given, enter, words))
