"""What broke in the review screens of others, each tried here in the app that is used."""

from __future__ import annotations

from foureyes.ui.tui.screens.board import BoardPage
from foureyes.ui.tui.screens.redo import RedoPage
from foureyes.ui.tui.screens.refusal import RefusalPage
from foureyes.ui.tui.screens.summary import SummaryPage

from tests.ui.tui.stage import ALICE, Clock, Player, Seat, play


def test_a_person_who_is_refused_sees_every_reason_and_what_to_do(seat: Seat) -> None:
    task = seat.deliver("Add login", {"src/login.py": "RED = 1\n"}, actor=ALICE)

    async def story(at: Player) -> None:
        assert "[A] Why not?" in await at.press("r")
        screen = await at.press("a")
        assert isinstance(at.app.screen, RefusalPage)
        for words in ("NOT DONE: 2 reasons", "P2", "D5", "next  1", "Nothing was changed."):
            assert words in screen

    play(seat.sit(), story)
    assert seat.status(task) == "reviewing"
    assert "Approved" not in seat.kinds(task)


def test_after_the_last_one_of_the_list_and_the_last_one_of_all_no_empty_page_stays(seat: Seat) -> None:
    tasks = [seat.deliver(title) for title in ("Add login", "Add logout")]

    async def story(at: Player) -> None:
        at.app.clock = clock = Clock()
        await at.hit("r", "2", "a")
        assert "[1/2]" in at.screen, "the one that is left, though it stands before"
        clock.now += 1.0
        await at.hit("a")
        assert isinstance(at.app.screen, SummaryPage)
        assert ": 2 approved · Esc board" in at.screen
        await at.hit("enter")
        assert "U take it back" in at.screen
        assert "WHY YOU" in at.screen
        await at.hit("escape", "escape", "r")
        assert isinstance(at.app.screen, BoardPage)
        assert "Nothing waits for you" in at.screen

    play(seat.sit(), story)
    assert [seat.status(task) for task in tasks] == ["approved", "approved"]


def test_r_p_and_a_mean_one_thing_each_where_the_reader_is(seat: Seat) -> None:
    tasks = [seat.deliver(title) for title in ("Add login", "Add logout")]

    async def story(at: Player) -> None:
        await at.hit("p", "a")
        assert isinstance(at.app.screen, BoardPage), "on the board neither does anything"
        await at.hit("r", "r", "p")
        assert isinstance(at.app.screen, SummaryPage), "R opened the review; in it neither R nor P does anything"
        await at.hit("2", "p")
        assert "[1/2]" in at.screen
        await at.hit("r", "x", *"Rpa")
        form = at.app.screen
        assert isinstance(form, RedoPage)
        assert form.text_part.text == "xRpa", "in a text they are letters"

    play(seat.sit(), story)
    assert [seat.status(task) for task in tasks] == ["reviewing", "reviewing"]
