"""D5, G1: what a run of a check means. Nothing but a whole pass is a pass."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from foureyes.core.nouns import check, check_config
from foureyes.core.nouns.check import CheckOutcome, Elsewhere, Ran, ToolFinding, judge
from foureyes.core.nouns.check_config import CheckRule, ReportFormat
from foureyes.core.words.ids import SessionId, Sha

from tests.core.samples import quick

CHECKOUT = Elsewhere(file="src/a.py", checkout="/repo", by="/venv", advice="begin its run with PYTHONPATH=src")
USED = "used src/a.py of /repo (by /venv) instead of its own files. To fix: begin its run with PYTHONPATH=src"
COPY = Elsewhere(file="/v/a.py", checkout="/repo", by="/v", advice="x")
GREEN = check.TestResult("a::ok", "passed")
RED = check.TestResult("a::bad", "failed")
SKIPPED = check.TestResult("a::later", "skipped")
ERROR = ToolFinding("S1", "error", "a.py", 3, "no")
NOTE = ToolFinding("S2", "warning", "a.py", 4, "hm")


def rule(run: str = "make check", report: ReportFormat = "none", **more: object) -> CheckRule:
    return replace(CheckRule(name="tests", run=run, report=report), **more)


tests = st.lists(st.sampled_from([GREEN, RED, SKIPPED]), max_size=4).map(tuple)
findings = st.lists(st.sampled_from([ERROR, NOTE]), max_size=3).map(tuple)
rans = st.builds(
    Ran,
    exit_code=st.none() | st.integers(-64, 255) | st.just(0),
    timed_out=st.booleans(),
    tests=st.none() | tests,
    findings=st.none() | findings,
    problem=st.sampled_from(["", "", "it broke"]),
)
rules = st.builds(
    rule,
    run=st.sampled_from(["pytest -q", "ruff check", "make", "a && b", ""]),
    report=st.sampled_from(check_config.REPORTS),
    failed_exit=st.none() | st.just((1, 3)),
)


@quick
@given(rules, rans)
def test_passed_means_exit_code_0_no_problem_a_report_where_one_is_declared_and_nothing_failed_G1(
    asked: CheckRule, ran: Ran
) -> None:
    if judge(asked, ran).outcome != "passed":
        return
    assert ran.exit_code == 0
    assert not ran.timed_out
    assert not ran.problem
    assert not any(test.state == "failed" for test in ran.tests or ())
    assert not any(finding.level == "error" for finding in ran.findings or ())
    if asked.report == "junit":
        assert any(test.state == "passed" for test in ran.tests or ())
    if asked.report == "sarif":
        assert ran.findings is not None


@quick
@given(rules, rans)
def test_every_judgement_says_something_and_late_is_late_G2(asked: CheckRule, ran: Ran) -> None:
    judged = judge(asked, ran)
    assert judged.summary
    assert (judged.outcome == "timed_out") == ran.timed_out
    if ran.exit_code is None and not ran.timed_out:
        assert judged.outcome == "crashed"


@quick
@given(rules, st.integers(1, 255) | st.integers(-64, -1))
def test_no_exit_code_but_0_is_a_pass_whatever_the_report_says(asked: CheckRule, code: int) -> None:
    assert judge(asked, Ran(exit_code=code, tests=(GREEN,), findings=())).outcome in ("failed", "crashed")


@pytest.mark.parametrize(
    ("run", "code", "outcome"),
    [
        ("pytest -q", 1, "failed"), ("pytest -q", 2, "crashed"), ("pytest -q", 3, "crashed"),
        ("pytest -q", 4, "crashed"), ("pytest -q", 5, "failed"), ("python -m pytest", 2, "crashed"),
        ("ruff check .", 1, "failed"), ("ruff check .", 2, "crashed"), ("mypy src", 1, "failed"),
        ("mypy src", 2, "crashed"), ("eslint .", 1, "failed"), ("eslint .", 2, "crashed"), ("pylint src", 30, "failed"),
        ("pylint src", 32, "crashed"), ("./own-linter", 1, "failed"), ("./own-linter", 125, "failed"),
        ("ruff check . && mypy src", 2, "failed"), ("make", 126, "crashed"), ("make", 127, "crashed"),
        ("make", -9, "crashed"), ("make", 137, "failed"), ("pytest", -11, "crashed"), ("pytest", 139, "failed"),
        ("npm run test", 195, "failed"), ("make", 0, "passed"),
    ],
)  # fmt: skip
def test_exit_codes_mean_what_the_tool_means_by_them(run: str, code: int, outcome: CheckOutcome) -> None:
    assert judge(rule(run), Ran(exit_code=code)).outcome == outcome


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        (3, "failed"),
        (1, "crashed"),
        (137, "failed"),
        (139, "crashed"),
        (-9, "crashed"),
        (127, "crashed"),
        (0, "passed"),
    ],
)
def test_a_rule_may_name_the_exit_codes_that_mean_failed_but_no_signal_is_one(code: int, outcome: CheckOutcome) -> None:
    assert judge(rule("pytest", failed_exit=(3, 127, 137)), Ran(exit_code=code)).outcome == outcome


@pytest.mark.parametrize(
    ("ran", "report", "outcome", "summary"),
    [
        (Ran(exit_code=0, tests=(GREEN, SKIPPED)), "junit", "passed", "1/1 passed, 1 skipped"),
        (Ran(exit_code=1, tests=(GREEN, RED, SKIPPED)), "junit", "failed", "1/2 passed"),
        (Ran(exit_code=0, tests=(GREEN, RED)), "junit", "failed", "1/2 passed"),
        (Ran(exit_code=0, tests=()), "junit", "failed", "the report contains no tests"),
        (Ran(exit_code=0, tests=None), "junit", "failed", "the report contains no tests"),
        (
            Ran(exit_code=0, tests=(SKIPPED, SKIPPED)),
            "junit",
            "failed",
            "no test ran: all 2 in the report were skipped",
        ),
        (Ran(exit_code=0, problem="no report"), "junit", "crashed", "no report"),
        (Ran(exit_code=1, problem="no report"), "junit", "failed", "no report"),
        (Ran(exit_code=0, findings=()), "sarif", "passed", "no findings"),
        (Ran(exit_code=0, findings=(NOTE,)), "sarif", "passed", "1 note"),
        (Ran(exit_code=0, findings=(ERROR, NOTE)), "sarif", "failed", "1 error"),
        (Ran(exit_code=0, findings=None), "sarif", "failed", "there is no report"),
        (Ran(exit_code=None, problem="not there"), "none", "crashed", "not there"),
        (Ran(exit_code=None), "none", "crashed", "it could not be started"),
        (Ran(exit_code=0, timed_out=True, tests=(GREEN,)), "junit", "timed_out", "still running after 10 minutes"),
        (Ran(exit_code=2), "none", "failed", "exit code 2"),
        (Ran(exit_code=0, tests=(GREEN,), elsewhere=CHECKOUT), "junit", "unsound", USED),
        (Ran(exit_code=1, tests=(RED,), elsewhere=CHECKOUT), "junit", "unsound", USED),
        (Ran(exit_code=None, timed_out=True, elsewhere=CHECKOUT), "none", "unsound", USED),
        (
            Ran(exit_code=0, elsewhere=COPY),
            "none",
            "unsound",
            "used /v/a.py, installed from /repo (by /v) instead of its own files. To fix: x",
        ),
    ],
)
def test_a_missing_or_empty_report_is_no_pass(
    ran: Ran, report: ReportFormat, outcome: CheckOutcome, summary: str
) -> None:
    judged = judge(rule(report=report), ran)
    assert (judged.outcome, judged.summary) == (outcome, summary)


@pytest.mark.parametrize(
    ("command", "output", "outcome"),
    [
        ("cargo test", "error: rustup could not choose a version of cargo to run\n", "crashed"),
        ("cargo test", "error: toolchain '1.90' is not installed\n", "crashed"),
        ("cargo test", "test result: FAILED\n", "failed"),
        ("python -m pytest", "/usr/bin/python: No module named pytest\n", "crashed"),
        ("python -m pytest", "E  ModuleNotFoundError: No module named 'shop'\n", "failed"),
        ("make test", "rustup could not choose a version of cargo\n", "failed"),
    ],
)
def test_a_tool_that_is_not_there_did_not_find_anything_G1(command: str, output: str, outcome: CheckOutcome) -> None:
    assert judge(rule(run=command), Ran(exit_code=1, output=output)).outcome == outcome


@pytest.mark.parametrize(
    ("command", "code", "output"),
    [
        ("mypy src", 127, "sh: 1: mypy: not found\n"),
        ("MYPYPATH=src mypy src", 127, "bash: line 1: mypy: command not found\n"),
        ("npm run types", 127, "\n> shop@1.0.0 types\n> mypy src\n\nsh: 1: mypy: not found\n"),
        ("yarn types", 127, "command not found: mypy\n"),
        ("timeout 60 mypy src", 127, "timeout: failed to run command 'mypy': No such file or directory\n"),
        ("python -m mypy src", 1, "/usr/bin/python: No module named mypy\n"),
    ],
)
def test_a_program_that_is_not_installed_is_named_with_what_to_do_D5(command: str, code: int, output: str) -> None:
    judged = judge(rule(run=command), Ran(exit_code=code, output=output))
    assert judged.outcome == "crashed"
    assert judged.summary == "`mypy` is not installed here: install it, or remove the check from foureyes.toml"


def test_a_run_of_which_something_could_not_be_ended_broke_whatever_its_report_says_G1() -> None:
    left = Ran(exit_code=1, problem="2 of its processes could not be ended", tests=(RED,))
    assert judge(rule(report="junit"), left).outcome == "crashed"
    assert judge(rule(report="junit"), replace(left, tests=None)).outcome == "failed"


@pytest.mark.parametrize(
    ("now", "then", "other"),
    [
        ("a sha256:1", "a sha256:1", False), ("a sha256:1", "a sha256:2", True), ("", "a sha256:1", False),
        (" in environment 1", "a sha256:1 in environment 1", False), ("a sha256:1", "", False),
        (" in environment 2", "a sha256:1 in environment 1", True), (" in environment 2", "a sha256:1", False),
        ("a sha256:2 in environment 1", "a sha256:1 in environment 1", True),
    ],
)  # fmt: skip
def test_a_run_of_another_program_or_in_another_environment_is_another_D5(now: str, then: str, other: bool) -> None:
    assert check.is_another(now, then) is other
    assert [check.WhatRan.read(text).stored for text in (now, then)] == [now, then], "what is on record stays readable"


def test_failing_tests_and_errors_are_named_and_not_without_end() -> None:
    assert judge(rule(report="junit"), Ran(exit_code=1, tests=(RED, GREEN))).failing == ("a::bad",)
    assert judge(rule(report="sarif"), Ran(exit_code=1, findings=(NOTE, ERROR))).failing == ("S1 a.py:3 no",)
    many = tuple(check.TestResult(str(number), "failed") for number in range(check.KEPT_FAILURES + 5))
    assert len(judge(rule(report="junit"), Ran(exit_code=1, tests=many)).failing) == check.KEPT_FAILURES


def test_a_crash_keeps_its_own_reason_where_nothing_was_compared_either_D5() -> None:
    rule = CheckRule(name="tests", run="pytest", report="junit")
    result = check.CheckResult(
        seq=1, tree=Sha("a" * 40), name="tests", digest=rule.digest, outcome="crashed",
        summary="exit code 127: the program was not found or could not be run", session=SessionId("ses-1"),
    )  # fmt: skip
    state = check.CheckState(rule=rule, result=result, compared=False)
    assert (state.word, state.summary) == ("crashed", result.summary)
    assert "exit code 127" in check.red((state,), "fe-1", "a" * 40, counting=True)[0].message
