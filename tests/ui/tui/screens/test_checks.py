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

    play(seat.sit(BOB), story, LARGE)
