"""Sprints by their verbs (X): planned, started with a runner, paused, stopped; never by an agent."""

from __future__ import annotations

from typing import Any

import pytest

from foureyes.app.results.sprint import SprintAsk, SprintPlanView
from foureyes.app.results.task_list import ListQuery
from foureyes.errors import BadInput, EnvironmentProblem, NotFound
from foureyes.steps import by_person, either, fe

from tests.stage.gated import configure
from tests.stage.people import ALICE, BOB, CI, CLAUDE
from tests.stage.running import agent_of, bound, runner
from tests.stage.world import DeskWorld


def plan(desk: DeskWorld, *tasks: str, **asked: Any) -> SprintPlanView:
    return desk.app.sprints.plan(ALICE, SprintAsk(tasks=tasks, **asked))


def begun(desk: DeskWorld, *tasks: str, **asked: Any) -> str:
    """A sprint that runs."""
    name = plan(desk, *tasks, **asked).id
    desk.app.sprints.start(ALICE, name)
    return name


def test_a_plan_says_how_long_where_that_comes_from_and_what_needs_a_person_X1(desk: DeskWorld) -> None:
    first = desk.create(BOB, title="one", labels=["security"])
    second = desk.create(BOB, title="two", estimate_minutes=90)
    third = desk.create(BOB, title="three", depends_on=[second])
    view = plan(desk, until="08:00", agents=2)
    assert view.id == "s-01"
    assert [task.task for task in view.tasks] == [first, second, third]
    assert [(task.minutes, task.estimate) for task in view.tasks] == [
        (20, "no past runs: default 20 m"), (90, "its own estimate"), (20, "no past runs: default 20 m")
    ]  # fmt: skip
    assert (view.minutes, view.need_person) == (90, 1)
    assert view.tasks[0].person == "per-task"
    assert view.tasks[2].waits_for == (second,)
    assert (view.target.kind, view.target.at, view.seconds_left) == ("until", "2026-03-02T08:00:00.000Z", 20 * 3600)
    assert (view.checkpoint, view.pause_on_error) == (True, False)
    assert desk.app.sprints.status(ALICE).state == "planned"


def test_a_plan_says_which_tasks_a_person_has_to_review_by_name_X1_D6(desk: DeskWorld) -> None:
    rules = 'law = { reviewers = ["codex", "human"] }\nux = { reviewers = ["codex"] }\n'
    configure(desk, f"\n[review.label_rules]\n{rules}")
    desk.create(BOB, title="one", labels=["law"])
    desk.create(BOB, title="two", labels=["ux"])
    assert [task.person for task in plan(desk).tasks] == ["label law: human", ""]


def test_the_past_of_a_label_says_how_long_its_tasks_take_X1(desk: DeskWorld) -> None:
    for _ in range(3):
        task = desk.started(CLAUDE, labels=["api"])
        desk.clock.advance(minutes=30)
        desk.repo.commit(f"fe/{task}")
        desk.submit(CLAUDE, task)
    desk.create(BOB, labels=["api"])
    (planned,) = plan(desk).tasks
    assert (planned.minutes, planned.estimate) == (30, "median of 3 with label api")


def test_preview_writes_nothing_and_shows_what_else_there_is_X1(desk: DeskWorld) -> None:
    first, second = desk.create(BOB, priority=0), desk.create(BOB, priority=3)
    rows = desk.rows()
    view = desk.app.sprints.preview(ALICE, SprintAsk(priority=1))
    assert ([task.task for task in view.tasks], [task.task for task in view.others]) == ([first], [second])
    assert view.id == ""
    assert desk.rows() == rows


def test_what_was_named_and_is_not_ready_is_said_and_nothing_is_no_sprint_X1(desk: DeskWorld) -> None:
    held, taken = desk.create(BOB), desk.started(CLAUDE)
    desk.app.stops.hold(ALICE, held, "not yet")
    with pytest.raises(NotFound, match=f"{held} is held: not yet; {taken} is in_progress"):
        plan(desk, held, taken)
    with pytest.raises(BadInput):
        plan(desk, until="noon")


