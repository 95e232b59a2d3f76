"""Checks (D5): a result is of one tree and one check; who ran it decides for whom it counts; nothing but a pass is a
pass.
"""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from foureyes.app.facts import facts_of
from foureyes.app.gate.checks import Checks
from foureyes.app.results.attempt import CheckReport
from foureyes.app.results.project import News
from foureyes.core.nouns.check import RED_BEFORE, Ran, WhatRan
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.four_eyes import Declaration
from foureyes.core.words.ids import TaskId
from foureyes.errors import BadInput, GitProblem, NotFound
from foureyes.ui.steps import steps_text

from tests.stage.gated import AUTO, ELSEWHERE, KNIP, LINT, TESTS, answers, check, configure, deliver, report_of, row_of
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, agent, asserted, child_of, person
from tests.stage.world import DeskWorld, GitWorld

ONE, TWO = "test_shop::test_one", "test_shop::test_two"


# Once per tree and check


def test_an_equal_tree_uses_the_result_again_and_a_new_one_is_checked_anew_D5(world: GitWorld) -> None:
    configure(world, LINT)
    task = deliver(world)
    first = check(world, task)
    assert (row_of(first, "lint").outcome, row_of(first, "lint").reused, world.outside.runner.ran) == (
        "passed",
        False,
        ["lint"],
    )
    assert row_of(check(world, task), "lint").reused
    twin = deliver(world, {f"{task}.py": f"work on {task}\n"})
    assert row_of(check(world, twin), "lint").reused
    assert world.outside.runner.ran == ["lint"]
    other = deliver(world, {"other.py": "x\n"})
    assert not row_of(check(world, other), "lint").reused
    assert world.outside.runner.ran == ["lint", "lint"]


def test_another_message_on_the_same_tree_needs_no_second_run_A3_D5(world: GitWorld) -> None:
    configure(world, LINT)
    task = deliver(world)
    check(world, task)
    world.checkout.switch(f"fe/{task}")
    world.checkout.git("commit", "-q", "--amend", "-m", "said better")
    world.submit(CLAUDE, task)
    assert world.show(task).attempts[-1].relation == "message_only"
    assert row_of(check(world, task), "lint").reused
    assert world.outside.runner.ran == ["lint"]


@pytest.mark.parametrize(
    "other",
    [
        LINT.replace("ruff check .", "ruff check src"),
        LINT + "timeout_minutes = 3\n",
        LINT + 'env = ["CI"]\n',
        LINT + "failed_exit = [3]\n",
    ],
    ids=["command", "timeout", "environment", "exit codes"],
)
def test_another_check_under_the_same_name_has_no_result_yet_D5(desk: DeskWorld, other: str) -> None:
    configure(desk, LINT)
    task = desk.submitted_task()
    check(desk, task)
    configure(desk, other)
    assert row_of(desk.app.check_runs.of_task(BOB, task), "lint").outcome == "not_run"
    with desk.refused("D5"):
        desk.approve(BOB, task)
    assert not row_of(check(desk, task), "lint").reused
    assert desk.outside.runner.ran == ["lint", "lint"]


def test_whether_a_check_is_required_is_no_other_check(desk: DeskWorld) -> None:
    configure(desk, LINT)
    task = desk.submitted_task()
    check(desk, task)
    configure(desk, LINT + "required = false\n")
    assert row_of(desk.app.check_runs.of_task(BOB, task), "lint").outcome == "passed"


def test_a_result_of_another_environment_is_not_taken_for_this_ones_D5(desk: DeskWorld) -> None:
    configure(desk, LINT)
    runner, task = desk.outside.runner, desk.submitted_task()
    runner.answers["lint"] = Ran(exit_code=0, program="ruff sha256:1 in environment old")
    runner.programs["lint"] = " in environment old"
    check(desk, task)
    assert row_of(check(desk, task), "lint").reused
    runner.programs["lint"] = " in environment new"
    assert not row_of(check(desk, task), "lint").reused


