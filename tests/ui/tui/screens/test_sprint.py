"""A sprint's progress (X2, X3): what it shows at both sizes, and its four keys; the line when it has ended, once."""

from __future__ import annotations

import pytest

from foureyes.app.results.sprint import SprintAsk
from foureyes.bootstrap.services import LazyOutside

from tests.ui.tui.stage import ALICE, LARGE, SMALL, Player, Seat, play, small_work


@pytest.fixture(autouse=True)
def launched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The runners that were asked for; none is started."""
    asked: list[int] = []

    def launch(_: object, __: object, agents: int, *, sprints: bool = False) -> int:
        asked.append(agents)
        return 4711

    monkeypatch.setattr(LazyOutside, "launch_runner", launch)
    return asked


def begun(seat: Seat) -> list[str]:
    """A sprint of three: one submitted, one blocked, one to do."""
    tasks = [seat.create(f"Task {number}") for number in range(3)]
    name = seat.app.sprints.plan(ALICE, SprintAsk(tasks=tuple(tasks), hours=8)).id
    seat.app.sprints.start(ALICE, name)
    seat.work(tasks[0], small_work("first"))
    seat.app.stops.block(ALICE, tasks[1], "the bank says no")
    return tasks


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "120x40"])
def test_progress_says_how_far_what_failed_and_why_it_is_not_complete_X2_X4_E2E_S02(
    seat: Seat, size: tuple[int, int]
) -> None:
    tasks = begun(seat)

    async def story(player: Player) -> None:
        assert "SPRINT" in player.screen
        screen = await player.press("S")
        for words in (
            "SPRINT s-01   1/3 tasks │ 1 failed │ Until ", "running", "33 %", "done 0 merged", "waiting for you 1",
            f"failed   {tasks[1]} the bank says no", f"next  {tasks[2]}",
            "not complete because (X4): 1 task unreviewed", "1 stop after running tasks", "2 pause now",
            "3 open review", "no runner is at work",
        ):  # fmt: skip
            assert words in screen, f"{words}\n{screen}"
        assert "REVIEW TASK" in await player.press("3"), "there is no special review"

    play(seat.sit(), story, size)


def test_pause_go_on_a_runner_and_the_end_X3(seat: Seat, launched: list[int]) -> None:
    begun(seat)
    launched.clear()

    async def story(player: Player) -> None:
        screen = await player.press("S", "2")
        assert "is paused" in screen
        assert "2 go on" in screen
        screen = await player.press("2")
        assert "continues" in screen
        assert "a runner with 3 agents was started" in await player.press("4")
        screen = await player.press("1")
        assert "end it? What runs finishes" in screen
        assert seat.app.sprints.status(ALICE).state == "running"

    play(seat.sit(), story)
    assert launched == [3, 3]


def test_that_it_has_ended_is_said_once_also_to_who_comes_later_X2(seat: Seat) -> None:
    begun(seat)
    seat.app.sprints.stop(ALICE)

    async def morning(player: Player) -> None:
        assert "SPRINT s-01 ended " in player.screen
        assert "│ 1/3 │ 1 failed │ 1 waits for you [R]" in player.screen
        assert "SPRINT" not in await player.press("right")

    async def later(player: Player) -> None:
        assert "s-01 ended" not in player.screen

    play(seat.sit(), morning, LARGE)
    play(seat.sit(), later, LARGE)


def test_a_sprint_that_is_complete_leaves_its_tasks_to_ordinary_review_X2_E2E_S02(seat: Seat) -> None:
    tasks = [seat.create(f"Task {number}") for number in range(2)]
    name = seat.app.sprints.plan(ALICE, SprintAsk(tasks=tuple(tasks), complete=2)).id
    seat.app.sprints.start(ALICE, name)
    for number, task in enumerate(tasks):
        seat.work(task, small_work(f"work {number}"))

    async def story(player: Player) -> None:
        assert "SPRINT │ 2/2 tasks │ Until 2 are done" in player.screen
        runner = seat.app.runs.begin(ALICE, agents=0).actor
        seat.app.sprints.finish(runner, name, kind="target", why="2 tasks are done")
        seat.app.runs.finish(runner, reason="it is over")
        await player.until(f"SPRINT {name} ended ")
        screen = await player.press("R")
        assert all(task in screen for task in tasks), screen

    play(seat.sit(), story, LARGE)
    assert {seat.app.lists.show(ALICE, task).task.status for task in tasks} == {"reviewing"}
