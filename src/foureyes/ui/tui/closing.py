"""The end of a review: what was decided, what came meanwhile, and once what was approved without having been read."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from foureyes.ui.tui import review_session as review
from foureyes.ui.tui.reviewing import waiting_now
from foureyes.ui.tui.text.lines import age

if TYPE_CHECKING:
    from foureyes.app.results.review import ViewReport
    from foureyes.ui.tui.app import FoureyesApp

HINT_AFTER = 5
"""So many high-risk changes that were approved unread are worth a word."""


class Unread:
    """The high-risk changes that were approved here without a line of them on screen. It is said once."""

    def __init__(self) -> None:
        self.tasks: list[str] = []
        self._told = False

    def approved(self, task: str, look: ViewReport, *, close: bool) -> None:
        """A change was approved; `close`: it was to be looked at closely (H1)."""
        if close and not (look.shown or look.marked or look.pager):
            self.tasks.append(task)

    def taken_back(self, task: str) -> None:
        self.tasks = [each for each in self.tasks if each != task]

    def hint(self) -> str:
        """One gentle sentence, the first time that there is a reason for it."""
        if self._told or len(self.tasks) < HINT_AFTER:
            return ""
        self._told = True
        return f"{len(self.tasks)} high-risk changes approved unread: {', '.join(self.tasks)}"


def close_review(app: FoureyesApp, message: str) -> None:
    """After the last decision: the closing line, with how many others wait by now."""
    known = {row.task for row in app.flow.rows}
    is_review = app.opened_at > 0 and len(known) > 1  # a single one may have been opened at any time
    spent = age(max(0, round(time.time() - app.opened_at))) if is_review else ""
    hint = app.unread.hint()

    def say(fresh: int) -> None:
        words = [review.closing(app.flow, spent=spent, fresh=fresh), message, hint]
        app.pages[-1].note(" · ".join(part for part in words if part))

    def counted(waiting: set[str]) -> None:
        is_over = app.flow.place in ("idle", "summary") and not app.flow.left
        if is_over and {row.task for row in app.flow.rows} == known and waiting - known:
            say(len(waiting - known))

    say(0)
    app.desk.ask(app, waiting_now, counted, lambda _: None)
