"""One line to type a filter or a search into; what is below follows every key."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.widgets import Input

from foureyes.ui.tui.guarded import guarded
from foureyes.ui.tui.widgets.text_part import TextLine

if TYPE_CHECKING:
    from foureyes.ui.tui.app import FoureyesApp
    from foureyes.ui.tui.screens.page import Page


FILTER = "/ words, label:docs, risk:high, it:>2, mine  (Enter keeps, Esc clears)"
SEARCH = "/ text to find here  (↓ ↑ next and before, Enter stays, Esc clears)"


class FindLine(ModalScreen[None], inherit_bindings=False):
    """A line at the bottom. Enter keeps what was typed, Esc takes back what was there before."""

    app: FoureyesApp
    DEFAULT_CSS = """
    FindLine { align: left bottom; background: transparent; }
    FindLine Input, FindLine Input:focus { height: 1; border: none; background: $background; padding: 0 1; }
    """

    def __init__(self, text: str, typed: Callable[[str], None], onward: Callable[[int], None] | None) -> None:
        super().__init__()
        self._before, self._typed, self._onward = text, typed, onward

    def compose(self) -> ComposeResult:
        yield TextLine(self._before, whole=True, placeholder=FILTER if self._onward is None else SEARCH)

    @guarded
    def on_input_changed(self, message: Input.Changed) -> None:
        message.stop()
        self._typed(message.value)

    @guarded
    def on_key(self, event: events.Key) -> None:
        """In a search the arrows go on and back. Enter keeps the filter, or the place that was found."""
        if event.key in ("down", "up") and self._onward is not None:
            event.stop()
            self._onward(1 if event.key == "down" else -1)
        elif event.key == "enter":
            event.stop()
            event.prevent_default()
            self.dismiss()
        elif event.key == "escape":
            event.stop()
            self._typed("" if self._onward is not None else self._before)
            self.dismiss()
        elif event.key == "ctrl+q":
            event.stop()
            self.app.leave()


def ask_filter(
    page: Page, text: str, typed: Callable[[str], None], onward: Callable[[int], None] | None = None
) -> None:
    """Let the reader type; `typed` gets the text with every key, `onward` the way to the next or last hit."""
    page.app.push_screen(FindLine(text, typed, onward))