def test_a_start_makes_a_checkpoint_of_the_target_and_starts_a_runner_for_it_X2_X5_K2(desk: DeskWorld) -> None:
    task = desk.create(BOB)
    name = plan(desk, task, hours=8).id
    said = desk.app.sprints.start(ALICE, name, agents=2)
    assert said.runner == "a runner with 2 agents was started, process 4711"
    assert said.notes[-1].startswith("no agent program is installed on this machine. Until one is")
    assert desk.outside.launched == [(ALICE.session, 2)]
    assert said.ends_at == "2026-03-01T20:00:00.000Z"
    assert [row.name for row in desk.app.checkpoints.all()] == ["sprint-s-01"]
    assert said.checkpoint == "sprint-s-01"
    view = desk.app.sprints.status(ALICE)
    assert (view.id, view.state, view.done, view.of, view.seconds_left) == (name, "running", 0, 1, 8 * 3600)
    assert view.line == "0/1 tasks │ Until 20:00 (8h left)"


def test_a_plan_of_which_some_was_done_meanwhile_says_so_and_one_of_which_all_was_does_not_begin_X1_X5(
    desk: DeskWorld,
) -> None:
    first, second = desk.create(BOB), desk.create(BOB)
    mixed, stale = plan(desk, first, second).id, plan(desk, first).id
    desk.start(CLAUDE, first)
    desk.repo.commit(f"fe/{first}")
    desk.submit(CLAUDE, first)
    with desk.refused("X1") as refused:
        desk.app.sprints.start(ALICE, stale)
    assert refused[0].reasons[0].next == fe("sprint", "plan")
    notes = desk.app.sprints.start(ALICE, mixed).notes
    assert "1 of its tasks was submitted before it started and counts as done (X5)" in notes


def test_where_a_runner_is_at_work_no_other_is_started_and_it_is_said_which_X5(desk: DeskWorld) -> None:
    runner(desk)
    name = plan(desk, desk.create(BOB)).id
    said = desk.app.sprints.start(ALICE, name)
    assert said.runner.startswith("a runner with 3 agents is already running on ")
    assert desk.outside.launched == []
    assert desk.app.sprints.start(ALICE, name).changed is False


def test_where_no_runner_can_be_started_nothing_begins_X5_I5(desk: DeskWorld) -> None:
    name = desk.app.sprints.plan(CI, SprintAsk(tasks=(desk.create(BOB),))).id
    with desk.refused("I5"):
        desk.app.sprints.start(CI, name)
    assert desk.app.sprints.status(ALICE, name).state == "planned"


def test_a_service_that_the_policy_does_not_name_steers_no_sprint_I5_X2(desk: DeskWorld) -> None:
    runner(desk)
    name = plan(desk, desk.create(BOB)).id
    with desk.refused("I5"):
        desk.app.sprints.start(CI, name)
    desk.app.sprints.start(ALICE, name)
    for steer in (desk.app.sprints.pause, desk.app.sprints.stop, desk.app.sprints.undo):
        with desk.refused("I5"):
            steer(CI, name)
    (who,) = [piece.removeprefix("service:") for piece in CI.evidence if piece.startswith("service:")]
    configure(desk, f'\n[run]\nservices = ["{who}"]\n')
    assert desk.app.sprints.pause(CI, name).changed


def test_a_runner_that_breaks_while_it_begins_leaves_the_sprint_paused_X3_X5(
    desk: DeskWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_: object, **__: object) -> int:
        raise EnvironmentProblem("no processes left.")

    name = plan(desk, desk.create(BOB)).id
    with monkeypatch.context() as broken:
        broken.setattr(desk.outside, "launch_runner", breaks)
        with pytest.raises(Exception, match="no runner could be started"):
            desk.app.sprints.start(ALICE, name)
    view = desk.app.sprints.status(ALICE)
    assert (view.state, view.why) == ("paused", "no runner was started: no processes left.")
    assert "continues" in desk.app.sprints.start(ALICE, name).message
    assert desk.app.sprints.status(ALICE).state == "running"


