"""What `fe next` passes over is named, and the next one given (T4)."""

from __future__ import annotations

import pytest

from foureyes.app.results.work import ClaimedWorktree
from foureyes.app.work.worktrees import reserve
from foureyes.core.words.ids import TaskId

from tests.stage.clones import Clones
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX
from tests.stage.world import GitWorld


def _plant(world: GitWorld, task: str) -> None:
    world.checkout.git("switch", "-qc", f"fe/{task}")
    world.checkout.commit(f"strange-{task}.py")
    world.checkout.switch("main")


def test_a_task_whose_branch_has_work_of_nobody_is_passed_over_and_named_T4_P2(world: GitWorld) -> None:
    first, second = world.create(), world.create()
    world.checkout.git("switch", "-qc", f"fe/{first}")
    world.checkout.commit("strange.py")
    world.checkout.switch("main")
    given = world.app.claims.next(CLAUDE, worktree=True)
    assert isinstance(given, ClaimedWorktree)
    assert given.task == second
    assert given.notes[0].startswith(f"{first} was skipped, because the branch fe/{first} has commits that are not on ")
    with world.refused("P2"):
        world.app.claims.next(CLAUDE, worktree=True)


def test_every_task_in_a_row_that_cannot_be_started_is_passed_over_T4_P2(world: GitWorld) -> None:
    first, second, third = world.create(), world.create(), world.create()
    _plant(world, first)
    _plant(world, second)
    given = world.app.claims.next(CLAUDE, worktree=True)
    assert given.task == third
    assert [note.partition(" ")[0] for note in given.notes if "was skipped" in note] == [first, second]


def test_what_comes_after_a_task_that_somebody_is_about_to_start_is_looked_at_too_T1_T4_P2(world: GitWorld) -> None:
    first, second, third = world.create(), world.create(), world.create()
    _plant(world, second)
    world.outside.own = "process:other"
    with world.app.context.writing(CODEX, "start") as work:
        reserve(world.app.context, work, TaskId(first))
    world.outside.own = "process:mine"
    given = world.app.claims.next(CLAUDE, worktree=True)
    assert given.task == third
    assert [note.partition(" ")[0] for note in given.notes if "was skipped" in note] == [second]


@pytest.mark.on("sqlite")
def test_a_branch_that_is_on_the_target_is_work_of_nobody_also_where_its_merge_is_not_on_record_P12(
    clones: Clones,
) -> None:
    """As after an older backup was restored and taken up."""
    alpha = clones.alpha
    alpha.approve(BOB, alpha.submitted_task(CLAUDE))
    assert [row.outcome for row in alpha.app.merges.process(ALICE)] == ["merged"]
    alpha.pull()
    task = alpha.create()
    alpha.checkout.git("switch", "-qc", f"fe/{task}")
    done = alpha.checkout.commit("done.py")
    alpha.checkout.git("push", "-q", "origin", f"{done}:main")
    alpha.checkout.switch("main")
    assert alpha.app.claims.next(CLAUDE, worktree=True).task == task
