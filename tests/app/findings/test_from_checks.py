"""Findings of checks (L8, L13, D5): raised by what fails, resolved by what passes, and by nothing that did not run to
its end (G1).
"""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from foureyes.core.nouns.check import Ran, ToolFinding
from foureyes.core.nouns.check import TestResult as Result
from foureyes.core.rules.four_eyes import Declaration

from tests.stage.gated import AUTO, ELSEWHERE, LINT, TESTS, check, configure, report_of, words
from tests.stage.looped import (
    again,
    findings,
    issue,
    respond,
    review,
    rule,
    same_tier,
    standing,
    states,
    why_not_approved,
)
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX
from tests.stage.world import DeskWorld

SCAN = '\n[[checks]]\nname = "scan"\nrun = "semgrep"\nreport = "sarif"\n'
OPTIONAL = '\n[[checks]]\nname = "tests"\nrun = "pytest -q"\nreport = "junit"\nrequired = false\n'


@pytest.fixture(autouse=True)
def _no_tree_to_unpack(desk: DeskWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk.workshop, "export", lambda tree, path: None)


def ran(desk: DeskWorld, task: str, name: str, run: Ran, **more: Any) -> None:
    """The check answers like this, and is run again whatever it said before."""
    desk.outside.runner.answers[name] = run
    check(desk, task, again=True, **more)


def failing(*names: str, passing: tuple[str, ...] = ("ok",)) -> Ran:
    return report_of(passing, names)


def by_name(desk: DeskWorld, task: str) -> dict[str, str]:
    """The failing tests on record, and where they stand."""
    return {one.rule: one.state for one in findings(desk, task).values()}


def test_each_failing_test_is_a_finding_of_the_gate_with_an_id_of_its_kind_L2_L13(desk: DeskWorld) -> None:
    configure(desk, TESTS)
    task = desk.submitted_task(via=ALICE)
    ran(desk, task, "tests", failing("t::a", "t::b"))
    rows = list(findings(desk, task).values())
    assert [one.id for one in rows] == [f"QA-{task}-1-001", f"QA-{task}-1-002"]
    assert {(one.check, one.severity, one.source) for one in rows} == {("tests", "HIGH", "check")}


def test_a_check_without_a_report_is_one_finding_by_its_name_L13(desk: DeskWorld) -> None:
    configure(desk, LINT)
    task = desk.submitted_task(via=ALICE)
    ran(desk, task, "lint", Ran(exit_code=1))
    assert by_name(desk, task) == {"lint": "open"}


def test_what_still_fails_is_not_raised_again_by_the_next_run_L8(desk: DeskWorld) -> None:
    configure(desk, TESTS)
    task = desk.submitted_task(via=ALICE)
    for _ in range(3):
        ran(desk, task, "tests", failing("t::a"))
    assert len(findings(desk, task)) == 1
    again(desk, task, via=ALICE)
    ran(desk, task, "tests", failing("t::a"))
    (one,) = findings(desk, task).values()
    assert (one.raised, one.state) == (1, "open")


def test_the_passing_check_resolves_and_a_later_failure_opens_the_same_finding_again_L8(desk: DeskWorld) -> None:
    configure(desk, TESTS)
    task = desk.submitted_task(via=ALICE)
    ran(desk, task, "tests", failing("t::a", "t::b"))
    ran(desk, task, "tests", failing("t::b", passing=("t::a",)))
    assert by_name(desk, task) == {"t::a": "resolved", "t::b": "open"}
    again(desk, task, via=ALICE)
    ran(desk, task, "tests", failing("t::a", passing=("t::b",)))
    assert by_name(desk, task) == {"t::a": "open", "t::b": "resolved"}
    assert len(findings(desk, task)) == 2


NOTHING = {
    "crashed": Ran(exit_code=None, problem="no such program"),
    "timed out": Ran(exit_code=None, timed_out=True),
    "unsound": Ran(exit_code=1, tests=failing("t::b").tests, elsewhere=ELSEWHERE),
}


