"""Approvals that one session records and another finishes (P11); agents that must review before they approve (D9)."""

from __future__ import annotations

import pytest

from foureyes.app.views.review import ApprovalOutcome
from foureyes.app.views.task_list import ListQuery
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.four_eyes import Declaration
from foureyes.errors import BadInput
from foureyes.ui.steps import steps_text

from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, GEMINI, asserted
from tests.stage.world import DeskWorld


@pytest.fixture(params=["delegated", "trusted"])
def apart(desk: DeskWorld, request: pytest.FixtureRequest) -> DeskWorld:
    desk.app.policy.set(ALICE, "review.policy", request.param)
    return desk


def record(desk: DeskWorld, actor: Actor, task: str, reason: str = "") -> ApprovalOutcome:
    seen = desk.show(task).attempts[-1].diff_id
    return desk.app.decisions.approve(actor, task, seen=seen, declaration=Declaration(reason, record_only=True))


@pytest.mark.parametrize("policy", ["strict", "balanced"])
def test_recording_apart_is_refused_in_strict_and_balanced_P11(desk: DeskWorld, policy: str) -> None:
    desk.app.policy.set(ALICE, "review.policy", policy)
    task = desk.handed_in(CLAUDE)
    for who in (CODEX, BOB):
        with desk.refused("P11"):
            record(desk, who, task)


def test_a_recorded_approval_leaves_the_task_in_review_until_somebody_finishes_it_P11(apart: DeskWorld) -> None:
    task = apart.handed_in(CLAUDE)
    done = record(apart, CODEX, task)
    assert (done.status, apart.status(task)) == ("reviewing", "reviewing")
    assert [(row.recorded, row.session) for row in apart.show(task).approvals] == [(True, CODEX.session)]
    assert apart.approve(CODEX, task).rule == "P11", "who recorded it needs no reason"
    assert (apart.status(task), apart.show(task).approvals[0].recorded) == ("approved", False)
    assert len(apart.show(task).approvals) == 1
    apart.sound()


def test_recording_twice_is_a_no_op_P11(apart: DeskWorld) -> None:
    task = apart.handed_in(CLAUDE)
    record(apart, CODEX, task)
    with apart.unchanged():
        assert record(apart, CODEX, task).changed is False


def test_any_session_finishes_it_with_a_reason_even_the_author_P11(apart: DeskWorld) -> None:
    task = apart.handed_in(CLAUDE)
    record(apart, CODEX, task)
    with apart.refused("P11") as caught:
        apart.approve(CLAUDE, task)
    assert "-m" in steps_text(caught[0].next_step)
    done = apart.approve(CLAUDE, task, reason="codex read it")
    assert (done.rule, done.exception, apart.status(task)) == ("P11", False, "approved")
    assert [entry.session for entry in apart.show(task).history if entry.action == "approved"] == [CODEX.session]
    (approval,) = apart.show(task).approvals
    assert (approval.session, approval.finished_by, approval.finished_why) == (
        CODEX.session,
        CLAUDE.session,
        "codex read it",
    )


@pytest.mark.parametrize("reason", [" ", "\u200b", "\u2060\ufeff\n"])
def test_a_reason_that_nobody_can_see_is_missing_P9(apart: DeskWorld, reason: str) -> None:
    task = apart.handed_in(CLAUDE)
    record(apart, CODEX, task)
    with apart.refused("P11"):
        apart.approve(CLAUDE, task, reason=reason)


def test_breaking_the_glass_is_never_only_recorded_P11_N3(apart: DeskWorld) -> None:
    task = apart.handed_in(ALICE)
    with apart.unchanged(), pytest.raises(BadInput):
        apart.app.decisions.approve(ALICE, task, declaration=Declaration(break_glass="alone", record_only=True))


def test_who_may_approve_anew_does_not_need_the_recorded_one_P11_P7(apart: DeskWorld) -> None:
    task = apart.handed_in(CLAUDE)
    record(apart, CODEX, task)
    assert apart.approve(GEMINI, task).rule == "P7"


@pytest.mark.parametrize("who", [CI, asserted(BOB)], ids=["service", "typed name"])
def test_who_never_decides_never_finishes_P11_I5_I1(apart: DeskWorld, who: Actor) -> None:
    task = apart.handed_in(CLAUDE)
    record(apart, CODEX, task)
    with apart.refused():
        apart.approve(who, task, reason="done")


