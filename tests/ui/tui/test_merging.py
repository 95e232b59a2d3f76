"""Merging from the app."""

from __future__ import annotations

from tests.ui.tui.stage import BOB, Player, Seat, play


def test_G_on_the_board_merges_what_is_approved_Q1(seat: Seat) -> None:
    task = seat.deliver("Add login")

    async def story(at: Player) -> None:
        await at.press("r", "a")
        assert "1 approved: [G] merges" in await at.press("escape")
        await at.hit("g")
        await at.until(f"{task} merged")

    play(seat.sit(), story)
    assert seat.app.lists.show(BOB, task).task.resolution == "merged"


def test_G_with_nothing_approved_says_so_Q1(seat: Seat) -> None:
    async def story(at: Player) -> None:
        await at.hit("g")
        await at.until("nothing to merge")

    play(seat.sit(), story)
