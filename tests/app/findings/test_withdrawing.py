"""Who raised a finding can take it back (L4), and nobody gets around one that way."""

from __future__ import annotations

import pytest

from foureyes.core.nouns.finding import ReportedFinding

from tests.stage.looped import again, findings, issue, respond, review, rule, standing, states, texts
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX, GEMINI, agent
from tests.stage.world import DeskWorld


def found(desk: DeskWorld, severity: str = "HIGH") -> tuple[str, str]:
    """A task in review in which codex found something."""
    task = desk.submitted_task(labels=["review:per-task"])
    (name,) = review(desk, task, [issue(severity=severity)]).raised
    return task, name


def test_who_raised_a_finding_withdraws_it_and_it_stays_on_record_L4(desk: DeskWorld) -> None:
    task, name = found(desk)
    with desk.refused("T2"):
        desk.app.rulings.withdraw(CODEX, name, " ")
    done = desk.app.rulings.withdraw(CODEX, name, "the caller checks it")
    assert "No blocking finding is open" in done.message
    page = desk.app.findings.show(BOB, name)
    assert (page.state, page.state_in_words, page.holds) == ("resolved", "withdrawn", False)
    assert (page.moves[-1].word, page.moves[-1].words) == ("withdrawn", "the caller checks it")
    assert [row.text for row in desk.show(task).logs if row.type == "withdrawal"] == [
        f"{name} is withdrawn: the caller checks it"
    ]
    assert "SecurityRecorded" not in desk.kinds(task)
    desk.approve(BOB, task)


def test_what_a_person_approved_before_is_not_said_to_be_approved_by_the_rule_M4(desk: DeskWorld) -> None:
    task, name = found(desk, "LOW")
    desk.approve(BOB, task)
    done = desk.app.rulings.withdraw(CODEX, name, "the caller checks it")
    assert done.message == f"withdrew {name}. No blocking finding is open"


def test_whoever_made_the_change_never_withdraws_what_blocks_it_L4(desk: DeskWorld) -> None:
    task, name = found(desk)
    joined = agent("codex", evidence=CLAUDE.evidence)  # the author shows the reviewer's own evidence (I3)
    for who in (CLAUDE, joined):
        with desk.refused("L4"):
            desk.app.rulings.withdraw(who, name, "it is fine")
    own = desk.app.findings.add(CLAUDE, task, ReportedFinding(severity="CRITICAL", title="I know this is wrong"))
    with desk.refused("L4"):
        desk.app.rulings.withdraw(CLAUDE, own.id, "it is not")
    assert set(states(desk, task).values()) == {"open"}


def test_what_somebody_else_raised_too_is_withdrawn_by_neither_but_by_a_person_on_record_L4_P8(desk: DeskWorld) -> None:
    task, name = found(desk)
    with desk.refused("L4"):
        desk.app.rulings.withdraw(GEMINI, name, "I see nothing")
    flagged = desk.app.findings.add(
        GEMINI, task, ReportedFinding(severity="HIGH", title="limit is hard-coded", id=name)
    )
    for who in (CODEX, GEMINI):
        with desk.refused("L4"):
            desk.app.rulings.withdraw(who, flagged.id, "no")
    desk.app.rulings.withdraw(BOB, flagged.id, "both misread it")
    assert states(desk, task) == {flagged.id: "resolved"}
    assert desk.sql("SELECT kind, reason FROM security") == [("finding_withdrawn", "both misread it")]
    with desk.refused("L4"):
        desk.app.rulings.withdraw(ALICE, flagged.id, "again")


@pytest.mark.parametrize(("given", "word"), [("FIXED", "NOT_FIXED"), ("REJECTED", "OVERRULED")])
def test_what_somebody_else_ruled_to_stand_is_not_withdrawn_by_an_agent_unless_that_is_taken_back_L4_L8_L9(
    desk: DeskWorld, given: str, word: str
) -> None:
    task = desk.submitted_task(labels=["review:auto"])
    name, other = review(desk, task, [issue("one"), issue("two")]).raised
    if desk.status(task) == "open":
        desk.start(CLAUDE, task)
    respond(desk, task, {name: given})
    again(desk, task, fixed=[other])
    rule(desk, {name: word}, by=ALICE)
    with desk.refused("L4") as caught:
        desk.app.rulings.withdraw(CODEX, name, "never mind")
    assert "alice" in texts(caught[0].reasons)
    assert findings(desk, task)[name].state == "open"
    desk.app.rulings.take_back(ALICE, name)
    desk.app.rulings.withdraw(CODEX, name, "never mind")


def test_what_is_withdrawn_is_no_progress_and_can_be_raised_again_L11(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    one, two = review(desk, task, [issue("one"), issue("two")]).raised
    again(desk, task)
    desk.app.rulings.withdraw(CODEX, one, "was right before")
    review(desk, task, rulings=[(two, "NOT_FIXED")], verdict="concerns")
    assert (standing(desk, task).rounds[-1].fixed, standing(desk, task).no_progress) == (0, 1)
    again(desk, task)
    (third,) = review(desk, task, [issue("one", id=one)], rulings=[(two, "VERIFIED")], verdict="concerns").raised
    assert (findings(desk, task)[one].id, findings(desk, task)[one].state) == (third, "open")


def test_a_finding_outside_of_the_change_is_not_obsolete_and_its_raiser_is_named_L4(desk: DeskWorld) -> None:
    task = desk.submitted_task(labels=["review:per-task"])
    added = desk.app.findings.add(CODEX, task, ReportedFinding(severity="HIGH", title="the readme lies"))
    with desk.refused("L4") as caught:
        rule(desk, {added.id: "OBSOLETE"}, by=BOB)
    said = texts(caught[0].reasons)
    assert "is not obsolete, because it names no file" in said
    assert f"its reviewer runs: fe finding judge {added.id} --withdraw" in said
