"""Checks that are run from the app: beside everything else, told as they go, stopped with all that they started."""

from __future__ import annotations

import os
from pathlib import Path

from foureyes.app.results.project import News
from foureyes.ui.tui.checking import MOST_LINES, RunningChecks
from foureyes.ui.tui.screens.checks import ChecksPage
from foureyes.ui.tui.screens.task import TaskPage

from tests.ui.tui.stage import BOB, CI, Clock, Player, Seat, play

WAITS = "exec 3<>{fifo}; echo begun; cat {fifo}.go\n"
"""A check that tells that it has begun, and goes on when somebody lets it."""


def slow(seat: Seat, title: str = "Add login") -> tuple[str, Path]:
    """A task whose tests wait; the pipes by which they do."""
    fifo = seat.root.parent / title.replace(" ", "")
    os.mkfifo(fifo)
    os.mkfifo(f"{fifo}.go")
    task = seat.deliver(title, {"check.sh": WAITS.format(fifo=fifo)}, checked=False)
    return task, fifo


def outcomes(seat: Seat, task: str) -> dict[str, str]:
    return {row.check: row.outcome for row in seat.app.check_runs.of_task(BOB, task).checks}


def test_of_what_a_check_prints_the_last_line_stays_and_of_what_ends_every_one() -> None:
    run = RunningChecks("fe-1")
    assert run.in_words() == "waits for other checks"
    for text, printed in [("fe-1  tests on 1a …", False), ("fe-1  tests: 1", True), ("fe-1  tests: 2", True)]:
        run.tell(News(text, printed=printed))
    assert run.lines == ["tests on 1a …", "tests: 2"]
    run.tell(News("fe-1  tests passed: 2", printed=False))
    assert run.lines == ["tests on 1a …", "tests passed: 2"]
    assert run.in_words().startswith("running")
    run.stop()
    assert (run.is_stopped(), run.in_words()) == (True, "stopping")
    for number in range(20):
        run.tell(News(str(number)))
    assert len(run.lines) == MOST_LINES


def test_nothing_waits_for_checks_that_run_and_what_comes_of_them_is_shown_D5(seat: Seat) -> None:
    task, fifo = slow(seat)
    other = seat.deliver("Sort the list")

    async def story(at: Player) -> None:
        await at.hit("r")
        page = at.app.pages[-1]
        page.rows.go(task)
        await at.hit("enter", "e")
        assert isinstance(at.app.screen, ChecksPage)
        screen = await at.until("tests: begun")
        assert "running" in screen
        assert "Delete stop" in screen
        assert "run already" in await at.press("e")
        await at.hit("escape", "escape")
        page.rows.go(other)
        screen = await at.press("enter", "a")  # somebody decides meanwhile
        assert seat.status(other) == "approved"
        assert outcomes(seat, task)["tests"] == "not_run"
        await at.hit("escape")
        page.rows.go(task)
        await at.hit("enter")
        assert isinstance(at.app.screen, TaskPage)
        Path(f"{fifo}.go").write_text("12 passed\n")
        await at.until("tests passed, lint passed")
        screen = await at.press("c")
        assert "12 passed" in screen
        await at.hit("escape")
        assert "CHANGED" not in at.screen, "what the reader did is no news to them"

    play(seat.sit(), story)
    assert outcomes(seat, task) == {"tests": "passed", "lint": "passed"}
    assert {row.by for row in seat.app.check_runs.of_task(BOB, task).checks} != {"ci"}


def test_a_run_that_is_stopped_ends_with_all_it_started_and_has_no_result_D5(seat: Seat) -> None:
    task, fifo = slow(seat)

    async def story(at: Player) -> None:
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        await at.hit("r", "e")
        await at.until("tests: begun")
        assert "stopping" in await at.press("delete")
        screen = await at.until("stopped, so tests has no new result")
        assert "Delete stop" not in screen
        os.set_blocking(reader, True)
        while os.read(reader, 64):
            pass  # until nobody holds the other end
        os.close(reader)
        assert at.app.checking.of(task) is None

    play(seat.sit(), story)
    assert "CheckFinished" not in seat.kinds(task)
    assert outcomes(seat, task) == {"tests": "not_run", "lint": "not_run"}


def test_the_end_of_the_app_is_the_end_of_its_checks(seat: Seat) -> None:
    task, fifo = slow(seat)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)

    async def story(at: Player) -> None:
        await at.hit("r", "e")
        await at.until("tests: begun")

    play(seat.sit(), story)
    os.set_blocking(reader, True)
    while os.read(reader, 64):
        pass
    os.close(reader)
    assert "CheckFinished" not in seat.kinds(task)


def test_where_all_have_a_result_they_run_once_more_only_after_a_question(seat: Seat) -> None:
    task = seat.deliver()

    async def story(at: Player) -> None:
        at.app.clock = clock = Clock()
        await at.hit("r", "c")
        for _ in range(5):  # a key that is held
            clock.now += 0.03
            assert "every check has its result on this tree" in await at.press("e")
        assert seat.kinds(task).count("CheckFinished") == 2
        clock.now += 1.0
        await at.hit("e")
        await at.until("tests passed, lint passed")

    play(seat.sit(), story)
    assert seat.kinds(task).count("CheckFinished") == 4
    assert at_last(seat, task) == 1


def at_last(seat: Seat, task: str) -> int:
    """How many sessions besides the service ran checks of a task."""
    rows = [row for row in seat.app.audit.export() if row.task == task and row.kind == "CheckFinished"]
    return len({row.session for row in rows} - {CI.session})


def test_what_cannot_be_run_is_a_page_with_the_reason(seat: Seat) -> None:
    task = seat.create()
    seat.app.claims.start(BOB, task)

    async def story(at: Player) -> None:
        await at.hit("enter", "e")
        await at.until("nothing was submitted")

    play(seat.sit(), story)
