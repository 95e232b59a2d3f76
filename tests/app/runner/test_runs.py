"""Runs: a runner takes a task, binds a token, submits or gives back, and ends the run (S, J4, I2)."""

from __future__ import annotations

import pytest

from foureyes.app.runner_registry import LEASE_SECONDS
from foureyes.core import events as e
from foureyes.core.nouns.run import RunOutcome, Usage
from foureyes.core.nouns.session import Actor
from foureyes.core.words.ids import Sha
from foureyes.core.words.refs import attempt_ref
from foureyes.errors import BadInput, LostClaim, Refused, StaleState, TokenRefused

from tests.engines import NOW
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX
from tests.stage.running import agent_of, bound, reserved, runner, work
from tests.stage.world import DeskWorld


def test_a_run_from_its_reservation_to_its_hand_in_S1_T(desk: DeskWorld) -> None:
    me, task = runner(desk), desk.create(CODEX)
    run = bound(desk, me, task)
    assert (run.state, run.role, run.fence, desk.task(task).status) == ("running", "implement", 1, "in_progress")
    agent = agent_of(desk)
    assert (agent.session, agent.role, agent.task) == (run.session, "implement", task)
    desk.app.runs.signal(agent, "done", message="it works")
    work(desk, run)
    desk.app.runs.submit_work(me, run.id, signal="DONE", message="it works")
    outcome = RunOutcome(ended=True, rc=0, conversation="c-1", usage=Usage(cost_micros=7))
    ended = desk.app.runs.end(me, run.id, outcome, ending="finished")
    assert (ended.state, ended.ending, ended.signal, ended.conversation) == ("ended", "finished", "DONE", "c-1")
    assert (ended.cost_micros, desk.task(task).status) == (7, "reviewing")
    submitted = [entry for entry in desk.show(task).history if entry.action == "submitted"]
    assert [(entry.session, entry.via) for entry in submitted] == [(run.session, me.session)]
    with pytest.raises(TokenRefused):
        agent_of(desk)
    assert desk.app.runs.live() == []
    desk.sound()


def test_a_runner_is_no_author_and_decides_nothing_I7(desk: DeskWorld) -> None:
    me, task = runner(desk), desk.create(CODEX)
    run = bound(desk, me, task)
    work(desk, run)
    desk.app.runs.submit_work(me, run.id, signal="DONE", message="")
    assert desk.show(task).authors == [run.session]
    with desk.refused("I5"):
        desk.approve(me, task)
    assert desk.approve(ALICE, task).changed, "who started the runner made nothing of it"


def test_a_run_of_another_profile_may_judge_what_a_run_made_I4(desk: DeskWorld) -> None:
    me, task = runner(desk), desk.create(BOB)
    run = bound(desk, me, task)
    other = desk.spawn(BOB, task, "review", agent="codex")
    work(desk, run)
    desk.app.runs.submit_work(me, run.id, signal="DONE", message="")
    assert desk.approve(other, task, reason="read it").changed


def test_a_hand_in_by_the_agent_itself_stands_when_the_run_ends_S1(desk: DeskWorld) -> None:
    me, task = runner(desk), desk.create()
    run = bound(desk, me, task)
    work(desk, run)
    desk.submit(agent_of(desk), task)
    desk.app.runs.end(me, run.id, RunOutcome(ended=True, rc=0), ending="finished")
    assert desk.task(task).status == "reviewing"
    assert not desk.app.runs.release(me, run.id).changed


def test_a_failed_run_is_never_a_submit_S2(desk: DeskWorld) -> None:
    me, task = runner(desk), desk.create()
    run = bound(desk, me, task)
    work(desk, run)
    with pytest.raises(BadInput, match="failed run"):
        desk.app.runs.submit_work(me, run.id, signal="FAILED", message="")
    desk.app.runs.end(
        me, run.id, RunOutcome(ended=False, rc=1, error="crash", error_text="\x1b[0mboom\0"), ending="failed"
    )
    assert desk.app.runs.of_task(task)[0].error_text == " [0mboom"
    assert desk.app.runs.release(me, run.id, how="crash", reason="boom").status == "open"
    assert desk.task(task).ready


