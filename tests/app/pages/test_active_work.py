"""Who is at work: claims, the runs that they are of, and profiles that are skipped."""

from __future__ import annotations

from tests.stage.people import BOB, CLAUDE, CODEX
from tests.stage.running import PROCESS, agent_of, bound, reserved, runner
from tests.stage.world import DeskWorld


def test_a_claim_of_a_run_names_it_and_what_its_agent_said_last_S3(desk: DeskWorld) -> None:
    task, by_hand = desk.create(), desk.create()
    desk.app.claims.start(CODEX, by_hand)
    run = bound(desk, runner(desk), task)
    desk.app.runs.emit(agent_of(desk), "milestone", "tests are green")
    rows = {row.task: row for row in desk.app.board.view(BOB).agents}
    assert (rows[task].run, rows[task].profile, rows[task].line) == (run.id, "claude", "milestone: tests are green")
    assert (rows[by_hand].run, rows[by_hand].profile) == ("", "")
    desk.app.runs.ask_stop(BOB, task, reason="enough")
    assert {row.task: row.stopping for row in desk.app.board.view(BOB).agents}[task] == "enough"


def test_a_run_that_only_begins_is_at_work_already(desk: DeskWorld) -> None:
    task = desk.create(title="Pay by card")
    reserved(desk, runner(desk), task)
    (row,) = desk.app.board.view(BOB).agents
    assert (row.task, row.title, row.name, row.line) == (task, "Pay by card", "claude", "begins")


def test_runners_at_work_are_counted_and_resting_profiles_told(desk: DeskWorld) -> None:
    desk.create(CLAUDE)
    me = runner(desk)
    desk.app.runs.cool(me, "gemini", until="2099-01-01T00:00:00.000Z", error="quota", error_text="429 slow\ndown")
    desk.app.runs.cool(me, "codex", until="2001-01-01T00:00:00.000Z", error="quota")
    view = desk.app.board.view(BOB)
    assert view.runners == 1
    assert [(row.profile, row.error, row.text) for row in view.resting] == [("gemini", "quota", "429 slow down")]
    desk.outside.gone.add(PROCESS)
    assert desk.app.board.view(BOB).runners == 0


def test_nobody_is_at_work_on_what_a_runner_left_that_is_gone_J4(desk: DeskWorld) -> None:
    tasks = [desk.create(), desk.create()]
    me = runner(desk)
    bound(desk, me, tasks[0])
    reserved(desk, me, tasks[1])
    assert [row.left for row in desk.app.board.view(BOB).agents] == ["", ""]
    desk.clock.advance(seconds=91)
    assert {row.left for row in desk.app.board.view(BOB).agents} == {"its runner is silent"}
    desk.outside.gone.add(PROCESS)
    assert [row.left for row in desk.app.board.view(BOB).agents] == ["its runner is gone"] * 2
