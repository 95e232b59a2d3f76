"""The coach line: only in a demo, only when everything waits for the reader, and gone by Esc or ?."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from foureyes.ui.tui.hints import WORDS
from foureyes.ui.tui.screens.board import BoardPage

from tests.ui.tui.stage import CLAUDE, Player, Seat, play


def said(player: Player) -> bool:
    """Whether the line stands on the board of a demo; what is read meanwhile would take its mark away."""
    board = player.app.pages[0]
    assert isinstance(board, BoardPage)
    assert board.view is not None
    assert board.view.demo or not board.coach(board.view), "no demo, no coach"
    board.view = replace(board.view, demo=True)
    board.draw()
    return WORDS in str(board.foot._shown)


@pytest.mark.parametrize("key", ["escape", "?"])
def test_the_coach_line_is_said_in_a_demo_until_it_was_read(seat: Seat, key: str) -> None:
    seat.deliver("Add login")

    async def story(player: Player) -> None:
        assert said(player)
        await player.press(key)
        assert not said(player)

    play(seat.sit(), story)


@pytest.mark.parametrize("checked", [True, False])
def test_the_coach_line_waits_until_nobody_is_at_work(seat: Seat, checked: bool) -> None:
    seat.deliver("Add login", checked=checked)
    if checked:
        seat.app.claims.start(CLAUDE, seat.create("Export orders"))

    async def story(player: Player) -> None:
        assert not said(player)

    play(seat.sit(), story)
