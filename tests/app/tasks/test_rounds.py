"""How rounds end (L11, L17, Q3, E1, E5): however they do, the record says what the engine says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from foureyes.core.nouns.finding import ReportedFinding
from foureyes.core.words.lifecycle import RunEnd

from tests.stage.checkout import AT_ONCE
from tests.stage.gated import configure, deliver, merge
from tests.stage.looped import again, issue, next_attempt, review, rule, same_tier, standing
from tests.stage.people import BOB, CLAUDE
from tests.stage.world import DeskWorld, GitWorld

# A run that ends without a submission


@pytest.mark.parametrize(
    ("how", "counts"), [("crash", True), ("timeout", True), ("blocked", True), ("cancelled", False), ("", False)]
)
def test_a_run_that_had_the_findings_and_ended_oddly_is_a_round_without_progress_L17(
    desk: DeskWorld, how: RunEnd, counts: bool
) -> None:
    task = desk.submitted_task()
    review(desk, task, [issue()])
    for n in (1, 2):
        desk.start(CLAUDE, task)
        desk.app.claims.unstart(CLAUDE, task, how=how, reason="it broke")
        assert standing(desk, task).escalations == (n == 2 and counts)
    assert same_tier(desk, task) == ("senior" if counts else "developer", "")


@pytest.mark.parametrize("how", ["crash", "blocked"])
def test_a_run_that_had_no_findings_is_no_round_however_it_ended_L17(desk: DeskWorld, how: RunEnd) -> None:
    task = desk.create()
    for _ in range(3):
        desk.start(CLAUDE, task)
        desk.app.claims.unstart(CLAUDE, task, how=how)
    desk.start(CLAUDE, task)
    desk.repo.commit(f"fe/{task}")
    desk.submit(CLAUDE, task)
    desk.app.feedback.redo(BOB, task, "again")
    desk.start(CLAUDE, task)
    desk.app.claims.unstart(CLAUDE, task, how=how)
    assert (same_tier(desk, task), standing(desk, task).no_progress) == (("developer", ""), 0)


# Merges that fail


def test_three_failed_merges_go_to_the_next_tier_Q3(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = deliver(world, {"code.py": "mine 0\n"})
    for n in (1, 2, 3):
        assert same_tier(world, task) == ("developer", "")
        world.approve(BOB, task, reason="read it")
        world.checkout.commit("code.py", f"theirs {n}\n", message="on the target")
        assert merge(world) == {task: "conflict"}
        if n < 3:
            next_attempt(world, task, {"code.py": f"mine {n}\n"})
    assert same_tier(world, task) == ("senior", "")


# The record says what the engine says

CAP = "\n[loop]\niteration_cap = 2\n"


def resubmitted(desk: DeskWorld, task: str) -> None:
    desk.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])
    desk.submit(CLAUDE, task)


def closed_and_reopened(desk: DeskWorld, task: str) -> None:
    desk.app.closing.close(BOB, task)
    same_tier(desk, task)
    desk.app.closing.reopen(BOB, task)
    if not desk.task(task).waiting_for:
        again(desk, task)


def rejected_and_unblocked(desk: DeskWorld, task: str) -> None:
    desk.app.feedback.reject(BOB, task, "no")
    same_tier(desk, task)
    desk.app.stops.unblock(BOB, task)
    if not desk.task(task).waiting_for:
        again(desk, task)


def withdrawn(desk: DeskWorld, task: str) -> None:
    desk.approve(BOB, task)
    same_tier(desk, task)
    desk.app.decisions.withdraw(BOB, task)
    resubmitted(desk, task)


@pytest.mark.parametrize(
    "step", [resubmitted, closed_and_reopened, rejected_and_unblocked, withdrawn], ids=lambda step: step.__name__
)
def test_however_a_round_ends_the_record_says_what_the_engine_says_E1(
    desk: DeskWorld, step: Callable[[DeskWorld, str], None]
) -> None:
    configure(desk, CAP)
    task = desk.submitted_task()
    for _ in range(6):
        if desk.task(task).waiting_for:
            break
        step(desk, task)
        same_tier(desk, task)


def test_a_settled_finding_that_is_added_again_between_rounds_undoes_the_progress_on_record_too_L11(
    desk: DeskWorld,
) -> None:
    task = desk.submitted_task()
    a, b = review(desk, task, [issue("a"), issue("b")]).raised
    again(desk, task)
    rule(desk, {a: "NOT_FIXED", b: "NOT_FIXED"})
    again(desk, task)
    rule(desk, {a: "VERIFIED", b: "NOT_FIXED"})
    assert same_tier(desk, task) == ("developer", "")
    desk.app.findings.add(BOB, task, ReportedFinding(severity="HIGH", title="a"))
    assert same_tier(desk, task) == ("senior", "")


def test_the_limits_are_the_projects_and_the_warning_follows_them_E5(desk: DeskWorld) -> None:
    configure(desk, "\n[loop]\nno_progress_limit = 3\n")
    task = desk.submitted_task()
    (name,) = review(desk, task, [issue()]).raised
    for expected in ("", "One more round without fixes", ""):
        again(desk, task)
        rule(desk, {name: "NOT_FIXED"})
        assert expected in standing(desk, task).warning
        assert bool(expected) == bool(standing(desk, task).warning)
        if expected:
            assert standing(desk, task).warning in desk.app.prompts.text(CLAUDE, task, "respond")
    assert same_tier(desk, task) == ("senior", "")
