"""X2, X3: runners and sprints: what begins, what pauses it, how it ends, and what a crash leaves of it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from foureyes.app.agent_ports import Launch
from foureyes.app.results.sprint import SprintAsk
from foureyes.app.runner import due_work
from foureyes.app.tasks.sprint_records import now_of
from foureyes.core.nouns.run import RunOutcome, Usage

from tests.stage.gated import AUTO, LINT
from tests.stage.people import ALICE, BOB
from tests.stage.playground import Playground
from tests.stage.playing import DONE, Play
from tests.stage.running import reserved

FAILED = RunOutcome(ended=False, rc=1, error="crash", error_text="segmentation fault")


def begun(ground: Playground, *tasks: str, **asked: Any) -> str:
    """A sprint that runs; the runner is the test's own."""
    name = ground.app.sprints.plan(ALICE, SprintAsk(tasks=tasks, **asked)).id
    ground.app.sprints.start(ALICE, name)
    return name


def sprint(ground: Playground, name: str = "") -> Any:
    return ground.app.sprints.status(ALICE, name)


def test_new_tasks_begin_only_out_of_the_sprint_and_at_its_end_none_X2(ground: Playground) -> None:
    inside, outside = ground.create(BOB, title="in"), ground.create(BOB, title="out", priority=0)
    name = begun(ground, inside)
    runner = ground.runner(agents=3)
    ground.settle(runner)
    assert (ground.status(inside), ground.status(outside)) == ("reviewing", "open")
    ground.app.sprints.stop(ALICE, name)
    ground.settle(runner)
    assert ground.status(outside) == "open", "who saw a sprint end begins nothing new"
    ground.settle(ground.runner(agents=3))
    assert ground.status(outside) == "reviewing", "who starts a runner again means it"


def test_work_that_was_sent_back_goes_on_while_a_sprint_runs_and_after_it_X2(ground: Playground) -> None:
    before, inside = ground.create(BOB), ground.create(BOB)
    ground.settle(ground.runner(assigned=((before, "claude"),), once=True))
    ground.app.feedback.redo(ALICE, before, "again")
    name = begun(ground, *([inside] if ground.status(inside) == "open" else []), labels=())
    ground.settle(ground.runner())
    assert len(ground.runs_of(before)) == 2
    assert sprint(ground, name).done >= 1


def test_where_nothing_was_written_its_tasks_are_not_gone_through_again_G6(
    ground: Playground, monkeypatch: pytest.MonkeyPatch
) -> None:
    ground.create(BOB)
    begun(ground, hours=1)
    asked: list[str] = []

    def counted(tx: Any, row: Any) -> Any:
        asked.append(row.id)
        return now_of(tx, row)

    monkeypatch.setattr(due_work, "now_of", counted)
    ground.plays = [Play(lasts=9)]
    runner = ground.runner(agents=1)
    ground.ticks(runner, 3)
    first = len(asked)
    ground.ticks(runner, 3)
    assert len(asked) == first
    ground.create(BOB)
    ground.ticks(runner)
    assert len(asked) == first + 1


def test_so_many_tasks_and_no_more_are_begun_X1_X2(ground: Playground) -> None:
    tasks = [ground.create(BOB) for _ in range(5)]
    name = begun(ground, complete=2)
    ground.settle(ground.runner(agents=3))
    assert sorted(map(ground.status, tasks)) == ["open", "open", "open", "reviewing", "reviewing"]
    view = sprint(ground, name)
    assert (view.state, view.done, view.of, view.why) == ("ended", 2, 2, "2 tasks are done")


def test_when_its_time_is_over_what_runs_finishes_and_goes_to_ordinary_review_X2(ground: Playground) -> None:
    tasks = [ground.create(BOB) for _ in range(3)]
    name = begun(ground, hours=1)
    ground.plays = [Play(lasts=9)]
    runner = ground.runner(agents=1, sprints=True)
    ground.ticks(runner, 3)
    assert [ground.status(task) for task in tasks] == ["in_progress", "open", "open"]
    ground.clock.advance(hours=1)
    said = ground.settle(runner)
    assert said.startswith(f"{name} is over (its time is over)")
    assert [ground.status(task) for task in tasks] == ["reviewing", "open", "open"]
    assert sprint(ground).ended == f"SPRINT {name} ended 13:00 │ 1/3 │ 1 waits for you [R]"


