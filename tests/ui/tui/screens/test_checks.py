"""The page of checks: what each printed, taken in when somebody asks for it."""

from __future__ import annotations

from foureyes.ui.tui.screens.checks import ChecksPage

from tests.ui.tui.stage import ALICE, BOB, CI, LARGE, Clock, Player, Seat, play


def test_what_others_run_is_taken_in_by_F5_and_nothing_moves_before(seat: Seat) -> None:
    task = seat.deliver("Add login", {"src/login.py": "x = 'RED'\n"}, checked=False, via=ALICE)

    async def story(at: Player) -> None:
        await at.hit("r", "c")
        assert isinstance(at.app.screen, ChecksPage)
        assert "tests: not run" in at.screen
        assert at.app.last_command == f"fe check show {task}"
        seat.app.checks.run(CI, task)
        at.app.look_around()
        assert "tests: not run" in await at.settle()
        screen = await at.press("f5")
        assert "tests: failed" in screen
        assert "1 failed" in screen
        assert "RED" not in screen.replace("grep", "")
        assert "F5 takes it in" in await at.press("escape")
        assert "RISK ‼" not in at.screen
        screen = await at.press("f5")
        assert "RISK ‼   tests failed" in screen, "what the queue says of it is read again, too"

    play(seat.sit(BOB), story, LARGE)


def test_the_risk_of_a_task_is_that_of_the_checks_that_were_just_run(seat: Seat) -> None:
    seat.deliver("Add login", {"src/login.py": "x = 'RED'\n"}, checked=False, via=ALICE)

    async def story(at: Player) -> None:
        assert "RISK ‼" not in await at.press("r")
        await at.hit("e")
        await at.until("tests failed, lint passed")
        assert "RISK ‼   tests failed" in await at.press("escape")

    play(seat.sit(BOB), story)


def test_who_reads_in_the_middle_of_one_long_line_stays_there(seat: Seat) -> None:
    seat.deliver("Add login", {"check.sh": "seq -s ' ' 900\n"})

    async def story(at: Player) -> None:
        await at.hit("r", "c", "pagedown")
        page = at.app.screen
        assert isinstance(page, ChecksPage)
        before = page.rows.scroll_offset.y
        assert before > 0
        await at.hit("f5")
        assert page.rows.scroll_offset.y == before

    play(seat.sit(BOB), story)


def test_who_reads_on_is_moved_neither_by_F5_nor_by_a_run(seat: Seat) -> None:
    seat.deliver("Add login", {"check.sh": "seq 40\n"})

    async def story(at: Player) -> None:
        at.app.clock = clock = Clock()
        await at.hit("r", "c", "pagedown")
        page = at.app.screen
        assert isinstance(page, ChecksPage)

        def top() -> str:
            return page.lines[page.rows.scroll_offset.y].strip()

        first = top()
        assert first.isdecimal()
        await at.hit("f5")
        assert top() == first
        await at.hit("e")
        clock.now += 1.0
        await at.hit("e")
        await at.until("tests passed, lint passed")
        assert top() == first

    play(seat.sit(BOB), story)
