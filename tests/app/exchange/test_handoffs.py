"""Handoffs: what is written is what the journal says, what is read back is believed in nothing that can be counted (G6,
L13).
"""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from foureyes.app.exchange.handoffs import kind_of
from foureyes.core.documents.findings import lead_findings, resolved_of, status_problem, summary_problems
from foureyes.core.documents.json_reader import read
from foureyes.core.documents.shapes import DeveloperHandoff, QaHandoff, TechLeadHandoff
from foureyes.errors import BadInput, NotFound

from tests.stage.gated import LINT, TESTS, check, configure, report_of
from tests.stage.looped import again, answer, issue, review, rule, states
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX
from tests.stage.world import DeskWorld


def lead_of(desk: DeskWorld, task: str) -> TechLeadHandoff:
    """As a reader gets it, with nothing wrong in it."""
    found = read(msgspec.json.encode(desk.app.handoffs.export(task, "tech_lead")), TechLeadHandoff)
    _, _, problems = lead_findings(found)
    severities = [one.severity for one in found.issues]
    assert [*problems, *summary_problems(found), *resolved_of(found)[1]] == []
    assert status_problem(found.status, severities) is None  # type: ignore[arg-type]
    return found


def developer_of(desk: DeskWorld, task: str) -> DeveloperHandoff:
    found = read(msgspec.json.encode(desk.app.handoffs.export(task, "developer")), DeveloperHandoff)
    assert summary_problems(found) == []
    return found


def qa_of(desk: DeskWorld, task: str) -> QaHandoff:
    found = read(msgspec.json.encode(desk.app.handoffs.export(task, "qa")), QaHandoff)
    assert summary_problems(found) == []
    return found


def take_in(desk: DeskWorld, task: str, document: Any, actor: Any = CLAUDE) -> Any:
    return desk.app.handoffs.take_in(actor, task, msgspec.json.encode(document), seen=desk.seen(task))


# The tech lead's


