"""Approvals that one session records and another finishes (P11); agents that must review before they approve (D9)."""

from __future__ import annotations

import pytest

from foureyes.app.results.review import ApprovalOutcome
from foureyes.app.results.task_list import ListQuery
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.four_eyes import Declaration
from foureyes.errors import BadInput
from foureyes.ui.steps import steps_text

from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, GEMINI, asserted
from tests.stage.world import DeskWorld


@pytest.fixture(params=["delegated", "trusted"])
def worktree_of(desk: DeskWorld, request: pytest.FixtureRequest) -> DeskWorld:
    desk.app.policy.set(ALICE, "review.policy", request.param)
    return desk


def record(desk: DeskWorld, actor: Actor, task: str, reason: str = "") -> ApprovalOutcome:
    seen = desk.show(task).attempts[-1].diff_id
    return desk.app.decisions.approve(actor, task, seen=seen, declaration=Declaration(reason, record_only=True))


@pytest.mark.parametrize("policy", ["strict", "balanced"])
def test_recording_apart_is_refused_in_strict_and_balanced_P11(desk: DeskWorld, policy: str) -> None:
    desk.app.policy.set(ALICE, "review.policy", policy)
    task = desk.submitted_task(CLAUDE)
    for who in (CODEX, BOB):
        with desk.refused("P11"):
            record(desk, who, task)


def test_a_recorded_approval_leaves_the_task_in_review_until_somebody_finishes_it_P11(worktree_of: DeskWorld) -> None:
    task = worktree_of.submitted_task(CLAUDE)
    done = record(worktree_of, CODEX, task)
    assert (done.status, worktree_of.status(task)) == ("reviewing", "reviewing")
    assert [(row.recorded, row.session) for row in worktree_of.show(task).approvals] == [(True, CODEX.session)]
    assert worktree_of.approve(CODEX, task).rule == "P11", "who recorded it needs no reason"
    assert (worktree_of.status(task), worktree_of.show(task).approvals[0].recorded) == ("approved", False)
    assert len(worktree_of.show(task).approvals) == 1
    worktree_of.sound()


def test_recording_twice_is_a_no_op_P11(worktree_of: DeskWorld) -> None:
    task = worktree_of.submitted_task(CLAUDE)
    record(worktree_of, CODEX, task)
    with worktree_of.unchanged():
        assert record(worktree_of, CODEX, task).changed is False


def test_any_session_finishes_it_with_a_reason_even_the_author_P11(worktree_of: DeskWorld) -> None:
    task = worktree_of.submitted_task(CLAUDE)
    record(worktree_of, CODEX, task)
    with worktree_of.refused("P11") as caught:
        worktree_of.approve(CLAUDE, task)
    assert "-m" in steps_text(caught[0].next_step)
    done = worktree_of.approve(CLAUDE, task, reason="codex read it")
    assert (done.rule, done.exception, worktree_of.status(task)) == ("P11", False, "approved")
    assert [entry.session for entry in worktree_of.show(task).history if entry.action == "approved"] == [CODEX.session]
    (approval,) = worktree_of.show(task).approvals
    assert (approval.session, approval.finished_by, approval.finished_why) == (
        CODEX.session,
        CLAUDE.session,
        "codex read it",
    )


@pytest.mark.parametrize("reason", [" ", "\u200b", "\u2060\ufeff\n"])
def test_a_reason_that_nobody_can_see_is_missing_P9(worktree_of: DeskWorld, reason: str) -> None:
    task = worktree_of.submitted_task(CLAUDE)
    record(worktree_of, CODEX, task)
    with worktree_of.refused("P11"):
        worktree_of.approve(CLAUDE, task, reason=reason)


def test_breaking_the_glass_is_never_only_recorded_P11_N3(worktree_of: DeskWorld) -> None:
    task = worktree_of.submitted_task(ALICE)
    with worktree_of.unchanged(), pytest.raises(BadInput):
        worktree_of.app.decisions.approve(ALICE, task, declaration=Declaration(break_glass="alone", record_only=True))


def test_who_may_approve_anew_does_not_need_the_recorded_one_P11_P7(worktree_of: DeskWorld) -> None:
    task = worktree_of.submitted_task(CLAUDE)
    record(worktree_of, CODEX, task)
    assert worktree_of.approve(GEMINI, task).rule == "P7"


@pytest.mark.parametrize("who", [CI, asserted(BOB)], ids=["service", "typed name"])
def test_who_never_decides_never_finishes_P11_I5_I1(worktree_of: DeskWorld, who: Actor) -> None:
    task = worktree_of.submitted_task(CLAUDE)
    record(worktree_of, CODEX, task)
    with worktree_of.refused():
        worktree_of.approve(who, task, reason="done")


