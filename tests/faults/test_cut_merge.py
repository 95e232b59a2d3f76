"""A merge through a remote whose server or remote is cut off at each of its steps, or which is so slow that the other
machine takes over (Q4, Q6, J4): one main, nothing is lost, merged twice or voided, and what is said is true.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from foureyes.adapters.git.client.transport import Transport
from foureyes.adapters.process import Finished
from foureyes.errors import FoureyesError

from tests.faults.two_machines import Machines
from tests.stage.fork import Child
from tests.stage.places import Place, ServerPlace

HUNG_UP = Finished(128, b"", b"fatal: the remote end hung up unexpectedly")
EXCHANGES = {"push", "fetch", "ls-remote"}
NOTHING = ("Nothing was changed", "Nothing was merged;")
Fault = Callable[[Callable[[], Any]], Any]
"""What happens to a step: it gets the step, and gives an answer to it or an error."""


class Counted:
    """Steps of one kind in this process: each is counted, and one of them meets its fault."""

    def __init__(self, at: int, fault: Fault) -> None:
        self.count, self._at, self._fault = 0, at, fault

    def step(self, work: Callable[[], Any]) -> Any:
        self.count += 1
        return self._fault(work) if self.count == self._at else work()


def on_the_way(counted: Counted) -> None:
    """Every exchange with a remote."""
    original = Transport.run

    def run(self: Transport, args: tuple[str, ...], *more: Any) -> Finished:
        if EXCHANGES.isdisjoint(args):
            return original(self, args, *more)
        done: Finished = counted.step(lambda: original(self, args, *more))
        return done

    setattr(Transport, "run", run)  # noqa: B010


def on_the_server(counted: Counted, url: str) -> None:
    """Every statement; a fault ends the connection that it goes over."""
    original, connect = psycopg.Connection.execute, psycopg.connect

    def execute(self: Any, *args: Any, **options: Any) -> Any:
        On.end = lambda: connect(url, autocommit=True).execute(
            f"SELECT pg_terminate_backend({self.info.backend_pid}, 5000)".encode()
        )
        return counted.step(lambda: original(self, *args, **options))

    setattr(psycopg.Connection, "execute", execute)  # noqa: B010


class On:
    """The connection that a statement goes over."""

    end: Callable[[], object] = staticmethod(lambda: None)


def cut(work: Callable[[], Any]) -> Any:
    On.end()
    return work()


def cut_after(work: Callable[[], Any]) -> Any:
    """The server has done it, and is gone then."""
    done = work()
    On.end()
    return done


def cut_for_good(work: Callable[[], Any]) -> Any:
    def away(*_: object, **__: object) -> None:
        raise psycopg.OperationalError("connection refused")

    On.end()
    setattr(psycopg, "connect", away)  # noqa: B010
    return work()


SERVER_FAULTS = {"cut": cut, "cut after it": cut_after, "cut for good": cut_for_good}


class Tried:
    """A merge of alpha's with a fault at one step; then beta's turn, and alpha's again."""

    def __init__(self, place: Place, kind: Callable[[Counted], None], *, sees_ends: bool = True) -> None:
        self.machines, self._place, self._kind = Machines(place, sees_ends=sees_ends), place, kind

    def _alpha(self, at: int, fault: Fault) -> tuple[int, str]:
        """In a child: how many steps there were, and the sentence with which it ended if it did not come through."""
        counted = Counted(at, fault)
        self._kind(counted)
        try:
            self.machines.merge("alpha")
        except FoureyesError as problem:
            return counted.count, problem.message
        return counted.count, ""

    def steps(self) -> int:
        """The dry run."""
        found, said = Child(lambda: self._alpha(0, cut)).result()
        assert said == ""
        self._place.reset()
        return found

    def begin(self, at: int, fault: Fault) -> Child[tuple[int, str]]:
        return Child(lambda: self._alpha(at, fault))

    def settle(self, said: str, where: str) -> None:
        """Whatever became of it, in the end everything is merged once."""
        try:
            Child(lambda: self.machines.merge("beta")).result()
            assert Child(lambda: self.machines.merge("alpha")).result() == {}
            self.machines.look()
        except BaseException as problem:
            problem.add_note(f"{where}; alpha said {said!r}")
            raise
        self._place.reset()


@pytest.fixture
def on_server(place: Place) -> ServerPlace:
    assert isinstance(place, ServerPlace)
    return place