def test_a_result_that_rests_on_another_tree_of_the_target_does_not_count_and_is_not_used_again_D5(
    desk: DeskWorld,
) -> None:
    configure(desk, LINT)
    runner, task = desk.outside.runner, desk.submitted_task()
    runner.answers["lint"] = Ran(exit_code=0, program=WhatRan("tool", "", "4" * 40).stored)
    assert row_of(check(desk, task), "lint").outcome == "not_run"
    with desk.refused("D5"):
        desk.approve(BOB, task)
    with desk.store.read() as tx:
        attempt = facts_of(desk.app.context, tx, TaskId(task)).attempt
    assert attempt is not None
    runner.answers["lint"] = Ran(exit_code=0, program=WhatRan("tool", "", attempt.base_tree).stored)
    row = row_of(check(desk, task), "lint")
    assert (row.outcome, row.reused) == ("passed", False)
    assert row_of(check(desk, task), "lint").reused, "on the same tree, for the same one of the target"


def test_again_runs_it_once_more_and_red_after_green_is_told(desk: DeskWorld) -> None:
    configure(desk, LINT)
    task = desk.submitted_task()
    check(desk, task)
    desk.outside.runner.says("lint", exit_code=1, output="E501 too long\n")
    assert row_of(check(desk, task), "lint").outcome == "passed", "reused: ran on this tree"
    row = row_of(check(desk, task, again=True), "lint")
    assert (row.outcome, row.flaky, row.reused) == ("failed", True, False)
    with desk.refused("D5"):
        desk.approve(BOB, task)


def test_a_name_that_no_check_has_is_refused_where_nothing_waits_either(desk: DeskWorld) -> None:
    configure(desk, LINT)
    with pytest.raises(BadInput, match="there is no check nosuch"):
        desk.app.checks.run_each(CI, [], only=["nosuch"])


def test_a_run_on_the_target_says_that_another_configuration_waits_to_be_accepted_P12(world: GitWorld) -> None:
    configure(world, LINT)
    told: list[News] = []
    world.app.checks.run_target(CI, tell=told.append)
    assert not any("P12" in news.text for news in told)
    world.checkout.switch("main")
    world.checkout.commit("foureyes.toml", LINT.replace("ruff check .", "ruff check src"))
    world.app.checks.run_target(CI, again=True, tell=told.append)
    (said,) = [news for news in told if "P12" in news.text]
    assert "has changes that were not accepted, so it is not used" in said.text
    assert "fe config accept" in steps_text(said.next)


def test_what_is_to_be_compared_with_the_target_is_not_called_red_before_that(desk: DeskWorld) -> None:
    configure(desk, LINT)
    answers(desk, "lint", Ran(exit_code=2), Ran(exit_code=0))
    told: list[News] = []
    check(desk, desk.submitted_task(), tell=told.append)
    assert any("did not finish: exit code 2 (not compared with the target yet)" in news.text for news in told)
    assert not any("crashed" in news.text for news in told)


def test_only_runs_what_is_named(desk: DeskWorld) -> None:
    configure(desk, LINT + KNIP)
    task = desk.submitted_task()
    report = check(desk, task, only=["knip"])
    assert (desk.outside.runner.ran, row_of(report, "lint").outcome, row_of(report, "knip").outcome) == (
        ["knip"],
        "not_run",
        "passed",
    )
    assert not report.is_green


# For whom it counts


@pytest.mark.parametrize(
    "runner", [CLAUDE, CODEX, agent("codex", 9, evidence=CLAUDE.evidence)], ids=["the author", "a peer", "one origin"]
)
def test_what_an_agent_ran_is_claimed_informs_people_and_decides_nothing_D5_M4(desk: DeskWorld, runner: Actor) -> None:
    configure(desk, LINT)
    task = desk.submitted_task(labels=AUTO)
    report = check(desk, task, runner)
    row = row_of(report, "lint")
    assert (row.outcome, row.claimed, report.status, report.mode) == ("passed", True, "reviewing", "auto-approve")
    assert any(reason.rule == "M4" and "claimed" in reason.message for reason in report.reasons)
    with desk.refused("D5") as caught:
        desk.approve(agent("gemini"), task, reason="fine")
    assert "claimed" in caught[0].reasons[0].message
    done = desk.approve(BOB, task)
    assert done.rule == "P7"
    assert done.notes == ("lint is claimed: only an agent or an author ran it, so it does not count (D5)",)


