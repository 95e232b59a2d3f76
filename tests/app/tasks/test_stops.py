"""Stops: block, defer, hold; each with its way back, and only from where the table allows (T2)."""

from __future__ import annotations

import pytest

from foureyes.errors import BadInput

from tests.stage.people import ALICE, BOB, CLAUDE, CODEX
from tests.stage.world import DeskWorld


def test_block_and_unblock(desk: DeskWorld) -> None:
    task = desk.create()
    desk.app.stops.block(CLAUDE, task, "no key")
    assert (desk.status(task), desk.task(task).blocked_reason, desk.task(task).ready) == ("blocked", "no key", False)
    with desk.refused("T2"):
        desk.app.stops.block(CLAUDE, task, "still")
    desk.app.stops.unblock(CODEX, task)
    assert (desk.status(task), desk.task(task).blocked_reason, desk.task(task).ready) == ("open", "", True)


def test_a_blocked_claim_is_free_and_its_holder_stays_a_maker_I8(desk: DeskWorld) -> None:
    task = desk.create()
    desk.start(CLAUDE, task)
    desk.app.stops.block(CLAUDE, task, "no key")
    assert desk.task(task).implementer is None
    desk.app.stops.unblock(BOB, task)
    desk.start(CODEX, task)
    desk.repo.commit("work")
    desk.submit(CODEX, task)
    with desk.refused("P2"):
        desk.approve(CLAUDE, task, reason="x")


@pytest.mark.parametrize("blank", ["", "  \n\t"])
def test_block_hold_and_resume_need_a_reason(desk: DeskWorld, blank: str) -> None:
    task = desk.create()
    for call in (desk.app.stops.block, desk.app.stops.hold, desk.app.stops.resume):
        with desk.refused("T2"):
            call(ALICE, task, blank)
    with desk.refused("T2"):
        desk.app.stops.hold(ALICE, None, blank)


def test_defer_and_undefer(desk: DeskWorld) -> None:
    task = desk.create()
    desk.app.stops.defer(CLAUDE, task, "2027-01-31")
    assert (desk.status(task), desk.task(task).defer_until, desk.task(task).ready) == ("deferred", "2027-01-31", False)
    with desk.refused("T2"):
        desk.app.stops.defer(CLAUDE, task)
    desk.app.stops.undefer(CLAUDE, task)
    assert (desk.status(task), desk.task(task).defer_until, desk.task(task).ready) == ("open", None, True)
    with desk.refused("T2"):
        desk.app.stops.undefer(CLAUDE, task)


@pytest.mark.parametrize("text", ["tomorrow", "2027-13-01", "31.1.2027", ""])
def test_a_wrong_date_is_bad_input(desk: DeskWorld, text: str) -> None:
    task = desk.create()
    with desk.refused(error=BadInput):
        desk.app.stops.defer(BOB, task, text)


def test_only_people_hold_and_resume_D3(desk: DeskWorld) -> None:
    task = desk.create()
    with desk.refused("I5"):
        desk.app.stops.hold(CLAUDE, task, "because")
    desk.app.stops.hold(ALICE, task, "because")
    with desk.refused("I5"):
        desk.app.stops.resume(CLAUDE, task, "go on")
    assert (desk.task(task).hold, desk.counts()["held"], desk.task(task).ready) == ("because", 1, False)
    desk.app.stops.resume(BOB, task, "go on")
    assert (desk.task(task).hold, desk.counts()["held"], desk.task(task).ready) == (None, 0, True)


def test_lifting_a_hold_that_is_not_there_changes_nothing(desk: DeskWorld) -> None:
    task = desk.create()
    with desk.unchanged():
        assert not desk.app.stops.resume(ALICE, task, "go on").changed
        assert not desk.app.stops.resume(ALICE, None, "go on").changed


def test_a_project_hold_is_seen_and_lifted_D3(desk: DeskWorld) -> None:
    desk.app.stops.hold(ALICE, None, "fire drill")
    assert desk.app.status.show(BOB).hold == "fire drill"
    desk.app.stops.resume(ALICE, None, "over")
    assert desk.app.status.show(BOB).hold is None


def test_blocking_a_parent_makes_its_children_not_ready_T4(desk: DeskWorld) -> None:
    parent = desk.create(type="epic")
    children = [desk.create(parent=parent) for _ in range(3)]
    desk.app.stops.block(BOB, parent, "budget")
    assert (desk.counts()["ready"], desk.ids_of(ready=True)) == (0, [])
    born = desk.create(parent=parent)
    assert not desk.task(born).ready
    desk.app.tasks.edit(BOB, children[0], parent="")
    assert desk.ids_of(ready=True) == [children[0]]
    desk.app.tasks.edit(BOB, children[0], parent=parent)
    assert desk.ids_of(ready=True) == []
    desk.app.stops.unblock(BOB, parent)
    assert desk.counts()["ready"] == 4, "an epic is work for nobody"


def test_a_parent_cancelled_while_blocked_frees_its_children_T4(desk: DeskWorld) -> None:
    parent = desk.create()
    child = desk.create(parent=parent)
    desk.app.stops.block(BOB, parent, "budget")
    desk.app.closing.cancel(ALICE, parent)
    assert desk.task(child).ready


def test_reviewing_work_cannot_be_blocked_or_deferred_T2(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    with desk.refused("T2"):
        desk.app.stops.block(BOB, task, "why")
    with desk.refused("T2"):
        desk.app.stops.defer(BOB, task)


@pytest.mark.parametrize("until", ["2020-01-01", "2026-03-01"])
def test_nothing_is_put_off_until_a_day_that_is_over(desk: DeskWorld, until: str) -> None:
    """The clock of the desk stands at 2026-03-01."""
    task = desk.create()
    with desk.refused(error=BadInput) as caught:
        desk.app.stops.defer(BOB, task, until)
    assert "is not in the future. Today is 2026-03-01" in caught[0].message
