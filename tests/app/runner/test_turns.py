"""Turns of runners: who looks when somebody wrote, and that nobody looks twice for it or never rests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from math import inf

import pytest

from foureyes.app.runner import loop
from foureyes.app.runner import loop as loop_module
from foureyes.app.runner.loop import TURN_SECONDS, Turns
from foureyes.app.runner.runs import Runs
from foureyes.core.runner.steps import Wait
from foureyes.errors import StoreProblem
from foureyes.steps import prose

from tests.stage.playground import Playground


class Told:
    """`Changes` by a pipe."""

    def __init__(self) -> None:
        self._readable, self._written = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def write(self) -> None:
        """Somebody else writes a row."""
        os.write(self._written, b"!")

    def fileno(self) -> int:
        return self._readable

    def changed(self) -> bool:
        try:
            return bool(os.read(self._readable, 100))
        except BlockingIOError:
            return False

    def close(self) -> None:
        os.close(self._readable)
        os.close(self._written)


@pytest.fixture
def told() -> Iterator[Told]:
    told = Told()
    yield told
    told.close()


class Watch:
    """A clock that goes on when it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(loop_module, "monotonic", lambda: self.now)


def test_what_was_written_before_a_look_is_no_reason_for_another(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = Turns(told)
    told.write()
    mine.read()
    assert not mine.is_due()
    told.write()
    assert mine.is_due() is False, "not twice at the same moment"


def test_several_look_one_after_the_other_and_not_for_each_row(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    watch, mine = Watch(monkeypatch), Turns(told)
    mine.read()
    mine.take(3, 10)
    watch.now += 60
    told.write()
    assert not mine.is_due()
    assert mine.due == pytest.approx(watch.now + 3 * TURN_SECONDS), "the fourth of them, after the three before it"
    assert mine.fileno() == -1, "one more row changes nothing"
    told.write()
    watch.now = mine.due
    assert mine.is_due()
    mine.read()
    assert not mine.is_due()
    told.write()
    assert not mine.is_due()
    assert mine.due == pytest.approx(watch.now + 10 * TURN_SECONDS), "the others were not there yet"


def test_who_is_alone_looks_at_once(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    watch, mine = Watch(monkeypatch), Turns(told)
    mine.read()
    mine.take(0, 1)
    watch.now += 60
    told.write()
    assert mine.is_due()


@pytest.mark.on("sqlite")
def test_a_runner_that_was_told_of_a_row_looks_once_and_rests_again(
    ground: Playground, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = ground.runner(changes=told)
    ground.ticks(runner)
    told.write()
    runner._wait(Wait())
    ground.ticks(runner)
    assert not told.changed(), "it was read: what stays readable would wake it for ever"
    slept: list[bool] = []
    sleep = runner._sleep
    monkeypatch.setattr(loop, "REST_SECONDS", 0.02)
    monkeypatch.setattr(runner, "_sleep", lambda seconds: slept.append(sleep(seconds)))
    runner._wait(Wait())
    assert slept[-1:] == [False], "nothing happened: it rested"


@pytest.mark.on("sqlite")
def test_the_place_of_a_runner_is_that_among_those_at_work_J4(ground: Playground) -> None:
    runners = []
    for _ in range(3):
        runners.append(ground.runner())
        ground.clock.advance(seconds=1)
    for runner in runners:
        ground.ticks(runner)
    assert [runner._reader.place for runner in runners] == [(0, 3), (1, 3), (2, 3)]
    ground.app.runs.finish(runners[0]._runner, reason="done")
    ground.ticks(runners[2])
    assert runners[2]._reader.place == (1, 2)


@pytest.mark.on("sqlite")
def test_a_store_that_is_away_is_told_of_once_and_asked_now_and_then(
    ground: Playground, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the leases should have been renewed long ago."""
    runner = ground.runner()
    ground.ticks(runner)

    def away(*_: object) -> None:
        raise StoreProblem("the server has no connection left.", next_step=prose("make room"))

    with monkeypatch.context() as patch:
        patch.setattr(Runs, "renew", away)
        runner._renewed = -inf
        last = [runner.tick() for _ in range(3)]
        assert [line for _, line in ground.said if "connection" in line] == [
            "the server has no connection left. Make room"
        ]
        assert [runner._rest(each) for each in last if isinstance(each, Wait)] == [loop.AGAIN_SECONDS] * 3
    assert isinstance(wait := runner.tick(), Wait)
    assert runner._rest(wait) > loop.AGAIN_SECONDS
