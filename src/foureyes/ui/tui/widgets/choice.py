"""A choice between a few words: one is chosen, by its digit or by the arrows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text
from textual import events
from textual.widgets import Static

from foureyes.ui.tui.error_boundary import guarded

if TYPE_CHECKING:
    from foureyes.ui.tui.app import FoureyesApp


class ChoiceBar(Static, can_focus=True, inherit_bindings=False):
    """Words on one line, each with its digit. What is chosen is marked, not only coloured."""

    app: FoureyesApp
    DEFAULT_CSS = """
    ChoiceBar { height: auto; width: 1fr; background: $background; }
    """

    def __init__(self, words: Sequence[str], chosen: str, *, id: str | None = None) -> None:
        super().__init__("", id=id, markup=False)
        self.words = list(words)
        self.value = chosen if chosen in self.words else self.words[0]

    @guarded
    def on_mount(self) -> None:
        self._show()

    def _show(self) -> None:
        text = Text(no_wrap=False)
        for number, word in enumerate(self.words, 1):
            here = word == self.value
            text.append(f"{number} ", self.app.palette["key"])
            text.append(f"{'(*)' if here else '( )'} {word}", self.app.palette["title"] if here else "")
            text.append("  ")
        if self.has_focus:
            text.stylize(self.app.palette["focus"])
        self.update(self.app.drawn(text))

    @guarded
    def on_focus(self) -> None:
        self._show()

    @guarded
    def on_blur(self) -> None:
        self._show()

    @guarded
    def on_key(self, event: events.Key) -> None:
        if event.key.isdigit() and 1 <= int(event.key) <= len(self.words):
            self.value = self.words[int(event.key) - 1]
        elif event.key in ("left", "right", "space"):
            by = -1 if event.key == "left" else 1
            self.value = self.words[(self.words.index(self.value) + by) % len(self.words)]
        else:
            return
        event.stop()
        self._show()
