"""How many programs a merge and a hand-in start: each is some ten milliseconds of somebody's waiting."""

from __future__ import annotations

from foureyes.adapters import process
from foureyes.adapters.git.client import git

from tests.stage.checkout import AT_ONCE
from tests.stage.counting import counting
from tests.stage.gated import configure, deliver
from tests.stage.people import BOB, CI, CLAUDE
from tests.stage.world import GitWorld


def forget_git() -> None:
    """Nothing is known of git yet."""
    git._version.cache_clear()


def test_a_merge_starts_at_most_twenty_programs_Q2(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = deliver(world)
    world.approve(BOB, task)
    forget_git()
    with counting({"programs": process.start}) as started:
        assert [row.outcome for row in world.app.merges.process(CI)] == ["merged"]
    assert started["programs"] <= 20, started
    assert (world.checkout.path / f"{task}.py").exists(), "the checkout followed, too"


def test_a_hand_in_starts_at_most_twelve_programs_A1(world: GitWorld) -> None:
    task = world.work(CLAUDE, world.create())
    forget_git()
    with counting({"programs": process.start}) as started:
        world.submit(CLAUDE, task)
    assert started["programs"] <= 12, started
