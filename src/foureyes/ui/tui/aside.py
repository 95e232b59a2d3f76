"""Stepping aside: a person is asked for a passphrase or a touch at the bare terminal, then the app goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from foureyes.errors import Reason, Refused

if TYPE_CHECKING:
    from foureyes.ui.tui.app import FoureyesApp


def step_aside(app: FoureyesApp, question: Callable[[], str]) -> str:
    """The answer to a question that needs the terminal for itself. What goes wrong in it is told after the app is back:
    a screen that is not taken back would be lost.
    """
    answer = ""
    problem: Exception | None = None
    try:
        with app.suspend():
            try:
                answer = question()
            except KeyboardInterrupt:
                why = Reason("I9", "it was broken off at the passphrase or the touch")
                problem = Refused("nothing was signed, so nothing was changed.", reasons=(why,))
            except Exception as error:
                problem = error
    except SuspendNotSupported:
        return question()
    app.refresh(layout=True)
    if problem is not None:
        raise problem
    return answer
