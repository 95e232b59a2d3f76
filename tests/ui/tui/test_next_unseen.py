"""Reading on with one key: nothing is left out, and what is left is said."""

from __future__ import annotations

from foureyes.ui.tui.screens.diff import DiffPage

from tests.ui.tui.screens.test_diff import TWICE, open_diff, read_slowly
from tests.ui.tui.stage import ALICE, BOB, Player, Seat, play


def test_space_reads_wide_lines_to_their_end_before_it_goes_on_H4(seat: Seat) -> None:
    wide = "x = '" + "y" * 200 + " end'\n"
    files = {f"src/{name}.py": wide * (30 if name == "a" else 1) + "z = 1\n" for name in "abc"}
    task = seat.deliver(files=files)

    async def story(player: Player) -> None:
        page = await open_diff(player, task)
        screen = await read_slowly(player, "space")
        assert "src/a.py" in screen
        assert "the rest of wide lines, from column" in screen
        assert " end'" in await read_slowly(player, "space")
        screens = [await read_slowly(player, "space") for _ in range(12)]
        assert page.painter is not None
        assert page.painter.shift == 0  # what comes below begins at the first column
        assert page.looking.unseen == 0
        assert "all 3 hunks seen" in screens[-1]

    play(seat.sit(), story)


def test_space_shows_the_rest_of_wide_lines_that_were_read_too_fast_and_never_circles_H4(seat: Seat) -> None:
    task = seat.deliver(files={"src/a.py": "x = '" + "y" * 90 + " end'\n", "src/b.py": "z = 1\n"})

    async def story(player: Player) -> None:
        page = await open_diff(player, task)
        screen = await player.press("space", "space")
        assert page.looking.unseen == 2
        assert "the end: 2 of 2 hunks unseen" in screen
        assert "→ shows the rest of wide lines" in " ".join(screen.split())
        for _ in range(6):
            await read_slowly(player, "space")
        assert page.looking.unseen == 0

    play(seat.sit(), story)


def test_a_hunk_whose_line_was_cut_is_asked_about_before_an_approval(seat: Seat) -> None:
    task = seat.deliver(files={"src/a.py": "x = '" + " " * 300 + "end'\n", "tests/test_a.py": "y = 1\n"})
    (row,) = seat.app.queue.view(BOB).rows
    assert row.risk.level != "high", "else any unseen hunk is asked about"

    async def story(player: Player) -> None:
        page = await open_diff(player, task)
        asked = await read_slowly(player, "home", "a")
        assert "lines of 1 hunk are cut off (a.py). A approve anyway · Space read them · Esc" in asked
        assert isinstance(player.app.screen, DiffPage)
        await read_slowly(player, "escape", *["space"] * 12)
        assert page.looking.unseen == 0
        await read_slowly(player, "a")
        assert not isinstance(player.app.screen, DiffPage)

    play(seat.sit(), story)
    assert seat.status(task) == "approved"


def test_a_hunk_on_screen_with_a_cut_line_is_not_called_unseen(seat: Seat) -> None:
    task = seat.deliver(files={"src/a.py": "x = '" + "y" * 300 + "end'\n"})

    async def story(player: Player) -> None:
        await open_diff(player, task)
        screen = await read_slowly(player, "home")
        assert "1 line is cut off: Space shows it" in screen
        assert "1 unseen" not in screen

    play(seat.sit(), story)


def test_a_comparison_that_was_seen_whole_says_what_of_the_change_was_not(seat: Seat) -> None:
    task = seat.deliver(files={"src/steps.py": TWICE})
    seat.app.feedback.redo(ALICE, task, "again")
    seat.work(task, {"src/steps.py": TWICE.replace("return 29\n", "return 2929\n")})

    async def story(player: Player) -> None:
        page = await open_diff(player, task)
        assert page.reading_now.mode == "looked"
        screen = await read_slowly(player, "space", "space")
        assert "of the whole change" in screen
        assert "not: I shows the rest" in screen

    play(seat.sit(), story)
