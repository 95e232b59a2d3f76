"""Labels of a page's decision keys, while a decision is possible."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foureyes.app.results.task_list import Preview
    from foureyes.ui.tui.screens.page import Page


NOTHING = {"approve": "", "redo": "", "reject": ""}


def offered(page: Page, you: Preview | None, *, waits: bool) -> dict[str, str]:
    """What the decision keys are called on a page about one task. What does not wait for a decision offers none; an
    approval that was given here last can be taken back.
    """
    task, comments = page.task_id, page.app.looks.of(page.task_id).comments_in_words()
    if not waits:
        draft = {"redo": "your draft"} if page.app.looks.of(task).draft.has_words else {}
        return NOTHING | draft | ({"undo": "take it back"} if task == page.app.flow.undo else {})
    labels = {"redo": f"redo ({comments})"} if comments else {}
    return labels | ({} if you is not None and you.may_approve else {"approve": page.why_not("a")})
