"""The journal as sentences: every kind of event has one, what stands out is marked, and noticing is cheap."""

from __future__ import annotations

import pytest

from foureyes.app.results.journal import EventLine
from foureyes.core.events import KINDS
from foureyes.core.rules.four_eyes import Declaration

from tests.stage.gated import configure
from tests.stage.people import ALICE, BOB, CLAUDE
from tests.stage.world import DeskWorld


def texts(lines: list[EventLine], task: str = "") -> list[str]:
    return [line.text for line in lines if not task or line.task == task]


def test_who_did_what_is_one_sentence_each_the_oldest_first(desk: DeskWorld) -> None:
    task = desk.submitted_task(title="Add a login")
    desk.approve(BOB, task)
    assert texts(desk.app.events.latest(), task) == [
        "alice@box planned: Add a login",
        "claude#1 started it",
        "claude#1 submitted iteration 1: +1 −0 in 1 file",
        "bob@box approved iteration 1 (P7)",
    ]


def test_the_latest_are_those_at_the_end_and_since_goes_on_from_a_row(desk: DeskWorld) -> None:
    for number in range(5):
        desk.create(title=f"task {number}")
    lines = desk.app.events.latest(2)
    assert texts(lines) == ["alice@box planned: task 3", "alice@box planned: task 4"]
    assert desk.app.events.since(lines[0].seq) == lines[1:]
    assert desk.app.events.since(lines[0].seq - 1, 1) == lines[:1]
    assert desk.app.events.since(lines[1].seq) == []


def test_the_head_is_the_last_row_and_moves_with_every_change(desk: DeskWorld) -> None:
    before = desk.app.events.head()
    assert before == desk.rows()
    task = desk.create()
    assert desk.app.events.head() == desk.rows() > before
    with desk.unchanged():
        desk.app.lists.show(BOB, task)
    assert desk.app.events.head() == desk.rows()


def test_stops_decisions_and_exceptions_stand_out_P8(desk: DeskWorld) -> None:
    task = desk.submitted_task(creator=CLAUDE)
    desk.app.stops.hold(ALICE, task, "wait for legal")
    desk.app.stops.resume(ALICE, task, "they agreed")
    desk.app.decisions.approve(BOB, task, seen=desk.show(task).attempts[-1].diff_id)
    desk.app.decisions.withdraw(BOB, task, reason="not yet")
    kinds = {line.text: line.kind for line in desk.app.events.latest()}
    assert kinds["alice@box held it: wait for legal"] == "stop"
    assert kinds["alice@box lifted its hold: they agreed"] == "plain"
    assert kinds["bob@box withdrew an approval: not yet"] == "decision"


def test_an_exception_is_said_to_be_one_P8(desk: DeskWorld) -> None:
    configure(desk, '\n[review]\npolicy = "trusted"\n')
    task = desk.submitted_task()
    seen = desk.show(task).attempts[-1].diff_id
    desk.app.decisions.approve(
        CLAUDE, task, seen=seen, declaration=Declaration("nobody else is here", self_review=True)
    )
    line = next(line for line in desk.app.events.latest() if "made an exception: " in line.text)
    assert (line.kind, line.task) == ("security", task)


def test_what_the_gate_does_is_said_of_the_gate_M4(desk: DeskWorld) -> None:
    configure(desk, '\n[[checks]]\nname = "lint"\nrun = "lint"\n')
    task = desk.submitted_task(labels=["review:auto"])
    desk.outside.runner.says("lint", exit_code=1)
    desk.app.checks.run(BOB, task)
    line = next(line for line in desk.app.events.latest() if "sent iteration 1 back" in line.text)
    assert (line.text, line.kind) == ("the gate sent iteration 1 back: required checks are red", "stop")
    assert line.actor == "the gate"


def test_rows_that_only_programs_read_are_left_out(desk: DeskWorld) -> None:
    desk.submitted_task()
    assert not [line for line in desk.app.events.latest() if "recorded the names" in line.text]


def test_a_text_of_many_lines_is_one_line(desk: DeskWorld) -> None:
    task = desk.create()
    desk.app.notes.log(CLAUDE, task, "first\nsecond\t" + "x" * 500)
    line = desk.app.events.latest()[-1]
    assert line.text.startswith("claude#1 logged: first second x")
    assert len(line.text) == 160
    assert "\n" not in line.text


@pytest.mark.on("sqlite")
def test_a_row_that_this_version_cannot_read_hides_no_other(desk: DeskWorld) -> None:
    task = desk.create()
    desk.app.notes.log(CLAUDE, task, "a line")
    (payload,) = desk.sql("SELECT payload FROM journal WHERE seq = ?", desk.rows())[0]
    desk.sql("UPDATE journal SET payload = '{' WHERE seq = ?", desk.rows())
    line = desk.app.events.latest()[-1]
    assert line.kind == "security"
    assert "fe audit verify" in line.text
    desk.sql("UPDATE journal SET payload = ? WHERE seq = ?", payload, desk.rows())


@pytest.mark.on("sqlite")
def test_every_kind_of_event_has_a_sentence() -> None:
    from foureyes.app.pages.events import DECISIONS, EXCEPTIONS, PREDICATES, QUIET, STOPS

    assert set(PREDICATES) == set(KINDS)
    assert {*DECISIONS, *EXCEPTIONS, *QUIET, *STOPS} <= set(KINDS)
