"""What a page offers: decisions where something waits for one, and nowhere else."""

from __future__ import annotations

import pytest

from tests.ui.tui.stage import ALICE, BOB, Clock, Player, Seat, play

OFFERS = ("A approve", "R redo", "X reject")


async def look_at(at: Player, task: str) -> str:
    """A task's page, opened from the board."""
    from foureyes.ui.tui import review_session as review

    at.app.go(review.look(at.app.flow, task))
    return await at.settle()


def keys_of(screen: str) -> str:
    """The two lines of keys."""
    return " ".join(screen.splitlines()[-2:])


@pytest.mark.parametrize("end", ["open", "approved", "blocked"])
def test_a_task_that_does_not_wait_for_a_decision_is_no_review_and_offers_none(seat: Seat, end: str) -> None:
    task = seat.deliver("Add login") if end != "open" else seat.create("Add login")
    if end == "approved":
        seat.app.decisions.approve(BOB, task)
    elif end == "blocked":
        seat.app.feedback.reject(BOB, task, "no")

    async def story(at: Player) -> None:
        screen = await look_at(at, task)
        assert "REVIEW TASK" not in screen
        assert screen.startswith(" TASK ")
        assert screen.splitlines()[0].endswith(end)
        assert not any(words in keys_of(screen) for words in (*OFFERS, "Why not", "take it back"))
        if end != "open":
            screen = await at.press("d")
            assert "DECIDED" in screen
            assert not any(words in keys_of(screen) for words in (*OFFERS, "Why not"))

    play(seat.sit(), story)


def test_what_waits_is_offered_until_it_is_decided_and_an_approval_of_yours_can_be_taken_back(seat: Seat) -> None:
    task = seat.deliver("Add login")

    async def story(at: Player) -> None:
        at.app.clock = clock = Clock()
        screen = await at.press("r")
        assert all(words in keys_of(screen) for words in OFFERS)
        await at.hit("a")
        clock.now += 1.0
        screen = await look_at(at, task)
        assert "U take it back" in keys_of(screen)
        assert not any(words in keys_of(screen) for words in OFFERS)
        assert f"{task} is back in review" in await at.press("u")
        screen = await at.settle()
        assert all(words in keys_of(screen) for words in OFFERS)

    play(seat.sit(), story)


def test_a_rejected_task_that_is_open_again_is_not_said_to_be_rejected(seat: Seat) -> None:
    task = seat.deliver("Add login")
    seat.app.feedback.reject(BOB, task, "no")
    seat.app.stops.unblock(ALICE, task)

    async def story(at: Player) -> None:
        await look_at(at, task)
        screen = await at.press("d")
        assert f"DECIDED  {task} is open now." in screen
        assert "rejected" not in screen

    play(seat.sit(), story)
