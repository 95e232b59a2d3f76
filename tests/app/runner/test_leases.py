"""Leases (J4): the row is the truth, its fence and its expiry; a process that is seen to be gone only tells sooner."""

from __future__ import annotations

import pytest

from foureyes.app.runner_registry import LEASE_SECONDS as SECONDS
from foureyes.core.nouns.run import RunId
from foureyes.errors import Conflict, NotFound, TokenRefused

from tests.stage.people import ALICE, BOB
from tests.stage.running import PROCESS, agent_of, bound, reserved, runner, work
from tests.stage.world import DeskWorld

OTHER = "proc:boot:ns:10:10"


def test_of_two_runners_one_gets_the_task_J4(desk: DeskWorld) -> None:
    one, two, task = runner(desk), runner(desk, OTHER, by=BOB), desk.create()
    run = reserved(desk, one, task)
    with desk.refused("J4"):
        reserved(desk, two, task)
    assert [row.id for row in desk.app.runs.live()] == [run.id]


def test_a_live_lease_is_kept_and_one_that_is_over_is_taken_with_the_next_fence_J4(desk: DeskWorld) -> None:
    one, two, task = runner(desk), runner(desk, OTHER), desk.create()
    run = bound(desk, one, task)
    with desk.refused(error=Conflict):
        desk.app.runs.take_over(two, run.id)
    desk.clock.advance(seconds=SECONDS)
    taken = desk.app.runs.take_over(two, run.id)
    assert (taken.fence, taken.runner) == (2, two.session)
    assert desk.app.runs.renew(one, [run.id]) == [run.id]
    assert not desk.app.runs.holds(one, run.id)
    assert desk.app.runs.holds(two, run.id)


def test_a_renewal_keeps_the_lease_is_no_row_of_the_journal_and_is_not_replayed_J4(desk: DeskWorld) -> None:
    one, two, task = runner(desk), runner(desk, OTHER), desk.create()
    run = bound(desk, one, task)
    for _ in range(3):
        desk.clock.advance(seconds=SECONDS - 1)
        with desk.unchanged():
            assert desk.app.runs.renew(one, [run.id]) == []
        with desk.refused(error=Conflict):
            desk.app.runs.take_over(two, run.id)
    desk.sound()
    states = {row.session: row.state for row in desk.app.runs.runners()}
    assert states == {one.session: "live", two.session: "silent"}


def test_a_runner_whose_process_is_gone_loses_its_runs_at_once_J4(desk: DeskWorld) -> None:
    one, task = runner(desk), desk.create()
    run = bound(desk, one, task)
    desk.outside.gone.add(PROCESS)
    desk.outside.own = OTHER
    begun = desk.app.runs.begin(BOB, agents=1)
    assert begun.lost == [one.session]
    assert desk.app.runs.take_over(begun.actor, run.id).fence == 2
    with desk.refused("J4"):
        desk.app.runs.renew(one, [run.id])


def test_who_lost_the_lease_writes_nothing_for_the_run_any_more_J4(desk: DeskWorld) -> None:
    """A machine that was suspended wakes up."""
    one, two, task = runner(desk), runner(desk, OTHER), desk.create()
    run = bound(desk, one, task)
    work(desk, run)
    desk.clock.advance(seconds=SECONDS)
    desk.app.runs.take_over(two, run.id)
    for call in (
        lambda: desk.app.runs.submit_work(one, run.id, signal="DONE", message=""),
        lambda: desk.app.runs.end(one, run.id, None, ending="finished"),
        lambda: desk.app.runs.release(one, run.id),
        lambda: desk.app.runs.bind(one, run.id, secret="fe-x", process="p", program="x"),
    ):
        with desk.refused("J4"):
            call()
    with pytest.raises(TokenRefused):
        agent_of(desk)
    assert desk.app.runs.submit_work(two, run.id, signal="NEEDS_REVIEW", message="").status == "reviewing"
    desk.app.runs.end(two, run.id, None, ending="lost")
    desk.sound()


def test_between_taking_a_lease_and_binding_it_can_be_lost_J4(desk: DeskWorld) -> None:
    one, two, task = runner(desk), runner(desk, OTHER), desk.create()
    run = reserved(desk, one, task)
    desk.clock.advance(seconds=SECONDS)
    desk.app.runs.take_over(two, run.id)
    with desk.refused("J4"):
        desk.app.runs.bind(one, run.id, secret="fe-x", process="p", program="x")
    desk.app.runs.end(two, run.id, None, ending="unstarted")
    assert desk.task(task).ready


def test_after_a_run_has_ended_nobody_settles_it_over_a_run_that_began_anew_J4(desk: DeskWorld) -> None:
    me, task = runner(desk), desk.create()
    first = bound(desk, me, task)
    desk.app.runs.end(me, first.id, None, ending="failed")
    bound(desk, me, task, secret="fe-2", process="proc:boot:ns:90:1")
    with desk.refused("J4"):
        desk.app.runs.release(me, first.id, how="crash")


def test_runs_of_a_runner_that_ended_by_itself_can_be_taken_over_J4(desk: DeskWorld) -> None:
    one, two, task = runner(desk), runner(desk, OTHER), desk.create()
    run = bound(desk, one, task)
    desk.app.runs.finish(one, reason="asked to")
    assert [row.state for row in desk.app.runs.runners() if row.session == one.session] == ["ended"]
    assert desk.app.runs.take_over(two, run.id).runner == two.session
    other = desk.create()
    with desk.refused("J4"):
        reserved(desk, one, other)


def test_a_run_that_is_over_or_ones_own_is_not_taken_over_J4(desk: DeskWorld) -> None:
    me = runner(desk)
    run = reserved(desk, me, desk.create())
    with desk.refused(error=Conflict):
        desk.app.runs.take_over(me, run.id)
    desk.app.runs.end(me, run.id, None, ending="unstarted")
    other = runner(desk, OTHER)
    with desk.refused(error=Conflict):
        desk.app.runs.take_over(other, run.id)


def test_an_unknown_run_is_not_found(desk: DeskWorld) -> None:
    with pytest.raises(NotFound):
        desk.app.runs.holds(ALICE, RunId("run-none"))
