"""Readiness: everything that keeps a run from beginning, and that a person lets it go on (V9, E6, T4)."""

from __future__ import annotations

import pytest

from foureyes.errors import Refused

from tests.stage.people import ALICE, BOB, CLAUDE, CODEX
from tests.stage.running import bound, reserved, runner, work
from tests.stage.world import DeskWorld


def test_all_reasons_are_told_at_once_V9_D3(desk: DeskWorld) -> None:
    me, task = runner(desk), desk.create()
    desk.app.stops.hold(ALICE, task, "legal")
    desk.app.runs.pause(ALICE, task, reason="not now")
    desk.app.runs.pause(ALICE, None, reason="nothing now")
    desk.app.runs.stuck(me, task, kind="retries", why="four runs without a submission")
    with desk.refused("D3", "V9", "E6") as caught:
        reserved(desk, me, task)
    assert [reason.rule for reason in caught[0].reasons] == ["V9", "V9", "E6", "D3"]


def test_a_pause_lets_what_runs_come_to_its_end_survives_and_a_person_lifts_it_V9(desk: DeskWorld) -> None:
    me, task = runner(desk), desk.create()
    run = bound(desk, me, task)
    desk.app.runs.pause(ALICE, task, reason="the interface changes")
    work(desk, run)
    desk.app.runs.submit_work(me, run.id, signal="DONE", message="")
    desk.app.runs.end(me, run.id, None, ending="finished")
    desk.app.feedback.redo(BOB, task, "again")
    again = runner(desk, "proc:boot:ns:10:10")
    with desk.refused("V9"):
        reserved(desk, again, task)
    done = desk.app.stops.resume(ALICE, task, "it is settled")
    assert done.message == f"the pause on {task} is lifted"
    assert reserved(desk, again, task).state == "reserved"
    assert desk.app.runs.blocked_work().pauses == []


def test_a_pause_of_everything_and_a_hold_are_lifted_together_V9(desk: DeskWorld) -> None:
    me, task = runner(desk), desk.create()
    desk.app.runs.pause(ALICE, None, reason="not now")
    with desk.refused("V9"):
        reserved(desk, me, task)
    desk.app.stops.hold(ALICE, None, "nobody")
    assert desk.app.stops.resume(ALICE, None, "now").message == "the project's hold and pause are lifted"
    assert not desk.app.stops.resume(ALICE, None, "now").changed
    reserved(desk, me, task)


def test_a_pause_is_for_people_and_says_why_V9(desk: DeskWorld) -> None:
    with desk.refused("I5"):
        desk.app.runs.pause(CLAUDE, None, reason="no")
    with desk.refused("T2"):
        desk.app.runs.pause(ALICE, None, reason=" ")


@pytest.mark.parametrize("way", ["resume", "edit", "submit", "redo"])
def test_what_is_stuck_goes_on_once_a_person_has_moved_it_E6(desk: DeskWorld, way: str) -> None:
    me, task = runner(desk), desk.create()
    if way in ("redo", "submit"):
        desk.start(CODEX, task)
        desk.repo.commit(f"fe/{task}", sessions=[CODEX.session])
    if way == "redo":
        desk.submit(CODEX, task)
    desk.app.runs.stuck(me, task, kind="no_change", why="DONE without a change, twice")
    assert [row.kind for row in desk.app.runs.blocked_work().stuck] == ["no_change"]
    if way == "resume":
        desk.app.stops.resume(ALICE, task, "the key is there now")
    elif way == "edit":
        desk.app.tasks.edit(CODEX, task, description="an agent's words move nothing")
        assert desk.app.runs.blocked_work().stuck
        desk.app.tasks.edit(ALICE, task, description="what is meant")
    elif way == "submit":
        desk.submit(CODEX, task)
    else:
        desk.app.feedback.redo(BOB, task, "again")
    assert desk.app.runs.blocked_work().stuck == []
    desk.sound()


@pytest.mark.parametrize("purpose", ["lead", "plan"])
def test_a_lead_is_asked_where_it_is_waited_for_and_a_plan_where_a_goal_is_open_E2_I2(
    desk: DeskWorld, purpose: str
) -> None:
    me, task = runner(desk), desk.create()
    if purpose == "plan":
        desk.start(CLAUDE, task)
    with pytest.raises(Refused) as caught:
        desk.app.runs.reserve(me, task, profile="claude", purpose=purpose)  # type: ignore[arg-type]
    assert [reason.rule for reason in caught.value.reasons] == ["E2" if purpose == "lead" else "T2"]