def test_a_task_is_in_one_sprint_at_a_time_X5(desk: DeskWorld) -> None:
    task, other = desk.create(BOB), desk.create(BOB)
    first, second = plan(desk, task).id, plan(desk, task, other).id
    desk.app.sprints.start(ALICE, first)
    with desk.refused("X5"):
        desk.app.sprints.start(ALICE, second)
    view = desk.app.sprints.preview(ALICE, SprintAsk(tasks=(task, other)))
    assert ([row.task for row in view.tasks], view.notes) == ([other], (f"{task} is in {first}",))
    desk.app.sprints.stop(ALICE, first)
    desk.app.sprints.start(ALICE, second)
    assert [row.state for row in desk.app.sprints.listed()] == ["running", "ended"]


@pytest.mark.parametrize("verb", ["plan", "start", "stop", "pause", "undo"])
def test_no_agent_plans_starts_or_ends_a_night_I5(desk: DeskWorld, verb: str) -> None:
    task = desk.create(BOB)
    name = begun(desk, task)
    runs = bound(desk, runner(desk), task)
    assert runs.session is not None
    calls: dict[str, Any] = {"plan": lambda who: desk.app.sprints.plan(who, SprintAsk())}
    call = calls.get(verb) or (lambda who: getattr(desk.app.sprints, verb)(who, name))
    with desk.refused("I5"):
        call(CLAUDE)
    with desk.refused("I2"):
        call(agent_of(desk))


def test_a_pause_says_why_and_a_start_lets_it_go_on_X3(desk: DeskWorld) -> None:
    name = begun(desk, desk.create(BOB))
    desk.app.sprints.pause(ALICE, reason="the machine is needed")
    view = desk.app.sprints.status(ALICE)
    assert (view.state, view.why) == ("paused", "the machine is needed")
    row = next(row for row in desk.app.attention.view(ALICE).rows if row.kind == "pause")
    assert (row.kind, row.text, row.next) == (
        "pause", f"sprint {name}: the machine is needed", by_person(fe("sprint", "start", name))
    )  # fmt: skip
    assert desk.app.sprints.pause(ALICE).changed is False
    said = desk.app.sprints.start(ALICE, name)
    assert said.message == f"{name} continues. It was paused: the machine is needed"
    desk.app.sprints.stop(ALICE, name, reason="enough")
    with desk.refused("X3"):
        desk.app.sprints.pause(ALICE, name)
    with desk.refused("X2"):
        desk.app.sprints.start(ALICE, name)
    assert desk.app.sprints.stop(ALICE, name).changed is False


def test_a_plan_is_taken_back_and_sprints_are_found_by_their_number_X2(desk: DeskWorld) -> None:
    desk.create(BOB)
    plan(desk)
    assert "which was only a plan" in desk.app.sprints.stop(ALICE, "s-1").message
    assert desk.app.sprints.status(ALICE, "1").state == "ended"
    for text in ("s-02", "s-0", "x", "s-", "1; drop"):
        with pytest.raises(NotFound):
            desk.app.sprints.status(ALICE, text)


def test_without_any_sprint_that_is_said_X2(desk: DeskWorld) -> None:
    with pytest.raises(NotFound, match="there is no sprint yet"):
        desk.app.sprints.status(ALICE)
    assert desk.app.sprints.listed() == []


def test_the_defaults_are_those_of_the_configuration_X1(desk: DeskWorld) -> None:
    configure(desk, "[sprint]\npause_on_error = true\ncheckpoint = false\n")
    task = desk.create(BOB)
    view = plan(desk, task)
    assert (view.pause_on_error, view.checkpoint) == (True, False)
    assert desk.app.sprints.start(ALICE, view.id).checkpoint == ""
    other = desk.app.sprints.preview(ALICE, SprintAsk(pause_on_error=False, checkpoint=True))
    assert (other.pause_on_error, other.checkpoint) == (False, True)