def test_what_a_program_says_last_is_its_signal_S1(desk: DeskWorld) -> None:
    me, task = runner(desk), desk.create()
    run = bound(desk, me, task)
    desk.app.runs.signal(agent_of(desk), "DONE")
    said = RunOutcome(ended=True, rc=0, signal="BLOCKED", message="no key")
    ended = desk.app.runs.end(me, run.id, said, ending="finished")
    assert (ended.signal, ended.message) == ("BLOCKED", "no key")


def test_a_blocked_run_leaves_a_blocked_task_that_a_person_sees_L17(desk: DeskWorld) -> None:
    me, task = runner(desk), desk.create()
    run = bound(desk, me, task)
    desk.app.runs.end(me, run.id, None, ending="finished")
    done = desk.app.runs.release(me, run.id, how="blocked", reason="no key")
    assert (done.status, desk.task(task).blocked_reason) == ("blocked", "no key")
    desk.app.stops.unblock(ALICE, task)
    assert desk.task(task).ready


def test_the_claim_that_an_ended_run_left_goes_to_the_next_run_and_to_nobody_between_K1(desk: DeskWorld) -> None:
    """No signal: the same task is resumed once and asked."""
    me, task = runner(desk), desk.create()
    first = bound(desk, me, task)
    desk.app.runs.end(me, first.id, RunOutcome(ended=True, rc=0, conversation="c-1"), ending="finished")
    assert desk.task(task).status == "in_progress"
    again = desk.app.runs.reserve(me, task, profile="claude", purpose="implement", resumes="c-1")
    second = desk.app.runs.bind(me, again.id, secret="fe-2", process="proc:boot:ns:90:1", program="claude")
    assert (second.resumes, desk.task(task).implementer) == ("c-1", second.session)
    work(desk, second)
    assert desk.app.runs.submit_work(me, second.id, signal="NEEDS_REVIEW", message="").status == "reviewing"
    desk.sound()


def test_the_claim_that_a_run_left_is_freed_by_the_next_one_that_never_began_T(desk: DeskWorld) -> None:
    """Found by the machine of test_run_plays.py."""
    me, task = runner(desk), desk.create()
    first = bound(desk, me, task)
    desk.app.runs.end(me, first.id, None, ending="failed")
    second = reserved(desk, me, task)
    desk.app.runs.end(me, second.id, None, ending="unstarted")
    assert desk.app.runs.release(me, second.id).status == "open"


def test_what_a_runner_takes_nobody_else_starts_and_the_other_way_round_T1_K1(desk: DeskWorld) -> None:
    me, task, other = runner(desk), desk.create(), desk.create()
    run = reserved(desk, me, task)
    with desk.refused(error=LostClaim):
        desk.start(CLAUDE, task)
    assert desk.app.claims.next(CLAUDE).task == other
    with desk.refused("T1"):
        reserved(desk, me, other)
    desk.app.runs.end(me, run.id, None, ending="unstarted")
    desk.start(CODEX, task)


def test_a_stop_is_asked_for_once_by_people_S(desk: DeskWorld) -> None:
    me, task = runner(desk), desk.create()
    run = bound(desk, me, task)
    assert [row.stop_asked for row in desk.app.runs.ask_stop(ALICE, task, reason="wrong way")] == ["wrong way"]
    assert [pause.task for pause in desk.app.runs.blocked_work().pauses] == [task], "no runner takes it up again (V9)"
    assert desk.app.runs.ask_stop(BOB, run.id)[0].stop_asked == "wrong way"
    for actor, rule in ((CLAUDE, "I5"), (CI, "J4"), (agent_of(desk), "I2")):
        with desk.refused(rule):
            desk.app.runs.ask_stop(actor, task)
    desk.app.runs.end(me, run.id, RunOutcome(ended=False, stopped=True), ending="stopped")
    assert desk.app.runs.ask_stop(ALICE, task) == []


def test_a_profile_that_is_out_of_quota_is_left_alone_on_its_host(desk: DeskWorld) -> None:
    me = runner(desk)
    desk.app.runs.cool(me, "claude", until="", error="auth", error_text="please run /login")
    (row,) = desk.app.runs.cooled("box")
    assert (row.profile, row.error_text, desk.app.runs.cooled("elsewhere")) == ("claude", "please run /login", [])
    assert desk.app.runs.warm(ALICE, "claude", host="box")
    assert not desk.app.runs.warm(me, "claude")
    with desk.refused("J4"):
        desk.app.runs.warm(CI, "claude")


