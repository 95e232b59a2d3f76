"""What a run left (S4): looked at once nothing of it runs any more, on real git."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.app.run.tidying import tidy
from foureyes.app.work.worktrees import make_worktree
from foureyes.core.words.ids import SessionId, TaskId

from tests.stage.checkout import Checkout
from tests.stage.running import bound, runner
from tests.stage.world import GitWorld


@pytest.fixture
def world(world: GitWorld) -> GitWorld:
    (world.checkout.path / ".git" / "info" / "exclude").write_text(".foureyes/\n")
    return world


def test_a_target_that_moves_between_the_worktree_and_the_claim_takes_nothing_from_the_work_S4(world: GitWorld) -> None:
    me, task = runner(world), world.create()
    place = Checkout(Path(make_worktree(world.app.context, TaskId(task), SessionId(me.session)).path))
    world.checkout.commit("meanwhile.py", "merged by somebody else\n")
    run = bound(world, me, task)
    place.commit("work.py", "work\n")
    left = tidy(world.app.context, run)
    assert (left.problem, left.changed) == ("", True)


def test_a_branch_that_comes_from_nowhere_is_sent_back_S4(world: GitWorld) -> None:
    me, task = runner(world), world.create()
    place = Checkout(Path(make_worktree(world.app.context, TaskId(task), SessionId(me.session)).path))
    run = bound(world, me, task)
    place.git("checkout", "-q", "--orphan", "apart")
    place.commit("work.py", "work\n")
    place.git("branch", "-q", "-M", f"fe/{task}")
    assert tidy(world.app.context, run).problem
