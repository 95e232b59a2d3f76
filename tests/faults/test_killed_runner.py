"""`kill -9` of a runner at every step, by real processes: nothing is lost, nothing merged twice, no agent goes on (J4,
Q4).
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from tests.stage.commands import Cast, new_repository
from tests.stage.runner_child import CHILD, STEPS
from tests.stage.shop import Shop
from tests.stage.theatre import DONE, Theatre, processes_of, wait_for

MOMENTS = [f"{when}:{step}" for step in STEPS for when in ("before", "after")]


@pytest.fixture
def theatre(tmp_path: Path, cast: Cast) -> Theatre:
    """An agent that leaves part of its work uncommitted, for the runner to commit."""
    shop = Shop(new_repository(tmp_path / "shop"), cast)
    shop.done(cast.alice, "init")
    made = Theatre(shop, tmp_path)
    steps: list[dict[str, object]] = [
        {"write": "src/{task}.py", "text": "fine\n"},
        {"commit": "Write it", "fails": True},  # a second run finds it committed
        {"write": "src/left.py", "text": "left {task}\n"},
        DONE,
    ]
    made.play({"plays": [{"steps": steps}]})
    return made


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_runner_that_is_killed_at_any_step_leaves_what_the_next_one_brings_to_its_end_J4_Q4(
    theatre: Theatre, moment: str
) -> None:
    shop, alice = theatre.shop, theatre.shop.cast.alice
    task = shop.create(alice, "--label", "review:auto")
    died = alice.run([sys.executable, CHILD, moment, "run", "--until-idle"], cwd=shop.repo)
    assert died.rc == -signal.SIGKILL, died
    wait_for(lambda: processes_of(shop.repo) == [])
    lines = theatre.run("--until-idle")
    assert shop.status(task) == "closed", lines
    assert (shop.repo / f"src/{task}.py").read_text() == "fine\n"
    theatre.check_nothing_left([task])
    kinds = theatre.kinds()
    assert kinds.count("TaskMerged") == 1
    assert kinds.count("RunReserved") == kinds.count("RunEnded") <= 2


def test_runners_that_are_killed_three_times_leave_nothing_to_a_person_J4_S2(theatre: Theatre) -> None:
    shop, alice = theatre.shop, theatre.shop.cast.alice
    task = shop.create(alice, "--label", "review:auto")
    for _ in range(3):
        died = alice.run([sys.executable, CHILD, "after:go", "run", "--until-idle"], cwd=shop.repo)
        assert died.rc == -signal.SIGKILL, died
        wait_for(lambda: processes_of(shop.repo) == [])
    lines = theatre.run("--until-idle")
    assert shop.status(task) == "closed", lines
    theatre.check_nothing_left([task])


ENDED = [moment for moment in MOMENTS if moment.partition(":")[2] in ("tidy", "commit", "submit")]


@pytest.mark.parametrize("moment", ENDED)
def test_work_of_a_run_that_said_done_is_submitted_by_the_next_runner_and_not_made_again_J4(
    theatre: Theatre, moment: str
) -> None:
    shop, alice = theatre.shop, theatre.shop.cast.alice
    task = shop.create(alice, "--label", "review:auto")
    died = alice.run([sys.executable, CHILD, moment, "run", "--until-idle"], cwd=shop.repo)
    assert died.rc == -signal.SIGKILL, died
    lines = theatre.run("--until-idle")
    assert shop.status(task) == "closed", lines
    kinds = theatre.kinds()
    assert (kinds.count("RunReserved"), kinds.count("AttemptSubmitted")) == (1, 1), lines
    assert (shop.repo / "src/left.py").read_text() == f"left {task}\n"
    theatre.check_nothing_left([task])
