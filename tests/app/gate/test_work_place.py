"""Where the work of a submission is (K1, K4): who has a worktree and calls from the target means the worktree."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest

from foureyes.app.results.task_list import ListQuery
from foureyes.app.results.work import ClaimedWorktree
from foureyes.ui.steps import steps_text

from tests.stage.checkout import Checkout
from tests.stage.clones import Clone, Clones
from tests.stage.people import CLAUDE
from tests.stage.world import GitWorld


@pytest.fixture
def world(world: GitWorld) -> GitWorld:
    (world.checkout.path / ".git" / "info" / "exclude").write_text(".foureyes/\n")
    return world


def claimed(world: GitWorld) -> tuple[str, Checkout]:
    task = world.create()
    done = world.app.claims.start(CLAUDE, task, worktree=True)
    assert isinstance(done, ClaimedWorktree)
    return task, Checkout(Path(done.worktree))


def test_work_in_the_worktree_is_handed_in_from_the_checkout_of_the_target_K1(world: GitWorld) -> None:
    task, place = claimed(world)
    place.commit("work.py")
    done = world.app.attempts.submit(CLAUDE, task)
    assert (done.ref, done.head, done.landed) == (f"refs/heads/fe/{task}", place.head(), False)


def test_what_is_not_committed_there_is_not_committed_on_the_target_instead_A1(world: GitWorld) -> None:
    task, place = claimed(world)
    place.write("half.py", "not yet\n")
    world.checkout.write("stray.py", "somebody's\n")
    before = world.checkout.head("main")
    with world.refused("A1") as caught:
        world.app.attempts.submit(CLAUDE, task, commit="all of it")
    (reason,) = caught[0].reasons
    assert reason.message == f"1 file is not committed in {place.path}: half.py"
    assert steps_text(reason.next) == f'cd {place.path}, commit it, or: fe submit {task} --commit "message"'
    (place.path / "half.py").unlink()
    with world.refused("A5") as caught:
        world.app.attempts.submit(CLAUDE, task, commit="what somebody else left lying about")
    (reason,) = caught[0].reasons
    assert reason.message.endswith(". In this checkout, 1 file is not committed: stray.py"), reason.message
    assert world.checkout.head("main") == before


def test_without_any_work_the_refusal_says_where_to_work_A5(world: GitWorld) -> None:
    task, place = claimed(world)
    with world.refused("A5") as caught:
        world.app.attempts.submit(CLAUDE, task)
    (reason,) = caught[0].reasons
    assert steps_text(reason.next).startswith(f"commit your work in {place.path}. ")


def test_what_was_committed_on_the_target_all_the_same_is_handed_in_as_landed_K4(world: GitWorld) -> None:
    task, _ = claimed(world)
    world.checkout.commit("straight.py")
    assert world.app.attempts.submit(CLAUDE, task).landed


@pytest.fixture
def gone(clones: Clones) -> Clone:
    """A clone that never saw where a task began: something else was pushed over that meanwhile."""
    alpha, git = clones.alpha, clones.alpha.checkout.git
    alpha.checkout.commit("plain.py")
    git("push", "-q", "origin", "main")
    alpha.start(CLAUDE, alpha.create())
    git("push", "-q", "-f", "origin", "HEAD~1:main")
    return clones.beta


def begun(world: Clone) -> str:
    (row,) = world.app.lists.page(ListQuery(status="in_progress"))
    return row.id


@pytest.mark.parametrize("is_cut", [False, True], ids=["asked", "away"])
@pytest.mark.parametrize("no_code", [False, True], ids=["code", "no code"])
def test_what_landed_since_a_commit_that_this_clone_lacks_is_refused_with_the_way_on_K4_G2(
    clones: Clones, gone: Clone, *, is_cut: bool, no_code: bool
) -> None:
    task = begun(gone)
    with clones.cut() if is_cut else nullcontext(), gone.refused("K4") as refusal:
        gone.app.attempts.submit(CLAUDE, task, no_code=no_code)
    (reason,) = refusal[0].reasons
    assert f"the commit at which {task} began" in reason.message
    assert f"fe submit {task}" in steps_text(reason.next)


def test_work_on_a_branch_is_handed_in_from_a_clone_that_lacks_where_the_task_began_K4(gone: Clone) -> None:
    task = begun(gone)
    gone.checkout.git("switch", "-q", "-c", f"fe/{task}")
    gone.checkout.commit("work.py", "work\n", session=CLAUDE)
    assert gone.submit(CLAUDE, task).files == 1
