"""Answers to concerns (R2): several at once, or none."""

from __future__ import annotations

import pytest

from foureyes.app.review.cycle_verbs import clarify_points
from foureyes.errors import Refused
from foureyes.steps import fe, phrase
from foureyes.ui.steps import steps_text

from tests.stage.cycled import CONCERN, PEERS, begun, look_review, two_concerns
from tests.stage.gated import configure
from tests.stage.looped import issue, review
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX, GEMINI
from tests.stage.world import DeskWorld


def test_several_points_are_answered_at_once_or_none_is_R2_G4(desk: DeskWorld) -> None:
    two_concerns(desk)
    with desk.refused("R2"):
        clarify_points(desk.app.context, CLAUDE, "c-1", {"p1": "the salt is in the hash", "p3": "no such point"})
    assert [point.answer for point in desk.app.cycles.show("c-1").points] == ["", ""]
    done = clarify_points(desk.app.context, CLAUDE, "c-1", {"p1": "the salt is in the hash", "p2": "in the settings"})
    assert (done.cycle, desk.app.cycles.show("c-1").why) == ("c-2", "clarified")


def stopped(desk: DeskWorld) -> str:
    """R1: codex says blocker, gemini agrees."""
    configure(desk, PEERS)
    task = desk.submitted_task()
    review(desk, task, by=CODEX, verdict="blocker", summary="it deletes the database")
    review(desk, task, by=GEMINI)
    return task


def test_a_person_asks_the_author_about_what_stopped_its_work_and_the_reviewers_look_again_R1_R2(
    desk: DeskWorld,
) -> None:
    task = stopped(desk)
    done = desk.app.cycles.ask_author(ALICE, "c-1")
    assert (done.state, done.message) == ("clarifying", "the author is asked to clarify p1 of c-1")
    (point,) = desk.app.cycles.show("c-1").points
    assert (point.reviewer, point.text) == ("codex", "it deletes the database")
    again = desk.app.cycles.clarify(CLAUDE, "c-1", "p1", "it is the database of the tests")
    assert (again.cycle, again.requested) == ("c-2", ("codex", "gemini"))
    review(desk, task, by=GEMINI)
    assert desk.show(task).task.hold, "another reviewer's approval does not lift it"
    review(desk, task, by=CODEX)
    assert (desk.app.cycles.show("c-2").rule, desk.show(task).task.hold) == ("R4", None), "codex withdrew it"


def test_only_a_person_asks_and_only_about_what_was_stopped_and_stands_R2_V8(desk: DeskWorld) -> None:
    task = stopped(desk)
    with desk.refused("V8"):
        desk.app.cycles.ask_author(CLAUDE, "c-1")
    other = desk.submitted_task()
    with desk.refused("R2"):
        desk.app.cycles.ask_author(ALICE, "c-2")
    for by in (CODEX, GEMINI):
        review(desk, other, by=by)
    with desk.refused("R2"):
        desk.app.cycles.ask_author(ALICE, "c-2")
    desk.app.stops.resume(ALICE, task, "I looked")
    desk.app.feedback.redo(BOB, task, "not so")
    with desk.refused("R2") as caught:
        desk.app.cycles.ask_author(ALICE, "c-1")
    assert "has changed since" in caught[0].reasons[0].message


def test_a_quote_in_a_review_of_a_look_that_is_nowhere_goes_back_once_V7(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    task = begun(desk)
    desk.app.cycles.now(ALICE, task)
    made_up = [issue(quote="no_such_code()", location="app.py:1")]
    with pytest.raises(Refused, match="was returned"):
        look_review(desk, CODEX, task, made_up, verdict="concerns")
    assert desk.app.cycles.show("c-1").reviews == ()
    done = look_review(desk, CODEX, task, made_up, verdict="concerns")
    (finding,) = desk.app.findings.listed(task)
    assert (done.raised, finding.waiting) == ((finding.id,), True), "it waits for another one's word"
    assert desk.app.audit.verify().findings == ()


def test_what_a_person_had_clarified_after_a_blocker_is_none_of_three_rounds_of_concerns_R2(desk: DeskWorld) -> None:
    task = stopped(desk)
    desk.app.cycles.ask_author(ALICE, "c-1")
    desk.app.cycles.clarify(CLAUDE, "c-1", "p1", "it is the database of the tests")
    for n in (2, 3, 4):
        for by in (CODEX, GEMINI):
            review(desk, task, by=by, **CONCERN)
        assert desk.app.cycles.show(f"c-{n}").state == ("clarifying" if n < 4 else "decided")
        for point in ("p1", "p2") if n < 4 else ():
            desk.app.cycles.clarify(CLAUDE, f"c-{n}", point, "as before")


def test_who_made_it_hears_from_the_status_what_is_asked_and_what_to_type_R2(desk: DeskWorld) -> None:
    task = two_concerns(desk)
    view = desk.app.status.show(CLAUDE)
    assert view.next == fe("review", "clarify", "c-1", "p1", "-m", phrase("the answer"))
    said = [steps_text(note) for note in view.notes]
    assert f"reviewers ask you about {task}, c-1 p1: the salt is missing" in said
    assert desk.app.status.show(CODEX).next != view.next, "it is not asked"
    for point in ("p1", "p2"):
        desk.app.cycles.clarify(CLAUDE, "c-1", point, "the salt is in the hash")
    assert desk.app.status.show(CLAUDE).next != view.next
