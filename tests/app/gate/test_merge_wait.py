"""Waiting for approvals to settle (Q0): until nothing is left that only has to, whatever happens meanwhile."""

from __future__ import annotations

import pytest

from foureyes.app.gate.merger import Merges
from foureyes.app.git_ports import CaughtUp
from foureyes.app.results.project import News
from foureyes.core.nouns.session import Actor
from foureyes.errors import Conflict

from tests.stage.checkout import AT_ONCE
from tests.stage.gated import LINT, approved, check, configure, deliver
from tests.stage.people import ALICE, BOB, CI, CODEX
from tests.stage.world import GitWorld


def merge_waiting(world: GitWorld, actor: Actor = CI) -> dict[str, str]:
    """Work the queue off and wait for what settles; what became of each task."""
    return {row.task: row.outcome for row in world.app.merges.process(actor, wait=True)}


def test_waiting_ends_when_the_approval_has_settled_and_is_merged_Q0(world: GitWorld) -> None:
    task = approved(world)
    world.clock.advance(seconds=4)
    heard: list[News] = []
    rows = world.app.merges.process(CI, heard.append, wait=True)
    assert [(row.task, row.outcome) for row in rows] == [(task, "merged")], "told once, as what it became"
    assert world.clock.waited == [6]
    assert any("in case you withdraw the approval (Q0)" in news.text for news in heard)


def test_without_waiting_nothing_is_waited_for_Q0(world: GitWorld) -> None:
    task = approved(world)
    assert [row.outcome for row in world.app.merges.process(CI)] == ["waiting"]
    assert (world.clock.waited, world.status(task)) == ([], "approved")


def test_nothing_that_settles_is_nothing_to_wait_for_Q0(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = approved(world)
    assert (merge_waiting(world), world.clock.waited) == ({task: "merged"}, [])


def test_each_is_merged_as_soon_as_it_has_settled_Q0(world: GitWorld) -> None:
    first, second = deliver(world), deliver(world)
    world.approve(BOB, first)
    world.clock.advance(seconds=3)
    world.approve(BOB, second)
    assert merge_waiting(world) == {first: "merged", second: "merged"}
    assert world.clock.waited == [7, 3]


def settled_while_another_is_checked(world: GitWorld, seconds: float) -> tuple[str, str]:
    """Two approved tasks: one is ready, and while its checks run the other one goes on settling."""
    configure(world, LINT)
    ready, settling = deliver(world), deliver(world, priority=3)
    for task in (ready, settling):
        check(world, task)
    world.approve(CODEX, ready, reason="fine")
    world.approve(BOB, settling)
    world.checkout.commit("other.py")  # so that the merge results are trees that nobody checked
    world.outside.runner.during = lambda: world.clock.advance(seconds=seconds)
    return ready, settling


@pytest.mark.parametrize("seconds", [9.999, 10.0, 10.001])
def test_what_settles_while_the_queue_is_worked_off_is_not_left_waiting_Q0(world: GitWorld, seconds: float) -> None:
    ready, settling = settled_while_another_is_checked(world, seconds)
    assert merge_waiting(world) == {ready: "merged", settling: "merged"}


def test_what_settles_after_the_last_look_for_something_to_merge_is_not_left_waiting_Q0(
    world: GitWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = approved(world)
    workshop = world.app.context.workshop
    catch_up = workshop.catch_up

    def slowly(target: str) -> list[CaughtUp]:
        """The queue had nothing to take a moment ago; now it has."""
        world.clock.advance(seconds=10)
        return catch_up(target)

    monkeypatch.setattr(workshop, "catch_up", slowly)
    assert (merge_waiting(world), world.clock.waited) == ({task: "merged"}, [])


def test_what_is_approved_during_the_wait_is_waited_for_too_Q0(world: GitWorld) -> None:
    first, late = approved(world), deliver(world)

    def meanwhile() -> None:
        world.clock.during = None
        world.clock.advance(seconds=5)
        world.approve(BOB, late)

    world.clock.during = meanwhile
    assert merge_waiting(world) == {first: "merged", late: "merged"}
    assert len(world.clock.waited) == 2


def test_what_became_void_and_is_approved_again_meanwhile_is_merged_too_Q0_Q1(
    world: GitWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = approved(world, by=CODEX)
    world.app.tasks.add_label(ALICE, task, ["security"])
    workshop = world.app.context.workshop
    catch_up = workshop.catch_up

    def meanwhile(target: str) -> list[CaughtUp]:
        if world.status(task) == "reviewing":
            world.approve(BOB, task)
        return catch_up(target)

    monkeypatch.setattr(workshop, "catch_up", meanwhile)
    rows = world.app.merges.process(CI, wait=True)
    assert [(row.task, row.outcome) for row in rows] == [(task, "void"), (task, "merged")]


@pytest.mark.parametrize("why", ["held", "withdrawn"])
def test_what_no_longer_only_has_to_settle_is_not_waited_for_Q0(world: GitWorld, why: str) -> None:
    task = approved(world)

    def meanwhile() -> None:
        world.clock.during = None
        if why == "held":
            world.app.stops.hold(ALICE, task, "freeze")
        else:
            world.app.decisions.withdraw(BOB, task, reason="wait")

    world.clock.during = meanwhile
    assert merge_waiting(world) == ({task: "waiting"} if why == "held" else {})
    assert world.clock.waited == [10]


def test_what_is_held_or_depends_on_something_is_not_waited_for_Q0(world: GitWorld) -> None:
    held, first, second = deliver(world), deliver(world), deliver(world)
    world.app.tasks.add_dependency(ALICE, second, [first])
    for task in (held, second):
        world.approve(BOB, task)
    world.app.stops.hold(ALICE, held, "freeze")
    assert (merge_waiting(world), world.clock.waited) == ({held: "waiting", second: "waiting"}, [])


def test_what_waits_for_another_that_settles_is_merged_after_it_Q0_T3(world: GitWorld) -> None:
    second, first = deliver(world), deliver(world)
    world.app.tasks.add_dependency(ALICE, second, [first])
    for task in (second, first):
        world.approve(BOB, task)
    assert merge_waiting(world) == {first: "merged", second: "merged"}


def test_another_merge_at_work_after_the_wait_ends_ours_and_what_was_done_is_told_Q0_Q1(world: GitWorld) -> None:
    by_agent, settling = approved(world, by=CODEX), approved(world)
    another = Merges(world.app.context)

    def meanwhile() -> None:
        world.clock.advance(seconds=10)
        world.outside.own = "process:another"
        assert another._lease(CI, set()) is not None
        world.outside.own = "process:test"

    world.clock.during = meanwhile
    assert merge_waiting(world) == {by_agent: "merged", settling: "merging"}
    assert world.clock.waited == [10]
    with pytest.raises(Conflict):
        world.app.merges.process(CI, wait=True)
    assert another._lock is not None
    another._lock.close()


def test_ctrl_c_while_it_waits_leaves_nothing_behind_Q0(world: GitWorld) -> None:
    task = approved(world)
    rows = world.rows()

    def interrupt() -> None:
        raise KeyboardInterrupt

    world.clock.during = interrupt
    with pytest.raises(KeyboardInterrupt):
        world.app.merges.process(CI, wait=True)
    assert (world.rows(), world.status(task)) == (rows, "approved")
    world.clock.during = None
    assert merge_waiting(world) == {task: "merged"}
