"""The page of checks: what each printed, taken in when somebody asks for it."""

from __future__ import annotations

from foureyes.ui.tui.screens.checks import ChecksPage

from tests.ui.tui.stage import BOB, CI, LARGE, Player, Seat, play


def test_what_others_run_is_taken_in_by_F5_and_nothing_moves_before(seat: Seat) -> None:
    task = seat.deliver("Add login", {"src/login.py": "x = 'RED'\n"}, checked=False)

    async def story(at: Player) -> None:
        await at.press("r", "c")
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
        assert "RISK ‼    tests failed" in screen, "what the queue says of it is read anew, too"

    play(seat.sit(BOB), story, LARGE)


def test_who_reads_on_is_moved_neither_by_F5_nor_by_a_run_and_the_risk_is_that_of_its_result(seat: Seat) -> None:
    seat.deliver("Add login", {"src/login.py": "x = 'RED'\n"}, checked=False)

    async def story(at: Player) -> None:
        assert "RISK ‼" not in await at.press("r")
        await at.press("c")
        page = at.app.screen
        assert isinstance(page, ChecksPage)
        rows = page.rows

        def top() -> str:
            return page.lines[rows.scroll_offset.y]

        await at.press("down", "down", "down", "down", "down")
        assert (first := top()).startswith("lint: not run")
        await at.press("f5")
        assert top() == first
        await at.press("e")
        await at.until("tests failed, lint passed")
        assert top().startswith("lint: passed"), "though tests has printed a line above it"
        screen = await at.press("escape")
        assert "RISK ‼    tests failed" in screen

    play(seat.sit(BOB), story, (80, 16))
