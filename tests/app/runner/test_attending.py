"""What a runner tells people about what only they can move (E6): as long as it is so, and no longer."""

from __future__ import annotations

from foureyes.app.runner.snapshot import attention

from tests.stage.cycled import PEERS, left_to_a_person
from tests.stage.gated import configure
from tests.stage.looped import review
from tests.stage.people import BOB, CODEX
from tests.stage.running import runner
from tests.stage.world import DeskWorld


def said(desk: DeskWorld) -> list[str]:
    with desk.store.read() as tx:
        policy = desk.app.cycles._context.gate_policy(tx)
        return [row.text for row in attention(tx, policy, ())]


def test_what_a_person_resumed_is_not_said_again_R1_V9(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    task = desk.submitted_task()
    review(desk, task, by=CODEX, verdict="blocker", summary="it deletes the database")
    assert said(desk) == [f"{task} is held by a reviewer: codex#1 reported a blocker: it deletes the database (R1)"]
    desk.app.stops.resume(BOB, task, "I looked")
    assert said(desk) == []


def test_three_rounds_are_one_pause_until_a_person_resumes_R2_V9(desk: DeskWorld) -> None:
    task = left_to_a_person(desk)
    (text,) = said(desk)
    assert text.startswith(f"{task} is paused by reviewers (c-3 R2)")
    assert [row.cycle for row in desk.app.runs.blocked_work().pauses] == ["c-3"]
    desk.app.stops.resume(BOB, task, "I looked")
    assert (said(desk), desk.app.runs.blocked_work().pauses) == ([], [])


def test_what_nobody_can_be_asked_about_is_said_V4_R0(desk: DeskWorld) -> None:
    configure(desk, '\n[review.peers]\nreviewers = ["claude"]\nask = 1\n')
    task = desk.submitted_task()
    assert said(desk) == [f"{task} was not reviewed: no reviewer is left to ask in c-1"]


def test_what_is_stuck_goes_with_its_task_E6(desk: DeskWorld) -> None:
    configure(desk, "")
    task = desk.create()
    desk.app.runs.stuck(runner(desk), task, kind="retries", why="four runs without a submission")
    assert len(said(desk)) == len(desk.app.runs.blocked_work().stuck) == 1
    desk.app.closing.close(BOB, task, reason="not needed")
    assert (said(desk), desk.app.runs.blocked_work().stuck) == ([], [])
    assert [row for row in desk.app.attention.view(BOB).rows if row.kind == "run"] == []
