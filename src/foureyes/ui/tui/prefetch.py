"""Evaluate queued tasks in the background while the worker is idle."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foureyes.ui.tui.app import FoureyesApp


PAUSE = 0.05
"""Seconds between two pieces of work."""
QUIET = 0.3
"""So long no key has been pressed: keys come first."""


class Ahead:
    """How far the queue has been judged; once, from the first look at the board on."""

    def __init__(self, app: FoureyesApp) -> None:
        self._app = app
        self._after = 0
        self._pressed = 0.0
        self.begun = False
        self.done = False
        """Whether everything that waited at the start has been judged, or the app ends."""

    def begin(self, waiting: int, judged: int) -> None:
        """So many wait, and so many of them the board has judged already."""
        if self.begun:
            return
        self.begun = True
        self._went(judged if waiting > judged else 0)

    def _went(self, after: int) -> None:
        self._after, self.done = after, self.done or not after
        if not self.done:
            self._app.set_timer(PAUSE, lambda: self._app.guarded(self._step))

    def stop(self) -> None:
        """The app ends: nothing more is asked of the desk."""
        self.done = True

    def wait(self) -> None:
        """Somebody presses keys: what they ask for is not to wait."""
        self._pressed = time.monotonic()

    def _step(self) -> None:
        after = self._after
        if self.done:
            return
        if self._app.desk.pending or time.monotonic() - self._pressed < QUIET:
            self._app.set_timer(PAUSE, lambda: self._app.guarded(self._step))
        else:
            self._app.desk.ask(
                self._app,
                lambda desk: desk.application.queue.ahead(desk.actor, after=after),
                self._went,
                lambda _: None,
            )
