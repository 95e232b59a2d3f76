"""The forms of redo and reject: what they send, what they keep, what they answer in place."""

from __future__ import annotations

from tests.ui.tui.stage import ALICE, Player, Seat, play


def test_redo_by_digits_and_words_reaches_the_next_prompt(seat: Seat) -> None:
    task = seat.deliver("Add login")

    async def story(at: Player) -> None:
        await at.press("r")
        screen = await at.press("r")
        print(screen)
        assert "choose an issue or write a sentence (F1)" in await at.press("enter")
        screen = await at.press("2", "5", "t", "o", "o", "enter", "1", "0")
        print(screen)
        screen = await at.press("ctrl+s")
        print(screen)

    play(seat.sit(), story)
    detail = seat.app.lists.show(ALICE, task)
    assert detail.task.status == "open"
