"""A clone that was lost, with the work in it: who has the task goes on in another one (K1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.app.results.work import ClaimedWorktree
from foureyes.core.events.note import Logged
from foureyes.core.words.ids import TaskId

from tests.stage.checkout import Checkout
from tests.stage.clones import Clone, Clones
from tests.stage.people import ALICE, CLAUDE, CODEX

pytestmark = pytest.mark.on("sqlite")


def started_again(clone: Clone, task: str) -> ClaimedWorktree:
    made = clone.app.claims.start(CLAUDE, task, worktree=None)
    assert isinstance(made, ClaimedWorktree)
    assert not made.changed
    return made


def test_a_task_that_was_started_in_a_clone_that_is_lost_gets_a_worktree_where_it_is_started_again_K1(
    clones: Clones,
) -> None:
    task = clones.alpha.create()
    clones.alpha.app.claims.start(CLAUDE, task, worktree=None)
    made = started_again(clones.beta, task)
    assert Checkout(Path(made.worktree)).head() == clones.refs()["refs/heads/main"]


def test_however_much_was_written_down_since_its_claim_a_lost_clone_is_known_K1(clones: Clones) -> None:
    task = clones.alpha.create()
    clones.alpha.app.claims.start(CLAUDE, task, worktree=None)
    with clones.alpha.app.context.writing(CLAUDE, "log") as work:
        for n in range(1_001):
            work.record(TaskId(task), Logged(text=str(n)))
    made = started_again(clones.beta, task)
    assert Checkout(Path(made.worktree)).head() == clones.refs()["refs/heads/main"]


def test_what_lies_on_its_branch_and_was_never_handed_in_is_named_and_taken_by_hand_only_K1_P2(clones: Clones) -> None:
    task, target = clones.alpha.create(), clones.refs()["refs/heads/main"]
    begun = clones.alpha.app.claims.start(CLAUDE, task, worktree=None)
    assert isinstance(begun, ClaimedWorktree)
    half = Checkout(Path(begun.worktree)).commit("half.py", session=CLAUDE)
    clones.alpha.checkout.git("push", "-q", "origin", f"fe/{task}")
    made = started_again(clones.beta, task)
    (note,) = [note for note in made.notes if "was never submitted" in note]
    place = Checkout(Path(made.worktree))
    assert (place.head(), f"git log -p {target}..{half}" in note, f"git merge {half}" in note) == (target, True, True)
    assert "half.py" in place.git("log", "-p", f"{target}..{half}")
    place.git("merge", "-q", half)
    assert place.head() == half


def test_what_somebody_planted_there_is_no_part_of_the_work_and_its_session_an_author_where_it_is_taken_P2_A1(
    clones: Clones,
) -> None:
    tasks = [clones.alpha.create(), clones.alpha.create()]
    clones.beta.checkout.git("switch", "-q", "--detach", "main")
    planted = clones.beta.checkout.commit("backdoor.py", session=CODEX)
    made = []
    for task in tasks:
        clones.beta.checkout.git("push", "-q", "origin", f"{planted}:refs/heads/fe/{task}")
        clones.alpha.app.claims.start(CLAUDE, task, worktree=None)
        made.append(started_again(clones.beta, task))
    Checkout(Path(made[0].worktree)).commit("mine.py", session=CLAUDE)
    Checkout(Path(made[1].worktree)).git("merge", "-q", planted)
    without, _ = (clones.beta.app.attempts.submit(CLAUDE, task, branch=f"fe/{task}") for task in tasks)
    assert (without.files, f"is at {planted[:7]}, which is not part of this" in without.sent) == (1, True)
    assert clones.beta.approve(CODEX, tasks[0], reason="fine").rule == "P7"
    with clones.beta.refused("P2"):
        clones.beta.approve(CODEX, tasks[1], reason="fine")


def test_what_an_attempt_on_record_has_is_gone_on_with_and_what_was_pushed_on_top_is_named_K1_P2(
    clones: Clones,
) -> None:
    task = clones.alpha.create()
    begun = clones.alpha.app.claims.start(CLAUDE, task, worktree=None)
    assert isinstance(begun, ClaimedWorktree)
    place = Checkout(Path(begun.worktree))
    handed = place.commit("half.py", session=CLAUDE)
    clones.alpha.app.attempts.submit(CLAUDE, task, branch=f"fe/{task}")
    clones.alpha.app.feedback.redo(ALICE, task, "once more")
    beyond = place.commit("more.py", session=CLAUDE)
    clones.alpha.checkout.git("push", "-q", "origin", f"fe/{task}")
    made = clones.beta.app.claims.start(CLAUDE, task, worktree=None)
    assert isinstance(made, ClaimedWorktree)
    assert Checkout(Path(made.worktree)).head() == handed
    assert [f"git log -p {handed}..{beyond}" in note for note in made.notes if "was never submitted" in note] == [True]


def test_a_claim_without_a_worktree_gets_none_by_the_same_again_K1(clones: Clones) -> None:
    task = clones.alpha.create()
    clones.alpha.app.claims.start(CLAUDE, task, worktree=False)
    assert not isinstance(clones.beta.app.claims.start(CLAUDE, task, worktree=None), ClaimedWorktree)
