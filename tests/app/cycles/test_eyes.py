"""Reviewers of a cycle: one process is one reviewer, whose last review counts (I3, V8); an origin has one seat (I4)."""

from __future__ import annotations

import msgspec

from foureyes.core.words.ids import SessionId

from tests.stage.cycled import CONCERN, PEERS, QWEN
from tests.stage.gated import configure
from tests.stage.looped import review
from tests.stage.people import ALICE, BOB, CODEX, GEMINI, agent
from tests.stage.world import DeskWorld


def test_two_sessions_of_one_process_are_one_reviewer_I3_V8(desk: DeskWorld) -> None:
    configure(desk, PEERS.replace('"gemini"]', '"gemini", "qwen"]'))
    task = desk.submitted_task()
    review(desk, task, by=CODEX, **CONCERN)
    review(desk, task, by=msgspec.structs.replace(CODEX, session=SessionId("ses-codex-again")), **CONCERN)
    assert desk.app.cycles.show("c-1").waits_for == ("gemini",)
    review(desk, task, by=GEMINI)
    assert desk.app.cycles.show("c-1").rule == "R3", "one concern, said twice"


def test_a_seat_is_taken_by_one_pair_of_eyes_however_often_it_speaks_V4_I4(desk: DeskWorld) -> None:
    configure(desk, PEERS.replace('"gemini"]', '"gemini", "qwen"]'))
    task = desk.submitted_task()
    review(desk, task, by=CODEX)
    review(desk, task, by=agent("codex", 9, evidence=CODEX.evidence))
    desk.app.cycles.not_given(ALICE, "c-1", "gemini", why="quota")
    assert desk.app.cycles.show("c-1").waits_for == ("qwen",)


def test_another_session_of_an_asked_program_does_not_take_its_seat_nor_its_blocker_R1_V8(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    task = desk.submitted_task()
    desk.app.cycles.request(ALICE, task, reviewers=["qwen"])
    review(desk, task, by=QWEN, verdict="blocker", summary="it deletes the database")
    review(desk, task, by=agent("qwen", 2))
    for by in (CODEX, GEMINI):
        review(desk, task, by=by)
    assert desk.app.cycles.show("c-1").rule == "R1"


def test_who_answered_answers_again_from_the_same_seat_in_another_session_too_V8(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    task = desk.submitted_task()
    desk.app.cycles.request(ALICE, task, reviewers=["human"])
    review(desk, task, by=BOB, verdict="blocker", summary="no")
    review(desk, task, by=msgspec.structs.replace(BOB, session=SessionId("ses-bob-elsewhere")))
    for by in (CODEX, GEMINI):
        review(desk, task, by=by)
    assert desk.app.cycles.show("c-1").rule == "R4"
