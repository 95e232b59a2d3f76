"""What of agents' runs is stuck and needs a person: pauses, runs that got nowhere, dead runners, programs that nobody is
logged in to (E6).
"""

from __future__ import annotations

from foureyes.app.results.status import AttentionKind, AttentionRow
from foureyes.ui.steps import steps_text

from tests.stage.gated import configure
from tests.stage.people import BOB, CLAUDE
from tests.stage.running import PROCESS, bound, runner
from tests.stage.world import DeskWorld


def rows(desk: DeskWorld, kind: AttentionKind) -> list[AttentionRow]:
    with desk.unchanged():
        return [row for row in desk.app.attention.view(BOB).rows if row.kind == kind]


def test_a_pause_says_why_and_is_lifted_by_its_choice_V9_E6(desk: DeskWorld) -> None:
    configure(desk, "")
    task = desk.create()
    desk.app.runs.pause(BOB, task, reason="wait for the design")
    desk.app.runs.pause(BOB, None, reason="release freeze")
    everything, one = sorted(rows(desk, "pause"), key=lambda row: row.task)
    assert (one.task, one.text, everything.text) == (task, "wait for the design", "the project: release freeze")
    assert "other work continues" in one.details[1]
    for row in (one, everything):
        (choice,) = row.choices
        desk.app.stops.resume(BOB, choice.values["task"], reason="go on")  # type: ignore[arg-type]
    assert rows(desk, "pause") == []


def test_an_agent_has_no_choice_and_is_told_who_has_one_E6(desk: DeskWorld) -> None:
    configure(desk, "")
    task = desk.create()
    desk.app.runs.pause(BOB, task, reason="wait")
    (row,) = [row for row in desk.app.attention.view(CLAUDE).rows if row.kind == "pause"]
    assert row.choices == ()
    assert "person" in steps_text(row.next)


def test_a_task_that_the_runner_left_to_a_person_is_given_back_by_resume_E6(desk: DeskWorld) -> None:
    configure(desk, "")
    task = desk.create()
    desk.app.runs.stuck(runner(desk), task, kind="retries", why="four runs without a submission")
    (row,) = rows(desk, "run")
    assert (row.task, row.text) == (task, "four runs without a submission")
    (choice,) = row.choices
    desk.app.stops.resume(BOB, task, reason="fixed the tests")
    assert (choice.noun, choice.verb, rows(desk, "run")) == ("stops", "resume", [])


def test_a_dead_runner_that_left_runs_asks_for_another_J4_E6(desk: DeskWorld) -> None:
    configure(desk, "")
    bound(desk, runner(desk), desk.create())
    assert rows(desk, "runner") == []
    desk.outside.gone.add(PROCESS)
    (row,) = rows(desk, "runner")
    assert "left 1 run" in row.text
    assert "fe run" in steps_text(row.next)
    (choice,) = row.choices
    assert "process 4711" in desk.app.runs.launch(BOB).message
    assert (choice.noun, choice.verb, desk.outside.launched) == ("runs", "launch", [(BOB.session, 3)])


def test_a_program_that_nobody_is_logged_in_to_is_named_in_its_own_words_E6(desk: DeskWorld) -> None:
    configure(desk, "")
    me = runner(desk)
    desk.app.runs.cool(me, "codex", until="", error="auth", error_text="Please run codex login")
    desk.app.runs.cool(me, "gemini", until="2099-01-01T00:00:00.000Z", error="quota", error_text="429")
    (row,) = rows(desk, "run")
    assert row.text.startswith("codex is logged out on ")
    assert row.details == ("Please run codex login",)
    assert "fe agent list" in steps_text(row.next)


def test_a_profile_that_may_be_used_again_waits_for_nobody_E6(desk: DeskWorld) -> None:
    configure(desk, "")
    me = runner(desk)
    desk.app.runs.cool(me, "codex", until=desk.app.context.later(60), error="missing", error_text="it is gone")
    assert [row.text for row in rows(desk, "run")]
    assert [row.profile for row in desk.app.agents.listed(BOB) if row.cooled] == ["codex"]
    desk.clock.advance(seconds=61)
    assert rows(desk, "run") == []
    assert [row.profile for row in desk.app.agents.listed(BOB) if row.cooled] == []


def test_what_an_agent_says_is_blocked_waits_for_a_person_who_unblocks_it_E6_L17(desk: DeskWorld) -> None:
    configure(desk, "")
    me, task = runner(desk), desk.create()
    run = bound(desk, me, task)
    desk.app.runs.end(me, run.id, None, ending="finished")
    desk.app.runs.release(me, run.id, how="blocked", reason="which database?")
    (row,) = rows(desk, "blocked")
    assert (row.task, row.text, steps_text(row.next)) == (task, "which database?", f'fe unblock {task} -m "why"')
    said = desk.app.stops.resume(BOB, task, "go on")
    assert (said.changed, said.message) == (False, f"{task} is not held but blocked: which database?")
    assert steps_text(said.next) == f'fe unblock {task} -m "why"'
    desk.app.stops.unblock(BOB, task, "postgres")
    assert rows(desk, "blocked") == []


def test_what_a_person_blocked_is_no_news_to_them_E6(desk: DeskWorld) -> None:
    configure(desk, "")
    desk.app.stops.block(BOB, desk.create(), "the supplier")
    assert rows(desk, "blocked") == []
