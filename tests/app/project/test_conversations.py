"""A conversation that a variable names makes one origin of two sessions, and so only takes rights away (I3)."""

from __future__ import annotations

from foureyes.core.nouns.session import Actor

from tests.stage.looped import again, findings, issue, review, rule
from tests.stage.people import ALICE, CODEX, agent
from tests.stage.world import DeskWorld

TALK = ("conversation:codex:0199",)
TALKER, JOINED, AUTHOR = (agent(name, evidence=TALK) for name in ("codex", "gemini", "claude"))


def joined(desk: DeskWorld) -> Actor:
    """Gemini, in what it says is the conversation of codex."""
    desk.app.notes.log(TALKER, desk.create(ALICE), "mine")
    return JOINED


def test_who_names_a_reviewers_conversation_withdraws_nothing_of_it_L4(desk: DeskWorld) -> None:
    gemini = joined(desk)
    task = desk.submitted_task(labels=["review:per-task"])
    (name,) = review(desk, task, [issue()], by=TALKER).raised
    for who in (gemini, AUTHOR):
        with desk.refused("L4"):
            desk.app.rulings.withdraw(who, name, "mine now")
    desk.app.rulings.withdraw(CODEX, name, "the caller checks it")


def test_who_names_a_reviewers_conversation_takes_no_ruling_of_it_back_L18(desk: DeskWorld) -> None:
    gemini = joined(desk)
    task = desk.submitted_task(labels=["review:per-task"])
    one, two = review(desk, task, [issue("one"), issue("two")], by=TALKER).raised
    again(desk, task)
    rule(desk, {one: "NOT_FIXED"}, by=CODEX)
    for who in (gemini, AUTHOR):
        with desk.refused("L18"):
            desk.app.rulings.take_back(who, one)
    assert findings(desk, task)[one].state == "open"
    assert findings(desk, task)[two].state == "claimed"


def test_whoever_made_the_change_takes_no_ruling_back_even_one_of_its_own_L18(desk: DeskWorld) -> None:
    joined(desk)
    task = desk.submitted_task(labels=["review:per-task"])
    one, _ = review(desk, task, [issue("one"), issue("two")], by=TALKER).raised
    again(desk, task)
    rule(desk, {one: "NOT_FIXED"}, by=CODEX)
    desk.app.notes.log(AUTHOR, task, "we are one")
    with desk.refused("L18"):
        desk.app.rulings.take_back(CODEX, one)


def test_who_names_the_conversation_of_a_claim_does_not_free_it_and_closes_nothing_T1_C1(desk: DeskWorld) -> None:
    gemini = joined(desk)
    task = desk.create(ALICE)
    desk.app.claims.start(TALKER, task)
    with desk.refused("T1"):
        desk.app.claims.unstart(gemini, task)
    with desk.refused("C1"):
        desk.app.closing.close(gemini, task, reason="done")
    desk.app.claims.unstart(CODEX, task)


def test_who_names_the_conversation_of_a_creator_cancels_nothing_T2(desk: DeskWorld) -> None:
    gemini = joined(desk)
    task = desk.create(TALKER)
    with desk.refused("T2"):
        desk.app.closing.cancel(gemini, task)
    desk.app.closing.cancel(CODEX, task)


def test_who_names_the_conversation_of_a_rejecter_takes_nothing_up_again_T2(desk: DeskWorld) -> None:
    gemini = joined(desk)
    task = desk.submitted_task()
    desk.app.feedback.reject(TALKER, task, "not wanted")
    for who in (gemini, AUTHOR):
        with desk.refused("T2"):
            desk.app.closing.reopen(who, task, reason="again")


def test_who_names_the_conversation_of_a_spawner_ends_no_session_of_it_I4(desk: DeskWorld) -> None:
    gemini = joined(desk)
    given = desk.app.sessions.spawn(TALKER, desk.create(ALICE), "review").session
    with desk.refused("I4"):
        desk.app.sessions.end(gemini, given)
    desk.app.sessions.end(CODEX, given)