def test_a_child_of_the_author_that_runs_it_is_the_author_D5_I4(desk: DeskWorld) -> None:
    configure(desk, LINT)
    task = desk.submitted_task()
    assert row_of(check(desk, task, child_of(CLAUDE)), "lint").claimed


def test_a_person_who_made_the_change_only_claims_and_another_one_counts_D5(desk: DeskWorld) -> None:
    configure(desk, LINT)
    task = desk.submitted_task(ALICE, creator=BOB)
    assert row_of(check(desk, task, ALICE), "lint").claimed
    with desk.refused("D5"):
        desk.approve(CODEX, task, reason="fine")
    row = row_of(check(desk, task, person("carol")), "lint")
    assert (row.claimed, row.reused) == (False, False), "a claim is no result of use to somebody whose run counts"
    assert desk.approve(CODEX, task, reason="fine").rule == "P7"


def test_after_a_run_that_counts_an_agent_uses_it_again_D5(desk: DeskWorld) -> None:
    configure(desk, LINT)
    task = desk.submitted_task()
    check(desk, task, CLAUDE)
    assert row_of(check(desk, task, CI), "lint").claimed is False
    assert row_of(check(desk, task, CODEX), "lint").reused
    assert desk.outside.runner.ran == ["lint", "lint"]


def test_a_claimed_red_does_not_hide_a_green_that_counts_nor_the_other_way_round_D5(desk: DeskWorld) -> None:
    configure(desk, LINT)
    task = desk.submitted_task()
    check(desk, task, CI)
    desk.outside.runner.says("lint", exit_code=1)
    assert row_of(check(desk, task, CODEX, again=True), "lint").outcome == "passed"
    check(desk, task, CI, again=True)
    desk.outside.runner.says("lint", exit_code=0)
    assert row_of(check(desk, task, CLAUDE, again=True), "lint").outcome == "failed"
    with desk.refused("D5"):
        desk.approve(BOB, task)


def test_a_result_turns_into_a_claim_when_its_runner_becomes_an_author_D5_I8(desk: DeskWorld) -> None:
    configure(desk, LINT)
    task = desk.submitted_task()
    check(desk, task, BOB)
    assert not row_of(desk.app.check_runs.of_task(CI, task), "lint").claimed
    desk.app.feedback.redo(ALICE, task, "more")
    desk.start(BOB, task)
    assert row_of(desk.app.check_runs.of_task(CI, task), "lint").claimed


# What is no pass


@pytest.mark.parametrize(
    ("ran", "word"),
    [
        (Ran(exit_code=None, problem="no such program"), "crashed"),
        (Ran(exit_code=127), "crashed"),
        (Ran(exit_code=-9), "crashed"),
        (Ran(exit_code=2), "failed"),  # the target ran to its end: broken by the change
        (Ran(exit_code=0, timed_out=True), "timed_out"),
        (Ran(exit_code=1), "failed"),
        (Ran(exit_code=0, problem="the report is not valid XML"), "crashed"),
        (Ran(exit_code=0, elsewhere=ELSEWHERE), "unsound"),
    ],
    ids=["not started", "not found", "killed", "broke", "too long", "red", "no report", "other code"],
)
def test_red_crashed_timed_out_and_unsound_are_no_pass_for_anybody_D5_G1(desk: DeskWorld, ran: Ran, word: str) -> None:
    configure(desk, LINT)
    desk.outside.runner.answers["lint"] = ran
    task = desk.submitted_task(via=ALICE)
    report = check(desk, task)
    assert (row_of(report, "lint").outcome, report.is_green, report.status) == (word, False, "reviewing")
    for who in (BOB, CODEX):
        with desk.refused("D5"):
            desk.approve(who, task, reason="it is fine")


