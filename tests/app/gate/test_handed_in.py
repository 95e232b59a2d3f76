"""What a hand-in came to, and the same work once more (A1, D4)."""

from __future__ import annotations

import pytest

from foureyes.app.views.attempt import SubmitOutcome
from foureyes.core.words.refs import attempt_ref, left_ref
from foureyes.errors import Refused

from tests.stage.people import BOB, CLAUDE, CODEX
from tests.stage.wires import Wired

pytestmark = pytest.mark.on("sqlite")


def handed_in(clones: Wired) -> tuple[str, SubmitOutcome]:
    task = clones.alpha.work(CLAUDE, clones.alpha.create())
    return task, clones.alpha.submit(CLAUDE, task)


def push_over(clones: Wired, task: str) -> str:
    """Somebody pushes other commits to the branch of a task."""
    theirs = clones.beta.checkout
    theirs.git("switch", "-q", "--detach", "main")
    commit = theirs.commit("theirs.py", message="theirs")
    theirs.git("push", "-q", "-f", "origin", f"HEAD:refs/heads/fe/{task}")
    theirs.switch("main")
    return commit


def test_what_was_pushed_over_at_the_remote_is_handed_in_once_more_and_nothing_of_theirs_is_lost_D4(
    clones: Wired,
) -> None:
    task, first = handed_in(clones)
    theirs = push_over(clones, task)
    with pytest.raises(Refused) as refused:
        clones.beta.approve(BOB, task)
    (reason,) = refused.value.reasons
    (step,) = reason.next.steps
    assert (reason.rule, step.who, step.says) == ("D4", "other", "who made it runs on alpha: ")

    made = clones.alpha.submit(CLAUDE, task)
    assert (made.attempt, made.changed, made.head, made.repeats) == (2, True, first.head, 0)
    assert made.notes[0].startswith(f"fe/{task} on origin is at {theirs[:7]} theirs (Ada), pushed after attempt 1")
    refs = clones.refs()
    assert (refs[f"refs/heads/fe/{task}"], refs[left_ref(task, 2)]) == (theirs, theirs)
    assert refs[attempt_ref(task, 2)] == first.head
    assert not clones.alpha.submit(CLAUDE, task).changed, "that is the same again"
    clones.beta.approve(BOB, task)
    assert [row.outcome for row in clones.beta.app.merges.process(BOB)] == ["merged"]
    assert clones.refs()[f"refs/heads/fe/{task}"] == theirs


def test_what_the_remote_cannot_be_asked_about_is_the_same_again_D4(clones: Wired) -> None:
    task, _ = handed_in(clones)
    push_over(clones, task)
    clones.wire(clones.alpha).down = "no way"
    assert not clones.alpha.submit(CLAUDE, task).changed


def test_what_is_known_of_a_branch_at_the_remote_is_not_pushed_over_for_that_Q6(clones: Wired) -> None:
    alpha, beta = clones.alpha, clones.beta
    task, _ = handed_in(clones)
    theirs = push_over(clones, task)
    with pytest.raises(Refused):
        beta.approve(BOB, task)  # so beta knows what is there
    alpha.app.feedback.redo(BOB, task, text="more")
    beta.start(CODEX, task)
    beta.checkout.git("switch", "-q", "-c", f"fe/{task}", attempt_ref(task, 1))
    beta.checkout.commit("more.py", session=CODEX)
    made = beta.submit(CODEX, task)
    assert "it was left there" in made.sent
    assert clones.refs()[f"refs/heads/fe/{task}"] == theirs


def test_a_branch_that_was_only_set_back_is_where_it_was_again_D4(clones: Wired) -> None:
    task, first = handed_in(clones)
    clones.remote.git("update-ref", f"refs/heads/fe/{task}", "main")
    assert clones.alpha.submit(CLAUDE, task).attempt == 2
    assert clones.refs()[f"refs/heads/fe/{task}"] == first.head
    clones.beta.approve(BOB, task)
