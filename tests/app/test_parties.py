"""What an agent calls the child that it made a session for is its word, and no evidence (I4, V4, V6, R1)."""

from __future__ import annotations

import pytest

from foureyes.app.facts import programs_of

from tests.stage.cycled import PEERS, QWEN
from tests.stage.gated import configure
from tests.stage.looped import review
from tests.stage.people import CLAUDE, CODEX
from tests.stage.world import DeskWorld

ONE = PEERS.replace("ask = 2", "ask = 1")
BELOW = ["process:boot:ns:child"]


def test_a_child_has_its_own_name_and_those_above_it_I4(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    child = desk.spawn(QWEN, task, "review", agent="codex", below=BELOW)
    review(desk, task, by=child)
    with desk.store.read() as tx:
        assert programs_of(tx, {child.session})[child.session] == {"qwen", "codex"}


def test_a_child_that_is_called_like_a_reviewer_does_not_take_its_seat_V4(desk: DeskWorld) -> None:
    configure(desk, ONE)
    task = desk.submitted_task()
    review(desk, task, by=desk.spawn(QWEN, task, "review", agent="codex", below=BELOW))
    (cycle,) = desk.app.cycles.listed(task=task)
    assert (cycle.state, cycle.waits_for) == ("open", ("codex",))
    review(desk, task, by=CODEX)
    assert desk.app.cycles.show(cycle.id).rule == "R4"


def test_a_blocker_of_a_child_that_is_called_like_a_reviewer_stops_nothing_R1(desk: DeskWorld) -> None:
    configure(desk, ONE)
    task = desk.submitted_task()
    review(desk, task, by=desk.spawn(QWEN, task, "review", agent="gemini", below=BELOW), verdict="blocker")
    review(desk, task, by=CODEX)
    assert desk.task(task).hold is None


@pytest.mark.parametrize("name", ["codex", "gemini"])
def test_a_profile_that_is_above_who_made_it_is_not_asked_V4(desk: DeskWorld, name: str) -> None:
    configure(desk, PEERS.replace('["codex", "gemini"]', '["claude", "gemini", "codex"]').replace("ask = 2", "ask = 1"))
    task = desk.create()
    child = desk.spawn(CLAUDE, task, "implement", agent=name, below=BELOW)
    desk.start(child, task)
    desk.repo.commit(f"fe/{task}", sessions=[child.session])
    desk.submit(child, task)
    (cycle,) = desk.app.cycles.listed(task=task)
    assert [each.reviewer for each in cycle.requested] == [{"codex": "gemini", "gemini": "codex"}[name]]


def test_a_child_of_a_script_has_no_voice_by_another_name_V3(desk: DeskWorld) -> None:
    configure(desk, ONE.replace('{ program = "qwen" }', '{ program = "qwen", adapter = "scripted" }'))
    task = desk.submitted_task()
    assert not review(desk, task, by=desk.spawn(QWEN, task, "review", agent="codex", below=BELOW)).counts
    assert review(desk, task, by=CODEX).counts