def test_an_unsound_run_says_what_was_used_and_what_to_do_and_is_nobodys_fault_D5(desk: DeskWorld) -> None:
    configure(desk, TESTS)
    red = report_of([ONE], failing=[TWO])
    desk.outside.runner.answers["tests"] = replace(red, elsewhere=ELSEWHERE)
    task = desk.submitted_task(labels=["review:auto"])
    report = check(desk, task)
    row = row_of(report, "tests")
    assert (row.outcome, row.failing, row.gone, report.status) == ("unsound", (), (), "reviewing")
    assert row.summary == ELSEWHERE.sentence
    with desk.refused("D5") as refused:
        desk.approve(BOB, task, reason="these tests may go")
    (reason,) = [reason for reason in refused[0].reasons if reason.rule == "D5"]
    assert f"is unsound: it {ELSEWHERE.sentence}" in reason.message
    assert steps_text(reason.next) == f"fix that, then fe check run {task}"
    assert desk.show(task).findings == []


@pytest.mark.parametrize(
    "ran",
    [Ran(exit_code=127), Ran(exit_code=0, timed_out=True), Ran(exit_code=1, elsewhere=ELSEWHERE)],
    ids=["crashed", "timed out", "unsound"],
)
def test_a_check_that_broke_is_run_again_and_one_that_failed_is_not_D5(desk: DeskWorld, ran: Ran) -> None:
    configure(desk, LINT)
    desk.outside.runner.answers["lint"] = ran
    task = desk.submitted_task()
    check(desk, task)
    desk.outside.runner.says("lint", exit_code=1)
    assert row_of(check(desk, task), "lint").outcome == "failed"
    desk.outside.runner.says("lint", exit_code=0)
    assert row_of(check(desk, task), "lint").outcome == "failed"
    assert desk.outside.runner.ran == ["lint", "lint", "lint"], "the last one where the change begins"


PREPARED = '\n[checkout]\nprepare = "npm ci"\nextra_inputs = ["lock"]\n'


@pytest.mark.parametrize(("path", "offered"), [("lock", "fe redo {} "), ("a.py", "fe check run {}")])
def test_an_environment_that_an_attempt_broke_by_its_own_inputs_can_be_sent_back_D5(
    world: GitWorld, path: str, offered: str
) -> None:
    """Another run alone would only crash again."""
    configure(world, LINT + PREPARED)
    world.outside.runner.answers["lint"] = Ran(exit_code=None, unprepared="checkout.prepare ended with exit code 1")
    task = deliver(world, {path: "x\n"})
    report = check(world, task)
    assert row_of(report, "lint").outcome == "crashed"
    with world.refused("D5") as refused:
        world.approve(BOB, task, reason="fine")
    (reason,) = [reason for reason in refused[0].reasons if reason.rule == "D5"]
    for step in (reason.next, world.app.check_runs.of_task(BOB, task).next):
        assert offered.format(task) in steps_text(step)
        assert f"fe check run {task}" in steps_text(step)
    mend = steps_text(world.app.check_runs.of_task(CLAUDE, task).next)
    assert ("fix it, commit, then: fe submit" in mend) == (path == "lock")


