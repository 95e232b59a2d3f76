"""Clarification (R2): the points that the author is asked about, its answers, and that any reviewer again has them
(V2).
"""

from __future__ import annotations

import pytest

from foureyes.core.nouns.cycle import InCycle
from foureyes.errors import NotFound
from foureyes.ui.cli.text.task import context_text
from foureyes.ui.steps import steps_text

from tests.stage.cycled import CONCERN, PEERS, QWEN, begun, look_review, two_concerns
from tests.stage.gated import configure
from tests.stage.looped import issue, review
from tests.stage.people import ALICE, CLAUDE, CODEX, GEMINI
from tests.stage.world import DeskWorld


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


def test_what_a_reviewer_took_back_asks_nobody_anything_R2_V8(desk: DeskWorld) -> None:
    configure(desk, PEERS.replace("ask = 2", "ask = 3").replace('"gemini"]', '"gemini", "qwen"]'))
    task = desk.submitted_task()
    review(desk, task, [issue("no salt", "LOW")], by=CODEX, **CONCERN)
    review(desk, task, by=CODEX)
    raised = review(desk, task, [issue("no limit", "LOW"), issue("no test", "LOW")], by=GEMINI, **CONCERN).raised
    desk.app.rulings.withdraw(GEMINI, raised[0], "there is one, I missed it")
    review(desk, task, by=QWEN, verdict="concerns", summary="it is slow")
    view = desk.app.cycles.show("c-1")
    assert view.rule == "R2"
    assert [(point.reviewer, point.text) for point in view.points] == [("gemini", "no test"), ("qwen", "it is slow")]


def test_each_trigger_asks_about_a_look_and_an_attempt_has_one_cycle_V1_V4(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    task = begun(desk)
    for said in ("milestone", "blocker", "milestone"):
        desk.app.runs.emit(CLAUDE, said, "half of it", task=task)
    assert [row.trigger for row in desk.app.cycles.listed()] == ["BLOCKER", "MILESTONE"]
    for by in (CODEX, GEMINI):
        look_review(desk, by, task)
    assert [row.rule for row in desk.app.cycles.listed()] == ["", "R4"], "the first that waits for them"
    for by in (CODEX, GEMINI):
        look_review(desk, by, task)
    assert [row.rule for row in desk.app.cycles.listed()] == ["R4", "R4"]
    desk.submit(CLAUDE, task)
    assert desk.app.cycles.now(ALICE, task).changed is False, "it was asked about when it was submitted"


def test_the_last_of_several_rounds_is_named_whatever_its_number_R2(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    for _ in range(8):
        desk.submitted_task()
    task = two_concerns(desk)
    for point in ("p1", "p2"):
        desk.app.cycles.clarify(CLAUDE, "c-9", point, "as before")
    for by in (CODEX, GEMINI):
        review(desk, task, by=by, **CONCERN)
    with desk.store.read() as tx:
        rows = tx.all("cycle.standing", InCycle, ids=[task])
    assert {row.paused for row in rows if row.cycle == "c-10" and row.state == "clarifying"} == {"c-10"}


def test_an_author_who_has_to_clarify_is_told_the_points_and_the_verb_by_show_and_next_R2(desk: DeskWorld) -> None:
    task = two_concerns(desk)
    shown = desk.show(task, CLAUDE)
    assert [(point.cycle, point.id, point.reviewer, point.text) for point in shown.points] == [
        ("c-1", "p1", "codex", "the salt is missing"),
        ("c-1", "p2", "gemini", "no limit"),
    ]
    answer = 'fe review clarify c-1 p1 -m "the answer"'
    assert steps_text(shown.next) == answer
    assert "clarify" not in steps_text(desk.show(task, CODEX).next), "who did not make it is not asked"
    text = context_text(shown)
    assert ("## Questions of reviewers (2)" in text, "> the salt is missing" in text, answer in text) == (
        True,
        True,
        True,
    )
    with pytest.raises(NotFound, match="reviewers ask you about") as caught:
        desk.app.claims.next(CLAUDE)
    assert steps_text(caught.value.next_step) == answer
    other = desk.create()
    begun = desk.app.claims.next(CLAUDE)
    assert (begun.task, any("c-1 p2: no limit" in note for note in begun.notes)) == (other, True)


def test_who_is_asked_nothing_is_told_nothing_R2(desk: DeskWorld) -> None:
    task = two_concerns(desk)
    for point in ("p1", "p2"):
        desk.app.cycles.clarify(CLAUDE, "c-1", point, "it is there")
    assert desk.show(task, CLAUDE).points == []
    assert "Questions of reviewers" not in context_text(desk.show(task, CLAUDE))
    desk.create()
    assert not any("reviewers ask" in note for note in desk.app.claims.next(CLAUDE).notes)
