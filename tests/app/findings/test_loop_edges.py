"""Edges of the findings loop that random play found; each once, in a few lines (`test_loop_properties.py`)."""

from __future__ import annotations

import pytest

from foureyes.core.nouns.finding import ReportedFinding, Ruling
from foureyes.core.nouns.session import Actor

from tests.stage.looped import again, findings, issue, open_ids, respond, review, rule, standing
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX, GEMINI
from tests.stage.world import DeskWorld


def stored_is_computed(desk: DeskWorld, task: str) -> tuple[str, str]:
    """E1: what the task says and what the engine says; they agree."""
    now, found = standing(desk, task), desk.task(task)
    assert (found.tier, found.waiting_for) == (now.tier, now.waiting_for)
    return now.tier, now.waiting_for


def sent_back(desk: DeskWorld, *titles: str) -> str:
    task = desk.submitted_task()
    review(desk, task, [issue(title) for title in titles or ("leaks",)])
    return task


def rejected(desk: DeskWorld) -> str:
    """Two findings, one of them rejected and submitted."""
    task = sent_back(desk, "leaks", "no test")
    desk.start(CLAUDE, task)
    respond(desk, task, {f"TL-{task}-1-001": "REJECTED", f"TL-{task}-1-002": "FIXED"})
    desk.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])
    desk.submit(CLAUDE, task)
    return task


@pytest.mark.parametrize("who", [GEMINI, BOB, CODEX], ids=["another", "a person", "its reviewer"])
def test_an_open_blocking_finding_is_not_talked_down_by_saying_it_again_milder_E3_D2(
    desk: DeskWorld, who: Actor
) -> None:
    task = desk.submitted_task(labels=["review:per-task"])
    review(desk, task, [issue("leaks", "CRITICAL")])
    desk.app.findings.add(who, task, ReportedFinding(severity="LOW", title="leaks"))
    (found,) = findings(desk, task).values()
    assert (found.severity, found.blocking, found.state, found.flags) == ("CRITICAL", True, "open", 1)
    with desk.refused("D2"):
        desk.approve(BOB, task)


def test_what_was_verified_may_be_raised_again_milder_L9(desk: DeskWorld) -> None:
    task = sent_back(desk)
    again(desk, task)
    rule(desk, {f"TL-{task}-1-001": "VERIFIED"})
    review(desk, task, [issue("leaks", "LOW")])
    (found,) = findings(desk, task).values()
    assert (found.severity, found.state) == ("LOW", "open")


def test_an_accepted_rejection_does_not_come_back_by_leaving_the_quote_out_L9(desk: DeskWorld) -> None:
    desk.repo.files["app.py"] = "def first():\n    return 1\n"
    task = desk.submitted_task()
    review(desk, task, [issue("leaks", quote="return 1", file="app.py"), issue("no test")])
    desk.start(CLAUDE, task)
    respond(desk, task, {f"TL-{task}-1-001": "REJECTED", f"TL-{task}-1-002": "FIXED"})
    desk.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])
    desk.submit(CLAUDE, task)
    rule(desk, {f"TL-{task}-1-001": "ACCEPTED"})
    with desk.refused("L9"):
        review(desk, task, [issue("leaks", id=f"TL-{task}-1-001")], by=GEMINI)


def test_a_finding_that_one_review_names_by_two_of_its_ids_is_refused_in_a_sentence_L2(desk: DeskWorld) -> None:
    task = desk.submitted_task(labels=["review:per-task"])
    review(desk, task, [issue("leaks")])
    review(desk, task, [issue("leaks")], by=GEMINI)
    with desk.refused("L2"):
        review(desk, task, [issue("leaks", id=f"TL-{task}-1-001"), issue("leaks more", id=f"TL-{task}-1-002")])
    done = review(desk, task, [issue("leaks"), issue("more of it", id=f"TL-{task}-1-001")])
    assert len(done.raised) == 2, "what is named is not guessed for the other one"
    assert len(findings(desk, task)) == 2


def test_who_overrules_and_says_it_again_leaves_it_open_and_sends_it_back_L9(desk: DeskWorld) -> None:
    task = rejected(desk)
    review(desk, task, [issue("leaks")], rulings=[(f"TL-{task}-1-001", "OVERRULED"), (f"TL-{task}-1-002", "VERIFIED")])
    found = findings(desk, task)[f"TL-{task}-1-001"]
    assert (found.state, found.must_fix, desk.status(task)) == ("open", True, "open")


@pytest.mark.parametrize(("name", "word"), [("001", "ACCEPTED"), ("002", "VERIFIED")])
def test_who_settles_a_finding_and_raises_it_in_one_breath_is_refused_and_nothing_is_stored_L8_G4(
    desk: DeskWorld, name: str, word: str
) -> None:
    task = rejected(desk)
    with desk.refused("L8"):
        review(desk, task, [issue({"001": "leaks", "002": "no test"}[name])], rulings=[(f"TL-{task}-1-{name}", word)])


