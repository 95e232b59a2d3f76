"""What review cycles left to a person, in attention: why, and the ways on (R0, R1, R2, V9, E6)."""

from __future__ import annotations

from typing import Any

from foureyes.app.results.status import AttentionRow
from foureyes.core.nouns.session import Actor
from foureyes.steps import fe

from tests.stage.cycled import left_to_a_person, two_concerns
from tests.stage.gated import configure
from tests.stage.looped import issue, review
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, GEMINI
from tests.stage.world import DeskWorld

PEERS = '\n[review.peers]\nreviewers = ["codex", "gemini", "claude"]\nask = 2\n'
CONCERN: dict[str, Any] = {"verdict": "concerns", "summary": "the salt is missing"}


def rows(desk: DeskWorld, actor: Actor = BOB) -> list[AttentionRow]:
    return list(desk.app.attention.view(actor).rows)


def do(desk: DeskWorld, row: AttentionRow, verb: str, **given: object) -> object:
    """What the digit of a row does."""
    choice = next(choice for choice in row.choices if f"{choice.noun}.{choice.verb}" == verb)
    answer: object = getattr(getattr(desk.app, choice.noun), choice.verb)(BOB, **choice.values, **given)
    return answer


def test_a_blocker_is_one_row_with_what_was_said_and_resume_lifts_it_R1_E6(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    task, _ = desk.submitted_task(), desk.submitted_task()
    review(desk, task, by=CODEX, verdict="blocker", summary="it deletes the database")
    review(desk, task, by=GEMINI)
    (row,) = rows(desk)
    assert (row.kind, row.task, row.text) == ("pause", task, "codex reported a blocker (R1)")
    assert '  "it deletes the database"' in row.details
    assert any("Other agents continue" in line for line in row.details)
    assert rows(desk, CLAUDE)[0].choices == ()
    do(desk, row, "stops.resume", reason="I looked")
    assert rows(desk) == []


def test_a_person_has_the_author_asked_about_a_blocker_R1_R2(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    task = desk.submitted_task()
    review(desk, task, by=CODEX, verdict="blocker", summary="it deletes the database")
    review(desk, task, by=GEMINI)
    (row,) = rows(desk)
    assert "ask codex#1 and claude#1 to clarify" in [choice.text for choice in row.choices]
    do(desk, row, "cycles.ask_author")
    (row,) = rows(desk)
    assert "cycles.ask_author" not in [f"{choice.noun}.{choice.verb}" for choice in row.choices]
    do(desk, row, "cycles.clarify", text="it is the database of the tests")
    assert desk.app.cycles.show("c-2").trigger == "CLARIFIED"


def test_two_concerns_offer_an_answer_to_each_point_and_every_choice_goes_through_R2(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    task = desk.submitted_task()
    review(desk, task, by=CODEX, **CONCERN)
    review(desk, task, [issue("no limit", "LOW")], by=GEMINI, verdict="concerns", summary="no limit")
    (row,) = rows(desk)
    assert (row.kind, row.task) == ("pause", task)
    assert row.text.endswith(" (R2)")
    shown = desk.show(task, CLAUDE)
    assert [(pause.task, pause.rule, pause.cycle) for pause in shown.pauses] == [(task, "R2", "c-1")]
    assert shown.next == shown.points[0].step, "who made it is told what answers"
    other = desk.show(task, CODEX)
    assert other.next == fe("review", "show", "c-1"), "who may not approve it is told what was asked"
    do(desk, row, "cycles.clarify", text="the salt is in the hash")
    (row,) = rows(desk)
    assert "  the salt is in the hash" in row.details
    do(desk, row, "feedback.redo", text="say it in the code")
    assert desk.show(task).task.status == "open"
    assert rows(desk) == [], "it was decided (V9)"


def test_a_pause_whose_cycle_a_person_ended_is_never_out_of_sight_V9(desk: DeskWorld) -> None:
    two_concerns(desk)
    desk.app.cycles.end(ALICE, "c-1", "asked by mistake")
    (row,) = rows(desk)
    assert row.kind == "pause"
    do(desk, row, "stops.resume", reason="it goes on")
    assert rows(desk) == []


def test_nobody_who_reviewed_is_a_row_and_reviewers_are_asked_again_R0(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    task = desk.submitted_task()
    for _ in range(4):
        desk.clock.wait(31 * 60)
        desk.app.cycles.decide(CI)
    (row,) = rows(desk)
    assert (row.kind, row.task) == ("review", task)
    assert any("timeout" in line for line in row.details)
    do(desk, row, "cycles.now")
    assert [view.trigger for view in desk.app.cycles.listed(live=True)] == ["USER_MANUAL"]


def test_a_hold_of_a_person_is_told_beside_the_rule_D3(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    task = desk.submitted_task()
    review(desk, task, by=CODEX, **CONCERN)
    review(desk, task, by=GEMINI, **CONCERN)
    desk.app.stops.hold(ALICE, task, "release freeze")
    (row,) = rows(desk)
    assert "Held: release freeze" in row.details


def test_what_was_left_to_a_person_says_what_reviewers_said_since_R2_R4(desk: DeskWorld) -> None:
    task = left_to_a_person(desk)
    desk.app.cycles.now(BOB, task)
    for by in (CODEX, GEMINI):
        review(desk, task, by=by)
    assert desk.app.cycles.show("c-4").rule == "R4"
    (row,) = rows(desk)
    assert any(line.startswith("Since then, c-4: ") for line in row.details)
    assert row.details[-1] == "A person must resume it, whatever reviewers say now."
