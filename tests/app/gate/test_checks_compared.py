"""D5: none of the target's tests is gone. The target's own tests are run once for each of its trees, and compared."""

from __future__ import annotations

import pytest

from foureyes.core.nouns.check import Ran
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.four_eyes import Declaration
from foureyes.ui.steps import steps_text

from tests.stage.checkout import AT_ONCE
from tests.stage.gated import AUTO, TESTS, answers, check, configure, deliver, report_of, row_of
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX
from tests.stage.world import GitWorld

ONE, TWO, NEW = "test_shop::test_one", "test_shop::test_two", "test_shop::test_new"
BOTH = report_of([ONE, TWO])


def test_a_test_that_the_target_has_and_the_attempt_has_not_is_gone_and_that_is_red_D5(world: GitWorld) -> None:
    configure(world, TESTS)
    answers(world, "tests", BOTH, report_of([ONE, NEW]))
    task = deliver(world)
    report = check(world, task)
    row = row_of(report, "tests")
    assert (row.outcome, row.gone, report.is_green) == ("failed", (TWO,), False)
    assert "1 of the target's tests are missing" in row.summary
    for who in (BOB, CODEX):
        with world.refused("D5") as caught:
            world.approve(who, task, reason="" if who is BOB else "fine")
        assert "why these tests may go" in steps_text(caught[0].reasons[0].next)


def test_a_person_lets_tests_go_with_a_reason_and_it_is_on_record_D5_P8(world: GitWorld) -> None:
    configure(world, TESTS)
    answers(world, "tests", BOTH, report_of([ONE]))
    task = deliver(world)
    check(world, task)
    with world.refused("D5"):
        world.approve(BOB, task, reason="  ")
    world.approve(BOB, task, reason="two was a copy of one")
    (event,) = world.app.audit.exceptions()
    assert (event.kind, event.rule, event.reason, event.detail) == ("tests_gone", "D5", "two was a copy of one", TWO)
    assert any("tests_gone" in log.text for log in world.show(task).logs if log.type == "security")


def test_a_reason_does_not_excuse_what_fails_beside_D5(world: GitWorld) -> None:
    configure(world, TESTS)
    answers(world, "tests", BOTH, report_of([NEW], failing=[ONE]))
    task = deliver(world)
    check(world, task)
    with world.refused("D5"):
        world.approve(BOB, task, reason="it does not matter")


def test_a_test_that_is_skipped_now_is_gone_and_one_that_runs_again_is_new_D5(world: GitWorld) -> None:
    configure(world, TESTS)
    answers(world, "tests", report_of([ONE], skipped=[TWO]), report_of([TWO], skipped=[ONE]))
    task = deliver(world)
    assert row_of(check(world, task), "tests").gone == (ONE,)


def test_more_tests_than_before_and_a_red_target_are_fine_D5(world: GitWorld) -> None:
    configure(world, TESTS)
    answers(world, "tests", report_of([ONE], failing=[TWO]), report_of([ONE, TWO, NEW]))
    task = deliver(world)
    assert row_of(check(world, task), "tests").outcome == "passed"


def test_the_first_test_of_a_project_has_nothing_to_be_compared_with_D5(world: GitWorld) -> None:
    configure(world, TESTS)
    answers(world, "tests", Ran(exit_code=5, tests=()), report_of([ONE]))
    task = deliver(world)
    assert row_of(check(world, task), "tests").outcome == "passed"


def test_the_targets_tests_are_run_once_for_all_that_begin_there_D5(world: GitWorld) -> None:
    configure(world, TESTS)
    answers(world, "tests", BOTH)
    first, second = deliver(world), deliver(world)
    check(world, first)
    assert len(world.outside.runner.ran) == 2
    assert row_of(check(world, second), "tests").outcome == "passed"
    assert len(world.outside.runner.ran) == 3
    assert row_of(check(world, second, again=True), "tests").outcome == "passed"
    assert len(world.outside.runner.ran) == 4, "again is about the attempt, not about the target"


def same_tree_on_a_new_base(world: GitWorld) -> str:
    """A task whose tree was checked before, on a base that was not."""
    task = deliver(world, {"work.py": "x\n"})
    check(world, task)
    world.app.feedback.redo(BOB, task, "on top of what is new")
    world.checkout.commit("other.py", "y\n")
    world.start(CLAUDE, task)
    world.checkout.git("switch", "-q", "-C", f"fe/{task}")
    world.checkout.git("rm", "-q", "other.py")
    world.checkout.commit("work.py", "x\n", session=CLAUDE)
    world.submit(CLAUDE, task)
    world.checkout.switch("main")
    return task


