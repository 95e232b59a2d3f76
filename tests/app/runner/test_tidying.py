"""What a run left (S4): looked at once nothing of it runs any more, on real git."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.app.git_ports import Additions
from foureyes.app.runner.run_end import tidy
from foureyes.app.runner_registry import LEASE_SECONDS
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
    left = tidy(world.app.context, me, run)
    assert (left.problem, left.changed) == ("", True)


def test_a_branch_that_comes_from_nowhere_is_sent_back_S4(world: GitWorld) -> None:
    me, task = runner(world), world.create()
    place = Checkout(Path(make_worktree(world.app.context, TaskId(task), SessionId(me.session)).path))
    run = bound(world, me, task)
    place.git("checkout", "-q", "--orphan", "apart")
    place.commit("work.py", "work\n")
    place.git("branch", "-q", "-M", f"fe/{task}")
    assert tidy(world.app.context, me, run).problem


def test_a_runner_that_lost_a_run_moves_no_branch_of_it_any_more_J4(world: GitWorld) -> None:
    """Suspended before it committed what was left; meanwhile another runner has the run, perhaps in this worktree."""
    me, task = runner(world), world.create()
    place = Checkout(Path(make_worktree(world.app.context, TaskId(task), SessionId(me.session)).path))
    run, before = bound(world, me, task), place.head()
    (place.path / "left.py").write_text("left\n")
    world.clock.advance(seconds=LEASE_SECONDS + 1)
    other = runner(world, "proc:boot:ns:10:10")
    taken = world.app.runs.take_over(other, run.id)
    with world.refused("J4"):
        tidy(world.app.context, me, run)
    assert (place.head(), place.git("status", "--porcelain")) == (before, "?? left.py")
    assert tidy(world.app.context, other, taken).problem == ""
    assert place.head() != before


def test_a_runner_that_loses_a_run_while_it_commits_moves_no_branch_J4(
    world: GitWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    me, task = runner(world), world.create()
    place = Checkout(Path(make_worktree(world.app.context, TaskId(task), SessionId(me.session)).path))
    run, before = bound(world, me, task), place.head()
    (place.path / "left.py").write_text("left\n")
    look = world.app.context.repo.additions

    def meanwhile(ref: str) -> Additions:
        world.clock.advance(seconds=LEASE_SECONDS + 1)
        world.app.runs.take_over(runner(world, "proc:boot:ns:10:10"), run.id)
        return look(ref)

    monkeypatch.setattr(world.app.context.repo, "additions", meanwhile)
    assert tidy(world.app.context, me, run).problem
    assert place.head() == before
