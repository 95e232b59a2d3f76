"""Checks that broke (D5): by the change itself, which is red like any other, or by the machine, which says nothing
about the work.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from foureyes.app.runner.due_work import WaitingChecks
from foureyes.core.nouns import check as nouns
from foureyes.core.nouns.check import Ran, Rewritten
from foureyes.core.runner.plan import plan
from foureyes.core.runner.snapshot import Snapshot
from foureyes.core.runner.steps import Finish, RunStep, Wait

from tests.stage.gated import AUTO, LINT, TESTS, answers, check, configure, report_of, row_of, words
from tests.stage.people import BOB, CI, CLAUDE
from tests.stage.world import DeskWorld, GitWorld

ONE = "tests.test_m::test_f"
UNREAD = Ran(exit_code=2, tests=(nouns.TestResult("tests.test_m", "failed", "SyntaxError", "m.py", 1),))
"""What pytest leaves behind where a file cannot be parsed."""
CONFTEST = Ran(exit_code=4, output="ImportError while loading conftest\n", problem="no report was written")


@pytest.mark.parametrize("broken", [UNREAD, CONFTEST], ids=["collection", "conftest"])
def test_a_file_that_cannot_be_parsed_is_red_and_comes_back_where_the_target_runs_D5(
    desk: DeskWorld, broken: Ran
) -> None:
    configure(desk, TESTS)
    answers(desk, "tests", report_of([ONE]), broken)
    task = desk.submitted_task(labels=AUTO)
    report = check(desk, task)
    row = row_of(report, "tests")
    assert (row.outcome, report.status, report.sent_back) == ("failed", "open", True)
    assert "where the target's own run comes to its end" in row.summary
    assert f"exit code {broken.exit_code}" in words(desk, task)
    (finding,) = desk.show(task).findings
    assert finding.title == ("failing test: tests.test_m" if broken.tests else "check tests fails")
    assert len(desk.outside.runner.ran) == 2, "the target was looked at just now"


def test_the_run_of_an_earlier_attempt_that_broke_by_the_change_is_red_in_the_list_of_runs_too_D5(
    desk: DeskWorld,
) -> None:
    configure(desk, TESTS)
    answers(desk, "tests", report_of([ONE]), UNREAD)
    task = desk.submitted_task(labels=AUTO)
    check(desk, task)
    desk.start(CLAUDE, task)
    desk.repo.commit(f"fe/{task}")
    desk.submit(CLAUDE, task)
    answers(desk, "tests", report_of([ONE]))
    check(desk, task)
    (old,) = [run for run in desk.app.check_runs.of_task(BOB, task).runs if run.on == "attempt 1"]
    assert (old.outcome, "where the target's own run comes to its end" in old.summary) == ("failed", True)


def test_what_breaks_on_the_target_as_well_is_nobodys_iteration_D5(desk: DeskWorld) -> None:
    configure(desk, TESTS)
    answers(desk, "tests", UNREAD)
    task = desk.submitted_task(labels=AUTO)
    report = check(desk, task)
    assert (row_of(report, "tests").outcome, report.status) == ("crashed", "reviewing")
    assert desk.show(task).findings == []


def test_a_machine_that_lost_something_since_the_target_ran_is_no_changes_fault_D5(desk: DeskWorld) -> None:
    """An old result of the target says nothing about what is installed now: it is asked again."""
    configure(desk, TESTS)
    answers(desk, "tests", report_of([ONE]))
    first = desk.submitted_task()
    check(desk, first)
    desk.outside.runner.during = lambda: None
    desk.outside.runner.answers["tests"] = UNREAD
    task = desk.submitted_task(labels=AUTO)
    desk.outside.runner.ran.clear()
    report = check(desk, task, again=True)
    assert (row_of(report, "tests").outcome, report.status) == ("crashed", "reviewing")
    assert len(desk.outside.runner.ran) == 2, "on its tree, and once more where it begins"


@pytest.mark.parametrize(
    "broken",
    [
        Ran(exit_code=None, problem="no room"),
        Ran(exit_code=None, unprepared="checkout.prepare ended with exit code 1"),
        Ran(exit_code=127),
        Ran(exit_code=-9),
        Ran(exit_code=124),
        Ran(exit_code=2, timed_out=True),
        Ran(exit_code=0, problem="no report was written"),
        Ran(exit_code=1, output="python: No module named pytest\n"),
    ],
    ids=["not begun", "prepare", "not found", "killed", "timeout", "too long", "no report", "no pytest"],
)
def test_what_the_machine_broke_stays_broken_and_sends_nothing_back_D5(desk: DeskWorld, broken: Ran) -> None:
    configure(desk, TESTS)
    answers(desk, "tests", report_of([ONE]), broken)
    task = desk.submitted_task(labels=AUTO)
    report = check(desk, task)
    assert row_of(report, "tests").outcome in ("crashed", "timed_out")
    assert (report.status, desk.show(task).findings) == ("reviewing", [])


def test_a_check_without_a_report_that_breaks_is_run_where_the_change_begins_D5(desk: DeskWorld) -> None:
    configure(desk, LINT)
    answers(desk, "lint", Ran(exit_code=2), Ran(exit_code=0))
    task = desk.submitted_task(labels=AUTO)
    assert (row_of(check(desk, task), "lint").outcome, desk.status(task)) == ("failed", "open")
    assert desk.outside.runner.ran == ["lint", "lint"]


def test_another_program_on_the_target_says_nothing_about_the_change_D5(desk: DeskWorld) -> None:
    configure(desk, TESTS)
    there = replace(report_of([ONE]), program="pytest sha256:1")
    answers(desk, "tests", there, replace(UNREAD, program="pytest sha256:2"))
    task = desk.submitted_task(labels=AUTO)
    assert (row_of(check(desk, task), "tests").outcome, desk.status(task)) == ("crashed", "reviewing")


def test_a_runner_waits_for_checks_that_broke_and_names_them_when_it_ends_D5(desk: DeskWorld) -> None:
    configure(desk, LINT)
    desk.outside.runner.says("lint", exit_code=127)
    task = desk.submitted_task()
    lasts: list[RunStep] = []
    for _ in range(5):
        check(desk, task)
        waiting = WaitingChecks(desk.app.context, CI)
        with desk.app.context.store.read() as tx:
            waiting.read(tx, desk.app.context.gate_policy(tx), ())
        put_off = {f"RunChecks:{name}": off for name, off in waiting.put_off.items()}
        lasts.append(plan(Snapshot(until_idle=True, checks_due=tuple(waiting.put_off), put_off=put_off))[-1])
        desk.clock.advance(minutes=30)
    assert [type(last) for last in lasts] == [Wait] * 4 + [Finish], "after a pause of a quarter of an hour it ends"
    left = f"{task} is not checked: lint crashed: fe check show {task}"
    assert lasts[-1] == Finish(why="idle", left=(left,), is_unfinished=True)


MENDS_LOCK = Ran(exit_code=0, rewritten=Rewritten(checked=("Cargo.lock",)))


@pytest.mark.parametrize(
    ("touched", "left", "outcome"),
    [
        ("Cargo.toml", MENDS_LOCK, "failed"),
        ("src/a.rs", MENDS_LOCK, "unsound"),
        ("Cargo.toml", Ran(exit_code=0, rewritten=Rewritten(checked=("Cargo.lock", "src/a.rs"))), "unsound"),
    ],
)
def test_a_manifest_without_its_lock_file_comes_back_with_what_to_commit_D5(
    world: GitWorld, touched: str, left: Ran, outcome: str
) -> None:
    for path in ("Cargo.toml", "Cargo.lock", "src/a.rs"):
        world.checkout.commit(path, "as it was\n")
    configure(world, LINT)
    answers(world, "lint", left, Ran(exit_code=0))
    task = world.work(CLAUDE, world.create(labels=AUTO), name=touched, text="more\n")
    world.submit(CLAUDE, task)
    report = check(world, task)
    assert (row_of(report, "lint").outcome, report.sent_back) == (outcome, outcome == "failed")
    if outcome == "failed":
        assert "Commit the changed file" in words(world, task)