def test_a_finding_whose_waiver_ran_out_is_asked_for_and_can_be_answered_E3_L6(desk: DeskWorld) -> None:
    task = sent_back(desk)
    desk.app.findings.waive(BOB, f"TL-{task}-1-001", "known risk", days=1)
    desk.start(CLAUDE, task)
    with desk.refused("L6"):
        respond(desk, task, {f"TL-{task}-1-001": "FIXED"})
    desk.clock.advance(hours=25)
    desk.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])
    with desk.refused("L6"):
        desk.submit(CLAUDE, task)
    respond(desk, task, {f"TL-{task}-1-001": "FIXED"})
    desk.submit(CLAUDE, task)
    assert [(one.had, one.raised) for one in standing(desk, task).rounds] == [(0, 0), (1, 0)]
    with desk.refused("D2"):
        desk.approve(BOB, task)
    rule(desk, {f"TL-{task}-1-001": "VERIFIED"})
    desk.approve(BOB, task)


def test_a_ruling_that_is_taken_back_takes_its_progress_along_L18_E1(desk: DeskWorld) -> None:
    """The second round without progress after all: the next tier, at once."""
    task = sent_back(desk, "leaks", "no test")
    again(desk, task)
    rule(desk, dict.fromkeys((f"TL-{task}-1-001", f"TL-{task}-1-002"), "NOT_FIXED"))
    again(desk, task)
    desk.app.rulings.rule(CODEX, [Ruling(f"TL-{task}-1-001", "VERIFIED"), Ruling(f"TL-{task}-1-002", "NOT_FIXED")])
    assert stored_is_computed(desk, task) == ("developer", "")
    desk.app.rulings.take_back(CODEX, f"TL-{task}-1-001")
    assert stored_is_computed(desk, task) == ("senior", "")


def test_a_finding_that_is_added_to_what_came_back_may_undo_its_progress_E1(desk: DeskWorld) -> None:
    task = sent_back(desk, "leaks", "no test")
    again(desk, task)
    rule(desk, dict.fromkeys((f"TL-{task}-1-001", f"TL-{task}-1-002"), "NOT_FIXED"))
    again(desk, task)
    desk.app.rulings.rule(CODEX, [Ruling(f"TL-{task}-1-001", "VERIFIED"), Ruling(f"TL-{task}-1-002", "NOT_FIXED")])
    desk.app.findings.add(BOB, task, ReportedFinding(severity="HIGH", title="leaks"))
    assert stored_is_computed(desk, task) == ("senior", "")


def test_hand_ins_that_overtake_each_other_in_review_count_against_the_cap_E1(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    for _ in range(5):
        desk.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])
        desk.submit(CLAUDE, task)
    assert stored_is_computed(desk, task) == ("senior", "")
    assert standing(desk, task).rounds[4].action == "escalate"


def test_whom_the_lead_asked_is_not_passed_over_by_more_rejections_L14_E3(desk: DeskWorld) -> None:
    task = sent_back(desk)
    desk.start(CLAUDE, task)
    respond(desk, task, {f"TL-{task}-1-001": "REJECTED"})
    desk.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])
    desk.submit(CLAUDE, task)
    desk.app.loops.lead(ALICE, task, "ask", "not for me to say")
    desk.app.findings.add(BOB, task, ReportedFinding(severity="HIGH", title="no test"))
    respond(desk, task, dict.fromkeys(open_ids(desk, task), "REJECTED"))
    desk.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])
    desk.submit(CLAUDE, task)
    assert stored_is_computed(desk, task) == ("user", "user")


def test_an_approval_ends_the_waiting_for_the_engine_too_E2(desk: DeskWorld) -> None:
    task = sent_back(desk)
    desk.start(CLAUDE, task)
    respond(desk, task, {f"TL-{task}-1-001": "REJECTED"})
    desk.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])
    desk.submit(CLAUDE, task)
    assert stored_is_computed(desk, task) == ("developer", "lead")
    rule(desk, {f"TL-{task}-1-001": "ACCEPTED"})
    desk.approve(BOB, task)
    assert stored_is_computed(desk, task) == ("developer", "")
    desk.app.decisions.withdraw(BOB, task)
    assert stored_is_computed(desk, task) == ("developer", "")


def test_a_task_that_is_closed_or_opened_again_stays_in_its_tier_E1(desk: DeskWorld) -> None:
    task = sent_back(desk)
    for _ in range(2):
        again(desk, task)
        rule(desk, {f"TL-{task}-1-001": "NOT_FIXED"})
    assert stored_is_computed(desk, task) == ("senior", "")
    desk.app.closing.close(BOB, task, reason="not needed")
    assert stored_is_computed(desk, task) == ("senior", "")
    desk.app.closing.reopen(BOB, task)
    assert stored_is_computed(desk, task) == ("senior", "")
