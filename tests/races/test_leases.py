"""Q1, Q4, J4: the lease of a merge. A live process keeps it, a dead one has none, one that nobody can see keeps it for
its time.
"""

from __future__ import annotations

import os
import signal
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from foureyes.core.nouns.session import Actor
from foureyes.errors import Conflict

from tests.races.hooks import Paused
from tests.stage.floor import Floor
from tests.stage.fork import Child
from tests.stage.looking import check, tables
from tests.stage.people import ALICE
from tests.stage.places import Place, ServerPlace
from tests.stage.ports import FixedClock

ELSEWHERE = "proc:another-boot:4026531836:77:12345"


class Prepared:
    """A floor with one approved task."""

    def __init__(self, place: Place, template: Path) -> None:
        self.floor = Floor(place, template)
        self.task = self.floor.agreed()
        self.floor.close()

    def merge(self, *, minutes: float = 0, actor: Actor = ALICE) -> str:
        """What became of the task, or why nobody was let in; by a process of its own, so many minutes later."""

        def run() -> str:
            assert isinstance(self.floor.clock, FixedClock)
            self.floor.clock.time += timedelta(minutes=minutes)
            try:
                return next((row.outcome for row in self.floor.merge(actor)), "nothing")
            except Conflict as problem:
                return problem.message
            finally:
                self.floor.close()

        return Child(run).result()

    def state(self) -> str:
        """As `fe merge --list` shows it."""
        return self._listed()[0]

    def waits_for(self) -> str:
        """The same, in words."""
        return self._listed()[1]

    def _listed(self) -> tuple[str, str]:
        def look() -> tuple[str, str]:
            try:
                item = self.floor.app.merges.all()[0]
                return item.state, item.why
            finally:
                self.floor.close()

        return Child(look).result()

    def minutes(self) -> float:
        """How long the lease is for."""
        (row,) = tables(self.floor).merges
        return (datetime.fromisoformat(row["until"]) - self.floor.clock.now()).total_seconds() / 60

    def paused(self, *, process: str | None = None, actor: Actor = ALICE) -> Paused:
        """A merge in the middle; `process`: what it says it is."""
        if process is not None:
            setattr(self.floor.outside, "process", lambda: process)  # noqa: B010
        try:
            return Paused(self.floor, lambda: [row.outcome for row in self.floor.merge(actor)])
        finally:
            self.floor.outside.__dict__.pop("process", None)


@pytest.fixture
def prepared(place: Place, template: Path) -> Prepared:
    return Prepared(place, template)


def test_the_lease_of_a_live_process_is_respected_Q1(prepared: Prepared) -> None:
    first = prepared.paused()
    assert prepared.state() == "merging"
    assert "another fe merge is running" in prepared.merge()
    assert "another fe merge is running" in prepared.merge(minutes=prepared.minutes() - 0.1)
    assert first.go_on() == ["merged"]
    check(prepared.floor)


def test_the_lease_of_a_killed_process_is_free_at_once_Q4(prepared: Prepared) -> None:
    first = prepared.paused()
    os.kill(first.child.pid, signal.SIGKILL)
    assert first.child.ended().signal == signal.SIGKILL
    first.close()
    assert prepared.state() == "waiting"
    assert prepared.merge() == "merged"
    check(prepared.floor)


def test_a_process_that_ended_and_was_not_waited_for_has_no_lease_Q4(prepared: Prepared) -> None:
    """A zombie: its number is still taken."""
    first = prepared.paused()
    os.kill(first.child.pid, signal.SIGKILL)
    os.waitid(os.P_PID, first.child.pid, os.WEXITED | os.WNOWAIT)
    assert prepared.merge() == "merged"
    first.child.ended()
    first.close()
    check(prepared.floor)


@pytest.fixture
def lost(prepared: Prepared) -> Prepared:
    """A merge on another machine, of which nobody here can see that it was killed."""
    first = prepared.paused(process=ELSEWHERE, actor=replace(ALICE, host="elsewhere"))
    os.kill(first.child.pid, signal.SIGKILL)
    first.child.ended()
    first.close()
    return prepared


@pytest.mark.parametrize("place", ["postgres"], indirect=True)
def test_the_lease_of_a_process_on_another_machine_is_free_once_the_server_sees_it_gone_J4_Q4(
    place: Place, lost: Prepared
) -> None:
    assert isinstance(place, ServerPlace)
    place.wait_until_dark()
    assert (lost.state(), lost.merge()) == ("waiting", "merged")
    check(lost.floor)


@pytest.mark.parametrize("place", ["postgres"], indirect=True)
def test_the_lease_of_a_connected_process_on_another_machine_is_respected_J4_Q1(prepared: Prepared) -> None:
    first = prepared.paused(process=ELSEWHERE)
    assert prepared.state() == "merging"
    assert "another fe merge is running" in prepared.merge()
    assert first.go_on() == ["merged"]
    check(prepared.floor)


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_without_a_server_the_lease_of_a_process_that_nobody_sees_is_free_only_when_its_time_is_up_Q4(
    lost: Prepared,
) -> None:
    prepared, minutes = lost, lost.minutes()
    until = f", until {tables(prepared.floor).merges[0]['until'][11:16]} UTC at the latest"
    assert prepared.merge() == f"another fe merge is running on elsewhere{until} and merges {prepared.task}."
    assert prepared.waits_for() == f"being merged now on elsewhere{until}"
    assert "another fe merge is running" in prepared.merge(minutes=minutes - 0.1)
    assert prepared.merge(minutes=minutes + 0.1) == "merged"
    check(prepared.floor)


def test_who_was_silent_for_longer_than_its_lease_and_comes_back_merges_nothing_Q4(prepared: Prepared) -> None:
    first = prepared.paused()
    assert prepared.merge(minutes=prepared.minutes() + 1) == "merged"
    assert "merged" not in first.go_on()
    check(prepared.floor)


def test_two_processes_that_cannot_be_told_apart_do_not_merge_at_once_Q1(prepared: Prepared) -> None:
    """Where there is no /proc every process has the same, empty evidence."""
    first = prepared.paused(process="")
    setattr(prepared.floor.outside, "process", lambda: "")  # noqa: B010
    said = prepared.merge()
    first.go_on()
    check(prepared.floor)
    assert "another fe merge is running" in said


def test_a_lease_of_what_is_not_approved_any_more_keeps_nobody_else_from_merging_Q3(prepared: Prepared) -> None:
    """Its process may have died on another machine; the task was taken back since; the others need not wait for its
    time.
    """
    first = prepared.paused(process=ELSEWHERE, actor=replace(ALICE, host="elsewhere"))
    os.kill(first.child.pid, signal.SIGKILL)
    first.child.ended()
    first.close()
    floor = prepared.floor
    floor.app.feedback.redo(ALICE, prepared.task, "not like this")
    other = floor.agreed()
    floor.close()
    prepared.merge()
    assert {row["id"]: row["status"] for row in tables(floor).tasks}[other] == "closed"
