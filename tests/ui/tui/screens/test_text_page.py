"""A text is read whole: what is wider than the page goes on below, and is found there."""

from __future__ import annotations

import pytest

from foureyes.ui.tui.screens.text_page import TextPage, column_of

from tests.ui.tui.stage import SMALL, Player, Seat, play

LONG = "printed: " + " ".join(f"word{number}" for number in range(40))


@pytest.mark.parametrize(
    ("line", "column"),
    [("", 0), ("words and words", 0), ("   indented", 3), ("Enter      open the task", 11), ("a  b  c", 6)],
)
def test_what_follows_stands_below_the_last_column(line: str, column: int) -> None:
    assert column_of(line) == column


def test_nothing_of_a_wide_line_is_lost_whatever_the_width(seat: Seat) -> None:
    async def story(at: Player) -> None:
        page = TextPage("LOG", [LONG, "x" * 300, "the end"])
        at.app.push_screen(page)
        await at.settle()
        for size in (SMALL, (60, 16), SMALL):
            await at.pilot.resize_terminal(*size)
            await at.settle()
            assert " ".join(" ".join(page.lines).split()).startswith(LONG)
            assert "".join(page.lines).count("x") == 300
            assert max(len(line) for line in page.lines) < size[0]
        await at.hit("/", *"word39", "enter")
        assert "word39" in at.screen

    play(seat.sit(), story)


def test_help_says_every_key_to_its_end_at_eighty_columns(seat: Seat) -> None:
    seat.deliver()

    async def story(at: Player) -> None:
        assert "? help" in await at.press("r", "d")
        screen = await at.press("?")
        assert "compare since your review, with the previous attempt, or in full\n" in screen

    play(seat.sit(), story)
