"""Notes: the log of a task and what one session leaves for the next."""

from __future__ import annotations

import pytest

from foureyes.app.tasks.notes import LOG_TYPES
from foureyes.errors import BadInput

from tests.stage.people import ALICE, CI, CLAUDE, CODEX, asserted
from tests.stage.world import DeskWorld


def test_a_log_line_says_who_what_and_when(desk: DeskWorld) -> None:
    task = desk.create()
    desk.clock.advance(minutes=1)
    done = desk.app.notes.log(CLAUDE, task, "tried it\nit failed", type="tried")
    (line,) = desk.show(task).logs
    assert (line.session, line.type, line.text, line.at) == (
        CLAUDE.session,
        "tried",
        "tried it\nit failed",
        "2026-03-01T12:01:00.000Z",
    )
    assert str(line.seq) in done.message


def test_everybody_may_log_even_a_typed_name_I1_I5(desk: DeskWorld) -> None:
    task = desk.create()
    for actor in (CLAUDE, ALICE, CI, asserted(CLAUDE, "nobody")):
        desk.app.notes.log(actor, task, "a line")
    found = desk.show(task)
    assert len(found.logs) == 4
    assert found.name("ses-as-nobody") == '"nobody" (typed, ses-as-nobody)'
    assert {row.id: row.trust for row in desk.app.sessions.list()}["ses-as-nobody"] == "asserted"


def test_a_typed_name_that_sounds_like_a_person_stays_a_name_I1(desk: DeskWorld) -> None:
    task = desk.create()
    desk.app.notes.log(asserted(CLAUDE, "alice@box"), task, "approved by me")
    row = next(row for row in desk.app.sessions.list() if row.trust == "asserted")
    assert row.id != ALICE.session
    assert "(" in desk.show(task).name(row.id), "its session id is shown beside the name"


@pytest.mark.parametrize("text", ["", " \n", "bell\x07", "x" * 100_001])
def test_a_log_line_that_is_empty_too_long_or_unprintable_is_bad_input(desk: DeskWorld, text: str) -> None:
    task = desk.create()
    with desk.refused(error=BadInput):
        desk.app.notes.log(CLAUDE, task, text)


def test_log_types_are_a_list_without_security(desk: DeskWorld) -> None:
    task = desk.create()
    for kind in LOG_TYPES:
        desk.app.notes.log(CLAUDE, task, "x", type=kind)
    for kind in ("security", "anything"):
        with desk.refused(error=BadInput):
            desk.app.notes.log(CLAUDE, task, "x", type=kind)


def test_only_the_latest_lines_are_shown_oldest_first(desk: DeskWorld) -> None:
    task = desk.create()
    for n in range(25):
        desk.app.notes.log(CLAUDE, task, f"line {n}")
    assert [line.text for line in desk.show(task).logs] == [f"line {n}" for n in range(5, 25)]
    assert len(desk.app.lists.show(CLAUDE, task, log_lines=3).logs) == 3


def test_a_handoff_is_found_by_the_next_session(desk: DeskWorld) -> None:
    task = desk.create()
    desk.app.notes.handoff(
        CLAUDE, task, done=["parser", " "], remaining=["tests"], decisions=[], uncertain=["the cache"]
    )
    desk.app.notes.handoff(CODEX, task, done=["tests"], remaining=[], decisions=["no cache"], uncertain=[])
    found = desk.show(task).handoff
    assert found is not None
    assert (found.session, found.done, found.decisions, found.remaining) == (CODEX.session, ["tests"], ["no cache"], [])
    assert desk.kinds(task).count("HandedOff") == 2


def test_an_empty_handoff_is_bad_input(desk: DeskWorld) -> None:
    task = desk.create()
    with desk.refused(error=BadInput):
        desk.app.notes.handoff(CLAUDE, task, done=[""], remaining=[" "], decisions=[], uncertain=[])
