"""Attempts travel: with the hand-in, or with the next command that sends (A1, Q6)."""

from __future__ import annotations

import pytest

from foureyes.app.views.attempt import SubmitOutcome
from foureyes.core.words.refs import attempt_ref

from tests.stage.clones import Clones
from tests.stage.people import ALICE, CLAUDE

pytestmark = pytest.mark.on("sqlite")


def worked(clones: Clones) -> tuple[str, SubmitOutcome]:
    task = clones.alpha.work(CLAUDE, clones.alpha.create())
    return task, clones.alpha.submit(CLAUDE, task)


def test_a_hand_in_pushes_the_attempt_and_its_branch_Q6(clones: Clones) -> None:
    before = clones.refs()
    task, made = worked(clones)
    assert made.sent == "pushed to origin"
    new = {ref: sha for ref, sha in clones.refs().items() if ref not in before}
    assert new == {attempt_ref(task, 1): made.head, f"refs/heads/fe/{task}": made.head}
    assert clones.refs()["refs/heads/main"] == before["refs/heads/main"]


def test_a_push_that_fails_loses_nothing_and_the_same_command_tries_again_Q6(clones: Clones) -> None:
    with clones.cut():
        task, made = worked(clones)
        assert made.changed
        assert made.sent.startswith("not pushed yet: origin cannot be asked:")
        assert made.next.steps[0].argv == ("fe", "submit", task)
    again = clones.alpha.submit(CLAUDE, task)
    assert (again.changed, again.sent) == (False, "pushed to origin")
    assert clones.refs()[attempt_ref(task, 1)] == made.head


def test_what_was_left_behind_goes_with_the_next_hand_in_and_with_a_merge(clones: Clones) -> None:
    with clones.cut():
        first, _ = worked(clones)
    clones.alpha.checkout.switch("main")
    second = clones.alpha.handed_in(CLAUDE, text="other\n")
    assert {attempt_ref(task, 1) for task in (first, second)} <= set(clones.refs())
    with clones.cut():
        clones.alpha.checkout.switch("main")
        third = clones.alpha.handed_in(CLAUDE, text="third\n")
    clones.alpha.app.merges.process(ALICE)
    assert attempt_ref(third, 1) in clones.refs()


def test_a_reworked_branch_takes_the_place_of_what_was_handed_in_from_it(clones: Clones) -> None:
    task, _ = worked(clones)
    clones.alpha.app.feedback.redo(ALICE, task, text="anew")
    clones.alpha.start(CLAUDE, task)
    clones.alpha.checkout.git("reset", "-q", "--hard", "main")
    clones.alpha.checkout.commit("anew.py", session=CLAUDE)
    made = clones.alpha.submit(CLAUDE, task)
    assert made.sent == "pushed to origin"
    assert clones.refs()[f"refs/heads/fe/{task}"] == made.head


def test_what_somebody_else_pushed_to_the_branch_stays_and_the_attempt_goes(clones: Clones) -> None:
    task = clones.alpha.work(CLAUDE, clones.alpha.create())
    beta = clones.beta.checkout
    beta.commit("theirs.py")
    beta.git("push", "-q", "origin", f"HEAD:refs/heads/fe/{task}")
    made = clones.alpha.submit(CLAUDE, task)
    assert made.sent.startswith(f"pushed to origin; fe/{task} on origin is at {beta.head()[:7]}")
    assert clones.refs()[f"refs/heads/fe/{task}"] == beta.head()
    assert clones.refs()[attempt_ref(task, 1)] == made.head


def test_a_hook_of_the_remote_that_refuses_is_quoted(clones: Clones) -> None:
    hook = clones.remote.path / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho no pushes on Fridays\nexit 1\n")
    hook.chmod(0o755)
    _, made = worked(clones)
    assert "no pushes on Fridays" in made.sent


def test_without_a_remote_nothing_is_said_about_one(strangers: Clones) -> None:
    task, made = worked(strangers)
    assert made.sent == ""
    assert attempt_ref(task, 1) not in strangers.refs()


def test_doctor_says_what_was_not_pushed_yet(clones: Clones) -> None:
    def said() -> list[tuple[str, str]]:
        checks = clones.alpha.app.doctor.examine(ALICE)
        return [(check.result, check.message) for check in checks if check.check == "remote"]

    assert said() == [("ok", "origin has what was handed in here")]
    with clones.cut():
        task, _ = worked(clones)
        assert said() == [("warn", f"{task}: handed in here, and not pushed to origin yet")]
    clones.alpha.submit(CLAUDE, task)
    assert said() == [("ok", "origin has what was handed in here")]
