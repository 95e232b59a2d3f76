"""Runs of checks on record (D5): every one keeps what it printed, and says what its tree was."""

from __future__ import annotations

import pytest

from foureyes.core.nouns.check import Ran
from foureyes.errors import NotFound
from foureyes.steps import fe
from foureyes.ui.cli.checks import show_text

from tests.stage.checkout import AT_ONCE
from tests.stage.gated import LINT, TESTS, check, configure, deliver, merge, report_of, words
from tests.stage.people import BOB, CI, CLAUDE
from tests.stage.world import DeskWorld, GitWorld

PRINTED = "E   assert 5 == 6\nFAILED test_area - assert 5 == 6\n"


def red_on_the_merge_result(world: GitWorld) -> str:
    """Green alone, approved, and red on top of what came to the target meanwhile."""
    configure(world, AT_ONCE + TESTS)
    world.outside.runner.answers["tests"] = report_of(["a"])
    task = deliver(world)
    check(world, task)
    world.approve(BOB, task)
    world.checkout.commit("other.py", "x\n")

    def on_top() -> None:
        after = len(world.outside.runner.ran) - before
        red = Ran(exit_code=1, tests=report_of(["a"], failing=["test_area"]).tests, output=PRINTED)
        world.outside.runner.answers["tests"] = red if after == 2 else report_of(["a"])

    before = len(world.outside.runner.ran)
    world.outside.runner.during = on_top
    assert merge(world) == {task: "checks"}
    world.outside.runner.during = None
    return task


def test_red_on_the_merge_result_says_what_was_printed_in_the_feedback_and_in_the_runs_of_its_task_D5_Q3(
    world: GitWorld,
) -> None:
    task = red_on_the_merge_result(world)
    assert "- test_area" in words(world, task)
    assert "assert 5 == 6" in words(world, task)
    report = world.app.check_runs.of_task(CLAUDE, task)
    assert [row.outcome for row in report.checks] == ["passed"], "the attempt itself is green"
    (red,) = [run for run in report.runs if run.outcome == "failed"]
    assert (red.on, red.check, red.failing, red.output) == ("merge", "tests", ("test_area",), PRINTED)
    said = show_text(report)
    assert f"tests on merge result {red.tree[:7]}: failed" in said
    assert "FAILED test_area - assert 5 == 6" in said
    assert {run.on for run in report.runs} == {"merge", "target"}


def test_a_run_of_an_earlier_attempt_is_found_by_its_number_D5(desk: DeskWorld) -> None:
    configure(desk, LINT)
    desk.outside.runner.says("lint", exit_code=1, output="line 3 is too long\n")
    task = desk.submitted_task()
    check(desk, task)
    desk.start(CLAUDE, task)
    desk.repo.commit(f"fe/{task}")
    desk.submit(CLAUDE, task)
    desk.outside.runner.says("lint", output="fine\n")
    check(desk, task)
    report = desk.app.check_runs.of_task(BOB, task)
    assert [row.output for row in report.checks] == ["fine\n"]
    there, old = report.runs
    assert (there.on, there.outcome) == ("target", "passed"), "where it begins, as it failed"
    assert (old.on, old.output) == ("attempt 1", ""), "what it printed is asked for by its number"
    assert desk.app.check_runs.one(old.n).output == "line 3 is too long\n"
    with pytest.raises(NotFound):
        desk.app.check_runs.one(1)


def test_what_ran_on_the_target_is_shown_with_what_it_printed_and_on_an_earlier_tip_where_there_is_no_later_D5_X4(
    world: GitWorld,
) -> None:
    configure(world, LINT)
    assert world.app.check_runs.of_target(BOB) == []
    world.outside.runner.during = lambda: None  # the target answers as any other tree
    world.outside.runner.says("lint", exit_code=1, output="line 3 is too long\n")
    world.outside.runner.during = lambda: None  # the target is red, too
    world.app.checks.run_target(CI)
    (run,) = world.app.check_runs.of_target(BOB)
    assert (run.on, run.check, run.outcome, run.output) == ("target", "lint", "failed", "line 3 is too long\n")
    world.checkout.commit("later.py", "x\n")
    assert world.app.check_runs.of_target(BOB) == [run]


def test_the_checks_of_a_stuck_merge_lead_to_what_frees_it_Q3(world: GitWorld) -> None:
    configure(world, AT_ONCE + TESTS)
    world.outside.runner.answers["tests"] = report_of(["a"])
    task = deliver(world)
    check(world, task)
    world.approve(BOB, task)
    assert world.app.check_runs.of_task(BOB, task).next == fe("merge")
    world.checkout.commit("other.py", "x\n")
    world.outside.runner.answers["tests"] = Ran(exit_code=127)
    assert merge(world) == {task: "stuck"}
    (item,) = world.app.merges.all(BOB)
    assert world.app.check_runs.of_task(BOB, task).next == item.next == fe("merge")
