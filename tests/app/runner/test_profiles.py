"""Profiles as a runner sees them on its host: crashed again and again, not there, and a disk without room (X3, E6)."""

from __future__ import annotations

import errno

import pytest

from foureyes.app.agent_ports import Launch
from foureyes.app.runner.profiles import order_of
from foureyes.app.runner.snapshot import SnapshotReader
from foureyes.config.effective_policy import listed_profiles
from foureyes.config.layers import Layers
from foureyes.config.parser import read_file
from foureyes.core.nouns.run import RunOutcome
from foureyes.core.rules.policy import PeersRule, ReviewPolicy
from foureyes.core.runner.plan import plan
from foureyes.core.runner.steps import StartRun

from tests.stage.people import ALICE
from tests.stage.playground import Playground
from tests.stage.playing import Play

CRASH = Play(outcome=RunOutcome(ended=False, rc=3, error="crash", error_text="Segmentation fault"), commits=0)
TWO = '[tiers]\ndeveloper = "claude"\nsenior = "claude"\n[agents]\ncodex = { program = "codex" }\n'


@pytest.fixture
def ground(ground: Playground) -> Playground:
    ground.configured(TWO)
    return ground


def by_profile(ground: Playground) -> None:
    ground.agents.next_play = lambda launch: CRASH if launch.profile_name == "claude" else Play()


def halts(ground: Playground) -> list[str]:
    return [row.text for row in ground.app.attention.view(ALICE).rows]


def test_a_profile_that_crashes_on_every_task_is_left_alone_with_its_own_words_X3_E6(ground: Playground) -> None:
    by_profile(ground)
    tasks = [ground.create(ALICE) for _ in range(5)]
    ground.settle(ground.runner(1, until_idle=True))
    (cooled,) = [row for row in ground.app.runs.cooled() if row.profile == "claude"]
    assert (cooled.error, "Segmentation fault" in cooled.error_text) == ("crash", True)
    assert {ground.status(task) for task in tasks} == {"reviewing"}
    assert sum(launch.profile_name == "claude" for launch in ground.agents.launched) < 2 * len(tasks)
    assert any("claude fails on every task" in text for text in halts(ground))
    (view,) = [row for row in ground.app.agents.listed(ALICE) if row.profile == "claude"]
    assert (view.cooled, view.error) == (True, "crash")


def test_after_its_time_it_is_tried_again_and_one_more_crash_is_not_yet_a_row_X3(ground: Playground) -> None:
    by_profile(ground)
    runner = ground.runner(1)
    for _ in range(3):
        ground.create(ALICE)
    ground.settle(runner)
    assert [row.profile for row in ground.app.runs.cooled()] == ["claude"]
    ground.clock.advance(hours=4)
    ground.agents.next_play = lambda launch: Play()
    ground.create(ALICE)
    ground.settle(runner)
    assert ground.agents.launched[-1].profile_name == "claude"
    assert ground.app.runs.cooled() == []


def test_a_program_that_is_not_there_has_a_row_until_it_is_E6(ground: Playground) -> None:
    ground.agents.missing = {"claude"}
    task = ground.create(ALICE)
    runner = ground.runner(1)
    ground.settle(runner)
    assert ground.runs_of(task)[-1].profile == "codex"
    assert any("claude is not installed" in text for text in halts(ground))
    ground.agents.missing = set()
    ground.clock.advance(minutes=5)
    ground.settle(runner)
    assert halts(ground) == [] or not any("claude" in text for text in halts(ground))


def test_without_room_on_the_disk_nothing_begins_and_it_goes_on_when_there_is_X3(ground: Playground) -> None:
    ground.outside.room = 5 << 20
    task = ground.create(ALICE)
    runner = ground.runner(1, until_idle=True)
    ground.ticks(runner, 3)
    assert ground.agents.launched == []
    assert [line for _, line in ground.said if "5 MB are free" in line] == [
        "! nothing starts: only 5 MB are free on the disk, and a runner needs 200 MB"
    ]
    ground.outside.room = None
    ground.settle(runner)
    assert ground.status(task) == "reviewing"


def test_a_disk_that_takes_nothing_more_blames_nobody_and_is_tried_again_X3(ground: Playground) -> None:
    def full(launch: Launch) -> Play:
        if len(ground.said) < 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        return Play()

    ground.agents.next_play = full
    task = ground.create(ALICE)
    ground.settle(ground.runner(1, until_idle=True))
    assert ground.status(task) == "reviewing"
    first, *_ = ground.runs_of(task)
    assert (first.ending, first.error_text) == ("stopped", "[Errno 28] No space left on device")
    assert any("the disk is full" in line for _, line in ground.said)


def test_of_a_task_that_another_runner_was_first_to_take_nothing_is_said_J4(ground: Playground) -> None:
    task = ground.create(ALICE)
    one, two = ground.runner(1), ground.runner(1)
    steps = SnapshotReader(ground.app.context, two._runner, ground.agents).read(two.memory)
    (start,) = [step for step in plan(steps) if isinstance(step, StartRun)]
    ground.plays = [Play(lasts=5)]
    ground.ticks(one)
    assert two._performing.perform(start, two.memory) is False
    assert [line for line in ground.lines(task) if "not done" in line] == []
    ground.settle(one)


def test_a_task_that_a_runner_left_to_a_person_is_not_counted_as_ready_E6(ground: Playground) -> None:
    ground.agents.next_play = lambda launch: CRASH
    stuck, other = ground.create(ALICE), ground.create(ALICE, depends_on=[ground.create(ALICE)])
    ground.settle(ground.runner(1, until_idle=True))
    counts = ground.app.status.show(ALICE).counts
    assert {row.task for row in ground.app.runs.blocked_work().stuck} >= {stuck}
    assert (counts["open"], counts["ready"], counts["waiting"], counts["stuck"]) == (3, 0, 1, 2), other


def test_who_is_named_as_a_reviewer_stands_in_last_V4() -> None:
    named, tiers = ReviewPolicy(peers=PeersRule(reviewers=("eyes",))), ("claude", "claude-senior")
    assert order_of(ReviewPolicy(), ["eyes", "hands"]) == (*tiers, "eyes", "hands")
    assert order_of(named, ["eyes", "hands"]) == (*tiers, "hands", "eyes")


def test_profiles_stand_in_for_one_another_as_agents_lists_them_E2() -> None:
    file = '[agents]\nqwen = { slots = 1 }\ncodex = { program = "codex" }\nclaude = { slots = 1 }\n'
    listed = listed_profiles(Layers(file=read_file(file)))
    assert order_of(ReviewPolicy(), listed) == ("claude", "claude-senior", "qwen", "codex")
