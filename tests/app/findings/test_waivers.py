"""Waivers (E3) and notes that become tasks (L16): who lets a finding pass, for how long, and what stays on every
report.
"""

from __future__ import annotations

import pytest

from foureyes.core.nouns.session import Actor
from foureyes.errors import BadInput, NotFound, Refused

from tests.stage.gated import TESTS, check, configure
from tests.stage.looped import (
    again,
    answer,
    findings,
    issue,
    respond,
    review,
    rule,
    standing,
    states,
    texts,
    why_not_approved,
)
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, GEMINI, asserted, person
from tests.stage.world import DeskWorld

KEPT = '\n[review]\ndefault_mode = "per-task"\n'
WHY = "the vendor fixes it next week"


def blocked(desk: DeskWorld, severity: str = "HIGH", actor: Actor = CLAUDE) -> tuple[str, str]:
    configure(desk, KEPT)
    task = desk.submitted_task(actor)
    (name,) = review(desk, task, [issue(severity=severity)]).raised
    return task, name


def test_a_person_outside_the_author_set_lets_a_blocking_finding_pass_E3(desk: DeskWorld) -> None:
    task, name = blocked(desk)
    desk.app.findings.waive(BOB, name, WHY)
    one = findings(desk, task)[name]
    assert (one.state, one.waived_until[:10], one.expired) == ("waived", "2026-03-31", False), "30 days"
    assert desk.approve(BOB, task).status == "approved"


@pytest.mark.parametrize(("who", "rule_id"), [(CODEX, "E3"), (CLAUDE, "E3"), (CI, "E3"), (asserted(BOB), "I1")])
def test_only_a_person_waives_E3(desk: DeskWorld, who: Actor, rule_id: str) -> None:
    _, name = blocked(desk)
    with desk.refused(rule_id):
        desk.app.findings.waive(who, name, WHY)


def test_a_token_waives_nothing_I2(desk: DeskWorld) -> None:
    task, name = blocked(desk)
    reviewer = desk.spawn(GEMINI, task, "review")
    with desk.refused("I2"):
        desk.app.findings.waive(reviewer, name, WHY)


def test_a_person_who_made_the_change_does_not_waive_what_was_found_in_it_E3(desk: DeskWorld) -> None:
    _, name = blocked(desk, actor=ALICE)
    with desk.refused("E3"):
        desk.app.findings.waive(ALICE, name, WHY)
    desk.app.findings.waive(BOB, name, WHY)


@pytest.mark.parametrize("reason", ["", "  \n\t"])
def test_a_waiver_needs_a_reason_E3_P9(desk: DeskWorld, reason: str) -> None:
    _, name = blocked(desk)
    with desk.unchanged(), pytest.raises((BadInput, Refused)):
        desk.app.findings.waive(BOB, name, reason)


@pytest.mark.parametrize("days", [0, -1, 367, 10**9])
def test_a_waiver_holds_for_a_day_to_a_year_E3(desk: DeskWorld, days: int) -> None:
    _, name = blocked(desk)
    with desk.unchanged(), pytest.raises(BadInput):
        desk.app.findings.waive(BOB, name, WHY, days=days)


@pytest.mark.parametrize("severity", ["MEDIUM", "LOW"])
def test_what_blocks_nothing_is_not_waived_E3(desk: DeskWorld, severity: str) -> None:
    _, name = blocked(desk, severity)
    with desk.refused("E3"):
        desk.app.findings.waive(BOB, name, WHY)


def test_what_is_settled_or_waived_is_not_waived_again_E3(desk: DeskWorld) -> None:
    task, name = blocked(desk)
    desk.app.findings.waive(BOB, name, WHY)
    with desk.refused("E3"):
        desk.app.findings.waive(BOB, name, WHY)
    other = desk.submitted_task(GEMINI)
    (second,) = review(desk, other, [issue()]).raised
    respond(desk, other, {second: "FIXED"}, by=GEMINI)
    rule(desk, {second: "VERIFIED"})
    with desk.refused("E3"):
        desk.app.findings.waive(BOB, second, WHY)
    assert task != other


