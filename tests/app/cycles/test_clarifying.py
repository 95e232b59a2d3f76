"""Clarification (R2): the points that the author is asked about, its answers, and that whoever looks again has them
(V2).
"""

from __future__ import annotations

from typing import Any

from tests.stage.gated import configure
from tests.stage.looped import issue, review
from tests.stage.people import ALICE, CLAUDE, CODEX, GEMINI
from tests.stage.world import DeskWorld

PEERS = '\n[review.peers]\nreviewers = ["codex", "gemini"]\nask = 2\n'
CONCERN: dict[str, Any] = {"verdict": "concerns", "summary": "the salt is missing"}


def two_concerns(desk: DeskWorld) -> str:
    configure(desk, PEERS)
    task = desk.handed_in()
    review(desk, task, by=CODEX, **CONCERN)
    review(desk, task, [issue("no limit", "LOW")], by=GEMINI, verdict="concerns", summary="no limit")
    return task


def test_who_looks_again_is_told_what_was_answered_V2_R2(desk: DeskWorld) -> None:
    task = two_concerns(desk)
    assert desk.app.reviews.request(CODEX, task).context.clarified == ()
    desk.app.cycles.clarify(CLAUDE, "c-1", "p1", "the salt is in the hash")
    desk.app.cycles.clarify(ALICE, "c-1", "p2", "it is meant so")
    first, second = desk.app.reviews.request(CODEX, task).context.clarified
    assert (first.point, first.reviewer, first.concern) == ("c-1 p1", "codex", "the salt is missing")
    assert (first.answer, first.answered_by) == ("the salt is in the hash", "claude#1")
    assert (second.answer, second.answered_by, bool(second.finding)) == ("it is meant so", "alice@box", True)
    said = desk.app.prompts.text(CODEX, task, "review")
    assert "> the salt is missing" in said
    assert "> the salt is in the hash" in said
    assert "the salt is in the hash" not in desk.app.prompts.text(CLAUDE, task, "respond")


def test_an_answer_is_about_the_change_that_was_asked_about_and_no_other_V2(desk: DeskWorld) -> None:
    task = two_concerns(desk)
    for point in ("p1", "p2"):
        desk.app.cycles.clarify(CLAUDE, "c-1", point, "it is there")
    desk.repo.commit(f"fe/{task}")
    desk.submit(CLAUDE, task)
    assert desk.app.reviews.request(CODEX, task).context.clarified == ()
