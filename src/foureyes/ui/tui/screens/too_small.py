"""A terminal that is too small to decide by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import Static

from foureyes.ui.tui.error_boundary import guarded

if TYPE_CHECKING:
    from foureyes.ui.tui.app import FoureyesApp


class TooSmall(Screen[None], inherit_bindings=False):
    """How large it is and must be. Everything is there again when it has grown."""

    app: FoureyesApp

    def __init__(self, size: Size) -> None:
        super().__init__()
        self._size = size

    def compose(self) -> ComposeResult:
        yield Static("", markup=False)

    @guarded
    def on_mount(self) -> None:
        self.say(self._size)

    def say(self, size: Size) -> None:
        """The size as it is now."""
        words = (
            f"Terminal is {size.width}x{size.height}; Foureyes needs 60x16. fe status works at any size. Ctrl+Q quits."
        )
        self.query_one(Static).update(words)

    @guarded
    def on_key(self, event: events.Key) -> None:
        if event.key in ("ctrl+q", "q"):
            self.app.leave()
