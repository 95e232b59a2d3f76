"""Waiting for the desk: said on the page below the reader's eye, and only when it takes its time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foureyes.ui.tui.app import FoureyesApp
    from foureyes.ui.tui.worker import Desk


SPINNER_SECONDS, WORDS_SECONDS = 0.3, 2.0
"""After so long a wait is shown, and said in words."""


class Waiting:
    """The wait for answers of the desk. `since` is None while none is awaited."""

    def __init__(self, app: FoureyesApp) -> None:
        self._app = app
        self.since: float | None = None
        self._words = ""

    def begin(self) -> None:
        """Something was asked."""
        if self.since is None:
            self.since = time.monotonic()

    def answered(self, desk: Desk) -> None:
        """A piece of work has come back; nobody waits for what is done beside the app's own desk."""
        app = self._app
        desk.pending -= 1
        if desk is app.desk and not desk.pending:
            self.since = None
            if self._words and app.pages and app.pages[-1].noted == self._words:
                app.pages[-1].note("")
            self._words = ""

    def show(self) -> None:
        """Say that something takes its time; what was just said about a decision stays."""
        top = self._app.pages[-1]
        if self.since is None or (top.noted and top.noted != self._words):
            return
        waited = time.monotonic() - self.since
        if waited >= WORDS_SECONDS:
            self._words = f"waiting for the store ({waited:.0f} s)"
        elif waited >= SPINNER_SECONDS:
            self._words = self._app.marks.ellipsis
        else:
            return
        top.note(self._words)
