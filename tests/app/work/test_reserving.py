"""Claim and worktree together, or neither (K1)."""

from __future__ import annotations

import pytest

from foureyes.app.results.work import ClaimedWorktree
from foureyes.errors import GitProblem, LostClaim

from tests.stage.people import BOB, CLAUDE, CODEX
from tests.stage.world import GitWorld


def spoil(world: GitWorld, task: str) -> None:
    """Something lies where the worktree is to be."""
    place = world.checkout.path / ".foureyes/worktrees" / task
    place.mkdir(parents=True)
    (place / "mine.txt").write_text("mine\n")


def mend(world: GitWorld, task: str) -> None:
    (world.checkout.path / ".foureyes/worktrees" / task / "mine.txt").unlink()


def test_a_worktree_that_cannot_be_made_claims_nothing_and_the_task_is_free_K1(world: GitWorld) -> None:
    task = world.create()
    spoil(world, task)
    for _ in range(3):
        with pytest.raises(GitProblem, match="already exists"):
            world.app.claims.next(CLAUDE, worktree=True)
    assert (world.status(task), world.show(task).history[1:]) == ("open", [])
    assert world.start(CODEX, task).changed


def test_a_call_that_was_cut_off_is_finished_by_the_next_one_of_the_session_K1(
    world: GitWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = world.create(), world.create()
    monkeypatch.setattr("foureyes.app.work.worktrees._release", lambda *_: None)  # as if it had been killed
    spoil(world, first)
    with pytest.raises(GitProblem):
        world.app.claims.next(CLAUDE, worktree=True)
    monkeypatch.undo()
    mend(world, first)
    with pytest.raises(LostClaim):
        world.start(CODEX, first)
    assert world.app.claims.next(CODEX).task == second
    done = world.app.claims.next(CLAUDE, worktree=True)
    assert isinstance(done, ClaimedWorktree)
    assert (done.task, done.branch) == (first, f"fe/{first}")
    assert world.kinds(first).count("TaskStarted") == 1


@pytest.mark.parametrize(
    ("setting", "agents", "people"), [(None, True, False), ("never", False, False), ("always", True, True)]
)
def test_the_configuration_says_whose_claims_come_with_a_worktree_K1(
    world: GitWorld, setting: str | None, agents: bool, people: bool
) -> None:
    if setting:
        world.app.policy.set(BOB, "work.worktree", setting)
    for actor, worktree_of in ((CLAUDE, agents), (BOB, people)):
        done = world.app.claims.start(actor, world.create(), worktree=None)
        assert isinstance(done, ClaimedWorktree) is worktree_of
    assert not isinstance(world.app.claims.start(CLAUDE, world.create(), worktree=False), ClaimedWorktree)


def test_who_stands_on_the_branch_of_the_task_goes_on_there_K1(world: GitWorld) -> None:
    task = world.submitted_task(CLAUDE)
    world.app.feedback.redo(BOB, task, "once more")
    assert not isinstance(world.app.claims.start(CLAUDE, task, worktree=None), ClaimedWorktree)


def test_where_the_target_is_gone_an_agent_claims_nothing_instead_of_working_in_the_persons_checkout_K1(
    world: GitWorld,
) -> None:
    task = world.create()
    world.checkout.git("branch", "-m", "main", "trunk")
    with world.refused("K1"):
        world.app.claims.next(CLAUDE, worktree=None)
    with world.refused("K1"):
        world.app.claims.start(CLAUDE, task, worktree=None)
    assert world.status(task) == "open"