def test_open_issues_are_counted_and_the_status_follows_L5(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    assert (lead_of(desk, task).issues, lead_of(desk, task).status) == ((), "APPROVED")
    review(desk, task, [issue("a", "CRITICAL"), issue("b"), issue("c", "LOW")])
    found = lead_of(desk, task)
    assert found.issue_summary is not None
    assert (
        found.issue_summary.critical,
        found.issue_summary.high,
        found.issue_summary.medium,
        found.issue_summary.low,
    ) == (1, 1, 0, 1)
    assert (found.status, found.iteration) == ("CHANGES_REQUESTED", 1)
    assert found.new_blocking_issues == (f"TL-{task}-1-001", f"TL-{task}-1-002")
    assert len(found.new_issues_this_iteration) == 3


def test_what_this_iteration_resolved_and_found_is_told_apart_from_before_L11(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    review(desk, task, [issue("a"), issue("b")])
    again(desk, task)
    one, two = states(desk, task)
    review(desk, task, [issue("c")], rulings=[(one, "VERIFIED"), (two, "NOT_FIXED")])
    found = lead_of(desk, task)
    assert (found.iteration, found.prior_issues_resolved) == (2, (one,))
    assert ([each.id for each in found.issues], found.new_blocking_issues) == (
        [two, f"TL-{task}-2-001"],
        (f"TL-{task}-2-001",),
    )
    again(desk, task)
    assert lead_of(desk, task).prior_issues_resolved == ()


def test_what_is_waived_is_no_open_issue_E3(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    review(desk, task, [issue("a")])
    (name,) = states(desk, task)
    desk.app.findings.waive(ALICE, name, "next release", days=1)
    assert lead_of(desk, task).status == "APPROVED"
    desk.clock.advance(hours=25)
    assert lead_of(desk, task).status == "CHANGES_REQUESTED"


def test_a_lead_handoff_is_a_review_by_its_importer_and_sends_the_task_back_V3_T2(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    foreign = {"issues": [issue("from elsewhere") | {"id": "TL-OTHER-9-001"}], "status": "CHANGES_REQUIRED"}
    done = take_in(desk, task, foreign, CODEX)
    assert done.raised == (f"TL-{task}-1-001",)
    assert desk.status(task) == "open"
    (kept,) = desk.show(task).reviews
    assert (kept.session, kept.effective) == (CODEX.session, "concerns")


def test_a_lead_handoff_leaves_a_per_task_task_in_review_T2(desk: DeskWorld) -> None:
    task = desk.submitted_task(labels=["review:per-task"])
    take_in(desk, task, {"issues": [issue("a")]}, CODEX)
    assert desk.status(task) == "reviewing"


def test_a_lead_handoff_rules_what_it_calls_resolved_and_leaves_the_rest_L8_L9(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    take_in(desk, task, {"issues": [issue("a"), issue("b"), issue("c")]}, CODEX)
    fixed, rejected, left = states(desk, task)
    desk.start(CLAUDE, task)
    answers = [answer(fixed, "FIXED"), answer(rejected, "REJECTED"), answer(left, "REJECTED")]
    desk.app.answers.respond(CLAUDE, task, answers)
    desk.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])
    desk.submit(CLAUDE, task)
    with desk.refused("L8"):
        take_in(desk, task, {"issues": [], "prior_issues_resolved": [fixed]}, CLAUDE)
    with desk.refused("L8"):
        take_in(desk, task, {"issues": [], "prior_issues_resolved": ["TL-OTHER-9-001"]}, CODEX)
    status = "CHANGES_REQUESTED"
    document = {"issues": [], "prior_issues_resolved": [fixed, {"id": rejected, "why": "it is"}], "status": status}
    take_in(desk, task, document, CODEX)
    assert states(desk, task) == {fixed: "resolved", rejected: "resolved", left: "disputed"}
    exported = lead_of(desk, task)
    assert take_in(desk, task, exported, BOB).raised, "what is resolved is not ruled again"


def test_a_lead_handoff_of_an_agent_names_the_change_that_it_read_D7(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    with desk.unchanged(), desk.refused("D7"):
        desk.app.handoffs.take_in(CODEX, task, b'{"issues": []}')


@pytest.mark.parametrize(
    ("more", "rules"),
    [({"issue_summary": {"high": 2, "blocking_count": 0}}, {"G6"}), ({"status": "APPROVED"}, {"L5"})],
)
def test_a_lead_handoff_whose_numbers_contradict_it_is_refused_G6_L5(
    desk: DeskWorld, more: dict[str, Any], rules: set[str]
) -> None:
    task = desk.submitted_task()
    with pytest.raises(BadInput) as caught:
        take_in(desk, task, {"issues": [issue()], **more}, CODEX)
    assert {reason.rule for reason in caught.value.reasons} == rules
    assert (states(desk, task), desk.show(task).reviews) == ({}, [])


# The developer's


def test_answers_are_those_of_the_attempt_that_is_made_and_then_of_the_one_handed_in_L6(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    review(desk, task, [issue("a"), issue("b"), issue("c", "LOW")])
    one, two, note = states(desk, task)
    desk.start(CLAUDE, task)
    assert _counts(developer_of(desk, task)) == (2, 0, 0, 2)
    desk.app.answers.respond(CLAUDE, task, [answer(one, "FIXED", "done")])
    assert _counts(developer_of(desk, task)) == (2, 1, 0, 1)
    desk.app.answers.respond(CLAUDE, task, [answer(two, "REJECTED"), answer(note, "SKIPPED")])
    found = developer_of(desk, task)
    assert (_counts(found), found.iteration) == ((2, 1, 1, 0), 2)
    assert [
        (each.issue_id, each.action, bool(each.details), bool(each.reason), each.ground)
        for each in found.issue_responses
    ] == [
        (one, "FIXED", True, False, ""),
        (two, "REJECTED", False, True, "false_positive"),
        (note, "SKIPPED", False, False, ""),
    ]
    desk.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])
    desk.submit(CLAUDE, task)
    assert developer_of(desk, task) == found


def test_answers_given_in_review_are_those_of_the_attempt_that_follows_L6(desk: DeskWorld) -> None:
    task = desk.submitted_task(labels=["review:per-task"])
    review(desk, task, [issue("a"), issue("b")])
    one, two = states(desk, task)
    desk.app.answers.respond(CLAUDE, task, [answer(one, "FIXED"), answer(two, "REJECTED")])
    desk.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])
    desk.submit(CLAUDE, task)
    found = developer_of(desk, task)
    assert ([each.issue_id for each in found.issue_responses], found.iteration) == ([one, two], 2)
    assert _counts(found) == (2, 1, 1, 0)
    rule(desk, {one: "NOT_FIXED"})
    desk.app.feedback.redo(ALICE, task, "once more")
    desk.start(CLAUDE, task)
    assert one not in [each.issue_id for each in developer_of(desk, task).issue_responses]


def _counts(found: DeveloperHandoff) -> tuple[int | None, ...]:
    said = found.blocking_summary
    assert said is not None
    return said.total_blocking, said.fixed, said.rejected_with_reason, said.unaddressed


def test_what_is_written_can_be_read_back_as_the_same_answers(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    review(desk, task, [issue("a"), issue("b", "LOW")])
    one, note = states(desk, task)
    desk.start(CLAUDE, task)
    desk.app.answers.respond(
        CLAUDE, task, [answer(one, "FIXED", "done"), answer(note, "DEFERRED", "later", debt="new")]
    )
    before = developer_of(desk, task)
    take_in(desk, task, before)
    assert developer_of(desk, task) == before
    assert desk.app.answers.respond_document(CLAUDE, "", msgspec.json.encode(before)).task == task


@pytest.mark.parametrize(
    ("summary", "said"),
    [
        ({"total_blocking": 3}, "blocking_summary.total_blocking: 3 sent, but the document has 2"),
        ({"unaddressed": 0}, "blocking_summary.unaddressed: 0 sent, but the document has 1"),
        ({"fixed": 2}, "blocking_summary.fixed: 2 sent, but the document has 1"),
    ],
)
def test_a_count_that_the_journal_contradicts_refuses_the_whole_document_G6(
    desk: DeskWorld, summary: dict[str, int], said: str
) -> None:
    task = desk.submitted_task()
    review(desk, task, [issue("a"), issue("b"), issue("c", "LOW")])
    one, _, note = states(desk, task)
    desk.start(CLAUDE, task)
    given = [{"issue_id": name, "action": "FIXED", "details": "done"} for name in (one, note)]
    with desk.refused("G6") as problems:
        take_in(desk, task, {"issue_responses": given, "blocking_summary": summary})
    assert [reason.message for reason in problems[0].reasons] == [said]
    assert set(states(desk, task).values()) == {"open"}


def test_a_developers_document_is_for_who_works_on_the_task_and_names_findings_L6(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    review(desk, task, [issue("a")])
    (name,) = states(desk, task)
    desk.start(CLAUDE, task)
    with desk.refused("L6"):
        take_in(desk, task, {"issue_responses": [{"issue_id": name, "action": "FIXED", "details": "x"}]}, CODEX)
    with pytest.raises(BadInput):
        take_in(
            desk,
            task,
            {"issue_responses": [{"issue_id": name, "action": "FIXED"}, {"issue_id": name, "action": "REJECTED"}]},
        )
    with pytest.raises(BadInput):
        desk.app.answers.respond_document(CLAUDE, "", b'{"issue_responses": []}')


# QA's


def test_failing_tests_over_the_rounds_L13(desk: DeskWorld) -> None:
    configure(desk, TESTS)
    five = [f"t{n}" for n in range(5)]
    desk.outside.runner.answers["tests"] = report_of(["ok"], five)
    task = desk.submitted_task()
    with pytest.raises(NotFound):
        desk.app.handoffs.export(task, "qa")
    check(desk, task)
    first = qa_of(desk, task)
    assert (first.test_tracking.original_failures, first.progress_made, first.status) == (tuple(five), False, "FAIL")
    _next_round(desk, task, passing=["ok", "t0", "t1", "t2"], failing=["t3", "t4"])
    second = qa_of(desk, task)
    assert (second.test_tracking.fixed_since_start, second.test_tracking.still_failing) == (
        ("t0", "t1", "t2"),
        ("t3", "t4"),
    )
    assert (second.progress_made, second.test_tracking.iteration) == (True, 2)
    _next_round(desk, task, passing=["ok", "t0", "t1", "t2"], failing=["t3", "t4", "new1", "new2"])
    third = qa_of(desk, task)
    assert (third.progress_made, third.test_tracking.new_failures) == (False, ("new1", "new2"))
    assert take_in(desk, task, second).changed is False
    _next_round(desk, task, passing=["ok", *five, "new1", "new2"], failing=[])
    assert (qa_of(desk, task).status, qa_of(desk, task).progress_made) == ("PASS", True)


def _next_round(desk: DeskWorld, task: str, *, passing: list[str], failing: list[str]) -> None:
    again(desk, task)
    desk.outside.runner.answers["tests"] = report_of(passing, failing)
    check(desk, task)


def test_a_check_without_a_report_is_its_own_test_and_an_agents_run_does_not_count_D5(desk: DeskWorld) -> None:
    configure(desk, LINT)
    task = desk.submitted_task()
    desk.outside.runner.says("lint", exit_code=1)
    check(desk, task, CODEX)
    with pytest.raises(NotFound):
        desk.app.handoffs.export(task, "qa")
    check(desk, task, again=True)
    assert qa_of(desk, task).test_tracking.original_failures == ("lint",)


def test_what_qa_says_is_compared_list_by_list_and_nothing_is_stored_L13(desk: DeskWorld) -> None:
    configure(desk, LINT)
    task = desk.submitted_task()
    desk.outside.runner.says("lint", exit_code=1)
    check(desk, task)
    said: dict[str, Any] = {"iteration": 1, "original_failures": ["unit"], "still_failing": ["unit"]}
    with desk.unchanged():
        with desk.refused("L13") as problems:
            take_in(desk, task, {"type": "handoff_qa", "test_tracking": said, "progress_made": False, "status": "FAIL"})
        assert "test_tracking.original_failures: unit sent, but the checks say lint" in [
            reason.message for reason in problems[0].reasons
        ]
        with desk.refused("L13") as problems:
            take_in(desk, task, {"test_tracking": said | {"iteration": 7}})
        assert "7 sent, but the checks ran on iterations 1" in problems[0].reasons[0].message
        with pytest.raises(BadInput):
            take_in(desk, task, {"test_tracking": said | {"still_failing": []}})
        assert take_in(desk, task, qa_of(desk, task)).changed is False


# Any


def test_only_what_was_handed_in_has_a_handoff_and_only_three_roles_have_one(desk: DeskWorld) -> None:
    task = desk.create()
    with pytest.raises(NotFound):
        desk.app.handoffs.export(task, "tech_lead")
    with pytest.raises(BadInput):
        desk.app.handoffs.export(desk.submitted_task(), "boss")


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        ({"type": "handoff_developer"}, "handoff_developer"), ({"issue_responses": []}, "handoff_developer"),
        ({"type": "handoff_qa"}, "handoff_qa"), ({"test_tracking": {}}, "handoff_qa"),
        ({"issues": []}, "handoff_tech_lead"), ({}, "handoff_tech_lead"), ([], "handoff_tech_lead"),
    ],
)  # fmt: skip
def test_a_document_is_told_by_its_type_or_by_what_it_has(document: object, kind: str) -> None:
    assert kind_of(json.dumps(document).encode()) == kind


def test_rulings_make_an_answer_of_before_no_answer_to_come(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    review(desk, task, [issue("a")])
    (name,) = states(desk, task)
    again(desk, task)
    rule(desk, {name: "NOT_FIXED"})
    desk.start(CLAUDE, task)
    found = developer_of(desk, task)
    assert (found.issue_responses, _counts(found)) == ((), (1, 0, 0, 1))
