"""What was kept for runs of a task goes when the task is closed, merged or not, once nothing runs there."""

from __future__ import annotations

from collections.abc import Sequence

from foureyes.core.nouns.run import RunId

from tests.stage.people import ALICE
from tests.stage.playground import Playground
from tests.stage.playing import Play


def test_a_home_of_a_task_that_was_closed_without_a_merge_is_removed(ground: Playground) -> None:
    closed, going_on = ground.create(ALICE), ground.create(ALICE)
    runner = ground.runner(2)
    ground.settle(runner)
    assert ground.agents.forgotten == []
    ground.app.closing.close(ALICE, closed, reason="not wanted")
    ground.clock.advance(minutes=2)
    ground.settle(runner)
    assert ground.agents.forgotten == [closed]
    assert ground.agents.kept() == [going_on]


def test_one_in_which_something_still_runs_stays(ground: Playground) -> None:
    task = ground.create(ALICE)
    runner = ground.runner(1)
    ground.settle(runner)
    ground.app.closing.close(ALICE, task, reason="not wanted")
    ground.clock.advance(minutes=2)
    end_left = ground.agents.end_left
    ground.agents.end_left = lambda processes, runs: []  # type: ignore[method-assign]
    ground.ticks(runner, 3)
    assert ground.agents.forgotten == []

    def ends(processes: Sequence[str], runs: Sequence[RunId]) -> Sequence[RunId]:
        return end_left(processes, runs)

    ground.agents.end_left = ends  # type: ignore[method-assign]
    ground.clock.advance(minutes=2)
    ground.settle(runner)
    assert ground.agents.forgotten == [task]


def test_a_task_whose_run_is_not_over_keeps_its_home(ground: Playground) -> None:
    task = ground.create(ALICE)
    ground.plays = [Play(lasts=10**6, stops=10**6)]
    runner = ground.runner(1)
    ground.ticks(runner, 2)
    ground.app.closing.close(ALICE, task, reason="not wanted")
    ground.clock.advance(minutes=2)
    ground.ticks(runner, 3)
    assert ground.agents.forgotten == []