@pytest.mark.parametrize("case", NOTHING)
@pytest.mark.parametrize("before", ["failing", "nothing"])
def test_what_did_not_run_to_its_end_neither_raises_nor_resolves_G1(desk: DeskWorld, case: str, before: str) -> None:
    configure(desk, TESTS)
    task = desk.submitted_task(via=ALICE)
    if before == "failing":
        ran(desk, task, "tests", failing("t::a"))
    was = states(desk, task)
    ran(desk, task, "tests", NOTHING[case])
    assert states(desk, task) == was
    assert "D5" in {reason.rule for reason in why_not_approved(desk, task)}, "and it is no pass"


def test_a_report_without_a_test_in_it_is_no_pass_and_resolves_nothing_G1(desk: DeskWorld) -> None:
    configure(desk, TESTS)
    task = desk.submitted_task(via=ALICE)
    ran(desk, task, "tests", failing("t::a"))
    ran(desk, task, "tests", Ran(exit_code=0, tests=()))
    assert by_name(desk, task)["t::a"] == "open"
    assert "D5" in {reason.rule for reason in why_not_approved(desk, task)}


def test_a_failing_test_that_is_taken_away_is_no_test_that_passes_L13(desk: DeskWorld) -> None:
    configure(desk, TESTS)
    task = desk.submitted_task(via=ALICE)
    ran(desk, task, "tests", failing("t::a", "t::b"))
    desk.app.feedback.redo(BOB, task, "mend them")
    again(desk, task, via=ALICE)
    ran(desk, task, "tests", failing("t::b"))
    assert by_name(desk, task) == {"t::a": "open", "t::b": "open"}
    desk.app.feedback.redo(BOB, task, "mend them")
    assert standing(desk, task).no_progress == 1
    again(desk, task, via=ALICE)
    ran(desk, task, "tests", report_of(["ok"]))
    assert set(by_name(desk, task).values()) == {"resolved"}, "the check as a whole passes; what is gone D5 says"


@pytest.mark.parametrize("who", [CLAUDE, CODEX])
def test_a_run_that_is_only_claimed_changes_nothing_D5_G1(desk: DeskWorld, who: Any) -> None:
    configure(desk, TESTS)
    task = desk.submitted_task(via=ALICE)
    ran(desk, task, "tests", failing("t::a"))
    ran(desk, task, "tests", report_of(["t::a", "ok"]), actor=who)
    assert by_name(desk, task) == {"t::a": "open"}
    other = desk.submitted_task(via=ALICE)
    ran(desk, other, "tests", failing("t::a"), actor=who)
    assert findings(desk, other) == {}


def test_an_optional_check_raises_nothing_M4(desk: DeskWorld) -> None:
    configure(desk, OPTIONAL)
    task = desk.submitted_task(via=ALICE)
    ran(desk, task, "tests", failing("t::a"))
    assert findings(desk, task) == {}


def test_what_a_check_raised_is_said_by_D5_and_not_twice_D2(desk: DeskWorld) -> None:
    configure(desk, TESTS)
    task = desk.submitted_task(via=ALICE)
    ran(desk, task, "tests", failing("t::a"))
    assert {reason.rule for reason in why_not_approved(desk, task)} == {"D5"}


def test_breaking_the_glass_over_a_red_check_still_works_N3_D5(desk: DeskWorld) -> None:
    configure(desk, TESTS)
    task = desk.submitted_task(via=ALICE)
    ran(desk, task, "tests", failing("t::a"))
    done = desk.app.decisions.approve(BOB, task, declaration=Declaration(break_glass="the shop is down"))
    assert (done.rule, done.status) == ("N3", "approved")
    assert by_name(desk, task) == {"t::a": "open"}, "it stays on record"


def test_an_implementer_need_not_answer_what_a_check_says_itself_L6_L8(desk: DeskWorld) -> None:
    configure(desk, TESTS)
    task = desk.submitted_task(labels=AUTO)
    ran(desk, task, "tests", failing("t::a"))
    assert desk.status(task) == "open"
    assert "t::a" in words(desk, task)
    again(desk, task)
    assert by_name(desk, task) == {"t::a": "open"}, "a submission does not skip it"


