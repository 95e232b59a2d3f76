"""Waiting: said when it takes its time, gone with the answer, never over what was said about a decision."""

from __future__ import annotations

from tests.ui.tui.stage import Player, Seat, held, play


def test_a_wait_is_said_in_words_and_goes_with_the_answer(seat: Seat) -> None:
    seat.create()

    async def story(at: Player) -> None:
        waiting = at.app.waiting
        with held(at.app):
            at.app.pages[-1].reload()
            assert waiting.since is not None
            waiting.show()
            assert at.app.pages[-1].noted == ""
            waiting.since -= 1
            waiting.show()
            assert at.app.pages[-1].noted == at.app.marks.ellipsis
            waiting.since -= 10
            waiting.show()
            assert at.app.pages[-1].noted.startswith("waiting for the store (1")
        await at.settle()
        assert at.app.waiting.since is None
        assert at.app.pages[-1].noted == ""

    play(seat.sit(), story)


def test_what_was_said_about_a_decision_is_not_covered_by_a_wait(seat: Seat) -> None:
    async def story(at: Player) -> None:
        page, waiting = at.app.pages[-1], at.app.waiting
        with held(at.app):
            page.reload()
            page.note("approved")
            assert waiting.since is not None
            waiting.since -= 10
            waiting.show()
        assert page.noted == "approved"
        await at.settle()
        assert page.noted == "approved"

    play(seat.sit(), story)
