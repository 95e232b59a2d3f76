"""The merge queue (Q0–Q5): its order, what waits and why, what a merge makes, what brings a task back, and who may work
it off.
"""

from __future__ import annotations

from datetime import timedelta
from typing import cast

import msgspec
import pytest

from foureyes.app.context import Context, stamp
from foureyes.app.gate.merge_candidate import STARTS
from foureyes.app.gate.merge_queue import Rules, explain
from foureyes.app.results.attempt import MergeItem, what_brings_it_on
from foureyes.app.results.project import News
from foureyes.core.nouns.check import Ran
from foureyes.core.nouns.session import Actor
from foureyes.errors import GitProblem
from foureyes.steps import fe
from foureyes.ui.steps import steps_text

from tests.stage.checkout import AT_ONCE, CODE
from tests.stage.gated import (
    ELSEWHERE,
    LINT,
    TESTS,
    answers,
    approved,
    check,
    configure,
    deliver,
    merge,
    merge_rows,
    report_of,
    words,
)
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, asserted
from tests.stage.world import DeskWorld, GitWorld

NOW = "2026-03-01T12:00:00.000Z"
ONE, TWO = "test_shop::test_one", "test_shop::test_two"


def waits(world: GitWorld, task: str) -> str:
    """What an item of the queue waits for."""
    return next(item.why for item in world.app.merges.all() if item.task == task)


# Order and waiting


