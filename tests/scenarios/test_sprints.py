"""A sprint by real processes: started at a terminal, processed by a runner of its own, killed and started again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stage.commands import Stage
from tests.stage.shop import Shop
from tests.stage.theatre import Theatre, is_alive, wait_for


@pytest.fixture
def theatre(stage: Stage, tmp_path: Path) -> Theatre:
    return Theatre(Shop(stage.repo, stage.cast), tmp_path)


def runner_of(said: str) -> int:
    """The process of the runner that a start speaks of."""
    return int(said.rpartition(" ")[2])


def test_a_plan_is_started_by_a_runner_that_writes_into_the_same_store_and_ends_with_it_X2_X5_E2E_S01_E2E_S02(
    theatre: Theatre,
) -> None:
    shop = theatre.shop
    alice = shop.cast.alice
    tasks = [shop.create(alice, title=f"Task {number}") for number in range(2)]
    other = shop.create(alice, title="Not in it")
    plan = shop.done(alice, "sprint", "plan", *tasks, "--tasks", "2")
    assert ([row["task"] for row in plan["tasks"]], plan["id"]) == (tasks, "s-01")
    assert shop.done(alice, "sprint", "status", "s-01")["state"] == "planned"
    assert [shop.status(task) for task in tasks] == ["open", "open"], "to plan begins nothing"
    begun = shop.done(alice, "sprint", "start", "s-01", "--agents", "2")
    number = runner_of(begun["runner"])
    wait_for(lambda: not is_alive(number))
    assert [shop.status(task) for task in (*tasks, other)] == ["reviewing", "reviewing", "open"]
    status = shop.done(alice, "sprint", "status")
    assert (status["state"], status["done"], status["of"], status["why"]) == ("ended", 2, 2, "2 tasks are done")
    report = shop.done(alice, "sprint", "report")
    assert sorted(row["task"] for row in report["waiting"]) == sorted(tasks)
    shop.no(shop.cast.claude, "sprint", "start", rules=["I5"])