@pytest.mark.parametrize(
    ("before", "now", "same"),
    [
        (report_of([ONE], failing=[TWO]), report_of([], failing=[ONE, TWO]), False),
        (report_of([ONE, TWO]), report_of([ONE], failing=[TWO]), False),
        (Ran(exit_code=2, unbuilt="checkout.build ended with exit code 2"),) * 2 + (True,),
        (Ran(exit_code=5), Ran(exit_code=None, unbuilt="it changes what checkout.prepare makes"), True),
    ],
    ids=["one more", "green there", "no build", "another end"],
)
def test_what_names_nothing_and_fails_on_the_target_too_cannot_be_told_apart_D5(
    desk: DeskWorld, before: Ran, now: Ran, same: bool
) -> None:
    configure(desk, TESTS)
    desk.outside.runner.answers["tests"] = before

    def on_the_target_first() -> None:
        desk.outside.runner.answers["tests"] = before if len(desk.outside.runner.ran) == 1 else now

    desk.outside.runner.during = on_the_target_first
    task = desk.submitted_task()
    row = row_of(check(desk, task), "tests")
    assert (row.outcome, RED_BEFORE in row.summary) == ("failed", same)


@pytest.mark.parametrize("ran", [report_of([]), report_of([], skipped=[ONE, TWO])], ids=["no test", "all skipped"])
def test_a_report_without_a_test_that_ran_is_no_pass_D5(desk: DeskWorld, ran: Ran) -> None:
    configure(desk, TESTS)
    desk.outside.runner.answers["tests"] = ran
    task = desk.submitted_task()
    assert row_of(check(desk, task), "tests").outcome == "failed"


def test_an_optional_check_that_fails_is_shown_and_refuses_nothing_M4(desk: DeskWorld) -> None:
    configure(desk, LINT + KNIP)
    desk.outside.runner.says("knip", exit_code=1, output="3 unused\n")
    task = desk.submitted_task()
    report = check(desk, task)
    assert (row_of(report, "knip").outcome, report.is_green) == ("failed", True)
    assert desk.approve(CODEX, task, reason="fine").rule == "P7"


def test_what_was_not_run_refuses_and_names_the_command_D5_G2(desk: DeskWorld) -> None:
    configure(desk, LINT + TESTS)
    task = desk.submitted_task()
    with desk.refused("D5") as caught:
        desk.approve(BOB, task)
    reasons = caught[0].reasons
    assert [reason.rule for reason in reasons] == ["D5", "D5"]
    assert all(
        "has not run" in reason.message and steps_text(reason.next) == f"fe check run {task}" for reason in reasons
    )


@pytest.mark.parametrize("who", [CODEX, CLAUDE])
def test_an_agent_is_told_at_once_who_runs_a_check_so_that_it_counts_and_is_never_sent_to_a_run_that_does_not_D5_G2(
    desk: DeskWorld, who: Actor
) -> None:
    configure(desk, LINT)
    task = desk.submitted_task()
    counts = f"a person or CI runs: fe check run {task}"
    for why in ("has not run", "in a run by an agent or an author"):
        with desk.refused("D5") as caught:
            desk.approve(CODEX, task)
        assert [steps_text(reason.next) for reason in caught[0].reasons] == [counts]
        assert why in caught[0].reasons[0].message
        assert steps_text(check(desk, task, who).next) == counts


# What broke is back in the merge queue


def test_a_job_takes_a_crashed_check_up_again_after_a_pause_that_grows_and_recovers_by_itself_D5(
    desk: DeskWorld,
) -> None:
    configure(desk, LINT)
    desk.outside.runner.says("lint", exit_code=127)
    task, pauses = desk.submitted_task(labels=AUTO), []
    for _ in range(8):
        assert desk.app.checks.pending(CI).tasks == (task,)
        check(desk, task)
        assert desk.app.checks.pending(CI).tasks == (), "not again at once"
        (later,) = desk.app.checks.pending(CI).later
        began = desk.clock.now()
        while not desk.app.checks.pending(CI).tasks:
            desk.clock.advance(minutes=1)
        pauses.append(round((desk.clock.now() - began).total_seconds() / 60))
        assert (later.task, later.check, later.outcome, later.tries) == (task, "lint", "crashed", len(pauses))
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60]
    desk.outside.runner.says("lint")
    assert check(desk, task).status == "approved"
    assert desk.app.checks.pending(CI).tasks == ()