def test_a_token_to_implement_finishes_nothing_P11_I2(worktree_of: DeskWorld) -> None:
    task = worktree_of.create(BOB)
    child = worktree_of.spawn(CLAUDE, task, "implement")
    worktree_of.repo.commit(f"fe/{task}")
    worktree_of.submit(child, task)
    record(worktree_of, CODEX, task)
    with worktree_of.refused("I2"):
        worktree_of.approve(child, task, reason="done")


def test_nobody_records_an_approval_of_their_own_work_P11_P2(worktree_of: DeskWorld) -> None:
    task = worktree_of.submitted_task(CLAUDE)
    with worktree_of.refused("P2"):
        record(worktree_of, CLAUDE, task, "fine")


def test_a_recorded_approval_is_of_one_diff_P11(worktree_of: DeskWorld) -> None:
    task = worktree_of.submitted_task(CLAUDE)
    record(worktree_of, CODEX, task)
    worktree_of.repo.commit(f"fe/{task}")
    worktree_of.submit(CLAUDE, task)
    with worktree_of.refused("P2"):
        worktree_of.approve(CLAUDE, task, reason="codex read it")


def test_a_stricter_policy_ends_finishing_P11(worktree_of: DeskWorld) -> None:
    task = worktree_of.submitted_task(CLAUDE)
    record(worktree_of, CODEX, task)
    worktree_of.app.policy.set(ALICE, "review.policy", "balanced")
    with worktree_of.refused("P2"):
        worktree_of.approve(CLAUDE, task, reason="codex read it")


def test_gate_conditions_hold_for_finishing_too_D3_D7(worktree_of: DeskWorld) -> None:
    task = worktree_of.submitted_task(CLAUDE)
    record(worktree_of, CODEX, task)
    worktree_of.app.stops.hold(ALICE, task, "wait")
    with worktree_of.refused("D3"):
        worktree_of.approve(CLAUDE, task, reason="codex read it")
    worktree_of.app.stops.resume(ALICE, task, "go on")
    with worktree_of.refused("D7"):
        worktree_of.app.decisions.approve(CLAUDE, task, reason="codex read it")


@pytest.mark.parametrize("ending", ["withdraw", "edit", "redo", "reject"])
def test_a_recorded_approval_ends_like_any_other_P11_T8(worktree_of: DeskWorld, ending: str) -> None:
    task = worktree_of.submitted_task(CLAUDE)
    record(worktree_of, CODEX, task)
    if ending == "withdraw":
        worktree_of.app.decisions.withdraw(CODEX, task, reason="I overlooked something")
    elif ending == "edit":
        worktree_of.app.tasks.edit(ALICE, task, acceptance="something else")
    elif ending == "redo":
        worktree_of.app.feedback.redo(BOB, task, "more tests")
    else:
        worktree_of.app.feedback.reject(BOB, task, "not wanted")
    assert [row.state == "active" for row in worktree_of.show(task).approvals] == [False]
    if worktree_of.status(task) == "reviewing":
        with worktree_of.refused("P2"):
            worktree_of.approve(CLAUDE, task, reason="codex read it")
    worktree_of.sound()


def test_reviewable_lists_what_can_be_finished_with_a_reason_P13_P11(worktree_of: DeskWorld) -> None:
    task = worktree_of.submitted_task(CLAUDE)
    assert worktree_of.app.lists.reviewable(CLAUDE, ListQuery()).rows == []
    record(worktree_of, CODEX, task)
    (row,) = worktree_of.app.lists.reviewable(CLAUDE, ListQuery()).rows
    assert (row.task.id, row.you.rule, row.you.needs_reason) == (task, "P11", True)
    (mine,) = worktree_of.app.lists.reviewable(CODEX, ListQuery()).rows
    assert (mine.you.rule, mine.you.needs_reason) == ("P11", False)


# D9


def test_an_agents_approval_needs_its_own_review_where_the_policy_says_so_D9(desk: DeskWorld) -> None:
    desk.app.policy.set(ALICE, "review.agent_approval", "review")
    task = desk.submitted_task(CLAUDE)
    with desk.refused("D9"):
        desk.approve(CODEX, task)
    assert desk.approve(BOB, task).rule == "P7", "people are not asked for one"


def test_an_agents_environment_may_ask_for_a_review_and_not_do_without_it_D9_P12(desk: DeskWorld) -> None:
    task = desk.submitted_task(CLAUDE)
    desk.environ["FOUREYES_REVIEW_AGENT_APPROVAL"] = "review"
    with desk.refused("D9"):
        desk.approve(CODEX, task)
    desk.app.policy.set(ALICE, "review.agent_approval", "review")
    desk.environ["FOUREYES_REVIEW_AGENT_APPROVAL"] = "reason"
    with desk.refused("D9"):
        desk.approve(CODEX, task)
