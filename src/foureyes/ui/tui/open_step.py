"""Follow a next step inside the app: a command that shows something has a page here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.results.status import UNACCEPTED
from foureyes.ui.tui import review_session as review

if TYPE_CHECKING:
    from foureyes.app.results.task_list import Outcome
    from foureyes.ui.tui.screens.page import Page


def leads_to(words: list[str]) -> str:
    """What following a command shows, in words; empty where the app has no page for it."""
    match words:
        case ["fe", "show", _, "--diff", *_]:
            return "open the diff"
        case ["fe", "show", _, *_]:
            return "open the task"
        case ["fe", "check", "show", _, *_]:
            return "show the output"
        case ["fe", "check", "run", task, *_] if not task.startswith("-"):
            return "run the checks"
        case ["fe", "finding", "show" | "judge" | "answer" | "waive", _, *_]:
            return "open the finding"
        case ["fe", "resume", task, *_] if not task.startswith("-"):
            return "lift the hold"
        case ["fe", "config", "accept"]:
            return "show it and accept it"
        case _:
            return ""


def follow(page: Page, words: list[str]) -> bool:
    """Open the page that a command's words mean; False where the app has none for it."""
    match words:
        case ["fe", "show", task, "--diff", *_]:
            page.app.back()
            flow = review.look(page.app.flow, task)
            page.app.go(review.step(flow, "diff"))
        case ["fe", "show", task, *_]:
            page.app.back()
            page.app.go(review.look(page.app.flow, task))
        case ["fe", "check", "show", task, *_]:
            from foureyes.ui.tui.screens.checks import ChecksPage

            page.app.push_screen(ChecksPage(task))
        case ["fe", "check", "run", task, *_] if not task.startswith("-"):
            from foureyes.ui.tui.screens.checks import run_checks

            page.app.back()  # what comes of it makes other reasons
            run_checks(page.app, task)
        case ["fe", "finding", "show" | "judge" | "answer" | "waive", finding, *_]:
            from foureyes.ui.tui.screens.finding import FindingPage

            page.app.back()  # what is done there makes other reasons
            page.app.push_screen(FindingPage(finding))
        case ["fe", "resume", task, *_] if not task.startswith("-"):
            _lift(page, task)
        case ["fe", "config", "accept"]:
            page.app.back()  # what is accepted there makes other reasons
            page.app.show_attention(UNACCEPTED)
        case _:
            return False
    return True


def _lift(page: Page, task: str) -> None:
    """D3: a hold is lifted with a reason; then there are other reasons, or none."""
    from foureyes.ui.tui.screens.ask_text import ask_text

    app, sheet = page.app, f"lift the hold of {task}"

    def lifted(done: Outcome) -> None:
        app.looks.of(task).acts += 1
        for below in app.pages:
            if below.task_id == task:
                below.changed(app.seq)
        app.pages[-1].note(done.message)

    def given(reason: str) -> None:
        app.back()
        app.last_command = f'fe resume {task} -m "{reason}"'
        app.act(
            lambda desk: desk.application.stops.resume(desk.actor, task, reason),
            lifted,
            app.show_refusal,
            words=sheet,
        )

    ask_text(page, sheet, given, lines=["a note says why; it stays on record"], enter="lift it", words=sheet)