def test_only_profiles_of_the_policy_run_I5(desk: DeskWorld) -> None:
    with pytest.raises(BadInput, match="profile"):
        desk.app.runs.reserve(runner(desk), desk.create(), profile="my-own", purpose="implement")


def test_a_lead_decides_by_its_token_and_does_nothing_else_I2_E3(desk: DeskWorld) -> None:
    desk.repo.files["foureyes.toml"] += '[tiers]\nlead = "codex"\n'
    desk.app.policy.accept(ALICE)
    task = desk.create(BOB)
    with desk.store.write() as tx:
        stuck = e.TaskEscalated(iteration=0, tier="lead", waiting_for="lead", why="it goes round in circles")
        tx.append(ALICE.session, NOW, [(task, stuck)])
    me = runner(desk)
    run = bound(desk, me, task, profile="codex", purpose="lead")
    lead = agent_of(desk)
    assert (run.role, desk.task(task).status) == ("lead", "open")
    _refused_by_role(desk, lead, task)
    done = desk.app.loops.lead(lead, task, "ask", "it is not clear what is wanted")
    assert "waits for a person" in done.message


def _refused_by_role(desk: DeskWorld, actor: Actor, task: str) -> None:
    for call in (
        lambda: desk.submit(actor, task),
        lambda: desk.app.tasks.add_label(actor, task, ["review:skip"]),
        lambda: desk.app.tasks.edit(actor, task, minor=True),
        lambda: desk.app.sessions.spawn(actor, task, "implement"),
        lambda: desk.app.runs.begin(actor, agents=1),
        lambda: desk.app.policy.set(actor, "minor.max_lines", "1"),
        lambda: desk.app.runs.pause(actor, None, reason="no"),
    ):
        with desk.refused("I2"):
            call()


def test_a_run_that_plans_imports_nothing_and_makes_no_task_that_is_for_a_person_M7_I2(desk: DeskWorld) -> None:
    goal, other = desk.create(BOB, type="epic", title="a goal"), desk.create(BOB)
    bound(desk, runner(desk), goal, purpose="plan")
    planner = agent_of(desk)
    evil = "## Task 1: Evil by itself\nLabels: review:skip\n\nDo it.\n"
    for make in (
        lambda: desk.app.plans.import_(planner, evil),
        lambda: desk.app.plans.import_(planner, evil, parent=goal),
        lambda: desk.app.tasks.create(planner, "a part", parent=goal),
    ):
        with desk.unchanged(), desk.refused("M7") as caught:
            make()
        assert "a person reads and imports" in caught[0].reasons[0].message
    desk.app.notes.log(planner, goal, "read all of it")
    desk.app.runs.emit(planner, "progress", "read all of it")
    desk.app.runs.signal(planner, "DONE")
    for call in (
        lambda: desk.app.tasks.add_label(planner, goal, ["review:skip"]),
        lambda: desk.app.notes.log(planner, other, "hello"),
        lambda: desk.app.sessions.spawn(planner, goal, "implement"),
    ):
        with desk.refused("I2"):
            call()


def test_a_hand_in_that_comes_too_late_moves_no_ref_of_an_attempt_J4_A1(desk: DeskWorld) -> None:
    """Suspended in the middle of it; another runner has submitted the same attempt meanwhile, with other work."""
    first, task = runner(desk), desk.create()
    run = bound(desk, first, task)
    work(desk, run)
    pieces, taken = desk.repo.pieces, list[str]()

    def meanwhile(base: Sha, head: Sha) -> tuple[str, ...]:
        if not taken:
            taken.append(task)
            desk.clock.advance(seconds=LEASE_SECONDS + 1)
            other = runner(desk, "proc:boot:ns:10:10")
            mine = desk.app.runs.take_over(other, run.id)
            work(desk, mine)
            desk.app.runs.submit_work(other, run.id, signal="DONE", message="the other's")
        return pieces(base, head)

    desk.repo.pieces = meanwhile  # type: ignore[method-assign]
    with pytest.raises((Refused, StaleState)):
        desk.app.runs.submit_work(first, run.id, signal="DONE", message="too late")
    attempt = desk.app.lists.show(ALICE, task).attempts[-1]
    assert (attempt.message, desk.workshop.kept) == ("the other's", {attempt_ref(task, 1): attempt.head})
