"""What the remote lacks of what was submitted here (Q6)."""

from __future__ import annotations

import pytest

from foureyes.app.results.attempt import SubmitOutcome
from foureyes.core.words.refs import attempt_ref

from tests.stage.clones import Clones
from tests.stage.people import ALICE, CLAUDE

pytestmark = pytest.mark.on("sqlite")


def worked(clones: Clones) -> tuple[str, SubmitOutcome]:
    task = clones.alpha.work(CLAUDE, clones.alpha.create())
    return task, clones.alpha.submit(CLAUDE, task)


def said_by_doctor(clones: Clones) -> tuple[str, str]:
    (check,) = [check for check in clones.alpha.app.doctor.examine(ALICE) if check.check == "remote"]
    return check.result, check.message


def test_doctor_says_what_was_not_pushed_yet(clones: Clones) -> None:
    assert said_by_doctor(clones) == ("ok", "origin has all submissions of this clone")
    with clones.cut():
        task, _ = worked(clones)
        assert said_by_doctor(clones) == ("warn", f"{task}: submitted here but not yet pushed to origin")
    clones.alpha.submit(CLAUDE, task)
    assert said_by_doctor(clones) == ("ok", "origin has all submissions of this clone")


def test_doctor_says_of_the_remote_only_what_it_can_know_Q6(clones: Clones) -> None:
    unknown = "submissions were pushed to origin, but origin cannot be reached to confirm them"
    with clones.cut():
        assert said_by_doctor(clones) == ("ok", unknown), "also where nothing is to be asked for"
    task, _ = worked(clones)
    with clones.cut():
        assert said_by_doctor(clones) == ("ok", unknown)
    clones.remote.git("update-ref", "-d", attempt_ref(task, 1))
    result, message = said_by_doctor(clones)
    assert (result, attempt_ref(task, 1) in message) == ("warn", True)
    clones.alpha.checkout.git("push", "-q", "origin", attempt_ref(task, 1))
    assert said_by_doctor(clones) == ("ok", "origin has all submissions of this clone")


def test_doctor_proposes_no_push_that_the_remote_would_refuse_Q6(clones: Clones) -> None:
    alpha, (task, _) = clones.alpha, worked(clones)
    alpha.checkout.switch("main")
    other = alpha.submitted_task(CLAUDE, text="other\n")
    clones.remote.git("update-ref", "-d", attempt_ref(task, 1))
    stray = clones.beta.checkout.commit("stray.py")
    clones.beta.checkout.git("push", "-q", "-f", "origin", f"{stray}:{attempt_ref(other, 1)}")
    steps = [check.next.steps[0].argv for check in alpha.app.doctor.examine(ALICE) if check.check == "remote"]
    assert steps == [
        ("git", "push", "origin", attempt_ref(task, 1)),
        ("git", "ls-remote", "origin", attempt_ref(other, 1)),
    ]
