"""What a decision about a task lifts (V9): the pause of a rule does not outlive its cycles; what was left to a person a
person decides (R2).
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.stage.cycled import CONCERN, PEERS, QWEN, begun, left_to_a_person, look_review, pauses, two_concerns
from tests.stage.gated import configure
from tests.stage.looped import review
from tests.stage.people import ALICE, BOB, CODEX, GEMINI
from tests.stage.world import DeskWorld

Deed = Callable[[DeskWorld, str], object]
BY_PEOPLE: dict[str, Deed] = {
    "approved": lambda desk, task: desk.app.decisions.approve(BOB, task),
    "redo": lambda desk, task: desk.app.feedback.redo(BOB, task, "say more"),
    "rejected": lambda desk, task: desk.app.feedback.reject(BOB, task, "not this way"),
    "closed": lambda desk, task: desk.app.closing.close(BOB, task, reason="not needed"),
}


@pytest.mark.parametrize("how", BY_PEOPLE)
@pytest.mark.parametrize("left", [two_concerns, left_to_a_person])
def test_a_person_s_decision_lifts_what_a_rule_paused_V9_R2(
    desk: DeskWorld, left: Callable[[DeskWorld], str], how: str
) -> None:
    task = left(desk)
    assert pauses(desk)
    BY_PEOPLE[how](desk, task)
    assert pauses(desk) == set()
    assert desk.app.audit.verify().findings == ()


@pytest.mark.parametrize("left", [two_concerns, left_to_a_person])
def test_an_agent_s_redo_lifts_no_pause_R2_V9(desk: DeskWorld, left: Callable[[DeskWorld], str]) -> None:
    task = left(desk)
    before = pauses(desk)
    desk.app.feedback.redo(QWEN, task, "the salt", seen=desk.show(task).attempts[-1].seen)
    assert pauses(desk) == before


def test_a_person_s_pause_stays_whatever_is_decided_V9(desk: DeskWorld) -> None:
    task = two_concerns(desk)
    desk.app.runs.pause(ALICE, task, reason="not today")
    desk.app.feedback.redo(BOB, task, "say more")
    assert [row.made_by for row in desk.app.runs.blocked_work().pauses] == ["person"]


def test_what_stops_everything_goes_with_the_last_of_its_targets_V9(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    tasks = [begun(desk), begun(desk)]
    desk.app.cycles.now(ALICE)
    for task in tasks:
        for by in (CODEX, GEMINI):
            look_review(desk, by, task, **CONCERN)
    assert (desk.app.cycles.show("c-1").state, pauses(desk)) == ("clarifying", {"c-1"})
    for task in tasks:
        assert pauses(desk) == {"c-1"}
        desk.app.closing.close(BOB, task, reason="not needed")
    assert pauses(desk) == set()


def test_a_person_who_made_a_target_does_not_lift_what_pauses_everything_V9_R2(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    tasks = [begun(desk, BOB), begun(desk)]
    desk.app.cycles.now(ALICE)
    for by in (CODEX, GEMINI):
        look_review(desk, by, tasks[0], **CONCERN)
    with desk.refused("R1"):
        desk.app.stops.resume(BOB, None, "it is fine")
    assert pauses(desk) == {"c-1"}
    desk.app.stops.resume(ALICE, None, "I looked")
    assert pauses(desk) == set()


def held_by_r1(desk: DeskWorld) -> str:
    """R1: codex stopped it, and the task is held."""
    configure(desk, PEERS)
    task = desk.submitted_task()
    review(desk, task, by=CODEX, verdict="blocker", summary="it deletes the database")
    review(desk, task, by=GEMINI)
    assert desk.show(task).task.hold == "codex#1 reported a blocker: it deletes the database"
    return task


@pytest.mark.parametrize("how", ["redo", "rejected"])
def test_a_person_s_decision_lifts_the_hold_that_R1_made(desk: DeskWorld, how: str) -> None:
    task = held_by_r1(desk)
    BY_PEOPLE[how](desk, task)
    assert desk.show(task).task.hold is None
    assert desk.app.attention.view(BOB).rows == () or how == "rejected"
    assert desk.app.audit.verify().findings == ()


def test_a_redo_says_that_it_lifts_the_hold_R1(desk: DeskWorld) -> None:
    task = held_by_r1(desk)
    done = desk.app.feedback.redo(BOB, task, "say more")
    assert done.notes == ("this also lifts its hold: codex#1 reported a blocker: it deletes the database",)


@pytest.mark.parametrize("how", ["approved", "closed"])
def test_what_ends_the_work_is_refused_while_R1_holds_the_task_D3(desk: DeskWorld, how: str) -> None:
    task = held_by_r1(desk)
    with desk.refused("D3"):
        BY_PEOPLE[how](desk, task)
    assert desk.show(task).task.hold is not None


def test_an_agent_s_redo_does_not_lift_the_hold_of_R1(desk: DeskWorld) -> None:
    task = held_by_r1(desk)
    desk.app.feedback.redo(QWEN, task, "the salt", seen=desk.show(task).attempts[-1].seen)
    assert desk.show(task).task.hold is not None


def test_a_person_s_hold_stays_when_it_is_decided_D3(desk: DeskWorld) -> None:
    task = held_by_r1(desk)
    desk.app.stops.hold(ALICE, task, "release freeze")
    desk.app.feedback.redo(BOB, task, "say more")
    assert desk.show(task).task.hold == "release freeze"
