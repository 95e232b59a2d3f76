"""Judging ahead: a long queue is judged while nobody asks for anything, in pieces, and then skipped."""

from __future__ import annotations

import pytest

from foureyes.app.pages import review_queue
from foureyes.core.nouns.session import Actor

from tests.ui.tui.stage import BOB, PATIENCE, Player, Seat, play


def test_a_short_queue_is_judged_by_the_board_alone(seat: Seat) -> None:
    seat.deliver()

    async def story(at: Player) -> None:
        assert at.app.ahead.done

    play(seat.sit(BOB), story)


def test_a_long_queue_is_judged_ahead_in_pieces_and_the_review_is_the_same(
    seat: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = {seat.deliver("Add login", checked=False), seat.deliver("Add logout", checked=False)}
    monkeypatch.setattr(review_queue, "AHEAD", 1)
    pieces: list[int] = []
    real = review_queue.Queue.ahead

    def ahead(queue: review_queue.Queue, actor: Actor, *, after: int = 0) -> int:
        pieces.append(after)
        return real(queue, actor, after=after)

    monkeypatch.setattr(review_queue.Queue, "ahead", ahead)

    async def story(at: Player) -> None:
        at.app.ahead.begun = at.app.ahead.done = False
        at.app.ahead.begin(waiting=3, judged=1)
        assert not at.app.ahead.done
        for _ in range(PATIENCE):
            if at.app.ahead.done:
                break
            await at.pilot.pause(0.05)
        assert pieces == [1, 2], "each once, and one look beyond the last"
        await at.hit("r")
        assert at.app.snapshot is not None
        assert {row.task for row in at.app.snapshot.rows} == tasks

    play(seat.sit(BOB), story)
