"""The coach line: the only one there is, and only in a demo. It says whose turn it is, until ? or Esc."""

from __future__ import annotations

from rich.text import Text

from foureyes.app.results.board import BoardView
from foureyes.ui.tui.screens.page import Page

WORDS = "Your turn. R opens the queue; nothing merges without you now."


class Coached(Page):
    """A page that says, in a demo, when everything waits for the reader."""

    def __init__(self) -> None:
        super().__init__()
        self._read_it = False

    def coach(self, view: BoardView) -> list[Text]:
        """The line, when agents and merges have come to rest and something waits for a person."""
        is_due = view.demo and view.reviewing.count and not _goes_on(view) and not self._read_it
        return [self.paint(f" {WORDS}  ? or Esc: gone", "title")] if is_due else []

    def was_read(self) -> None:
        """It was read."""
        self._read_it = True
        self.draw()

    def do_help(self) -> None:
        self.was_read()
        super().do_help()


def _goes_on(view: BoardView) -> bool:
    """Whether anything moves without the reader: an agent, a check, a merge."""
    unchecked = any(
        card.review is None or any(card.review.checks.get(name, "not_run") == "not_run" for name in view.checks)
        for card in view.reviewing.cards
    )
    return bool(
        view.agents or view.in_progress.count or unchecked or any(card.state != "merged" for card in view.done.cards)
    )