def test_until_nothing_is_ready_it_waits_for_merges_that_make_more_ready_X1(ground: Playground) -> None:
    ground.configured(LINT + '\n[review]\ndefault_mode = "auto-approve"\n')
    first = ground.create(ALICE, labels=AUTO)
    second = ground.create(ALICE, labels=AUTO, depends_on=[first])
    name = begun(ground)
    ground.settle(ground.runner(sprints=True))
    assert [ground.status(task) for task in (first, second)] == ["closed", "closed"]
    view = sprint(ground, name)
    assert (view.state, view.merged, view.by_rule) == ("ended", 2, 2)


def test_a_task_that_only_a_person_lets_go_on_does_not_keep_a_sprint_from_its_end_X1_X5(ground: Playground) -> None:
    held, paused, fine = (ground.create(BOB, title=title) for title in ("held", "paused", "fine"))
    name = begun(ground)
    ground.app.stops.hold(ALICE, held, "legal looks")
    ground.app.runs.pause(ALICE, paused, reason="wait for me")
    assert ground.settle(ground.runner(sprints=True)).startswith(f"{name} is over (none of its tasks is ready)")
    report = ground.app.sprints.report(ALICE, name)
    assert [(row.task, row.why) for row in report.failed] == [
        (held, "held: legal looks"), (paused, "paused: wait for me")
    ]  # fmt: skip
    assert [row.task for row in report.waiting] == [fine]
    assert "1/3 tasks, 2 failed" in report.sentence


def test_three_errors_in_a_row_pause_it_with_why_and_a_person_lets_it_go_on_X3(ground: Playground) -> None:
    tasks = [ground.create(BOB) for _ in range(4)]
    name = begun(ground)
    ground.plays = [Play(outcome=FAILED, commits=0) for _ in range(3)]
    runner = ground.runner(agents=1, until_idle=True)
    said = ground.settle(runner)
    view = sprint(ground)
    assert (view.state, view.why.startswith("three errors in a row: ")) == ("paused", True)
    assert said.startswith(f"{name} is paused: three errors in a row"), "the last line of a runner says so"
    assert any(line.startswith(f"! {name} is paused") for _, line in ground.said)
    ground.app.sprints.start(ALICE, name)
    ground.settle(ground.runner(agents=2))
    assert sprint(ground).done + sprint(ground).failed == len(tasks)


def test_any_error_pauses_it_where_that_was_chosen_X3(ground: Playground) -> None:
    [ground.create(BOB) for _ in range(2)]
    begun(ground, pause_on_error=True)
    ground.plays = [Play(outcome=FAILED, commits=0)]
    ground.settle(ground.runner(agents=1, until_idle=True))
    assert (sprint(ground).state, "segmentation fault" in sprint(ground).why) == ("paused", True)


def test_a_hold_of_the_project_pauses_it_and_lifting_it_lets_it_go_on_X3(ground: Playground) -> None:
    task = ground.create(BOB)
    name = begun(ground, task)
    ground.app.stops.hold(ALICE, None, "legal looks")
    runner = ground.runner()
    ground.ticks(runner, 3)
    assert (sprint(ground).state, sprint(ground).why) == ("paused", "the project is held: legal looks")
    ground.app.stops.resume(ALICE, None, "fine")
    ground.settle(runner)
    assert ground.status(task) == "reviewing"
    assert [halt.split(" ", 1)[1] for halt in ground.app.sprints.report(ALICE, name).halts] == [
        "paused: the project is held: legal looks", "continued: the hold was lifted"
    ]  # fmt: skip


def test_what_it_costs_pauses_it_and_a_person_lets_it_cost_as_much_again_X3(ground: Playground) -> None:
    ground.configured("[run]\nspend_per_sprint = 2.0\n")
    tasks = [ground.create(BOB) for _ in range(4)]
    name = begun(ground)
    costly = RunOutcome(ended=True, rc=0, signal="DONE", usage=Usage(cost_micros=1_000_000))
    ground.plays = [Play(outcome=costly) for _ in tasks]
    ground.settle(ground.runner(agents=1, until_idle=True))
    assert (sprint(ground).state, sprint(ground).done) == ("paused", 2)
    assert sprint(ground).why == "it has cost 2.00, and the limit is 2.00 (run.spend_per_sprint)"
    ground.app.sprints.start(ALICE, name)
    ground.settle(ground.runner(agents=1, until_idle=True))
    assert sprint(ground).done == 4


