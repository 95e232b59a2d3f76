"""Beginnings: who may begin a runner, who it is then, and that its runs are nobody's children (I4, I5, I7)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from foureyes.core.nouns.session import Actor
from foureyes.errors import Reason
from foureyes.ui.steps import steps_text

from tests.stage.people import ALICE, BOB, CI, CLAUDE, service
from tests.stage.running import agent_of, bound, reserved, runner
from tests.stage.world import DeskWorld


def test_a_person_begins_a_runner_which_is_a_service_of_its_own_below_nobody_I5_I7(desk: DeskWorld) -> None:
    me = runner(desk)
    assert (me.kind, me.trust, me.parent) == ("service", "issued", None)
    (row,) = desk.app.runs.runners()
    assert (row.session, row.starter, row.agents, row.state) == (me.session, "alice@box", 3, "live")
    desk.sound()


@pytest.mark.parametrize(
    "actor",
    [
        CLAUDE, replace(ALICE, within="fe check run"), replace(CLAUDE, within="a hook"), CI,
        replace(CI, bound=Reason("I5", "git started this")),
    ],
)  # fmt: skip
def test_below_an_agent_a_check_a_hook_or_git_and_for_a_service_nobody_named_no_runner_begins_I5(
    desk: DeskWorld, actor: Actor
) -> None:
    with desk.refused("I5"):
        desk.app.runs.begin(actor, agents=1)


def test_a_service_that_the_policy_names_begins_one_and_another_is_told_how_I5(desk: DeskWorld) -> None:
    desk.repo.files["foureyes.toml"] += '[run]\nservices = ["ci@box"]\n'
    desk.app.policy.accept(ALICE)
    assert runner(desk, by=CI).kind == "service"
    with desk.refused("I5") as caught:
        desk.app.runs.begin(service("other"), agents=1)
    assert "other@box" in steps_text(caught[0].next_step)


def test_whoever_is_no_runner_on_record_reserves_nothing_J4(desk: DeskWorld) -> None:
    task = desk.create()
    for actor in (ALICE, CI, replace(ALICE, kind="service", trust="issued")):
        with desk.refused("J4"):
            reserved(desk, actor, task)


def test_runs_of_one_runner_are_independent_of_each_other_and_of_who_started_it_I4(desk: DeskWorld) -> None:
    me, task, other = runner(desk), desk.create(BOB), desk.create(BOB)
    bound(desk, me, task)
    bound(desk, me, other, secret="fe-other", process="proc:boot:ns:88:1")
    one = desk.app.sessions.whoami(agent_of(desk))
    two = desk.app.sessions.whoami(agent_of(desk, "fe-other", "proc:boot:ns:88:1"))
    assert not set(one.origins) & set(two.origins)
    assert {one.parent, two.parent} == {me.session}


def test_the_token_of_one_run_is_refused_below_another_and_on_record_I2(desk: DeskWorld) -> None:
    from foureyes.errors import TokenRefused

    me, task = runner(desk), desk.create()
    bound(desk, me, task)
    bound(desk, me, desk.create(), secret="fe-other", process="proc:boot:ns:88:1")
    with pytest.raises(TokenRefused):
        agent_of(desk, "fe-other")
    assert desk.app.audit.exceptions()[0].kind == "token_elsewhere"
