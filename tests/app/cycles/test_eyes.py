"""Pairs of eyes in a cycle (I4): two sessions of one origin are one, and its last word counts (V8)."""

from __future__ import annotations

from tests.stage.cycled import CONCERN, PEERS
from tests.stage.gated import configure
from tests.stage.looped import review
from tests.stage.people import ALICE, CODEX, GEMINI, agent
from tests.stage.world import DeskWorld


def test_two_sessions_of_one_origin_are_one_pair_of_eyes_I4_V8(desk: DeskWorld) -> None:
    configure(desk, PEERS.replace('"gemini"]', '"gemini", "qwen"]'))
    task = desk.handed_in()
    review(desk, task, by=CODEX, **CONCERN)
    review(desk, task, by=agent("codex", 9, evidence=CODEX.evidence), **CONCERN)
    assert desk.app.cycles.show("c-1").waits_for == ("gemini",)
    review(desk, task, by=GEMINI)
    assert desk.app.cycles.show("c-1").rule == "R3", "one concern, said twice"


def test_a_seat_is_taken_by_one_pair_of_eyes_however_often_it_speaks_V4_I4(desk: DeskWorld) -> None:
    configure(desk, PEERS.replace('"gemini"]', '"gemini", "qwen"]'))
    task = desk.handed_in()
    review(desk, task, by=CODEX)
    review(desk, task, by=agent("codex", 9, evidence=CODEX.evidence))
    desk.app.cycles.not_given(ALICE, "c-1", "gemini", why="quota")
    assert desk.app.cycles.show("c-1").waits_for == ("qwen",)
