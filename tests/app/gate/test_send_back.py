"""T `send_back`: when a cycle has ended with open blocking findings, and nobody else is to look first."""

from __future__ import annotations

import pytest

from tests.stage.gated import configure, words
from tests.stage.looped import again, findings, issue, respond, review, rule, states
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX, GEMINI
from tests.stage.world import DeskWorld, GitWorld

TWO = "\n[review]\nreviews = 2\n"


def test_a_first_review_with_a_blocking_finding_sends_the_attempt_back_with_the_findings_as_feedback_V10(
    desk: DeskWorld,
) -> None:
    task = desk.submitted_task()
    done = review(desk, task, [issue("limit is hard-coded", file="foureyes.toml", line=1)])
    assert (done.sent_back, done.task_status, desk.status(task)) == (True, "open", "open")
    assert all(part in words(desk, task) for part in (done.raised[0], "HIGH", "limit is hard-coded", "foureyes.toml:1"))
    assert task in desk.ids_of(ready=True)
    assert done.raised[0] in desk.mirrors.documents[task].decode(), "the mirror file says it, too (F2)"


def test_suggestions_send_nothing_back_L5(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    assert not review(desk, task, [issue(severity="MEDIUM")], verdict="concerns").sent_back
    assert desk.status(task) == "reviewing"


def test_nothing_is_sent_back_while_an_answer_waits_for_its_ruling(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    a, b = review(desk, task, [issue("a"), issue("b")]).raised
    again(desk, task)
    rule(desk, {a: "NOT_FIXED"})
    assert desk.status(task) == "reviewing"
    rule(desk, {b: "VERIFIED"})
    assert desk.status(task) == "open"


def test_a_review_that_rules_on_all_and_finds_one_more_sends_it_back_once(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    (a,) = review(desk, task, [issue("a")]).raised
    again(desk, task)
    assert review(desk, task, [issue("new")], rulings=[(a, "VERIFIED")]).sent_back
    assert [row.source for row in desk.show(task).feedback] == ["findings", "findings"]


def test_where_a_person_looks_at_every_task_it_stays_in_review_M(desk: DeskWorld) -> None:
    configure(desk, '\n[review]\ndefault_mode = "per-task"\n')
    task = desk.submitted_task()
    (name,) = review(desk, task, [issue()]).raised
    assert (desk.status(task), states(desk, task)) == ("reviewing", {name: "open"})
    desk.app.feedback.redo(BOB, task, "do these")
    assert desk.status(task) == "open"


def test_a_label_that_wants_every_task_looked_at_keeps_it_too_M1(desk: DeskWorld) -> None:
    task = desk.submitted_task(labels=["review:per-task"])
    assert not review(desk, task, [issue()]).sent_back


def test_what_landed_before_its_review_stays_in_review_K4(world: GitWorld) -> None:
    task = world.create()
    world.start(CLAUDE, task)
    world.checkout.commit("landed.py", "x = 1\n", session=CLAUDE)
    assert world.submit(CLAUDE, task).landed
    assert not review(world, task, [issue()]).sent_back
    assert world.status(task) == "reviewing"


def test_where_two_reviews_are_required_the_second_comes_first_D6(desk: DeskWorld) -> None:
    configure(desk, TWO)
    task = desk.submitted_task()
    assert not review(desk, task, [issue("a")]).sent_back
    assert not review(desk, task, [issue("b")]).sent_back, "the same eyes again"
    assert review(desk, task, by=GEMINI).sent_back
    assert len(findings(desk, task)) == 2


def test_the_authors_own_review_is_not_the_second_D6_P2(desk: DeskWorld) -> None:
    configure(desk, TWO)
    task = desk.submitted_task()
    review(desk, task, [issue("a")])
    assert not review(desk, task, by=CLAUDE).sent_back
    assert desk.status(task) == "reviewing"


def test_a_finding_somebody_added_beside_a_review_sends_nothing_back_by_itself(desk: DeskWorld) -> None:
    from foureyes.core.nouns.finding import ReportedFinding

    task = desk.submitted_task()
    desk.app.findings.add(BOB, task, ReportedFinding(severity="HIGH", title="untested"))
    assert desk.status(task) == "reviewing"
    assert review(desk, task).sent_back, "a review looked, and the finding is open"


def test_a_waived_finding_sends_nothing_back_E3(desk: DeskWorld) -> None:
    configure(desk, TWO)
    task = desk.submitted_task()
    (name,) = review(desk, task, [issue("a")]).raised
    desk.app.findings.waive(BOB, name, "for now")
    assert not review(desk, task, by=GEMINI).sent_back
    assert desk.approve(BOB, task).status == "approved"


@pytest.mark.parametrize("who", [CODEX, BOB, ALICE])
def test_the_feedback_is_the_gates_and_the_round_is_over_whoever_reviewed(desk: DeskWorld, who: object) -> None:
    task = desk.submitted_task()
    review(desk, task, [issue()], by=who)  # type: ignore[arg-type]
    (row,) = [row for row in desk.app.audit.log(task=task, limit=100) if row.kind == "AttemptSentBack"]
    assert row.session not in (CODEX.session, BOB.session, ALICE.session)


def test_more_findings_than_a_person_reads_are_counted_and_all_of_them_kept(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    review(desk, task, [issue(f"problem {n}") for n in range(30)])
    assert "30 blocking findings are open" in words(desk, task)
    assert "and 10 more" in words(desk, task)
    desk.start(CLAUDE, task)
    respond(desk, task, dict.fromkeys(findings(desk, task), "FIXED"))
