"""Forged trailers: they can lock somebody out, and a person can clear what they say, on record (I8)."""

from __future__ import annotations

import pytest

from foureyes.core.nouns.session import Actor
from foureyes.core.words.ids import SessionId
from foureyes.errors import NotFound

from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, GEMINI, asserted
from tests.stage.world import DeskWorld


def forged(desk: DeskWorld, *victims: Actor) -> str:
    """A task that Claude made, whose commit says that the victims made it."""
    for victim in victims:
        desk.app.notes.log(victim, desk.create(), "known here")
    task = desk.create(GEMINI)
    desk.start(CLAUDE, task)
    desk.repo.commit(f"fe/{task}", sessions=[victim.session for victim in victims])
    desk.submit(CLAUDE, task)
    return task


def test_a_forged_trailer_locks_out_until_a_person_clears_it_I8_P8(desk: DeskWorld) -> None:
    task = forged(desk, BOB, CODEX)
    for victim in (BOB, CODEX):
        with desk.refused("P2"):
            desk.approve(victim, task, reason="fine")
    desk.app.attempts.correct_author(ALICE, task, BOB.session, "Bob was on holiday")
    assert desk.approve(BOB, task).rule == "P7"
    (row,) = desk.app.audit.exceptions()
    assert (row.kind, row.rule, row.session, row.reason) == (
        "attribution_cleared",
        "I8",
        ALICE.session,
        "Bob was on holiday",
    )
    detail = desk.show(task)
    assert (set(detail.authors), detail.cleared) == ({CLAUDE.session, BOB.session, CODEX.session}, [BOB.session]), (
        "entries stay"
    )
    with desk.refused("T2"):
        desk.app.attempts.correct_author(ALICE, task, CODEX.session, " ")
    desk.sound()


def test_a_session_is_cleared_by_its_name_too_and_once_is_enough_I8(desk: DeskWorld) -> None:
    task = forged(desk, CODEX)
    desk.app.attempts.correct_author(ALICE, task, "codex#1", "forged")
    with desk.unchanged():
        assert desk.app.attempts.correct_author(ALICE, task, "codex#1", "forged").changed is False


@pytest.mark.parametrize(
    "who", [CLAUDE, CODEX, CI, asserted(ALICE)], ids=["the forger", "the victim, an agent", "service", "typed name"]
)
def test_only_people_clear_I8(desk: DeskWorld, who: Actor) -> None:
    task = forged(desk, CODEX)
    with desk.refused():
        desk.app.attempts.correct_author(who, task, CODEX.session, "forged")


def test_who_held_the_claim_is_never_cleared_I8(desk: DeskWorld) -> None:
    task = forged(desk, CLAUDE)
    with desk.refused("I8"):
        desk.app.attempts.correct_author(ALICE, task, CLAUDE.session, "forged")


def test_a_commit_of_a_later_attempt_counts_again_I8(desk: DeskWorld) -> None:
    task = forged(desk, CODEX)
    desk.app.attempts.correct_author(ALICE, task, CODEX.session, "forged")
    desk.repo.commit(f"fe/{task}", sessions=[CODEX.session])
    desk.submit(CLAUDE, task)
    with desk.refused("P2"):
        desk.approve(CODEX, task, reason="fine")


def test_a_session_that_nobody_knows_can_be_cleared_and_one_that_is_no_author_cannot_I8(desk: DeskWorld) -> None:
    task = forged(desk)
    desk.repo.commit(f"fe/{task}", sessions=["ses-ghost"])
    desk.submit(CLAUDE, task)
    desk.app.attempts.correct_author(ALICE, task, "ses-ghost", "there is no such session")
    assert desk.show(task).cleared == [SessionId("ses-ghost")]
    with pytest.raises(NotFound):
        desk.app.attempts.correct_author(ALICE, task, "ses-other", "x")
