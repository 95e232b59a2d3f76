"""Claims (T1): one winner, no-op for the same session, and what who takes a task is told."""

from __future__ import annotations

import pytest

from foureyes.errors import LostClaim, NotFound
from foureyes.ui.steps import steps_text

from tests.stage.gated import configure
from tests.stage.looped import play
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX, GEMINI, agent, person
from tests.stage.world import DeskWorld


def test_of_several_sessions_exactly_one_wins_T1(desk: DeskWorld) -> None:
    task = desk.create()
    won, lost = [], []
    for actor in (CLAUDE, CODEX, GEMINI, ALICE):
        try:
            won.append((actor, desk.start(actor, task).changed))
        except LostClaim as problem:
            lost.append(problem)
    assert won == [(CLAUDE, True)]
    assert len(lost) == 3
    assert all("claude#1" in problem.message and "fe next. " in steps_text(problem.next_step) for problem in lost)
    assert desk.task(task).implementer == CLAUDE.session
    assert desk.kinds(task).count("TaskStarted") == 1


def test_the_same_session_again_is_a_no_op_T1(desk: DeskWorld) -> None:
    task = desk.create()
    desk.start(CLAUDE, task)
    with desk.unchanged():
        assert not desk.start(CLAUDE, task).changed


def test_a_person_in_another_terminal_is_the_same_person_I5(desk: DeskWorld) -> None:
    task = desk.create()
    desk.start(ALICE, task)
    with desk.unchanged():
        assert not desk.start(person("alice"), task).changed


def test_a_lost_claim_leaves_no_session_behind_I1_G4(desk: DeskWorld) -> None:
    task = desk.create()
    desk.start(CLAUDE, task)
    with desk.refused(error=LostClaim):
        desk.start(GEMINI, task)
    assert GEMINI.session not in {row.id for row in desk.app.sessions.list()}


def test_a_claim_remembers_where_the_target_stood_K4(desk: DeskWorld) -> None:
    task = desk.create()
    desk.start(CLAUDE, task)
    assert desk.task(task).start_target == desk.repo.commit_of("main")


def test_who_takes_a_task_up_again_is_told_where_the_last_attempt_is_K1(desk: DeskWorld) -> None:
    task = desk.submitted_task(CLAUDE)
    desk.app.feedback.redo(BOB, task, "once more")
    desk.repo.here = "refs/heads/main"
    done = desk.start(CODEX, task)
    assert f"attempt 1 came from the branch fe/{task}" in done.notes
    assert steps_text(done.next) == f'git switch fe/{task}, work, commit, then: fe submit {task} -m "what you did"'


def test_start_is_refused_while_a_dependency_is_not_closed_T1_T3(desk: DeskWorld) -> None:
    other = desk.create()
    task = desk.create(depends_on=[other])
    with desk.refused("T3") as caught:
        desk.start(CLAUDE, task)
    assert other in caught[0].reasons[0].message
    desk.app.closing.cancel(ALICE, other)
    assert desk.start(CLAUDE, task).changed


def test_start_is_refused_while_held_T1_D3(desk: DeskWorld) -> None:
    task = desk.create()
    desk.app.stops.hold(ALICE, task, "wait for legal")
    with desk.refused("D3"):
        desk.start(CLAUDE, task)
    desk.app.stops.resume(ALICE, task, "they agreed")
    desk.app.stops.hold(ALICE, None, "fire drill")
    with desk.refused("D3"):
        desk.start(CLAUDE, task)
    with desk.refused("D3"):
        desk.app.claims.next(CLAUDE)
    desk.app.stops.resume(ALICE, None, "over")
    assert desk.start(CLAUDE, task).changed


def test_start_is_refused_while_blocked_deferred_reviewing_or_closed_T1(desk: DeskWorld) -> None:
    blocked, deferred, closed = desk.create(), desk.create(), desk.create()
    desk.app.stops.block(BOB, blocked, "no key")
    desk.app.stops.defer(BOB, deferred)
    desk.app.closing.cancel(ALICE, closed)
    for task in (blocked, deferred, closed, desk.submitted_task()):
        with desk.refused("T1"):
            desk.start(GEMINI, task)


def test_start_is_refused_while_the_parent_is_blocked_T4(desk: DeskWorld) -> None:
    parent = desk.create(type="epic")
    task = desk.create(parent=parent)
    desk.app.stops.block(BOB, parent, "budget")
    with desk.refused("T4"):
        desk.start(CLAUDE, task)
    assert not desk.task(task).ready
    desk.app.stops.unblock(BOB, parent)
    assert desk.task(task).ready


def test_all_reasons_are_given_at_once_G2(desk: DeskWorld) -> None:
    other = desk.create()
    task = desk.create(depends_on=[other])
    desk.app.stops.hold(ALICE, task, "a")
    desk.app.stops.hold(ALICE, None, "b")
    desk.app.stops.defer(BOB, other)
    with desk.refused("D3", "T3") as caught:
        desk.start(CLAUDE, task)
    assert [reason.rule for reason in caught[0].reasons] == ["D3", "D3", "T3"]


def test_next_takes_by_priority_then_age_T4(desk: DeskWorld) -> None:
    low, old, young, urgent = desk.create(priority=3), desk.create(), desk.create(), desk.create(priority=0)
    waits = desk.create(priority=0, depends_on=[low])
    taken = [desk.app.claims.next(agent("claude", n)).task for n in range(4)]
    assert taken == [urgent, old, young, low]
    with desk.refused(error=NotFound):
        desk.app.claims.next(CODEX)
    assert desk.status(waits) == "open"


def test_an_agent_that_is_not_of_the_tier_is_warned_at_start_E2(desk: DeskWorld) -> None:
    configure(desk, '\n[tiers]\nsenior = "gemini"\n')
    task = play(desk, [0, 0], found=1)
    assert desk.task(task).tier == "senior"
    (told,) = [note for note in desk.start(CLAUDE, task).notes if "(E2)" in note]
    assert "the next attempt is for gemini and not for claude" in told
    desk.app.claims.unstart(CLAUDE, task)
    assert not [note for note in desk.start(GEMINI, task).notes if "(E2)" in note]


def test_who_takes_one_more_is_told_what_is_theirs_already_T1(desk: DeskWorld) -> None:
    first = desk.started(CLAUDE)
    second = desk.create()
    said = desk.app.claims.next(CLAUDE).notes
    assert said == (f"{first} is already yours and in progress: fe list --mine",)
    for _ in range(3):
        desk.create()
        said = desk.app.claims.next(CLAUDE).notes
    assert said[0].startswith(f"{first}, {second}, ")
    assert said[0].endswith(" and more are already yours and in progress: fe list --mine")
    desk.create()
    assert desk.app.claims.next(CODEX).notes == ()


def test_yours_already_leads_to_the_work_before_the_hand_in_T1(desk: DeskWorld) -> None:
    task = desk.started(CLAUDE)
    again = desk.app.claims.start(CLAUDE, task)
    assert steps_text(again.next) == f'work on a branch, commit, then: fe submit {task} -m "what you did"'


def test_next_names_the_own_claim_where_nothing_else_is_ready_T4(desk: DeskWorld) -> None:
    task = desk.create()
    desk.app.claims.next(CLAUDE)
    with pytest.raises(NotFound) as caught:
        desk.app.claims.next(CLAUDE)
    assert caught.value.message == f"you already have {task}, and no other task is ready."
    assert steps_text(caught.value.next_step).startswith(f"go on, commit, then: fe submit {task}")
    with pytest.raises(NotFound, match=r"^no task is ready"):
        desk.app.claims.next(CODEX)
