"""The diff page: read with one key, seen hunks measured, comments, comparisons, and decisions from it."""

from __future__ import annotations

from foureyes.ui.tui import flow as review
from foureyes.ui.tui.screens.diff import DiffPage

from tests.ui.tui.stage import BOB, CODE, Player, Seat, play

TWICE = CODE.replace("return 5\n", "return 55\n").replace("return 20\n", "return 2020  \n")
LOGIN = "".join(f"\tline {number}\n" for number in range(40))
FILES = {"src/steps.py": TWICE, "src/login.py": LOGIN, "go.sum": "locked\n" * 30}


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


async def open_diff(player: Player, *tasks: str) -> DiffPage:
    """The diff of the first of some tasks, on top of the board."""
    app = player.app
    app.clock = Clock()
    app.flow = review.step(review.look(review.start(app.flow, tasks), tasks[0]), "diff")
    page = DiffPage()
    app.push_screen(page)
    await player.settle()
    return page


async def read_slowly(player: Player, *keys: str) -> str:
    """Press keys, with a second to read before each."""
    screen = ""
    for key in keys:
        player.app.clock.now += 1.0  # type: ignore[attr-defined]
        screen = await player.press(key)
    return screen


def test_space_reads_on_counts_what_was_shown_and_approves_at_the_end_H4(seat: Seat) -> None:
    task = seat.deliver(files=FILES)

    async def story(player: Player) -> None:
        page = await open_diff(player, task)
        assert "src/login.py (1/3)" in player.screen
        assert "it 1 vs base" in player.screen
        assert "unseen 4/4" in player.screen
        assert "    1 + →   line 0" in player.screen  # tabs of a changed line can be seen
        await player.press("space", "space")
        assert "unseen 4/4" in player.screen  # too fast to have read anything
        await player.press("home")
        screen = ""
        for _ in range(12):
            if "folded files" not in screen:
                screen = await read_slowly(player, "space")
        assert "the end: 1 of 4 hunks are in folded files" in screen
        assert "unseen 1/4" in screen
        assert "return 2020··" in screen  # so can blanks at its end
        assert "generated or a lock file: 1 hunk, 30 changed lines" in screen
        screen = await read_slowly(player, "end", "enter", "space", "space", "space")
        assert "unseen 0/4" in screen
        assert "all 4 hunks seen · A approve  R redo  X reject" in screen
        assert page.looking.unseen == 0
        screen = await player.press("a")
        assert not isinstance(player.app.screen, DiffPage)

    play(seat.sit(), story)
    assert seat.status(task) == "approved"
    assert seat.app.lists.show(BOB, task).approvals[0].seen != "not shown"
