"""The crew: jobs beside the loop, each with a Context of its own; none is lost, and none is waited for in vain."""

from __future__ import annotations

import select
import threading
from collections.abc import Callable
from typing import Any

import pytest

from foureyes.app.context import Context
from foureyes.app.runner.background_jobs import AtOnce, Done, JobEnd, Threads
from foureyes.errors import Conflict, Reason, Refused
from foureyes.steps import fe

SECONDS = 10


class Opened:
    """Counts what was opened and closed."""

    def __init__(self) -> None:
        self.open = 0

    def make(self) -> Any:
        self.open += 1
        return self

    def close(self) -> None:
        self.open -= 1


def ends(crew: Threads) -> list[Done]:
    readable, _, _ = select.select([crew.fileno()], [], [], SECONDS)
    assert readable
    return crew.done()


def test_a_job_is_done_beside_and_wakes_who_waits() -> None:
    opened = Opened()
    crew = Threads(opened.make)
    crew.start("a", lambda context, stop: JobEnd("fine", problem="not all"))
    assert ends(crew) == [Done(key="a", said="fine", problem="not all")]
    assert crew.done() == []
    assert opened.open == 0
    crew.close()


@pytest.mark.parametrize(("problem", "words"), [(Conflict("taken"), "taken"), (ValueError("odd"), "ValueError: odd")])
def test_a_job_that_breaks_says_so(problem: Exception, words: str) -> None:
    def job(context: Context, stop: Callable[[], bool]) -> JobEnd:
        raise problem

    crew = Threads(Opened().make)
    crew.start("a", job)
    assert ends(crew) == [Done(key="a", problem=words)]
    crew.close()


def test_a_job_that_is_refused_says_every_reason_with_its_rule_and_step_G2() -> None:
    reasons = (Reason("P12", "another store also merges there", fe("store", "adopt")), Reason("Q2", "it moved"))

    def job(context: Context, stop: Callable[[], bool]) -> JobEnd:
        raise Refused("nothing was merged.", reasons=reasons)

    crew = Threads(Opened().make)
    crew.start("a", job)
    (done,) = ends(crew)
    assert (
        done.problem == "nothing was merged: another store also merges there (P12): fe store adopt, and it moved (Q2)"
    )
    crew.close()


def test_closing_asks_every_job_to_end_and_waits_for_it() -> None:
    began, ended = threading.Event(), threading.Event()

    def job(context: Context, stop: Callable[[], bool]) -> JobEnd:
        began.set()
        while not stop():
            pass
        ended.set()
        return JobEnd("ended")

    crew = Threads(Opened().make)
    crew.start("a", job)
    assert began.wait(SECONDS)
    assert crew.close() == [Done(key="a", said="ended")]
    assert ended.is_set()


def test_at_once_is_the_same_without_threads() -> None:
    def broken(context: Context, stop: Callable[[], bool]) -> JobEnd:
        raise Conflict("taken")

    crew = AtOnce(Opened().make())
    crew.start("a", lambda context, stop: JobEnd("fine"))
    crew.start("b", broken)
    assert crew.done() == [Done(key="a", said="fine"), Done(key="b", problem="taken")]
    assert crew.fileno() == -1
