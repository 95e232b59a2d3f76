"""What a reviewer's document says: a review that leaves something blocking open asks for changes, whatever it states
(V5, L5).
"""

from __future__ import annotations

import json

import pytest

from foureyes.errors import BadInput
from foureyes.ui.steps import steps_text

from tests.stage.looped import about, again, issue, review, rule, send, sent_back_to_its_reviewer, states
from tests.stage.people import BOB, CODEX, GEMINI
from tests.stage.world import DeskWorld


def claimed(desk: DeskWorld, *severities: str) -> tuple[str, tuple[str, ...]]:
    """A task whose findings are claimed to be fixed, in its second attempt."""
    task = desk.submitted_task()
    names = review(desk, task, [issue(f"problem {n}", word) for n, word in enumerate(severities or ("HIGH",))]).raised
    again(desk, task)
    return task, names


@pytest.mark.parametrize("verdict", ["approved", "concerns"])
def test_a_re_review_that_rules_NOT_FIXED_asks_for_changes_in_answer_and_record_V5_L5(
    desk: DeskWorld, verdict: str
) -> None:
    task, (name,) = claimed(desk)
    done = review(desk, task, [issue("a better name", "LOW")], rulings=[(name, "NOT_FIXED")], verdict=verdict)
    assert (done.status, done.effective, done.counts) == ("CHANGES_REQUESTED", "concerns", False)
    assert ". 1 blocking finding is still open" in done.message
    kept = desk.show(task).reviews[-1]
    assert (kept.verdict, kept.effective, kept.status) == (verdict, "concerns", "CHANGES_REQUESTED")


def test_the_raiser_of_a_finding_rules_again_without_a_reason_L8(desk: DeskWorld) -> None:
    task, (name,) = claimed(desk)
    review(desk, task, rulings=[(name, "NOT_FIXED")], verdict="approved")
    again(desk, task)
    rule(desk, {name: "VERIFIED"}, by=CODEX, reason="")
    assert states(desk, task)[name] == "resolved"


def test_an_attempt_with_a_blocker_of_somebody_else_is_not_called_approved_L5(desk: DeskWorld) -> None:
    task = desk.submitted_task(labels=["review:per-task"])
    review(desk, task, [issue()])
    other = review(desk, task, by=GEMINI)
    assert (other.status, other.effective) == ("CHANGES_REQUESTED", "approved"), "what it says itself is kept"


def test_a_stated_status_may_follow_from_rulings_or_from_what_is_open_L5(desk: DeskWorld) -> None:
    task, (one, two) = claimed(desk, "HIGH", "CRITICAL")
    with sent_back_to_its_reviewer(desk, task, "L5"):
        review(desk, task, rulings=[(one, "NOT_FIXED")], verdict="concerns", status="APPROVED")
    done = review(
        desk, task, rulings=[(one, "NOT_FIXED"), (two, "VERIFIED")], verdict="concerns", status="CHANGES_REQUIRED"
    )
    assert done.status == "CHANGES_REQUESTED"
    assert states(desk, task) == {one: "open", two: "resolved"}


def test_a_re_review_that_verifies_everything_is_an_approval_L5(desk: DeskWorld) -> None:
    task, (name,) = claimed(desk)
    done = review(desk, task, rulings=[(name, "VERIFIED")], status="APPROVED")
    assert (done.status, done.effective, done.counts) == ("APPROVED", "approved", True)


def test_a_review_in_a_code_fence_is_read_and_prose_around_it_leads_to_the_form_V3(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    said = json.dumps(about(desk, task), indent=1)
    with pytest.raises(BadInput) as caught:
        send(desk, task, f"Here it is:\n```json\n{said}\n```\n".encode(), by=BOB)
    step = steps_text(caught.value.next_step)
    assert step == f"the form: fe show {task} --prompt review, then: fe review submit {task} FILE"
    assert send(desk, task, f"\n```json\n{said}\n```\n".encode()).counts
