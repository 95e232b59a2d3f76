"""What `fe next` passes over is named, and the next one given (T4)."""

from __future__ import annotations

import pytest

from foureyes.app.views.work import ClaimedWorktree

from tests.stage.clones import Clones
from tests.stage.people import ALICE, BOB, CLAUDE
from tests.stage.world import GitWorld


def test_a_task_whose_branch_has_work_of_nobody_is_passed_over_and_named_T4_P2(world: GitWorld) -> None:
    first, second = world.create(), world.create()
    world.checkout.git("switch", "-qc", f"fe/{first}")
    world.checkout.commit("strange.py")
    world.checkout.switch("main")
    given = world.app.claims.next(CLAUDE, worktree=True)
    assert isinstance(given, ClaimedWorktree)
    assert given.task == second
    assert given.notes[0].startswith(f"{first} was passed over: the branch fe/{first} has commits that are not on ")
    with world.refused("P2"):
        world.app.claims.next(CLAUDE, worktree=True)


@pytest.mark.on("sqlite")
def test_a_branch_that_is_on_the_target_is_work_of_nobody_also_where_its_merge_is_not_on_record_P12(
    clones: Clones,
) -> None:
    """As after an older backup was restored and taken up."""
    alpha = clones.alpha
    alpha.approve(BOB, alpha.handed_in(CLAUDE))
    assert [row.outcome for row in alpha.app.merges.process(ALICE)] == ["merged"]
    alpha.pull()
    task = alpha.create()
    alpha.checkout.git("switch", "-qc", f"fe/{task}")
    done = alpha.checkout.commit("done.py")
    alpha.checkout.git("push", "-q", "origin", f"{done}:main")
    alpha.checkout.switch("main")
    assert alpha.app.claims.next(CLAUDE, worktree=True).task == task
