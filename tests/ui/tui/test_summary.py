"""The review summary: a snapshot by risk that keeps its numbers."""

from __future__ import annotations

from tests.ui.tui.stage import LARGE, Player, Seat, play


def test_several_tasks(seat: Seat) -> None:
    one = seat.deliver("Add login", labels=["security"])
    two = seat.deliver("Sort the list", {"src/sort.py": "x = 1\n", "tests/test_sort.py": "def test_x():\n    pass\n"})
    three = seat.deliver("Add colours", {"src/RED.py": "RED = 1\n"})

    async def story(at: Player) -> None:
        print(await at.press("r"))
        print(await at.press("a"))
        print(await at.press("escape", "enter"))
        print(await at.press("n"))
        print(await at.press("n", "escape"))

    play(seat.sit(), story)
    play(seat.sit(), story, size=LARGE)
