"""Keys in turn: what comes all at once meets what each key before it has opened."""

from __future__ import annotations

import pytest
from textual import events

from foureyes.ui.tui.screens.form import FormPage
from foureyes.ui.tui.screens.new_task import NewTaskPage

from tests.ui.tui.stage import BOB, Player, Seat, held, play

SENTENCE = "A test of 3 limits is missing, and a blank"


def text_of(at: Player) -> str:
    page = at.app.screen
    assert isinstance(page, FormPage)
    return page.text_part.text


@pytest.mark.parametrize("key", ["r", "x"])
def test_what_is_typed_ahead_of_a_form_goes_into_the_form_and_decides_nothing(seat: Seat, key: str) -> None:
    task = seat.deliver("Add login")

    async def story(at: Player) -> str:
        await at.hit("r")
        await at.burst(key, *SENTENCE)
        await at.settle()
        return text_of(at)

    assert play(seat.sit(), story) == SENTENCE
    assert seat.app.lists.show(BOB, task).task.status == "reviewing"


def test_words_typed_at_once_over_the_options_keep_their_blanks_and_digits(seat: Seat) -> None:
    seat.deliver("Add login")

    async def story(at: Player) -> str:
        await at.hit("r", "r")
        await at.burst(*"I think 3 tests")
        assert "[✓]" not in await at.settle()
        return text_of(at)

    assert play(seat.sit(), story) == "I think 3 tests"


def test_what_is_typed_or_pasted_while_the_form_is_read_stays(seat: Seat) -> None:
    seat.deliver("Add login")

    async def story(at: Player) -> str:
        await at.hit("r")
        with held(at.app):
            await at.burst("r", *"too long")
            at.app.post_message(events.Paste(" by 3 lines"))
            await at.pilot.pause()
        await at.settle()
        return text_of(at)

    assert play(seat.sit(), story) == "too long by 3 lines"


def test_an_enter_that_was_typed_ahead_sends_what_was_typed_before_it(seat: Seat) -> None:
    async def story(at: Player) -> None:
        await at.burst("n", *"One", "enter", *"two")
        await at.settle()

    play(seat.sit(), story)
    assert [row.title for row in seat.rows("open")] == ["One"]


def test_a_key_that_edits_is_not_overtaken_by_the_letters_after_it(seat: Seat) -> None:
    seat.deliver("Add login")

    async def story(at: Player) -> tuple[str, str]:
        await at.burst("n", *"Onf", "backspace", "e", "home", "x")
        await at.settle()
        page = at.app.screen
        assert isinstance(page, NewTaskPage)
        title = page.values()["title"]
        await at.hit("escape", "r")
        await at.burst("r", *"tooo", "backspace", *" long", "home", "x")
        await at.settle()
        return title, text_of(at)

    assert play(seat.sit(), story) == ("xOne", "xtoo long")