def test_the_end_is_an_instant_in_the_zone_of_whoever_planned_it_X5(desk: DeskWorld) -> None:
    desk.clock.place = "Europe/Berlin"
    desk.create(BOB)
    view = plan(desk, until="08:00")
    assert (view.target.at, view.target.zone) == ("2026-03-02T07:00:00.000Z", "Europe/Berlin")
    desk.app.sprints.start(ALICE, view.id)
    desk.clock.place = "America/New_York"
    assert desk.app.sprints.status(ALICE).line == "0/1 tasks │ Until 08:00 (19h left)"


def test_a_plan_that_waited_a_day_ends_at_the_next_time_that_clocks_show_it_X5(desk: DeskWorld) -> None:
    desk.create(BOB)
    name = plan(desk, until="08:00").id
    desk.clock.advance(hours=30)
    assert desk.app.sprints.start(ALICE, name).ends_at == "2026-03-03T08:00:00.000Z"


def test_validate_looks_at_the_tasks_of_a_sprint_alone_X4(desk: DeskWorld) -> None:
    inside, outside, later = (
        desk.create(BOB, title="in"),
        desk.submitted_task(title="out"),
        desk.create(BOB, title="later"),
    )
    name = begun(desk, inside, later)
    report = desk.app.validation.validate(ALICE, sprint=name)
    assert (report.complete, report.scope, report.tasks) == (True, f"sprint {name}", 0)
    assert report.notes[0] == f"2 of {name} not started: {inside} {later}"
    desk.start(CLAUDE, inside)
    desk.repo.commit(f"fe/{inside}")
    desk.submit(CLAUDE, inside)
    report = desk.app.validation.validate(ALICE, sprint=name)
    assert [reason.message for reason in report.reasons] == [f"{inside} is waiting for review"]
    assert desk.app.sprints.status(ALICE).incomplete == (f"{inside} is waiting for review",)
    assert outside not in str(report.reasons)


def test_without_a_name_the_one_that_runs_is_meant_and_of_two_none_is_guessed_X2(desk: DeskWorld) -> None:
    first, second, third = (desk.create(BOB) for _ in range(3))
    sprints = desk.app.sprints
    with pytest.raises(NotFound, match="no sprint runs"):
        sprints.stop(ALICE)
    older = begun(desk, first, hours=1)
    sprints.pause(ALICE)
    newer = begun(desk, second, hours=1)
    planned = plan(desk, third).id
    assert sprints.status(ALICE).id == sprints.report(ALICE).id == newer, "the one that runs, not the older, not a plan"
    sprints.start(ALICE, older)
    ways = (("status", (), sprints.status), ("status", ("--report",), sprints.report), ("stop", (), sprints.stop))
    for verb, option, ask in ways:
        with pytest.raises(BadInput, match=f"{older} and {newer} run: which one do you mean") as caught:
            ask(ALICE)
        assert caught.value.next_step == either(fe("sprint", verb, older, *option), fe("sprint", verb, newer, *option))
    with pytest.raises(BadInput):
        sprints.pause(ALICE)
    for name in (older, newer):
        sprints.stop(ALICE, name)
    for refused in (sprints.stop, sprints.pause):
        with pytest.raises(NotFound, match="no sprint runs"):
            refused(ALICE)
    assert sprints.status(ALICE, planned).state == "planned", "a plan is not taken back by the way"
    assert sprints.status(ALICE).id == newer, "the newest that began"


def test_a_goal_is_work_for_nobody_T4_X1(desk: DeskWorld) -> None:
    goal, task = desk.create(BOB, type="epic", title="a goal", priority=0), desk.create(BOB)
    assert [row.task for row in plan(desk).tasks] == [task]
    with pytest.raises(NotFound, match=f"{goal} is an epic"):
        plan(desk, goal)
    assert [row.id for row in desk.app.lists.page(ListQuery(ready=True))] == [task]
    assert desk.app.status.show(BOB).counts["ready"] == 1
    assert desk.app.claims.next(CLAUDE).task == task
    with pytest.raises(NotFound, match="no other task is ready"):
        desk.app.claims.next(CLAUDE)
