"""What the runner says of work that is ready and does not begin (S, V9, P12)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.stage.people import ALICE
from tests.stage.playground import Playground
from tests.stage.playing import Play

IDLE = "idle"


@pytest.fixture
def ground(ground: Playground) -> Playground:
    ground.configured("")
    return ground


def _ended(ground: Playground, **options: Any) -> list[str]:
    last = ground.runner(until_idle=True, **options).run()
    return [last.why, *last.left]


def test_no_program_is_there_and_a_person_is_told(ground: Playground) -> None:
    task = ground.create(ALICE)
    ground.agents.missing |= {"claude", "claude-senior"}
    why, line = _ended(ground)
    assert why == IDLE
    assert line == f"{task} is ready, but: claude, claude-senior cannot be used: it is not installed"
    assert ("", f"! {line}") in ground.said


def test_a_task_that_is_assigned_to_a_program_that_is_not_there(ground: Playground) -> None:
    task = ground.create(ALICE)
    ground.agents.missing |= {"codex"}
    assert _ended(ground, assigned=((task, "codex"),)) == [
        IDLE, f"{task} is ready, but: codex cannot be used: it is not installed",
    ]  # fmt: skip


@pytest.mark.parametrize("word", ["pause", "hold"])
def test_the_project_stands_still_V9(ground: Playground, word: str) -> None:
    ground.create(ALICE)
    _stop(ground, word, None)
    said = {"pause": "paused", "hold": "held"}[word]
    assert _ended(ground) == [IDLE, f"the project is {said}: lunch (fe resume --project -m …)"]
    assert ground.runner(until_idle=True).tick() is not None
    assert not ground.agents.launched


@pytest.mark.parametrize("word", ["pause", "hold"])
def test_a_task_stands_still_V9(ground: Playground, word: str) -> None:
    task = ground.create(ALICE)
    _stop(ground, word, task)
    said = {"pause": "paused", "hold": "held"}[word]
    assert _ended(ground) == [IDLE, f"{task} is {said}: lunch (fe resume {task} -m …)"]


def _stop(ground: Playground, word: str, task: str | None) -> None:
    if word == "hold":
        ground.app.stops.hold(ALICE, task, "lunch")
    else:
        ground.app.runs.pause(ALICE, task, reason="lunch")


def test_too_many_wait_for_review(ground: Playground) -> None:
    ground.configured("\n[run]\nreview_limit = 1\n")
    ground.create(ALICE)
    _ended(ground)
    task = ground.create(ALICE)
    assert _ended(ground) == [IDLE, f"{task} is ready, but: 1 tasks are waiting for review, and run.review_limit is 1"]


def test_configuration_that_nobody_accepted_is_named_P12(ground: Playground) -> None:
    ground.repo.files["foureyes.toml"] = ground.repo.files["foureyes.toml"] + "\n# more\n"
    why, line = _ended(ground)
    assert (why, line) == (
        IDLE,
        "foureyes.toml on main has changes that were not accepted, so it is not used: fe config accept",
    )


def test_a_watch_starts_no_agents_and_says_so(ground: Playground) -> None:
    ground.create(ALICE)
    assert _ended(ground, agents=0) == [IDLE, "tasks are ready but no agents run here. To start some: fe run"]


def test_a_hold_is_named_as_long_as_it_stands_V9(ground: Playground) -> None:
    first, second = ground.create(ALICE), ground.create(ALICE)
    ground.app.stops.hold(ALICE, first, "lunch")
    ground.plays = [Play(lasts=20)]
    runner = ground.runner(agents=1)
    ground.ticks(runner, 3)
    ground.app.stops.hold(ALICE, second, "legal")
    ground.settle(runner)
    ground.app.stops.resume(ALICE, first, "back")
    ground.settle(runner)
    named = [line for _, line in ground.said if "is held" in line and "stopping" not in line]
    assert named == [
        f"{task} is held: {why} (fe resume {task} -m …)" for task, why in ((first, "lunch"), (second, "legal"))
    ]
    assert (ground.status(first), ground.status(second)) == ("reviewing", "open")


def test_while_it_waits_it_is_told_once(ground: Playground) -> None:
    ground.create(ALICE)
    ground.app.runs.pause(ALICE, None, reason="lunch")
    ground.ticks(ground.runner(), 3)
    assert ground.said == [("", "the project is paused: lunch (fe resume --project -m …)")]
