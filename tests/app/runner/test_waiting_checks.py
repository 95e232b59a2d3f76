"""Checks that are due are found little by little, and none is overlooked (D5, M4)."""

from __future__ import annotations

import pytest

from foureyes.app.runner.due_work import PAGE, WaitingChecks

from tests.stage.gated import LINT, configure
from tests.stage.people import BOB, CI
from tests.stage.world import DeskWorld


@pytest.fixture
def waiting(desk: DeskWorld) -> WaitingChecks:
    configure(desk, LINT)
    return WaitingChecks(desk.app.context, CI)


def look(desk: DeskWorld, waiting: WaitingChecks, *running: str) -> list[str]:
    with desk.store.read() as tx:
        waiting.read(tx, desk.app.context.gate_policy(tx), running)
    return [str(task) for task in waiting.due]


def whole(desk: DeskWorld, waiting: WaitingChecks) -> set[str]:
    found = set(look(desk, waiting))
    while waiting.more:
        found |= set(look(desk, waiting))
    return found


def test_what_waits_since_before_is_found_page_by_page(desk: DeskWorld, waiting: WaitingChecks) -> None:
    tasks = {desk.submitted_task() for _ in range(PAGE + 3)}
    assert len(look(desk, waiting)) == PAGE
    assert waiting.more
    assert whole(desk, waiting) == tasks
    assert not waiting.more, "what is due is not looked at again and again"
    assert set(look(desk, waiting)) == tasks
    assert not waiting.more


def test_what_is_no_longer_in_review_is_not_due(desk: DeskWorld, waiting: WaitingChecks) -> None:
    task = desk.submitted_task()
    assert look(desk, waiting) == [task]
    desk.app.feedback.redo(BOB, task, "not so")
    assert look(desk, waiting) == []


def test_what_is_handed_in_later_is_found_at_the_next_look_and_gone_when_it_is_checked(
    desk: DeskWorld, waiting: WaitingChecks
) -> None:
    assert whole(desk, waiting) == set()
    task = desk.submitted_task()
    assert look(desk, waiting) == [task]
    assert look(desk, waiting, task) == []
    desk.app.checks.run(CI, task)
    assert look(desk, waiting) == []


def test_a_check_that_broke_is_due_again_after_its_pause(desk: DeskWorld, waiting: WaitingChecks) -> None:
    task = desk.submitted_task()
    desk.outside.runner.says("lint", exit_code=None)
    desk.app.checks.run(CI, task)
    assert whole(desk, waiting) == set()
    desk.clock.advance(hours=2)
    assert look(desk, waiting) == [task]


def test_another_policy_puts_everything_in_question(desk: DeskWorld, waiting: WaitingChecks) -> None:
    task = desk.submitted_task()
    desk.app.checks.run(CI, task)
    assert whole(desk, waiting) == set()
    configure(desk, LINT.replace("ruff check .", "ruff check src"))
    assert whole(desk, waiting) == {task}


def test_without_checks_nothing_is_due(desk: DeskWorld) -> None:
    waiting = WaitingChecks(desk.app.context, CI)
    desk.submitted_task()
    assert whole(desk, waiting) == set()
