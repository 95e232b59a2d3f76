"""Reviews by peers in the app: the palette lets reviewers look and lists what they flagged, the task says who said what
(V1, V5, V6, R3).
"""

from __future__ import annotations

import json
from typing import Any

from foureyes.ui.tui.actions import Actions
from foureyes.ui.tui.screens.text_page import TextPage

from tests.stage.documents import review_result
from tests.ui.tui.stage import ALICE, CODEX, LARGE, Player, Seat, play


def say(seat: Seat, task: str, **fields: Any) -> None:
    """Codex reviews what was submitted."""
    attempt = seat.app.lists.show(ALICE, task).attempts[-1]
    said = review_result(files_reviewed=[f"src/{task}.py"], diff_id=attempt.diff_id, **fields)
    seat.app.reviews.submit(CODEX, task, json.dumps(said).encode())


def deliver(seat: Seat, title: str) -> str:
    task = seat.create(title)
    seat.work(task, {f"src/{task}.py": "x = 1\n"})
    return task


async def choose(player: Player, words: str) -> str:
    """By its name in the palette."""
    provider = Actions(player.app.screen)
    act = next(act for name, act, _ in provider._all() if words in name)
    act()
    return await player.settle()


def test_the_palette_lets_reviewers_look_and_a_concern_is_flagged_V1_R3(seat: Seat) -> None:
    task = deliver(seat, "Add login")
    seat.app.checks.run(ALICE, task)

    async def story(player: Player) -> None:
        await choose(player, "ask reviewers now")
        screen = await player.press(*"it changes the login", "enter")
        assert "opened the review cycle c-1" in screen
        assert player.app.last_command == f"fe review request {task} --now"
        say(seat, task, verdict="concerns", summary="the salt is missing")
        seat.app.cycles.decide(ALICE, "c-1", now=True)
        await choose(player, "reviewers' concerns")
        assert isinstance(player.app.screen, TextPage)
        assert f"{task}  c-1" in player.screen
        assert "the salt is missing" in player.screen
        await player.press("escape")
        screen = await player.press("enter")
        assert "REVIEWS" in screen
        assert "1/1 files read" in screen

    play(seat.sit(), story, LARGE)
