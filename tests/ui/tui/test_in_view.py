"""What counts as shown was in view: on the page in front, in a pane that is there, in a terminal that somebody looks at
(H4).
"""

from __future__ import annotations

from foureyes.ui.tui.screens.batch import BatchPage
from foureyes.ui.tui.screens.diff import DiffPage
from foureyes.ui.tui.screens.task import TaskPage

from tests.ui.tui.stage import CODE, LARGE, SMALL, Clock, Player, Seat, play

FILES = {"src/steps.py": CODE.replace("return 5\n", "return 55\n").replace("return 20\n", "return 2020\n")}


async def wait(player: Player, seconds: float = 2.0) -> str:
    """Let time pass, and everything be measured that is measured by itself."""
    await player.settle()
    player.app.clock.now += seconds  # type: ignore[attr-defined]
    for page in player.app.pages:
        if isinstance(page, TaskPage | BatchPage):
            page.hunks.measure()
        elif isinstance(page, DiffPage):
            page.tick()
    return await player.settle()


async def resize(player: Player, size: tuple[int, int]) -> None:
    await player.pilot.resize_terminal(*size)
    await player.settle()


def test_a_covered_page_counts_nothing_however_the_terminal_is_resized_H4(seat: Seat) -> None:
    task = seat.deliver(files=FILES)

    async def story(at: Player) -> None:
        at.app.clock = Clock()
        await at.hit("r")
        looking = at.app.looks.of(task)
        assert isinstance(at.app.screen, TaskPage)
        assert looking.unseen == 2
        await at.hit("w")
        await resize(at, LARGE)
        await wait(at)
        await wait(at)
        await resize(at, SMALL)
        await at.hit("escape")
        await wait(at)
        await wait(at)
        assert looking.unseen == 2
        assert "2 hunks unseen" in at.screen

    play(seat.sit(), story, SMALL)


def test_a_pane_that_went_with_a_smaller_terminal_counts_nothing_H4(seat: Seat) -> None:
    task = seat.deliver(files=FILES)

    async def story(at: Player) -> None:
        at.app.clock = Clock()
        await at.hit("r")
        await resize(at, SMALL)  # nothing was on screen for any time
        await wait(at)
        await wait(at)
        assert at.app.looks.of(task).unseen == 2
        await resize(at, LARGE)
        await wait(at)
        await wait(at)
        assert at.app.looks.of(task).unseen == 0

    play(seat.sit(), story, LARGE)


def test_a_terminal_that_nobody_looks_at_counts_nothing_H4(seat: Seat) -> None:
    task = seat.deliver(files=FILES)

    async def story(at: Player) -> None:
        at.app.clock = Clock()
        await at.hit("r")
        at.app.app_focus = False
        await wait(at)
        await wait(at)
        assert at.app.looks.of(task).unseen == 2
        at.app.app_focus = True
        await wait(at)
        await wait(at)
        assert at.app.looks.of(task).unseen == 0

    play(seat.sit(), story, LARGE)


def test_a_diff_below_another_page_counts_nothing_however_the_terminal_is_resized_H4(seat: Seat) -> None:
    task = seat.deliver(files=FILES)

    async def story(at: Player) -> None:
        at.app.clock = Clock()
        await at.hit("r", "d", "w")
        for size in (LARGE, SMALL, LARGE):
            await resize(at, size)
            await wait(at)
            await wait(at)
        assert at.app.looks.of(task).unseen == 2
        await at.hit("escape")
        await wait(at)
        await wait(at)
        assert at.app.looks.of(task).unseen == 0

    play(seat.sit(), story, SMALL)