def test_a_token_to_implement_finishes_nothing_P11_I2(apart: DeskWorld) -> None:
    task = apart.create(BOB)
    child = apart.spawn(CLAUDE, task, "implement")
    apart.repo.commit(f"fe/{task}")
    apart.submit(child, task)
    record(apart, CODEX, task)
    with apart.refused("I2"):
        apart.approve(child, task, reason="done")


def test_nobody_records_an_approval_of_their_own_work_P11_P2(apart: DeskWorld) -> None:
    task = apart.handed_in(CLAUDE)
    with apart.refused("P2"):
        record(apart, CLAUDE, task, "fine")


def test_a_recorded_approval_is_of_one_diff_P11(apart: DeskWorld) -> None:
    task = apart.handed_in(CLAUDE)
    record(apart, CODEX, task)
    apart.repo.commit(f"fe/{task}")
    apart.submit(CLAUDE, task)
    with apart.refused("P2"):
        apart.approve(CLAUDE, task, reason="codex read it")


def test_a_stricter_policy_ends_finishing_P11(apart: DeskWorld) -> None:
    task = apart.handed_in(CLAUDE)
    record(apart, CODEX, task)
    apart.app.policy.set(ALICE, "review.policy", "balanced")
    with apart.refused("P2"):
        apart.approve(CLAUDE, task, reason="codex read it")


def test_gate_conditions_hold_for_finishing_too_D3_D7(apart: DeskWorld) -> None:
    task = apart.handed_in(CLAUDE)
    record(apart, CODEX, task)
    apart.app.stops.hold(ALICE, task, "wait")
    with apart.refused("D3"):
        apart.approve(CLAUDE, task, reason="codex read it")
    apart.app.stops.resume(ALICE, task, "go on")
    with apart.refused("D7"):
        apart.app.decisions.approve(CLAUDE, task, reason="codex read it")


@pytest.mark.parametrize("ending", ["withdraw", "edit", "redo", "reject"])
def test_a_recorded_approval_ends_like_any_other_P11_T8(apart: DeskWorld, ending: str) -> None:
    task = apart.handed_in(CLAUDE)
    record(apart, CODEX, task)
    if ending == "withdraw":
        apart.app.decisions.withdraw(CODEX, task, reason="I overlooked something")
    elif ending == "edit":
        apart.app.tasks.edit(ALICE, task, acceptance="something else")
    elif ending == "redo":
        apart.app.feedback.redo(BOB, task, "more tests")
    else:
        apart.app.feedback.reject(BOB, task, "not wanted")
    assert [row.state == "active" for row in apart.show(task).approvals] == [False]
    if apart.status(task) == "reviewing":
        with apart.refused("P2"):
            apart.approve(CLAUDE, task, reason="codex read it")
    apart.sound()


def test_reviewable_lists_what_can_be_finished_with_a_reason_P13_P11(apart: DeskWorld) -> None:
    task = apart.handed_in(CLAUDE)
    assert apart.app.lists.reviewable(CLAUDE, ListQuery()).rows == []
    record(apart, CODEX, task)
    (row,) = apart.app.lists.reviewable(CLAUDE, ListQuery()).rows
    assert (row.task.id, row.you.rule, row.you.needs_reason) == (task, "P11", True)
    (mine,) = apart.app.lists.reviewable(CODEX, ListQuery()).rows
    assert (mine.you.rule, mine.you.needs_reason) == ("P11", False)


# D9


def test_an_agents_approval_needs_its_own_review_where_the_policy_says_so_D9(desk: DeskWorld) -> None:
    desk.app.policy.set(ALICE, "review.agent_approval", "review")
    task = desk.handed_in(CLAUDE)
    with desk.refused("D9"):
        desk.approve(CODEX, task)
    assert desk.approve(BOB, task).rule == "P7", "people are not asked for one"


def test_an_agents_environment_may_ask_for_a_review_and_not_do_without_it_D9_P12(desk: DeskWorld) -> None:
    task = desk.handed_in(CLAUDE)
    desk.environ["FOUREYES_REVIEW_AGENT_APPROVAL"] = "review"
    with desk.refused("D9"):
        desk.approve(CODEX, task)
    desk.app.policy.set(ALICE, "review.agent_approval", "review")
    desk.environ["FOUREYES_REVIEW_AGENT_APPROVAL"] = "reason"
    with desk.refused("D9"):
        desk.approve(CODEX, task)