def test_naming_the_task_or_again_runs_a_crashed_check_at_once_D5(desk: DeskWorld) -> None:
    configure(desk, LINT)
    desk.outside.runner.says("lint", exit_code=127)
    task = desk.submitted_task()
    check(desk, task)
    assert desk.app.checks.pending(CI).tasks == ()
    assert desk.app.checks.pending(CI, again=True).tasks == (task,)
    check(desk, task)
    assert desk.outside.runner.ran == ["lint", "lint"]


def test_the_targets_tests_that_cannot_run_are_not_tried_every_minute_either_D5(world: GitWorld) -> None:
    configure(world, TESTS)
    answers(world, "tests", Ran(exit_code=127), report_of([ONE]))
    task = deliver(world)
    assert row_of(check(world, task), "tests").outcome == "not_run"
    assert world.app.checks.pending(CI).tasks == ()
    world.clock.advance(minutes=2)
    assert world.app.checks.pending(CI).tasks == (task,)
    assert row_of(check(world, task), "tests").outcome == "passed"


def test_a_crash_where_an_agent_ran_it_makes_no_job_wait_D5(desk: DeskWorld) -> None:
    configure(desk, LINT)
    desk.outside.runner.says("lint", exit_code=127)
    task = desk.submitted_task()
    check(desk, task, CODEX)
    assert desk.app.checks.pending(CI).tasks == (task,)


def test_no_code_has_no_tree_to_check_D5_A5(desk: DeskWorld) -> None:
    configure(desk, LINT)
    task = desk.create()
    desk.start(CLAUDE, task)
    desk.submit(CLAUDE, task, no_code=True)
    assert desk.approve(BOB, task).status == "closed"


# Ways around, on the record


def test_breaking_the_glass_passes_red_checks_on_the_record_N3(desk: DeskWorld) -> None:
    configure(desk, LINT)
    desk.outside.runner.says("lint", exit_code=1)
    task = desk.submitted_task(via=ALICE)
    check(desk, task)
    with desk.refused("D5"):
        desk.app.decisions.approve(
            CODEX, task, seen=desk.show(task).attempts[-1].diff_id, declaration=Declaration(break_glass="now")
        )
    done = desk.app.decisions.approve(BOB, task, declaration=Declaration(break_glass="the shop is down"))
    (event,) = desk.app.audit.exceptions()
    assert (done.rule, done.exception, event.kind, event.reason) == ("N3", True, "break_glass", "the shop is down")


def test_a_minor_task_needs_no_checks_where_the_project_says_so_D5_P10(desk: DeskWorld) -> None:
    configure(desk, "[minor]\nchecks = false\nmax_lines = 20\n" + LINT)
    small, large = desk.submitted_task(minor=True), desk.submitted_task(minor=True, lines=21)
    assert desk.approve(CODEX, small, reason="small").rule == "P1"
    with desk.refused("D5"):
        desk.approve(CODEX, large, reason="small")
    configure(desk, LINT)
    usual = desk.submitted_task(minor=True)
    with desk.refused("D5"):
        desk.approve(CODEX, usual, reason="small")


# Refusals, and what is shown


def test_there_must_be_something_to_run_and_something_to_run_it_on(desk: DeskWorld) -> None:
    waiting = desk.create()
    task = desk.submitted_task()
    with desk.refused(error=NotFound) as caught:
        check(desk, task)
    assert ("no checks are in force" in caught[0].message, steps_text(caught[0].next_step)) == (
        True,
        "a person runs: fe config accept",
    )
    configure(desk, LINT)
    with desk.refused(error=NotFound) as caught:
        check(desk, waiting)
    assert steps_text(caught[0].next_step) == f"fe submit {waiting}"
    with desk.refused(error=NotFound):
        desk.app.check_runs.of_task(BOB, waiting)
    with desk.refused(error=BadInput) as caught:
        check(desk, task, only=["lnt"])
    assert "lint" in steps_text(caught[0].next_step)
    assert desk.outside.runner.ran == []