def test_no_runner_reserves_a_new_task_beside_the_sprint_however_it_comes_to_it_X2(ground: Playground) -> None:
    inside, outside = ground.create(BOB), ground.create(BOB)
    name = begun(ground, inside, hours=1)
    actor = ground.app.runs.begin(ALICE, agents=1).actor
    with ground.refused("X2"):
        reserved(ground, actor, outside)
    ground.app.sprints.pause(ALICE, name)
    with ground.refused("X2"):
        reserved(ground, actor, inside)
    ground.app.sprints.start(ALICE, name)
    ground.clock.advance(hours=2)
    with ground.refused("X2"):
        reserved(ground, actor, inside)


def night(ground: Playground) -> list[str]:
    """Twelve tasks at ten to midnight: some go through by rule, some wait for a person, one is stuck in the end."""
    ground.configured(LINT + '\n[tiers]\ndeveloper = "claude"\n[run]\nmax_runs_per_task = 2\n')
    ground.clock.time = datetime(2026, 11, 17, 23, 50, tzinfo=UTC)
    by_rule = [ground.create(ALICE, title=f"by rule {n}", labels=AUTO, priority=1) for n in range(5)]
    others = [ground.create(BOB, title=f"to look at {n}") for n in range(6)]
    return [*by_rule, *others, ground.create(BOB, title="sensitive", labels=["security"])]


def test_a_night_from_ten_to_midnight_until_eight_with_a_crash_in_between_X2_X5_E6(ground: Playground) -> None:
    tasks = night(ground)
    view = ground.app.sprints.plan(ALICE, SprintAsk(until="08:00"))
    assert (len(view.tasks), view.need_person, view.target.at) == (12, 1, "2026-11-18T08:00:00.000Z")
    assert view.seconds_left == 8 * 3600 + 600
    ground.app.sprints.start(ALICE, view.id)
    doomed = tasks[5]
    slow = {tasks[1], tasks[2]}

    def play(launch: Launch) -> Play:
        if launch.task == doomed:
            return Play(outcome=FAILED, commits=0)
        return Play(lasts=50) if launch.task in slow else Play()

    ground.agents.next_play = play
    first = ground.runner(agents=3, sprints=True)
    ground.ticks(first, 8)
    before = sprint(ground)
    assert before.running >= 1
    slow.clear()
    ground.outside.gone.add(ground.outside.own)  # kill -9: nothing is written, nobody says goodbye
    second = ground.runner(agents=3, sprints=True)
    for _ in range(60):
        if second.tick() is not None:
            ground.clock.advance(minutes=1)
    middle = sprint(ground)
    assert (middle.state, middle.id) == ("running", view.id)
    ground.clock.time = datetime(2026, 11, 18, 8, 0, tzinfo=UTC)
    assert ground.settle(second).startswith(f"{view.id} is over")
    report = ground.app.sprints.report(ALICE)
    placed = [*report.merged, *report.approved, *report.waiting, *report.failed, *report.unfinished, *report.untouched]
    assert sorted(row.task for row in placed) == sorted(tasks), "every task is in one place"
    assert len(report.merged) == 5
    assert {row.by for row in report.merged} == {"rule"}
    assert [(row.task, row.why) for row in report.failed] == [(doomed, report.failed[0].why)]
    assert "segmentation fault" in report.failed[0].why
    assert (len(report.waiting), report.waiting[0].why) == (6, "look closely")
    assert report.waiting[0].title == "sensitive"
    assert (report.runs >= 12, report.checkpoint) == (True, "sprint-s-01")
    queue = [row.task for row in ground.app.queue.view(ALICE).rows]
    assert queue == [row.task for row in report.waiting], "the queue says the same, in the same order"
    assert sprint(ground).ended.startswith(f"SPRINT {view.id} ended 08:00 │ ")
    assert any(doomed == row.task for row in ground.app.attention.view(ALICE).rows)
    ground.check_nothing_left()


def test_done_after_a_run_is_from_the_journal_and_not_from_what_anybody_counts_X5_G6(ground: Playground) -> None:
    task = ground.create(BOB)
    name = begun(ground, task)
    ground.plays = [Play(outcome=DONE)]
    ground.settle(ground.runner())
    assert sprint(ground, name).done == 1
    ground.app.feedback.redo(ALICE, task, "not so")
    assert (sprint(ground, name).done, sprint(ground, name).begun) == (0, 1)
    ground.app.stops.block(BOB, task, "the service is down")
    view = sprint(ground, name)
    assert (view.failed, view.failures[0].why) == (1, "the service is down")
