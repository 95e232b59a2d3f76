"""Every next step can be taken where a real repository stands behind it, too: merges, worktrees, checks (G2)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from foureyes.app.results.task_list import ListQuery
from foureyes.core.nouns.check import Ran

from tests.app import test_next_steps_walked as walked
from tests.app.test_next_steps_walked import tried
from tests.stage.checkout import AT_ONCE
from tests.stage.gated import AUTO, LINT, TESTS, check, configure, deliver, merge, report_of
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX
from tests.stage.walked import Walk
from tests.stage.world import GitWorld

pytestmark = pytest.mark.on("sqlite")
SOME = (BOB, CLAUDE, CI)
"""A person, an agent, a service: git takes its time."""
everybody = partial(walked.everybody, people=SOME)
everything = partial(walked.everything, people=SOME)


def looks(world: GitWorld, *tasks: str) -> None:
    """Everybody looks at everything that has to do with git."""
    app = world.app
    walked.look_around(world, *tasks, people=SOME)
    everybody(app.merges.all)
    everybody(lambda who: app.lists.reviewable(who, ListQuery()))
    for task in tasks:
        everybody(lambda who: app.check_runs.of_task(who, task))  # noqa: B023 - called at once


def merges(world: GitWorld) -> None:
    """What came back from the merge queue, by conflict, red or broken checks, and what waits there."""
    configure(world, AT_ONCE + LINT)
    first, second, broken = (deliver(world, {"code.py": f"{n}\n"}) for n in range(3))
    for task in (first, second, broken):
        check(world, task)
        world.approve(BOB, task)
    looks(world, first)
    everything(world, first)
    everybody(world.app.merges.process)
    assert merge(world) == {}
    assert {world.status(first), world.status(second)} == {"closed", "open"}
    looks(world, first, second)
    everything(world, second)


def stuck(world: GitWorld) -> None:
    configure(world, AT_ONCE + LINT)
    task = deliver(world)
    check(world, task)
    world.approve(BOB, task)
    world.checkout.commit("other.py", "x\n")
    world.outside.runner.answers["lint"] = Ran(exit_code=127)
    assert merge(world) == {task: "stuck"}
    looks(world, task)
    everything(world, task)
    everybody(lambda who: world.app.merges.retry(who, task))


def checks(world: GitWorld) -> None:
    """Checks that did not run, are red, broke, or miss tests of the target."""
    configure(world, AT_ONCE + TESTS)
    runner = world.outside.runner
    runner.answers["tests"] = report_of(["a", "b"])
    task, auto = deliver(world), deliver(world, labels=AUTO)
    looks(world, task, auto)
    everybody(lambda who: check(world, task, who))
    for ran in (report_of(["a"], failing=["b"]), report_of(["a"]), Ran(exit_code=127)):
        runner.answers["tests"] = ran
        tried(lambda: check(world, task, CI, again=True), lambda: check(world, auto, CI, again=True))
        looks(world, task, auto)
        everything(world, deliver(world))


def moved(world: GitWorld) -> None:
    """Work that went on after it was submitted, or approved; nothing to submit; files that are not committed."""
    configure(world, AT_ONCE)
    task, other = deliver(world), deliver(world)
    world.approve(BOB, other)
    for each in (task, other):
        world.checkout.switch(f"fe/{each}")
        world.checkout.commit("more.py", f"{each}\n", session=CLAUDE)
        world.checkout.switch("main")
    looks(world, task, other)
    everything(world, task)
    tried(lambda: merge(world))
    looks(world, other)
    empty = world.create(ALICE)
    world.app.claims.start(CODEX, empty, worktree=True)
    everybody(lambda who: world.app.attempts.submit(who, empty))
    place = world.checkout.path / ".foureyes" / "worktrees" / empty
    (place / "loose.py").write_text("x\n")
    everybody(lambda who: world.app.attempts.submit(who, empty))
    tried(world.app.worktrees.listed)
    looks(world, empty)


def stacked(world: GitWorld) -> None:
    """A7: work that stands on another task's."""
    configure(world, AT_ONCE)
    lower, upper = deliver(world), world.create(ALICE)
    world.start(CODEX, upper)
    world.checkout.branch(f"fe/{upper}", f"fe/{lower}")
    world.checkout.commit("upper.py", "x\n", session=CODEX)
    world.submit(CODEX, upper)
    world.checkout.switch("main")
    looks(world, lower, upper)
    everything(world, upper)
    tried(lambda: world.approve(BOB, upper))
    looks(world, upper)
    world.app.feedback.reject(BOB, lower, "never")
    looks(world, lower, upper)
    everything(world, upper)


STORIES = (merges, stuck, checks, moved, stacked)


@pytest.mark.parametrize("story", STORIES)
def test_every_next_step_can_be_taken_in_a_real_repository_G2(
    world: GitWorld, story: Callable[[GitWorld], None]
) -> None:
    walk = Walk()
    story(walk.watch(world))
    assert walk.walked
    assert not walk.refusals, "\n".join(dict.fromkeys(map(str, walk.refusals)))