def test_a_waiver_counts_by_the_clock_and_then_the_finding_stands_again_E3_D2(desk: DeskWorld) -> None:
    task, name = blocked(desk)
    desk.app.findings.waive(BOB, name, WHY, days=1)
    desk.clock.advance(hours=23, minutes=59)
    assert not findings(desk, task)[name].expired
    desk.clock.advance(minutes=1)
    (reason,) = why_not_approved(desk, task)
    assert (reason.rule, "expired" in reason.message) == ("D2", True)
    assert findings(desk, task)[name].expired


@pytest.mark.parametrize("how", ["waived", "answered"])
def test_an_expired_waiver_is_no_dead_end_E3_G2(desk: DeskWorld, how: str) -> None:
    task, name = blocked(desk)
    desk.app.findings.waive(BOB, name, WHY, days=1)
    desk.clock.advance(hours=25)
    if how == "waived":
        desk.app.findings.waive(BOB, name, WHY, days=1)
    else:
        desk.app.answers.respond(CLAUDE, task, [answer(name, "FIXED")])
        assert states(desk, task) == {name: "claimed"}
        rule(desk, {name: "VERIFIED"})
    assert desk.approve(BOB, task).status == "approved"


def test_a_hand_in_answers_a_finding_whose_waiver_ran_out_L6_E3(desk: DeskWorld) -> None:
    task, name = blocked(desk)
    desk.app.findings.waive(BOB, name, WHY, days=1)
    desk.app.feedback.redo(BOB, task, "go on")
    desk.start(CLAUDE, task)
    desk.clock.advance(hours=25)
    desk.repo.commit(f"fe/{task}")
    with desk.refused("L6"):
        desk.submit(CLAUDE, task)
    respond(desk, task, {name: "FIXED"})
    desk.submit(CLAUDE, task)


def test_a_waived_finding_needs_no_answer_while_the_waiver_holds_L6_E3(desk: DeskWorld) -> None:
    task, name = blocked(desk)
    desk.app.findings.waive(BOB, name, WHY)
    desk.app.feedback.redo(BOB, task, "go on")
    desk.start(CLAUDE, task)
    desk.repo.commit(f"fe/{task}")
    with desk.refused("L6"):
        respond(desk, task, {name: "FIXED"})
    desk.submit(CLAUDE, task)
    assert states(desk, task) == {name: "waived"}


def test_a_waiver_is_audited_twice_and_stays_on_the_reports_E3_P8(desk: DeskWorld) -> None:
    task, name = blocked(desk)
    desk.app.findings.waive(BOB, name, WHY)
    ((kind, rule_id, reason),) = [(row.kind, row.rule, row.reason) for row in desk.app.audit.exceptions()]
    assert (kind, rule_id, reason) == ("waiver", "E3", WHY)
    assert any("waived" in line.text for line in desk.show(task).logs)
    assert any(name in note for note in desk.app.validation.validate(BOB).notes)
    assert any(move.kind == "waived" and move.words == WHY for move in desk.app.findings.show(CODEX, name).moves)


def test_a_waived_finding_that_is_flagged_again_stays_waived_and_is_no_progress_E3_L11(desk: DeskWorld) -> None:
    task, name = blocked(desk)
    desk.app.findings.waive(BOB, name, WHY)
    desk.app.feedback.redo(BOB, task, "go on")
    again(desk, task)
    review(desk, task, [issue(id=name)])
    assert list(states(desk, task).values()) == ["waived"]
    assert all(not one.fixed for one in standing(desk, task).rounds)