def test_a_result_that_was_not_compared_with_the_target_is_not_green_D5_G1(world: GitWorld) -> None:
    configure(world, TESTS)
    answers(world, "tests", BOTH)
    task = same_tree_on_a_new_base(world)
    row = row_of(world.app.check_runs.of_task(BOB, task), "tests")
    assert (row.outcome, row.summary) == ("not_run", "not compared with the target's tests yet")
    with world.refused("D5"):
        world.approve(BOB, task)
    with world.refused("D5"):
        world.approve(CODEX, task, reason="green elsewhere")
    before = len(world.outside.runner.ran)
    assert row_of(check(world, task), "tests").outcome == "passed"
    assert len(world.outside.runner.ran) == before + 1


def test_a_person_agrees_with_a_reason_although_nothing_was_compared_and_it_is_on_record_D5_P8(world: GitWorld) -> None:
    configure(world, AT_ONCE + TESTS)
    answers(world, "tests", BOTH)
    task = same_tree_on_a_new_base(world)
    world.approve(BOB, task, reason="the target's own tests do not run here")
    (event,) = world.app.audit.exceptions()
    assert (event.kind, event.rule, event.reason) == ("tests_gone", "D5", "the target's own tests do not run here")
    answers(world, "tests", Ran(exit_code=127))
    assert [row.outcome for row in world.app.merges.process(CI)] == ["merged"]


def test_what_the_new_base_has_more_is_gone_when_it_is_compared_D5(world: GitWorld) -> None:
    configure(world, TESTS)
    answers(world, "tests", BOTH, BOTH, report_of([ONE, TWO, NEW]))
    task = same_tree_on_a_new_base(world)
    assert row_of(check(world, task), "tests").gone == (NEW,)


@pytest.mark.parametrize("runner", [CLAUDE, CODEX])
def test_a_claimed_list_of_the_targets_tests_is_no_list_where_a_run_counts_D5(world: GitWorld, runner: Actor) -> None:
    """Who wants a test to go could claim that the target never had it."""
    configure(world, TESTS)
    answers(world, "tests", report_of([ONE]), report_of([ONE]), BOTH, report_of([ONE]))
    task = deliver(world)
    assert row_of(check(world, task, runner), "tests").outcome == "passed"
    assert row_of(check(world, task, CI), "tests").gone == (TWO,)


def test_breaking_the_glass_lets_tests_go_too_and_both_are_on_record_N3_P8(world: GitWorld) -> None:
    configure(world, TESTS)
    answers(world, "tests", BOTH, report_of([ONE], failing=[NEW]))
    task = deliver(world, via=ALICE)
    check(world, task)
    world.app.decisions.approve(ALICE, task, declaration=Declaration(break_glass="the shop is down"))
    assert {event.kind for event in world.app.audit.exceptions()} == {"break_glass", "tests_gone"}


def test_renamed_with_a_reason_and_merged_the_tests_that_went_stay_allowed_on_the_merge_Q2_D5(world: GitWorld) -> None:
    configure(world, AT_ONCE + TESTS)
    answers(world, "tests", BOTH, report_of([ONE]))
    task = deliver(world)
    check(world, task)
    world.approve(BOB, task, reason="two was a copy of one")
    assert [row.outcome for row in world.app.merges.process(CI)] == ["merged"]


def test_a_crash_of_the_targets_own_tests_is_not_remembered_as_what_it_has_D5_G1(world: GitWorld) -> None:
    """The target's tests are looked at again, and what is gone is found then."""
    configure(world, TESTS)
    answers(world, "tests", Ran(exit_code=0, timed_out=True), report_of([ONE]), BOTH)
    task = deliver(world)
    check(world, task)
    assert row_of(check(world, task), "tests").gone == (TWO,)


def test_an_attempt_is_not_green_while_it_is_unknown_which_tests_the_target_has_D5_G1(world: GitWorld) -> None:
    configure(world, TESTS)
    answers(world, "tests", Ran(exit_code=0, timed_out=True), report_of([ONE]))
    task = deliver(world, labels=AUTO)
    report = check(world, task)
    assert (row_of(report, "tests").outcome, report.status) == ("not_run", "reviewing"), (
        "a run that timed out compared nothing"
    )