def test_a_ruling_does_not_make_a_red_check_green_L8_D5(desk: DeskWorld) -> None:
    configure(desk, TESTS)
    task = desk.submitted_task(via=ALICE)
    ran(desk, task, "tests", failing("t::a"))
    (name,) = findings(desk, task)
    respond(desk, task, {name: "FIXED"})
    rule(desk, {name: "VERIFIED"})
    assert "D5" in {reason.rule for reason in why_not_approved(desk, task)}
    ran(desk, task, "tests", failing("t::a"))
    assert by_name(desk, task) == {"t::a": "open"}, "it failed again, and that counts more than a word"


def test_a_finding_of_a_reviewer_with_the_same_words_is_another_one_L2(desk: DeskWorld) -> None:
    configure(desk, TESTS)
    task = desk.submitted_task(via=ALICE, labels=["review:per-task"])
    ran(desk, task, "tests", failing("t::a"))
    review(desk, task, [issue("failing test: t::a")])
    assert len(findings(desk, task)) == 2
    ran(desk, task, "tests", report_of(["t::a", "ok"]))
    assert sorted(states(desk, task).values()) == ["open", "resolved"], "the check resolves its own"


def test_a_failing_test_comes_with_its_words_and_its_place_L3(desk: DeskWorld) -> None:
    configure(desk, TESTS)
    task = desk.submitted_task(via=ALICE)
    red = Result("t::a", "failed", "assert 1 == 2", "tests/test_t.py", 7)
    ran(desk, task, "tests", Ran(exit_code=1, tests=(red, Result("ok", "passed"))))
    (one,) = findings(desk, task).values()
    assert (one.problem, one.location.path, one.location.line) == ("assert 1 == 2", "tests/test_t.py", 7)
    ran(desk, task, "tests", Ran(exit_code=1, tests=(msgspec.structs.replace(red, line=9), Result("ok", "passed"))))
    assert len(findings(desk, task)) == 1, "a test is known by its name, wherever it fails"
    ran(desk, task, "tests", report_of(["t::a", "ok"]))
    assert set(states(desk, task).values()) == {"resolved"}


MANY = [f"t{number:03}" for number in range(30)]


def test_very_many_failing_tests_are_one_finding_and_a_prompt_is_possible_F4(desk: DeskWorld) -> None:
    configure(desk, TESTS)
    task = desk.submitted_task(labels=AUTO)
    wall = tuple(Result(f"tests.test_{n}::test", "failed", "x" * 2_000) for n in range(1_500))
    ran(desk, task, "tests", Ran(exit_code=1, tests=wall))
    (one,) = findings(desk, task).values()
    assert (one.title, one.blocking) == ("1500 tests of check tests fail in attempt 1", True)
    assert "and 1440 more" in one.problem
    desk.start(CLAUDE, task)
    text = desk.app.prompts.make(CLAUDE, task, "respond").text
    assert "1500 tests" in text
    assert "- and 1480 more" in words(desk, task), "the feedback counts them all"


def test_a_list_of_failures_gives_way_where_one_of_them_passes_and_that_is_progress_L13(desk: DeskWorld) -> None:
    configure(desk, TESTS)
    task = desk.submitted_task()
    rounds = [MANY, MANY[5:], [*MANY[5:], "new"], MANY[28:]]
    for n, red in enumerate(rounds):
        if n:
            again(desk, task)
        ran(desk, task, "tests", report_of(["ok", *[name for name in MANY if name not in red]], red))
    table = [(one.raised, one.fixed, one.is_progress) for one in standing(desk, task).rounds]
    assert table == [(1, 0, False), (1, 1, True), (0, 0, False), (2, 1, True)]
    assert [one.title for one in findings(desk, task).values() if one.state == "open"] == [
        "failing test: t028", "failing test: t029",
    ]  # fmt: skip
    again(desk, task)
    ran(desk, task, "tests", report_of(["ok", *MANY]))
    assert set(states(desk, task).values()) == {"resolved"}


def test_single_failures_stay_known_while_very_many_fail_L8(desk: DeskWorld) -> None:
    configure(desk, TESTS)
    task = desk.submitted_task(via=ALICE)
    ran(desk, task, "tests", report_of(["ok", *MANY[2:]], MANY[:2]))
    ran(desk, task, "tests", report_of(["ok", MANY[0]], MANY[1:]))
    assert by_name(desk, task) == {"t000": "resolved", "t001": "open", "tests:many": "open"}


