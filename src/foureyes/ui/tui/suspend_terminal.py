"""Suspend the app to ask for a passphrase or a security-key touch."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from foureyes.errors import Reason, Refused

if TYPE_CHECKING:
    from foureyes.ui.tui.app import FoureyesApp


BROKEN_OFF = Reason("I9", "it was broken off at the passphrase or the touch")


def step_aside(app: FoureyesApp, question: Callable[[], str]) -> str:
    """The answer to a question that needs the terminal for itself. What goes wrong in it is told after the app is back:
    a screen that is not taken back would be lost.
    """
    answer = ""
    problem: Exception | None = None
    try:
        with app.suspend(), _interruptible():
            try:
                answer = question()
            except KeyboardInterrupt:
                problem = Refused("nothing was signed, so nothing was changed.", reasons=(BROKEN_OFF,))
            except Exception as error:
                problem = error
    except SuspendNotSupported:
        return question()
    app.refresh(layout=True)
    if problem is not None:
        raise problem
    return answer


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl+C breaks the question off, and not the app: the loop's own handler would wait for the end of the question,
    and end the app then.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
