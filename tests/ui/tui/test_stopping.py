"""Stopping a run from the agents' pane: asked once more, and only what a runner started."""

from __future__ import annotations

from tests.ui.tui.stage import ALICE, CLAUDE, Clock, Player, Seat, play


def run_of(seat: Seat, task: str) -> str:
    """A run of a runner on this very process."""
    me = seat.app.runs.begin(ALICE, agents=1).actor
    run = seat.app.runs.reserve(me, task, profile="codex", purpose="implement")
    process = seat.app.context.outside.process()
    bound = seat.app.runs.bind(me, run.id, secret="fe-secret", process=process, program="/bin/codex")
    return bound.id


def test_delete_asks_and_then_the_run_is_asked_to_end(seat: Seat) -> None:
    task = seat.create("Export orders")
    run = run_of(seat, task)

    async def story(at: Player) -> None:
        at.app.clock = clock = Clock()
        screen = await at.press("tab")
        assert "codex" in screen.partition("AGENTS")[2]
        assert f"on {task}? its work stays on the branch" in await at.press("delete")
        assert seat.app.runs.live()[0].stop_asked == "", "once is not enough"
        clock.now += 1.0
        assert "is being stopped" in await at.press("delete")
        assert [(each.id, each.stop_asked) for each in seat.app.runs.live()] == [(run, "stopped in the terminal app")]
        assert "is being stopped" in await at.press("delete")

    play(seat.sit(), story)


def test_who_was_not_started_by_a_runner_is_not_stopped_here(seat: Seat) -> None:
    task = seat.create("Export orders")
    seat.app.claims.start(CLAUDE, task)

    async def story(at: Player) -> None:
        assert "Tab to the agents' pane" in await at.press("delete")
        assert "was not started by a runner" in await at.press("tab", "delete")

    play(seat.sit(), story)
