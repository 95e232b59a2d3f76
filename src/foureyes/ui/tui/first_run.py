"""The first run: a repository without a project. One small screen, one key to begin."""

from __future__ import annotations

from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.widgets import Static

from foureyes.ui.tui.marks import visible


class FirstRun(App[bool], inherit_bindings=False):
    """Enter sets the project up, Esc leaves. Nothing is written before Enter."""

    ENABLE_COMMAND_PALETTE = False
    CSS = "Static { padding: 1 2; height: auto; }"

    def __init__(self, where: str) -> None:
        super().__init__(ansi_color=True)
        self._where = where

    def compose(self) -> ComposeResult:
        text = Text(f"No Foureyes project here yet ({visible(self._where)}).\n\n")
        for key, words in (
            ("Enter", "set it up now (fe init): writes .foureyes/ and commits foureyes.toml, nothing else."),
            ("Esc  ", "leave"),
        ):
            text.append(f"  {key}  ", "bold")
            text.append(f"{words}\n")
        text.append("\nFoureyes keeps agents' work on branches until someone else has agreed to it.")
        yield Static(text, markup=False)

    def on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            self.exit(True)
        elif event.key in ("escape", "q", "ctrl+q", "ctrl+c"):
            self.exit(False)
