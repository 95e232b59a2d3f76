"""Take approvals back: one after the other, the newest first, of those that were given here."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from foureyes.errors import Conflict, FoureyesError, NotFound, Refused
from foureyes.ui.tui import review_session as review
from foureyes.ui.tui.text.lines import age

if TYPE_CHECKING:
    from foureyes.ui.tui.app import FoureyesApp

MOMENT_SECONDS = 60


def take_back(app: FoureyesApp, then: Callable[[], None] = lambda: None) -> None:
    """U: the newest approval. Where another task is on screen, and it was not given a moment ago, it is named and asked
    about first.
    """
    task, page = app.flow.undo, app.pages[-1]
    about = f"take back {task}"
    if not task:
        page.note("nothing to take back here")
    elif page.task_id not in ("", task) and page.asked != about and not was_just_given(app, task):
        page.ask_first("u", about, f"U again takes back {task} ({approved_in_words(app, task)}) · Esc")
    else:
        page.asked = page.question = ""
        _take_back(app, task, then)


def was_just_given(app: FoureyesApp, task: str) -> bool:
    """Whether the approval is what happened last here: who presses U then means it, whatever came up after it."""
    return app.last_decision == f"{task} approved" and time.time() - app.acted_at.get(task, 0.0) < MOMENT_SECONDS


def approved_in_words(app: FoureyesApp, task: str) -> str:
    """When it was approved here."""
    return f"approved {age(max(0, round(time.time() - app.acted_at.get(task, time.time()))))} ago"


def _take_back(app: FoureyesApp, task: str, then: Callable[[], None]) -> None:
    app.guard.decided()

    def done(_: object) -> None:
        app.unread.taken_back(task)
        app.looks.of(task).acts += 1
        app.last_decision = f"{task} taken back"
        app.go(review.take_back(app.flow, task))
        for page in app.pages:
            if page.task_id == task:  # the reader's own act is no news to them
                page.reload()
        then()
        if not app.pages[-1].paints_later:
            app.call_after_refresh(app.guard.painted)

    app.act(
        lambda desk: desk.application.decisions.withdraw(desk.actor, task),
        done,
        lambda problem: _stays(app, task, problem),
    )


def _stays(app: FoureyesApp, task: str, problem: FoureyesError) -> None:
    """It cannot be taken back. What was refused for good does not stand before the approvals that still can be."""
    app.guard.painted()
    if isinstance(problem, Refused | Conflict | NotFound):
        app.flow = review.keep(app.flow, task)
    app.show_refusal(problem)
