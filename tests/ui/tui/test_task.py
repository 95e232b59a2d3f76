"""The page of a task: what it says, and what its decision keys do to the store."""

from __future__ import annotations

from tests.ui.tui.stage import Player, Seat, play


def test_one_task_is_approved_and_taken_back(seat: Seat) -> None:
    task = seat.deliver("Add login")

    async def story(at: Player) -> None:
        screen = await at.press("r")
        print(screen)
        screen = await at.press("a")
        print(screen)
        assert seat.status(task) == "approved"
        screen = await at.press("u")
        print(screen)
        assert seat.status(task) == "reviewing"

    play(seat.sit(), story)