@pytest.mark.parametrize("place", ["postgres"], indirect=True)
@pytest.mark.parametrize("how", SERVER_FAULTS)
def test_a_server_that_is_cut_off_at_any_statement_of_a_merge_loses_nothing_and_what_is_said_is_true_Q4_Q6(
    on_server: ServerPlace, how: str
) -> None:
    tried = Tried(on_server, lambda counted: on_the_server(counted, on_server.server.url))
    machines, total = tried.machines, tried.steps()
    tip = machines.remote.head("main")
    assert total > 20
    for number in range(1, total + 1):
        _, said = tried.begin(number, SERVER_FAULTS[how]).result()
        where = f"{how} at statement {number} of {total}: {said}"
        if any(each in said for each in NOTHING):
            assert (machines.remote.head("main"), "TaskMerged" in machines.kinds()) == (tip, False), where
        tried.settle(said, where)


def lost(work: Callable[[], Any]) -> Finished:
    """It did not arrive."""
    return HUNG_UP


def unheard(work: Callable[[], Any]) -> Finished:
    """It arrived, and nobody hears of it."""
    work()
    return HUNG_UP


@pytest.mark.parametrize("place", ["sqlite", "postgres"], indirect=True)
@pytest.mark.parametrize("fault", [lost, unheard])
def test_a_remote_that_is_cut_off_at_any_exchange_of_a_merge_loses_nothing_Q4_Q6(place: Place, fault: Fault) -> None:
    tried = Tried(place, on_the_way)
    total = tried.steps()
    assert total >= 4
    for number in range(1, total + 1):
        tried.settle(tried.begin(number, fault).result()[1], f"{fault.__name__} at exchange {number} of {total}")


@pytest.mark.parametrize("place", ["sqlite", "postgres"], indirect=True)
def test_a_remote_that_is_gone_from_any_exchange_of_a_merge_on_keeps_everything_waiting_Q4_Q6(place: Place) -> None:
    tried = Tried(place, on_the_way)
    remote, away = tried.machines.remote.path, tried.machines.remote.path.with_name("away.git")

    def gone(work: Callable[[], Any]) -> Finished:
        remote.rename(away)
        done: Finished = work()
        return done

    total = tried.steps()
    for number in range(1, total + 1):
        _, said = tried.begin(number, gone).result()
        away.rename(remote)
        tried.settle(said, f"gone from exchange {number} of {total} on")


class Pause:
    """Where a child waits for a word of the test."""

    def __init__(self) -> None:
        self._come, self._go = os.pipe(), os.pipe()

    def wait(self) -> None:
        """In the child."""
        os.write(self._come[1], b".")
        os.read(self._go[0], 1)

    def meanwhile(self, child: Child[tuple[int, str]], work: Callable[[], object]) -> str:
        """In the test: done while the child waits, if it ever does; what the child said in the end."""
        os.close(self._come[1])
        if os.read(self._come[0], 1):
            work()
        os.write(self._go[1], b".")
        for end in (self._come[0], *self._go):
            os.close(end)
        return child.result()[1]


def slow_at_each_exchange(tried: Tried, taken_over: Callable[[], object], *, answered: bool) -> None:
    """The other machine does the whole queue meanwhile, and this one goes on."""
    total = tried.steps()
    for number in range(1, total + 1):
        pause = Pause()

        def slow(work: Callable[[], Any], pause: Pause = pause) -> Finished:
            done: Finished = HUNG_UP
            if answered:
                done = work()
            pause.wait()
            return done if answered else work()

        said = pause.meanwhile(tried.begin(number, slow), taken_over)
        tried.settle(said, f"slow at exchange {number} of {total}")


each_wait = pytest.mark.parametrize("answered", [False, True], ids=["before it", "before its answer"])


@pytest.mark.parametrize("place", ["sqlite", "postgres"], indirect=True)
@each_wait
def test_who_is_slow_at_any_exchange_of_a_merge_and_taken_over_meanwhile_merges_nothing_twice_J4_Q6(
    place: Place, *, answered: bool
) -> None:
    tried = Tried(place, on_the_way)
    slow_at_each_exchange(tried, lambda: Child(lambda: tried.machines.merge("beta")).result(), answered=answered)


@pytest.mark.parametrize("place", ["postgres"], indirect=True)
@each_wait
def test_who_only_lost_its_connection_and_is_taken_over_meanwhile_merges_nothing_twice_J4_Q6(
    on_server: ServerPlace, *, answered: bool
) -> None:
    """It is alive, and comes late: the other machine saw no process end, only a lock that is free."""
    tried = Tried(on_server, on_the_way, sees_ends=False)

    def taken_over() -> None:
        on_server.wait_until_dark(cut=True)
        Child(lambda: tried.machines.merge("beta")).result()

    slow_at_each_exchange(tried, taken_over, answered=answered)
