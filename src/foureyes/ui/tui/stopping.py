"""Stopping an agent's run from the agents' pane: asked once more, and what it made so far stays on its branch."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foureyes.app.results.run import AgentRow
    from foureyes.core.nouns.run import Run
    from foureyes.ui.tui.screens.page import Page

REASON = "stopped in the terminal app"


def stop_run(page: Page, row: AgentRow | None) -> None:
    """Delete: the run under the cursor is asked to end; its runner does it."""
    if row is None:
        page.note("Delete stops a run: Tab to the agents' pane, and onto one of them")
    elif not row.run:
        page.note(f"{row.name} was not started by a runner: who started it ends it")
    elif row.stopping:
        page.note(f"the run of {row.task} is being stopped")
    elif page.agreed("delete", row.run, f"stop {row.name} on {row.task}? its work stays on the branch. Delete · Esc"):
        _stop(page, row)


def _stop(page: Page, row: AgentRow) -> None:
    def done(runs: list[Run]) -> None:
        page.note(f"the run of {row.task} is being stopped" if runs else f"nothing runs for {row.task} any more")
        page.reload()

    page.app.last_command = f"fe pause {row.task} --now"
    page.ask(lambda desk: desk.application.runs.ask_stop(desk.actor, row.task, reason=REASON), done)