def test_priority_then_the_order_of_approval_Q1(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    first, second, urgent = deliver(world), deliver(world), deliver(world, priority=0)
    for task in (second, first, urgent):
        world.approve(BOB, task)
    assert [item.task for item in world.app.merges.all()] == [urgent, second, first]
    assert [item.n for item in world.app.merges.all()] == [1, 2, 3]
    assert list(merge(world)) == [urgent, second, first]
    line = world.checkout.git(
        "log", "--first-parent", "--format=%(trailers:key=Task,valueonly,separator=)", "-3", "main"
    ).split()
    assert line == [first, second, urgent]


def test_what_was_left_the_last_time_and_can_be_tried_again_brings_the_queue_on_Q1() -> None:
    left = MergeItem(
        task="fe-b", title="b", priority=2, attempt=1, approval=2, approver="a", approver_kind="agent",
        approved_at=NOW, state="waiting", why="main moved 3 times meanwhile",
    )  # fmt: skip
    held = msgspec.structs.replace(left, task="fe-a", why="", hold="not yet")
    rules = Rules(hold=None, settle_seconds=10, now=NOW)
    items = [explain(cast("Context", None), item, rules) for item in (held, left)]
    assert [(item.ready, bool(item.why)) for item in items] == [(False, True), (True, True)]
    assert steps_text(what_brings_it_on(items)) == "fe merge"


def test_a_persons_approval_settles_before_it_is_taken_Q0(world: GitWorld) -> None:
    task = approved(world)
    assert merge(world) == {task: "waiting"}
    assert waits(world, task) == "its approval can be withdrawn until 12:00:10 (Q0)"
    world.clock.advance(seconds=9)
    assert merge(world) == {task: "waiting"}
    world.app.decisions.withdraw(BOB, task, reason="wait")
    world.approve(BOB, task)
    world.clock.advance(seconds=10)
    assert merge(world) == {task: "merged"}


def test_a_wait_until_another_day_says_which_and_that_a_clock_is_ahead_Q0(world: GitWorld) -> None:
    world.clock.advance(hours=24)
    task = approved(world)
    world.clock.advance(hours=-24)
    day = stamp(world.clock.now() + timedelta(days=1))[:10]
    assert waits(world, task) == (
        f"its approval can be withdrawn until {day} 12:00:10 (the clock of the approving machine is ahead) (Q0)"
    )


def test_an_agents_approval_and_a_rules_do_not_settle_Q0(world: GitWorld) -> None:
    by_agent = approved(world, by=CODEX)
    by_rule = deliver(world, labels=["review:skip"])
    assert merge(world) == {by_agent: "merged", by_rule: "merged"}


def test_how_long_it_settles_is_configured_and_counted_from_the_approval_Q0(world: GitWorld) -> None:
    configure(world, "[review.human]\nsettle_seconds = 60\n")
    task = approved(world)
    world.clock.advance(seconds=59)
    assert merge(world) == {task: "waiting"}
    world.clock.advance(seconds=1)
    assert merge(world) == {task: "merged"}


def test_a_task_waits_for_what_it_depends_on_T3(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    second, first = deliver(world), deliver(world)
    world.app.tasks.add_dependency(ALICE, second, [first])
    world.approve(BOB, second)
    assert merge(world) == {second: "waiting"}
    assert waits(world, second) == "waits for 1 dependency"
    world.approve(BOB, first)
    assert [row.outcome for row in world.app.merges.process(CI)] == ["merged", "merged"], (
        "free as soon as the first is closed"
    )


@pytest.mark.parametrize("scope", ["task", "project"])
def test_a_hold_keeps_it_waiting_and_ends_nothing_D3(world: GitWorld, scope: str) -> None:
    configure(world, AT_ONCE)
    task = approved(world)
    target = world.checkout.head("main")
    world.app.stops.hold(ALICE, task if scope == "task" else None, "freeze")
    assert (merge(world), waits(world, task), world.checkout.head("main")) == (
        {task: "waiting"},
        "held: freeze",
        target,
    )
    world.app.stops.resume(ALICE, task if scope == "task" else None, "thawed")
    assert merge(world) == {task: "merged"}


def test_a_hold_that_comes_while_it_is_checked_keeps_it_from_the_target_D3_Q2(world: GitWorld) -> None:
    configure(world, AT_ONCE + LINT)
    task = deliver(world)
    check(world, task)
    world.approve(BOB, task)
    world.checkout.commit("other.py")  # so that the merge result is a tree that nobody checked
    target = world.checkout.head("main")

    def meanwhile() -> None:
        world.app.stops.hold(ALICE, task, "wait")

    world.outside.runner.during = meanwhile
    assert merge(world) == {task: "waiting"}
    assert (world.checkout.head("main"), world.status(task)) == (target, "approved")


# What a merge makes


def test_a_merge_has_both_parents_names_everything_and_closes_the_task_Q2_J3(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = deliver(world)
    world.approve(BOB, task)
    tip, head = world.checkout.head("main"), world.checkout.head(f"fe/{task}")
    row = merge_rows(world)[task]
    git = world.checkout.git
    assert (row.outcome, row.sha, git("rev-parse", "main")) == ("merged", git("rev-parse", "main"), row.sha)
    assert git("rev-parse", "main^1", "main^2").split() == [tip, head]
    said = git("log", "-1", "--format=%(trailers:only,unfold)", "main").splitlines()
    trailers = dict(line.split(": ", 1) for line in said)
    assert (trailers["Task"], trailers["Approved-by"], trailers["Attempt"]) == (task, BOB.session, "1")
    seq, digest = trailers["Journal"].split(":")
    assert any(str(entry.seq) == seq and entry.hash == digest for entry in world.app.audit.log(limit=1000))
    found = world.task(task)
    assert (found.status, found.resolution, found.merge) == ("closed", "merged", row.sha)


def test_words_of_title_and_message_do_not_become_trailers_J3(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = world.create(title="a title")
    world.work(CLAUDE, task)
    world.submit(CLAUDE, task, message="done\n\nTask: fe-forged\nApproved-by: me\nJournal: 1:0")
    world.checkout.switch("main")
    world.approve(BOB, task)
    merge(world)
    assert world.checkout.git("log", "-1", "--format=%(trailers:key=Task,valueonly)", "main").split() == [task]
    assert world.checkout.git("log", "-1", "--format=%(trailers:key=Journal,valueonly)", "main").split() != ["1:0"]


def test_the_merge_result_is_what_is_checked_and_an_equal_tree_is_known_Q2(world: GitWorld) -> None:
    configure(world, AT_ONCE + LINT)
    task = deliver(world)
    check(world, task)
    world.approve(BOB, task)
    row = merge_rows(world)[task]
    assert (row.outcome, "checks 1/1" in row.message) == ("merged", True)
    assert len(world.outside.runner.ran) == 1, "the target had not moved: the same tree"
    other = deliver(world)
    check(world, other)
    world.approve(BOB, other)
    world.checkout.commit("moved.py")
    assert merge(world) == {other: "merged"}
    assert len(world.outside.runner.ran) == 3


def test_a_checkout_follows_also_a_dirty_one_unless_the_merge_touches_what_is_dirty_Q5(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    clean, dirty, touching = deliver(world), deliver(world), deliver(world, {"code.py": CODE + "more\n"})
    heard: list[News] = []
    world.approve(BOB, clean)
    world.app.merges.process(CI, heard.append)
    assert (world.checkout.path / f"{clean}.py").exists()
    assert world.checkout.git("status", "--porcelain", "--", ".", ":!.foureyes") == ""
    assert any("brought up to date" in news.text for news in heard)
    world.checkout.write("code.py", "mine\n")
    world.approve(BOB, dirty)
    world.app.merges.process(CI, heard.append)
    assert (world.checkout.path / "code.py").read_text() == "mine\n"
    assert (world.checkout.path / f"{dirty}.py").exists()
    world.approve(BOB, touching)
    heard.clear()
    world.app.merges.process(CI, heard.append)
    assert (world.checkout.path / "code.py").read_text() == "mine\n"
    assert any("skipped" in news.text and news.next.steps[0].argv[:2] == ("git", "-C") for news in heard)


def test_what_is_on_the_target_already_is_found_and_not_merged_twice_A3_Q4(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = approved(world)
    world.checkout.git("merge", "-q", "--no-ff", "-m", "by hand", f"fe/{task}")
    head = world.checkout.head("main")
    assert (merge(world), world.checkout.head("main"), world.status(task)) == ({task: "found"}, head, "closed")
    assert merge(world) == {}


# What brings a task back (Q3)


def test_a_conflict_brings_it_back_with_the_files_and_the_target_stays_Q3(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task, free = approved(world, {"code.py": "mine\n"}), approved(world)
    target = world.checkout.commit("code.py", "theirs\n")
    assert merge(world) == {task: "conflict", free: "merged"}
    assert world.checkout.git("merge-base", target, "main") == target
    told = world.show(task).feedback[-1]
    assert (world.status(task), told.source, told.decision) == ("open", "merge", "redo")
    assert "conflicts in 1 file:\n- code.py\n" in told.text
    assert [row.state for row in world.show(task).approvals] == ["ended"]


def test_red_on_the_merge_result_brings_it_back_with_the_failing_tests_Q3(world: GitWorld) -> None:
    configure(world, AT_ONCE + TESTS)
    answers(
        world,
        "tests",
        report_of([ONE, TWO]),
        report_of([ONE, TWO]),
        report_of([ONE, TWO]),
        report_of([ONE], failing=[TWO]),
    )
    task = deliver(world)
    check(world, task)
    world.approve(BOB, task)
    target = world.checkout.commit("other.py")
    assert merge(world) == {task: "checks"}
    assert (world.status(task), world.checkout.head("main")) == ("open", target)
    assert f"- {TWO}" in words(world, task)
    assert "was not merged" in words(world, task)


def test_a_test_that_only_the_targets_tip_has_is_gone_on_the_merge_result_Q3_D5(world: GitWorld) -> None:
    configure(world, AT_ONCE + TESTS)
    answers(world, "tests", report_of([ONE]), report_of([ONE]), report_of([ONE, TWO]), report_of([ONE]))
    task = deliver(world)
    check(world, task)
    world.approve(BOB, task)
    world.checkout.commit("other.py")
    assert merge(world) == {task: "checks"}
    assert f"- gone: {TWO}" in words(world, task)


# Stuck, retried, dropped


@pytest.mark.parametrize("ran", [Ran(exit_code=127), Ran(exit_code=0, elsewhere=ELSEWHERE)], ids=["broke", "unsound"])
def test_a_check_that_broke_leaves_it_stuck_and_the_others_go_on_Q3(world: GitWorld, ran: Ran) -> None:
    configure(world, AT_ONCE + LINT)
    tasks = [deliver(world) for _ in range(2)]
    for task in tasks:
        check(world, task)
        world.approve(BOB, task)
    world.checkout.commit("other.py")
    answers(world, "lint", ran, Ran(exit_code=0))
    assert merge(world) == {tasks[0]: "stuck", tasks[1]: "merged"}
    assert world.status(tasks[0]) == "approved"
    (stuck,) = world.app.merges.all(BOB)
    assert (stuck.state, stuck.why, stuck.next) == ("stuck", waits(world, tasks[0]), fe("merge"))
    assert world.app.merges.retry(CODEX, tasks[0]).changed
    assert not world.app.merges.retry(CODEX, tasks[0]).changed
    assert merge(world) == {tasks[0]: "merged"}


def test_only_what_is_approved_can_be_tried_again_T2(world: GitWorld) -> None:
    task = deliver(world)
    with world.refused("T2"):
        world.app.merges.retry(BOB, task)


def test_to_drop_is_a_redo_with_a_reason_Q3(world: GitWorld) -> None:
    task = approved(world)
    with world.refused():
        world.app.feedback.redo(BOB, task, " ")
    with world.refused("P2"):
        world.app.feedback.redo(CLAUDE, task, "mine")
    assert world.app.feedback.redo(BOB, task, "not now").status == "open"
    assert (words(world, task), world.app.merges.all()) == ("not now", [])


# The target moves (Q3)


def moving(world: GitWorld, times: int) -> list[str]:
    """Somebody commits to the target while checks run; the commits."""
    made: list[str] = []

    def one() -> None:
        if len(made) < times:
            made.append(world.checkout.commit(f"meanwhile{len(made)}.py"))

    world.outside.runner.during = one
    return made


def ready_to_merge(world: GitWorld) -> str:
    configure(world, AT_ONCE + LINT)
    task = deliver(world)
    check(world, task)
    world.approve(BOB, task)
    world.checkout.commit("before.py")
    return task


def test_a_target_that_moved_meanwhile_starts_it_over_and_nothing_is_lost_Q3(world: GitWorld) -> None:
    task = ready_to_merge(world)
    made = moving(world, 1)
    assert merge(world) == {task: "merged"}
    assert world.checkout.git("rev-parse", "main^1") == made[0]
    assert world.outside.runner.ran == ["lint"] * 3, "each result of a merge is checked as what it is"


def test_a_target_that_never_rests_leaves_it_waiting_Q3(world: GitWorld) -> None:
    task = ready_to_merge(world)
    made = moving(world, 1000)
    row = merge_rows(world)[task]
    assert (row.outcome, len(made)) == ("waiting", STARTS)
    assert f"moved {STARTS} times" in row.message
    assert (world.checkout.head("main"), world.status(task)) == (made[-1], "approved")
    world.outside.runner.during = None
    assert merge(world) == {task: "merged"}


# Who


@pytest.mark.parametrize(("who", "rule"), [(CLAUDE, "D5"), (CODEX, "D5"), (asserted(ALICE), "I1")])
def test_no_agent_and_no_typed_name_works_the_queue_off_D5_I1(world: GitWorld, who: Actor, rule: str) -> None:
    approved(world)
    with world.refused(rule):
        world.app.merges.process(who)


def test_a_person_may_and_an_agents_approval_then_rests_on_their_run_D5(world: GitWorld) -> None:
    configure(world, AT_ONCE + LINT)
    task = deliver(world)
    check(world, task)
    world.approve(CODEX, task, reason="fine")
    world.checkout.commit("other.py")
    assert merge(world, BOB) == {task: "merged"}


def test_an_agents_approval_waits_where_only_its_maker_runs_the_merge_D5(world: GitWorld) -> None:
    configure(world, AT_ONCE + LINT)
    task = deliver(world, actor=ALICE, task=world.create(BOB))
    check(world, task)
    world.approve(CODEX, task, reason="fine")
    world.checkout.commit("other.py")
    row = merge_rows(world, ALICE)[task]
    assert (row.outcome, "claimed" in row.message) == ("waiting", True)
    assert merge(world, CI) == {task: "merged"}


def test_configuration_that_names_a_program_is_an_error_and_nothing_is_merged_Q2(desk: DeskWorld) -> None:
    desk.workshop.programs = ["core.fsmonitor", "filter.x.clean"]
    with desk.refused("Q2") as caught:
        desk.app.merges.process(CI)
    assert [reason.message.rpartition(" ")[2] for reason in caught[0].reasons] == desk.workshop.programs


def test_git_that_breaks_leaves_one_stuck_and_says_so_Q3(world: GitWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(world, AT_ONCE)
    task = approved(world)

    def broken(**_: object) -> None:
        raise GitProblem("the disk is on fire")

    with monkeypatch.context() as patched:
        patched.setattr(world.app.context.workshop, "merge", broken)
        row = merge_rows(world)[task]
    assert (row.outcome, row.message) == ("stuck", "git: the disk is on fire")
    assert merge(world) == {task: "merged"}, "the next one tries it again"
