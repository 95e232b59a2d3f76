"""One line to type a filter or a search into; what is below follows every key."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input

from foureyes.ui.tui.error_boundary import guarded
from foureyes.ui.tui.widgets.text_part import TextLine

if TYPE_CHECKING:
    from textual.widget import Widget

    from foureyes.ui.tui.app import FoureyesApp
    from foureyes.ui.tui.screens.page import Page


FILTER = "/ words, label:docs, risk:high, it:>2, mine  (Enter keeps, Esc clears)"
SEARCH = "/ text to find here  (↓ ↑ next and before, Enter stays, Esc clears)"


class FindLine(Vertical, inherit_bindings=False):
    """A line at the bottom of a page. Enter keeps what was typed, Esc takes back what was there before. It is no screen
    of its own: Textual paints all that is below one again, some times for every key.
    """

    app: FoureyesApp
    DEFAULT_CSS = """
    FindLine { layer: find; dock: bottom; height: 1; background: $background; }
    FindLine Input, FindLine Input:focus { height: 1; border: none; background: $background; padding: 0 1; }
    """

    def __init__(self, text: str, typed: Callable[[str], None], onward: Callable[[int], None] | None) -> None:
        super().__init__()
        self._before, self._typed, self._onward = text, typed, onward
        self._from: Widget | None = None
        self._is_over = False

    def compose(self) -> ComposeResult:
        yield TextLine(self._before, whole=True, placeholder=FILTER if self._onward is None else SEARCH)

    @guarded
    def on_mount(self) -> None:
        self._from = self.screen.focused
        self.query_one(TextLine).focus(scroll_visible=False)

    def keeps(self, widget: Widget | None) -> bool:
        """Whether the keys stay here although a page that draws itself again gives them to another part of it: that part
        gets them afterwards.
        """
        if self._is_over or (widget is not None and self in widget.ancestors_with_self):
            return False
        self._from = widget
        return True

    def leave(self) -> None:
        """Give the keys back to whoever had them."""
        self._is_over = True
        self.screen.set_focus(self._from, scroll_visible=False)
        self.remove()

    @guarded
    def on_input_changed(self, message: Input.Changed) -> None:
        message.stop()
        self._typed(message.value)

    @guarded
    def on_key(self, event: events.Key) -> None:
        """In a search the arrows go on and back. Enter keeps the filter, or the place that was found. No key gets from
        here to the page.
        """
        event.stop()
        if event.key in ("down", "up") and self._onward is not None:
            self._onward(1 if event.key == "down" else -1)
        elif event.key == "enter":
            event.prevent_default()
            self.leave()
        elif event.key == "escape":
            self._typed("" if self._onward is not None else self._before)
            self.leave()
        elif event.key == "ctrl+q":
            self.app.leave()


def ask_filter(
    page: Page, text: str, typed: Callable[[str], None], onward: Callable[[int], None] | None = None
) -> None:
    """Let the reader type; `typed` gets the text with every key, `onward` the way to the next or last hit."""
    if not page.query(FindLine):
        page.mount(FindLine(text, typed, onward))