def test_a_typed_name_and_a_reviewers_token_run_nothing_and_a_token_only_its_task_I1_I2(desk: DeskWorld) -> None:
    configure(desk, LINT)
    task, other = desk.submitted_task(), desk.submitted_task()
    with desk.refused("I1"):
        check(desk, task, asserted(ALICE))
    reviewer = desk.spawn(BOB, task, "review", agent="codex")
    with desk.refused("I2"):
        check(desk, task, reviewer)
    desk.app.feedback.redo(ALICE, task, "more")
    maker = desk.spawn(BOB, task, "implement", agent="codex")
    with desk.refused("I2"):
        check(desk, other, maker)
    assert desk.outside.runner.ran == []


def test_pending_is_what_has_no_result_that_counts(desk: DeskWorld) -> None:
    configure(desk, LINT + KNIP)
    unchecked, claimed, done = desk.submitted_task(), desk.submitted_task(), desk.submitted_task()
    desk.create()
    check(desk, claimed, CLAUDE)
    check(desk, done, CI)
    assert desk.app.checks.pending(CI).tasks == (unchecked, claimed)
    desk.outside.runner.says("lint", exit_code=1)
    check(desk, unchecked, CI)
    assert desk.app.checks.pending(CI).tasks == (claimed,), "red is a result"


def test_show_has_what_it_printed_who_ran_it_and_the_command(desk: DeskWorld) -> None:
    configure(desk, LINT)
    desk.outside.runner.says("lint", exit_code=1, output="a.py:1 E501\n", duration_ms=1500)
    task = desk.submitted_task()
    heard: list[News] = []
    check(desk, task, tell=heard.append)
    with desk.unchanged():
        row = row_of(desk.app.check_runs.of_task(BOB, task), "lint")
    assert (row.output, row.command, row.duration_ms, CI.session in row.by) == (
        "a.py:1 E501\n",
        "ruff check .",
        1500,
        True,
    )
    assert heard[0].text.startswith(f"{task}  lint on ")
    assert [news.text for news in heard[1:]] == [
        f"{task}  lint failed: exit code 1", f"{task}  lint on the target …", f"{task}  lint passed: exit code 0",
    ]  # fmt: skip


def test_results_are_told_one_after_the_other_and_kept_when_a_later_check_cannot_run_G4(desk: DeskWorld) -> None:
    configure(desk, LINT + KNIP)
    task = desk.submitted_task()

    def stop() -> None:
        if desk.outside.runner.ran[-1] == "knip":
            raise KeyboardInterrupt

    desk.outside.runner.during = stop
    with pytest.raises(KeyboardInterrupt):
        check(desk, task)
    desk.outside.runner.during = None
    assert row_of(check(desk, task), "lint").reused
    assert desk.outside.runner.ran == ["lint", "knip", "knip"]


def test_two_answers_of_one_script_are_given_in_order(desk: DeskWorld) -> None:
    configure(desk, LINT)
    answers(desk, "lint", Ran(exit_code=1), Ran(exit_code=0))
    task = desk.submitted_task()
    assert [row_of(check(desk, task, again=True), "lint").outcome for _ in range(3)] == ["failed", "passed", "passed"]


def test_what_cannot_be_looked_at_keeps_no_other_from_its_checks_D5(
    world: GitWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(world, LINT)
    bad, good = deliver(world), deliver(world, {"other.py": "x\n"})
    run = type(world.app.checks).run

    def runs(checks: Checks, actor: Actor, task: str, **options: Any) -> CheckReport:
        if task == bad:
            raise GitProblem("an object is gone")
        return run(checks, actor, task, **options)

    monkeypatch.setattr(Checks, "run", runs)
    broken, fine = world.app.checks.run_each(CI, [bad, good])
    assert (broken.task, broken.problem, broken.is_green) == (bad, "an object is gone", False)
    assert (fine.task, fine.is_green) == (good, True)