def test_where_a_human_key_exists_a_waiver_is_signed_E3_I9(desk: DeskWorld) -> None:
    _, name = blocked(desk)
    desk.app.keys.new(BOB)
    before = len(desk.keys.signed)
    desk.app.findings.waive(BOB, name, WHY)
    assert WHY in desk.keys.signed[-1].decode()
    assert len(desk.keys.signed) == before + 1


def test_what_a_check_raised_is_mended_and_not_waived_E3_L8(desk: DeskWorld) -> None:
    configure(desk, KEPT + TESTS)
    task = desk.submitted_task()
    desk.outside.runner.says("tests", exit_code=1, passing=["a"], failing=["b"])
    desk.workshop.export = lambda tree, path, only=(): None  # type: ignore[method-assign]
    check(desk, task)
    (name,) = [one.id for one in findings(desk, task).values()]
    with desk.refused("D5"):
        desk.app.findings.waive(BOB, name, WHY)


# Notes become tasks


def test_open_notes_become_follow_up_tasks_with_one_command_L16(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    names = review(
        desk, task, [issue("a better name", "LOW", problem="x says nothing"), issue("a test more", "MEDIUM")]
    ).raised
    done = desk.app.findings.track(BOB, [], task=task)
    new = [findings(desk, task)[name].tracked for name in names]
    assert ("2 follow-up tasks" in done.message, all(new)) == (True, True)
    planned = desk.task(new[0])
    assert (planned.status, planned.labels, planned.type) == ("open", ["tech-debt"], "chore")
    assert names[0] in planned.description
    assert "x says nothing" in planned.description


def test_the_same_note_again_is_the_same_task_L16(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    (name,) = review(desk, task, [issue("a better name", "LOW")]).raised
    desk.app.findings.track(BOB, [name, name])
    new = findings(desk, task)[name].tracked
    done = desk.app.findings.track(BOB, [name])
    assert (done.changed, findings(desk, task)[name].tracked) == (False, new)
    assert len(desk.ids_of(label="tech-debt")) == 1
    again = desk.app.findings.track(BOB, [], task=task)
    assert (again.changed, again.notes) == (False, (f"{name} already has the task {new}",)), "all of a task, twice"
    other = desk.submitted_task()
    with desk.refused("L16"):
        desk.app.findings.track(BOB, [], task=other)


def test_a_blocking_finding_is_answered_and_not_put_off_L16(desk: DeskWorld) -> None:
    configure(desk, KEPT)
    task = desk.submitted_task()
    high, low = review(desk, task, [issue("a"), issue("b", "LOW")]).raised
    with desk.refused("L16") as caught:
        desk.app.findings.track(BOB, [low, high])
    assert high in texts(caught[0].reasons)
    desk.app.findings.track(BOB, [], task=task)
    assert not findings(desk, task)[high].tracked


def test_a_note_that_is_not_there_plans_nothing_L16(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    (name,) = review(desk, task, [issue("b", "LOW")]).raised
    with desk.unchanged(), pytest.raises(NotFound):
        desk.app.findings.track(BOB, [name, "TL-x-1-001"])


def test_the_same_note_in_three_attempts_is_a_debt_alert_until_it_is_tracked_L16(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    (name,) = review(desk, task, [issue("a better name", "LOW")]).raised

    def alerts() -> list[str]:
        return [note for note in desk.app.validation.validate(BOB).notes if "L16" in note]

    for expected in (0, 0, 1):
        assert len(alerts()) == expected
        again(desk, task)
        review(desk, task, [issue("a better name", "LOW", id=name)])
    assert "4 attempts" in alerts()[0]
    desk.app.findings.track(BOB, [name])
    assert alerts() == []


def test_flagged_twice_within_one_attempt_is_one_attempt_L16(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    (name,) = review(desk, task, [issue("a better name", "LOW")]).raised
    for who in (GEMINI, BOB, person("carol")):
        review(desk, task, [issue("a better name", "LOW", id=name)], by=who)
    assert findings(desk, task)[name].flags == 1