def test_what_an_older_version_called_otherwise_is_known_again_D5_L8(desk: DeskWorld) -> None:
    configure(desk, TESTS)
    task = desk.submitted_task(via=ALICE)
    ran(desk, task, "tests", failing("works#2", passing=("works",)))
    ran(desk, task, "tests", failing("works [in b.js]", passing=("works [in a.js]",)))
    assert len(findings(desk, task)) == 1
    ran(desk, task, "tests", failing("works [in a.js]", passing=("works [in b.js]",)))
    assert sorted(states(desk, task).values()) == ["open"], "which of the two it was nobody knows"


# What a tool found


def scan(*found: tuple[str, int, str]) -> Ran:
    rows = tuple(
        ToolFinding(rule="R1", level="error", message=message, path=path, line=line) for path, line, message in found
    )
    return Ran(exit_code=1 if found else 0, findings=rows)


def test_what_a_tool_found_is_raised_once_across_runs_and_lines_that_move_L2_L8(desk: DeskWorld) -> None:
    configure(desk, SCAN)
    desk.outside.runner.answers["scan"] = scan()
    desk.app.checks.run_target(CI)
    task = desk.submitted_task(via=ALICE)
    for line in (3, 3, 7):
        ran(desk, task, "scan", scan(("pay.py", line, "eval is dangerous"), ("loan.py", 1, "eval is dangerous")))
    rows = list(findings(desk, task).values())
    assert [(one.id, one.location.path, one.rule) for one in rows] == [
        (f"CK-{task}-1-001", "pay.py", "R1"),
        (f"CK-{task}-1-002", "loan.py", "R1"),
    ]
    ran(desk, task, "scan", scan(("loan.py", 1, "eval is dangerous")))
    assert [one.state for one in findings(desk, task).values()] == ["resolved", "open"]
    ran(desk, task, "scan", scan())
    assert [one.state for one in findings(desk, task).values()] == ["resolved", "resolved"]


def test_a_tool_that_finds_the_same_twice_in_a_file_does_not_grow_with_every_run_L2(desk: DeskWorld) -> None:
    configure(desk, SCAN)
    desk.outside.runner.answers["scan"] = scan()
    desk.app.checks.run_target(CI)
    task = desk.submitted_task(via=ALICE)
    twice = scan(("pay.py", 3, "eval is dangerous"), ("pay.py", 9, "eval is dangerous"))
    for _ in range(3):
        ran(desk, task, "scan", twice)
    assert [one.location.line for one in findings(desk, task).values()] == [3, 9]
    assert set(states(desk, task).values()) == {"open"}
    ran(desk, task, "scan", scan(("pay.py", 9, "eval is dangerous")))
    assert {one.location.line: one.state for one in findings(desk, task).values()} == {3: "resolved", 9: "open"}


# The QA loop


def test_the_test_vector_of_the_QA_loop_L13(desk: DeskWorld) -> None:
    configure(desk, TESTS)
    task = desk.submitted_task()
    five = ("t1", "t2", "t3", "t4", "t5")
    rounds = [five, ("t4", "t5"), ("t4", "t5", "n1", "n2"), ("n1", "n2")]
    for n, red in enumerate(rounds):
        if n:
            again(desk, task)
        ran(desk, task, "tests", report_of(["ok", *[name for name in five if name not in red]], red))
    table = [(one.raised, one.fixed, one.is_progress) for one in standing(desk, task).rounds]
    assert table == [(5, 0, False), (0, 3, True), (2, 0, False), (0, 2, True)]
    tracked = desk.app.handoffs.export(task, "qa").test_tracking  # type: ignore[union-attr]
    assert (tracked.original_failures, tracked.still_failing, tracked.new_failures) == (five, (), ("n1", "n2"))
    assert same_tier(desk, task) == ("developer", "")


def test_only_new_failures_are_no_progress_and_escalate_L13_E1(desk: DeskWorld) -> None:
    configure(desk, TESTS)
    task = desk.submitted_task()
    for n in range(3):
        if n:
            again(desk, task)
        ran(desk, task, "tests", failing(*[f"t{k}" for k in range(n + 1)]))
    assert same_tier(desk, task) == ("senior", "")
