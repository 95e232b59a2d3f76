"""What runs submit goes to the project's remote beside everything else; again later where it cannot (Q6)."""

from __future__ import annotations

import pytest

from foureyes.app.runner.loop import Runner
from foureyes.core.words.refs import attempt_ref

from tests.stage.people import ALICE
from tests.stage.playground import Playground
from tests.stage.scripted_git import ScriptedRemote


@pytest.fixture
def remote(ground: Playground) -> ScriptedRemote:
    return ground.shared()


def settled(ground: Playground, runner: Runner) -> None:
    """At rest, and what its crew did is heard."""
    ground.settle(runner)
    runner.tick()
    ground.settle(runner)


def test_what_a_run_hands_in_is_pushed_by_its_runner_Q6(ground: Playground, remote: ScriptedRemote) -> None:
    task = ground.create(ALICE)
    settled(ground, ground.runner())
    assert ground.status(task) == "reviewing"
    assert {attempt_ref(task, 1), f"refs/heads/fe/{task}"} <= set(remote.lines)
    assert f"pushed to origin: {task}" in ground.lines("")


def test_a_remote_that_is_away_holds_no_runner_up_and_is_asked_again_Q6(
    ground: Playground, remote: ScriptedRemote
) -> None:
    task = ground.create(ALICE)
    runner = ground.runner()
    while not ground.runs_of(task):
        runner.tick()
    remote.down = "no route to it"
    while ground.status(task) != "reviewing":
        runner.tick()
    ground.ticks(runner, 2)
    assert ground.lines("").count("not pushed yet: origin cannot be asked: no route to it") == 1
    remote.down = ""
    ground.clock.advance(hours=1)
    settled(ground, runner)
    assert attempt_ref(task, 1) in remote.lines
