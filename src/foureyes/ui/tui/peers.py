"""Reviews by peers, from the app: let reviewers look now (V1), and what they flagged (R0 to R3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.ui.tui.marks import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foureyes.app.results.review import CycleOutcome, IssueRow
    from foureyes.ui.tui.screens.page import Page

NONE = ["", "Nothing is flagged: no reviewer has a concern in work that is not closed."]


def look_now(page: Page, task: str) -> None:
    """V1: reviewers look at a task; without one, at everything that is in progress."""
    from foureyes.ui.tui.screens.ask_text import ask_text

    def given(reason: str) -> None:
        page.app.act(
            lambda desk: desk.application.cycles.now(desk.actor, task or None, reason=reason),
            lambda done: page.app.pages[-1].note(outcome_text(done)),
            page.refused,
            words=sheet,
        )

    sheet = f"review now {task}"
    about = f"reviewers look at {task} now" if task else "reviewers look at everything in progress now"
    page.app.last_command = f"fe review request {task} --now".rstrip()
    ask_text(page, about, given, lines=["why? reviewers read it"], enter="ask them", words=sheet)


def outcome_text(done: CycleOutcome) -> str:
    """What became of it, on one line."""
    asked = f"asked: {', '.join(done.requested)}" if done.requested else ""
    return visible(" · ".join(part for part in (done.message, asked, *done.notes) if part))


def show_issues(page: Page) -> None:
    """The issues list: every concern, and who gave no review, in work that is not closed."""
    from foureyes.ui.tui.screens.text_page import TextPage

    def shown(rows: list[IssueRow]) -> None:
        page.app.push_screen(TextPage(f"FLAGGED ({len(rows)})", issue_lines(rows)))

    page.app.last_command = "fe finding list --concerns"
    page.ask(lambda desk: desk.application.cycles.issues(), shown)


def issue_lines(rows: Sequence[IssueRow]) -> list[str]:
    """Rule, task, who said what; what to do about it below."""
    from foureyes.ui.steps import steps_text

    lines: list[str] = []
    for row in rows:
        who = f"{row.reviewer}: {row.verdict}" if row.reviewer else "not reviewed"
        lines += ["", visible(f"{row.rule}  {row.task}  {row.cycle}  {who}"), visible(f"    {row.text}")]
        lines += [visible(f"    next: {steps_text(row.next)}")] if row.next else []
    return lines or NONE
