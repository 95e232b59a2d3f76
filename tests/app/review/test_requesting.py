"""A person lets reviewers look (V1, V4): who starts them, and nobody is asked twice about the same work."""

from __future__ import annotations

from foureyes.steps import by_person, fe

from tests.stage.cycled import PEERS, begun
from tests.stage.gated import configure
from tests.stage.people import ALICE
from tests.stage.running import runner
from tests.stage.world import DeskWorld


def test_without_a_runner_it_is_said_that_nobody_starts_them_V4(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    done = desk.app.cycles.now(ALICE, begun(desk))
    assert done.notes == ("no runner is running to start the reviewers",)
    assert done.next == by_person(fe("run", "--until-idle"))
    runner(desk)
    assert desk.app.cycles.now(ALICE, begun(desk)).notes == ()


def test_what_an_open_cycle_is_about_is_left_out_of_a_look_at_everything_V1(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    first, second = begun(desk), begun(desk)
    desk.app.cycles.now(ALICE, first)
    done = desk.app.cycles.now(ALICE)
    assert [target.task for target in desk.app.cycles.show("c-2").targets] == [second]
    assert done.notes[0] == f"{first} is left out, because c-1 already asks about the same work"
    with desk.refused("V1"):
        desk.app.cycles.now(ALICE)
    assert [view.id for view in desk.app.cycles.listed()] == ["c-2", "c-1"]
