"""A clone that was lost, with the work in it: who has the task goes on in another one (K1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.app.views.work import ClaimedWorktree
from foureyes.core.events.note import Logged
from foureyes.core.words.ids import TaskId

from tests.stage.checkout import Checkout
from tests.stage.clones import Clone, Clones
from tests.stage.people import CLAUDE

pytestmark = pytest.mark.on("sqlite")


def again(clone: Clone, task: str) -> Checkout:
    made = clone.app.claims.start(CLAUDE, task, worktree=None)
    assert isinstance(made, ClaimedWorktree)
    assert not made.changed
    return Checkout(Path(made.worktree))


def test_a_task_that_was_started_in_a_clone_that_is_lost_gets_a_worktree_where_it_is_started_again_K1(
    clones: Clones,
) -> None:
    task = clones.alpha.create()
    clones.alpha.app.claims.start(CLAUDE, task, worktree=None)
    assert again(clones.beta, task).head() == clones.refs()["refs/heads/main"]


def test_however_much_was_written_down_since_its_claim_a_lost_clone_is_known_K1(clones: Clones) -> None:
    task = clones.alpha.create()
    clones.alpha.app.claims.start(CLAUDE, task, worktree=None)
    with clones.alpha.app.context.writing(CLAUDE, "log") as work:
        for n in range(1_001):
            work.record(TaskId(task), Logged(text=str(n)))
    assert again(clones.beta, task).head() == clones.refs()["refs/heads/main"]


def test_what_was_pushed_of_it_is_gone_on_with_K1(clones: Clones) -> None:
    task = clones.alpha.create()
    begun = clones.alpha.app.claims.start(CLAUDE, task, worktree=None)
    assert isinstance(begun, ClaimedWorktree)
    half = Checkout(Path(begun.worktree)).commit("half.py", session=CLAUDE)
    clones.alpha.checkout.git("push", "-q", "origin", f"fe/{task}")
    assert again(clones.beta, task).head() == half


def test_a_claim_without_a_worktree_gets_none_by_the_same_again_K1(clones: Clones) -> None:
    task = clones.alpha.create()
    clones.alpha.app.claims.start(CLAUDE, task, worktree=False)
    assert not isinstance(clones.beta.app.claims.start(CLAUDE, task, worktree=None), ClaimedWorktree)
