"""Reading the board for its page: the view, more windows of its columns, the latest events. Work for the desk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from foureyes.app.results.board import BoardView, Column, ColumnName
from foureyes.app.results.journal import EventLine
from foureyes.app.results.status import AttentionRow

if TYPE_CHECKING:
    from foureyes.ui.tui.worker import Desk

EVENTS = 50


class Read(NamedTuple):
    """What the board shows; `rows`: what waits for a person."""

    view: BoardView
    events: list[EventLine]
    rows: tuple[AttentionRow, ...]


def read_board(desk: Desk, wanted: Mapping[ColumnName, int], window: int) -> Read:
    """The board with so many cards of each column, window by window."""
    app = desk.application
    view = app.board.view(desk.actor, limit=window)
    for name, count in wanted.items():
        column = read_column(desk, getattr(view, name), count, window)
        view = replace(view, **{name: column})
    return Read(view, app.events.latest(EVENTS), read_waiting(desk))


def read_waiting(desk: Desk) -> tuple[AttentionRow, ...]:
    """What waits for a person. Git is asked too: a commit on the target writes no row of the journal."""
    return desk.application.attention.view(desk.actor).rows


def read_column(desk: Desk, column: Column, wanted: int, window: int) -> Column:
    """A column with as many cards as are wanted; one that moved from a window to the next meanwhile stands once."""
    cards, after = {card.task: card for card in column.cards}, len(column.cards)
    while len(cards) < min(wanted, column.count):
        more = desk.application.board.column(desk.actor, column.name, after=after, limit=window).cards
        if not more:
            break
        cards |= {card.task: card for card in more}
        after += len(more)
    return replace(column, cards=tuple(cards.values()))
