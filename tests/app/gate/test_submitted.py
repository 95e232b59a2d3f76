"""What a submission came to, and the same work once more (A1, D4)."""

from __future__ import annotations

import pytest

from foureyes.app.results.attempt import SubmitOutcome
from foureyes.core.words.ids import Sha
from foureyes.core.words.refs import attempt_ref, left_ref, tracked
from foureyes.errors import Refused

from tests.stage.people import BOB, CLAUDE, CODEX
from tests.stage.wires import Wired

pytestmark = pytest.mark.on("sqlite")


def submitted_task(clones: Wired) -> tuple[str, SubmitOutcome]:
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
    task, first = submitted_task(clones)
    theirs = push_over(clones, task)
    with pytest.raises(Refused) as refused:
        clones.beta.approve(BOB, task)
    (reason,) = refused.value.reasons
    (step,) = reason.next.steps
    assert (reason.rule, step.who, step.says) == ("D4", "other", "its author runs on alpha: ")

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
    task, _ = submitted_task(clones)
    push_over(clones, task)
    clones.wire(clones.alpha).down = "no way"
    assert not clones.alpha.submit(CLAUDE, task).changed


def test_what_is_known_of_a_branch_at_the_remote_is_not_pushed_over_for_that_Q6(clones: Wired) -> None:
    alpha, beta = clones.alpha, clones.beta
    task, _ = submitted_task(clones)
    theirs = push_over(clones, task)
    with pytest.raises(Refused):
        beta.approve(BOB, task)  # so beta knows what is there
    alpha.app.feedback.redo(BOB, task, text="more")
    beta.start(CODEX, task)
    beta.checkout.git("switch", "-q", "-c", f"fe/{task}", attempt_ref(task, 1))
    beta.checkout.commit("more.py", session=CODEX)
    made = beta.submit(CODEX, task)
    assert "it was left as it is" in made.sent
    assert clones.refs()[f"refs/heads/fe/{task}"] == theirs


def test_a_branch_that_was_only_set_back_is_where_it_was_again_without_another_attempt_D4(clones: Wired) -> None:
    task, first = submitted_task(clones)
    clones.remote.git("update-ref", f"refs/heads/fe/{task}", "main")
    with clones.beta.refused("D4"):
        clones.beta.approve(BOB, task)
    made = clones.alpha.submit(CLAUDE, task)
    assert (made.attempt, made.changed) == (1, False)
    assert made.sent == f"fe/{task} was behind on origin and now points to attempt 1 again"
    assert clones.refs()[f"refs/heads/fe/{task}"] == first.head
    assert clones.alpha.submit(CLAUDE, task).sent == ""
    clones.beta.approve(BOB, task)


def reworked(clones: Wired, task: str) -> SubmitOutcome:
    """A second attempt, made again in the first clone while nobody reaches the remote."""
    alpha = clones.alpha
    alpha.app.feedback.redo(BOB, task, text="again")
    clones.wire(alpha).down = "no way"
    alpha.start(CLAUDE, task)
    alpha.checkout.switch(f"fe/{task}")
    alpha.checkout.git("reset", "-q", "--hard", "main")
    alpha.checkout.commit("again.py", session=CLAUDE)
    made = alpha.submit(CLAUDE, task)
    clones.wire(alpha).down = ""
    return made


def test_what_was_not_pushed_yet_is_pushed_over_the_attempt_before_and_is_no_other_attempt_D4_Q6(clones: Wired) -> None:
    task, _ = submitted_task(clones)
    second = reworked(clones, task)
    assert second.sent.startswith("not pushed yet")
    again = clones.alpha.submit(CLAUDE, task)
    assert (again.attempt, again.changed, again.sent) == (2, False, "pushed to origin")
    assert clones.refs()[f"refs/heads/fe/{task}"] == second.head
    clones.beta.approve(BOB, task)


def test_before_the_attempt_itself_is_there_nobody_has_pushed_after_it_D4(clones: Wired) -> None:
    task, _ = submitted_task(clones)
    reworked(clones, task)
    theirs = push_over(clones, task)
    again = clones.alpha.submit(CLAUDE, task)
    assert (again.attempt, again.changed) == (2, False)
    assert f"is at {theirs[:7]}, which is not part of this work, so it was left as it is" in again.sent
    assert clones.refs()[left_ref(task, 2)] == theirs
    clones.beta.approve(BOB, task)


def test_a_push_whose_answer_was_lost_is_asked_about_before_anything_is_taken_for_left_D4(clones: Wired) -> None:
    task, _ = submitted_task(clones)
    clones.alpha.checkout.git("update-ref", "-d", tracked("origin", attempt_ref(task, 1)))
    push_over(clones, task)
    assert clones.alpha.submit(CLAUDE, task).attempt == 2


def test_a_remote_that_takes_no_rewritten_branch_keeps_what_it_was_set_back_to_and_all_know_D4(clones: Wired) -> None:
    task, first = submitted_task(clones)
    second = reworked(clones, task)
    clones.alpha.submit(CLAUDE, task)
    clones.remote.git("config", "receive.denyNonFastForwards", "true")
    clones.remote.git("update-ref", f"refs/heads/fe/{task}", first.head)
    again = clones.alpha.submit(CLAUDE, task)
    assert (again.attempt, again.sent.startswith(f"fe/{task} was left as it is there: ")) == (2, True)
    assert clones.refs()[f"refs/heads/fe/{task}"] == first.head != second.head
    assert clones.alpha.submit(CLAUDE, task).sent == ""
    clones.beta.approve(BOB, task)


def test_what_is_no_commit_on_the_branch_there_is_told_by_its_name_D4(
    clones: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, _ = submitted_task(clones)
    blob = clones.alpha.checkout.git("hash-object", "-w", "--stdin", stdin=b"anything")
    wire, own = clones.wire(clones.alpha), f"refs/heads/fe/{task}"
    fetch = wire.fetch
    monkeypatch.setattr(wire, "fetch", lambda refs: fetch(refs) | ({own: Sha(blob)} if own in refs else {}))
    made = clones.alpha.submit(CLAUDE, task)
    assert made.notes[0].startswith(f"fe/{task} on origin is at {blob[:7]}, pushed after attempt 1")
