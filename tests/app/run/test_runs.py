"""Runs: a runner begins, takes a task, binds a token, hands in or gives back, and ends; leases decide who may (J4)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from foureyes.app.run.leases import SECONDS
from foureyes.core.nouns.run import Run, RunId, RunOutcome, Usage
from foureyes.core.nouns.session import Actor
from foureyes.errors import BadInput, Conflict, LostClaim, Refused, TokenRefused

from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, service
from tests.stage.world import DeskWorld

SECRET = "fe-secret"
REAPER = "proc:boot:ns:77:1"


def runner(desk: DeskWorld, process: str = "proc:boot:ns:9:9", *, by: Actor = ALICE) -> Actor:
    """A runner in a process of its own."""
    desk.outside.own = process
    return desk.app.runs.begin(by, agents=3).actor


def reserved(desk: DeskWorld, actor: Actor, task: str, **fields: str) -> Run:
    return desk.app.runs.reserve(actor, task, profile=fields.get("profile", "claude"), purpose="implement")


def bound(
    desk: DeskWorld, actor: Actor, task: str, *, secret: str = SECRET, process: str = REAPER, **fields: str
) -> Run:
    run = reserved(desk, actor, task, **fields)
    return desk.app.runs.bind(actor, run.id, secret=secret, process=process, program="/bin/claude")


def agent_of(desk: DeskWorld, secret: str = SECRET, process: str = REAPER) -> Actor:
    """The agent below the reaper, by its token."""
    return desk.show_token(secret, ("proc:boot:ns:78:1", process), ("proc:boot:ns:78:1",))


def work(desk: DeskWorld, run: Run) -> None:
    assert run.session is not None
    desk.repo.commit(f"fe/{run.task}", sessions=[run.session])


# Who begins


def test_a_person_begins_a_runner_which_is_a_service_of_its_own_below_nobody_I5_I7(desk: DeskWorld) -> None:
    me = runner(desk)
    assert (me.kind, me.trust, me.parent) == ("service", "issued", None)
    (row,) = desk.app.runs.runners()
    assert (row.session, row.starter, row.agents, row.state) == (me.session, "alice@box", 3, "live")
    desk.sound()


@pytest.mark.parametrize("actor", [CLAUDE, replace(ALICE, within="fe check run"), CI])
def test_below_an_agent_or_a_check_and_for_a_service_nobody_named_no_runner_begins_I5(
    desk: DeskWorld, actor: Actor
) -> None:
    with desk.refused("I5"):
        desk.app.runs.begin(actor, agents=1)


def test_a_service_that_the_policy_names_begins_one_I5(desk: DeskWorld) -> None:
    desk.repo.files["foureyes.toml"] += '[run]\nservices = ["ci@box"]\n'
    desk.app.policy.accept(ALICE)
    assert runner(desk, by=CI).kind == "service"
    with desk.refused("I5"):
        desk.app.runs.begin(service("other"), agents=1)


def test_whoever_is_no_runner_reserves_nothing_J4(desk: DeskWorld) -> None:
    task = desk.create()
    for actor in (ALICE, CI, replace(ALICE, kind="service", trust="issued")):
        with desk.refused("J4"):
            reserved(desk, actor, task)


# The life of a run


def test_a_run_from_its_reservation_to_its_hand_in_S1_T(desk: DeskWorld) -> None:
    me, task = runner(desk), desk.create(CODEX)
    run = bound(desk, me, task)
    assert (run.state, run.role, run.fence, desk.task(task).status) == ("running", "implement", 1, "in_progress")
    agent = agent_of(desk)
    assert (agent.session, agent.role, agent.task) == (run.session, "implement", task)
    desk.app.runs.signal(agent, "done", message="it works")
    work(desk, run)
    desk.app.runs.hand_in(me, run.id, signal="DONE", message="it works")
    outcome = RunOutcome(ended=True, rc=0, conversation="c-1", usage=Usage(cost_micros=7))
    ended = desk.app.runs.end(me, run.id, outcome, ending="finished")
    assert (ended.state, ended.ending, ended.signal, ended.conversation) == ("ended", "finished", "DONE", "c-1")
    assert desk.task(task).status == "reviewing"
    assert [entry.session for entry in desk.show(task).history if entry.action == "submitted"] == [run.session]
    with pytest.raises(TokenRefused):
        agent_of(desk)
    assert desk.app.runs.live() == []
    desk.sound()


def test_a_runner_is_no_author_and_decides_nothing_I7(desk: DeskWorld) -> None:
    me, task = runner(desk), desk.create(CODEX)
    run = bound(desk, me, task)
    work(desk, run)
    desk.app.runs.hand_in(me, run.id, signal="DONE", message="")
    assert desk.show(task).authors == ["claude#1"]
    with desk.refused("I5"):
        desk.approve(me, task)


def test_runs_of_one_runner_are_independent_of_each_other_I4(desk: DeskWorld) -> None:
    me, task, other = runner(desk), desk.create(BOB), desk.create(BOB)
    run = bound(desk, me, task)
    bound(desk, me, other, secret="fe-other", process="proc:boot:ns:88:1")
    one = desk.app.sessions.whoami(agent_of(desk))
    two = desk.app.sessions.whoami(desk.show_token("fe-other", ("proc:boot:ns:89:1", "proc:boot:ns:88:1")))
    assert not set(one.origins) & set(two.origins)
    assert ALICE.session not in {one.parent, two.parent}
    assert run.session == one.session
