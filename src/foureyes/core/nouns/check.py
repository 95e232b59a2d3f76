"""Checks: the outcome of one quality command on one tree, computed from a run's observations. (D5)

"Not run", "crashed", "timed out" and "unsound" never pass, and neither does a report without a test. (G1)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from foureyes.core.nouns.check_config import CheckRule
from foureyes.core.words.check_output import AS_IF_KILLED, not_installed, report_line, tool_of, why_broke
from foureyes.core.words.ids import SessionId, Sha, Shape
from foureyes.core.words.paths import matching
from foureyes.core.words.text import visible
from foureyes.errors import Reason
from foureyes.steps import Steps, by_person, by_person_or_service, either, fe, in_turn, phrase, prose

# ---- Files of its tree that a run left as others ----

NAMED = 3
"""Number of names listed in one line."""


class Rewritten(msgspec.Struct, frozen=True):
    """Committed files that a run changed or deleted. `built`: during `checkout.build`. `checked`: during the check."""

    built: tuple[str, ...] = ()
    checked: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.built or self.checked)


def unlisted(rule: CheckRule, rewritten: Rewritten) -> Rewritten:
    """Return the rewritten files that no `writes` setting allows. The checkout's `writes` apply to the build only.
    (D5)
    """
    by_build = rule.checkout.writes if rule.checkout is not None else ()
    return Rewritten(_without(rewritten.built, by_build), _without(rewritten.checked, rule.writes))


def _without(paths: Sequence[str], globs: Sequence[str]) -> tuple[str, ...]:
    let = frozenset(matching(paths, globs))
    return tuple(path for path in paths if path not in let)


def in_words(rewritten: Rewritten) -> str:
    """Describe the changed files and what changed them."""
    parts = [_named(rewritten.built) + " by checkout.build"] if rewritten.built else []
    parts += [_named(rewritten.checked)] if rewritten.checked else []
    return f"changed {', and '.join(parts)}"


def what_to_do(rewritten: Rewritten) -> str:
    """Return advice: how to make the run leave the tree unchanged."""
    names = ["checkout.writes"] if rewritten.built else []
    names += ["writes under [[checks]]"] if rewritten.checked else []
    return f"commit the changed files, or list them in {' and '.join(names)}"


def unfit_in_words(paths: Sequence[str]) -> str:
    """Return the message for lock files that do not fit the packages a change asks for."""
    return f"{_named(paths)} did not match what this change requires, so the run changed it. Commit the changed file"


def _named(paths: Sequence[str]) -> str:
    more = len(paths) - NAMED
    return ", ".join(map(visible, paths[:NAMED])) + (f" and {more} more" if more > 0 else "") + " of its tree"


# ---- Checks ----


CheckOutcome = Literal["passed", "failed", "crashed", "timed_out", "unsound"]
CheckedTree = Literal["", "attempt", "target", "merge"]
"""The kind of a checked tree: of an attempt, of the target, or a merge candidate."""
TestState = Literal["passed", "failed", "skipped"]

SHOWN_LINES = 8
"""Number of output lines shown for a failed environment setup."""
KEPT_FAILURES = 1_000
"""Number of failing tests or findings kept by name per run."""
MANY_FAILURES = 20
"""Number of failures above which a check raises one finding for all of them. A broken import can fail a thousand tests.
(F4)
"""

RED_BEFORE = "It is red on the target too, and Foureyes cannot tell whether this change made it worse"
FIXED_SINCE = "The target was red too when this work began and passes now, so merge the target into your branch"
NO_MODULE = Shape(r"[^\n:]*: No module named (\w+)\s*\Z")
"""The last line of Python's output if the module to run is missing."""
NO_TOOLCHAIN = Shape(r"rustup could not choose a version of \w+|toolchain '[^'\n]*' is not installed")
"""rustup's message if cargo is missing."""


class TestResult(msgspec.Struct, frozen=True):
    """One test of a report, by its stable name. If it failed, also its message and its place in the tree."""

    id: str
    state: TestState
    message: str = ""
    path: str = ""
    line: int = 0


class ToolFinding(msgspec.Struct, frozen=True, omit_defaults=True):
    """One result of a SARIF report, or a failed test by name.

    `level` is SARIF's: error, warning, note or none. `critical` comes from its score. `key` identifies it whatever its
    line.
    """

    rule: str
    level: str
    path: str
    line: int
    message: str
    key: str = ""
    tool: str = ""
    critical: bool = False


class Elsewhere(msgspec.Struct, frozen=True, kw_only=True):
    """Code from another checkout that a run used instead of its own.

    It has the file and the cause (an environment, a link). `advice` says how to make the run use its own tree.
    """

    file: str
    checkout: str
    by: str
    advice: str

    @property
    def sentence(self) -> str:
        of = f"{self.file}, installed from" if self.file.startswith("/") else f"{self.file} of"
        return f"used {of} {self.checkout} (by {self.by}) instead of its own files. To fix: {self.advice}"


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """The observations of one run.

    - tests, findings: None if no such report was requested or it could not be read
    - problem: why the run or its report cannot be trusted
    - elsewhere: it used code of another tree
    - disturbed: another process wrote to its tree
    - unprepared: its environment could not be created
    - unbuilt: its build failed
    - rewritten: files of the tree that it changed
    - unfit: lock files it changed because they did not fit what the change asks for
    """

    exit_code: int | None
    timed_out: bool = False
    duration_ms: int = 0
    output: str = ""
    program: str = ""
    tests: tuple[TestResult, ...] | None = None
    findings: tuple[ToolFinding, ...] | None = None
    problem: str = ""
    elsewhere: Elsewhere | None = None
    disturbed: str = ""
    unprepared: str = ""
    unbuilt: str = ""
    rewritten: Rewritten = Rewritten()
    unfit: tuple[str, ...] = ()


class CheckJudgement(msgspec.Struct, frozen=True):
    """An outcome and its summary, such as `12/12 passed`, `2 errors` or `exit code 3`.

    `failing` names failures up to a limit, and `failed` is their number.
    """

    outcome: CheckOutcome
    summary: str
    failing: tuple[str, ...] = ()
    failed: int = 0


def may_have_been_killed(ran: Ran) -> bool:
    """Return True if the exit code suggests that the machine killed the program and no report says otherwise. (D5)"""
    return ran.exit_code in AS_IF_KILLED and ran.tests is None and ran.findings is None


def judge(rule: CheckRule, ran: Ran) -> CheckJudgement:
    """Return the outcome of a run. It passes only if the exit code and the report for this tree both do. (D5)

    A run that rewrote its tree is unsound if it passed. If it failed it stays failed, unless its report names failures:
    those would be compared with the target, so it is unsound too. If only lock files changed because they do not fit
    the change, the run fails and the author has to commit them.
    """
    verdict, rewritten = _judge(rule, ran), unlisted(rule, ran.rewritten)
    if not rewritten or verdict.outcome not in ("passed", "failed"):
        return verdict
    if verdict.outcome == "passed" and set(ran.unfit).issuperset((*rewritten.built, *rewritten.checked)):
        return CheckJudgement("failed", unfit_in_words(ran.unfit))
    if verdict.outcome == "passed" or (rule.report != "none" and verdict.failing):
        return CheckJudgement("unsound", f"{in_words(rewritten)}; {what_to_do(rewritten)}")
    return msgspec.structs.replace(verdict, summary=f"{verdict.summary}; it {in_words(rewritten)}")


def last_lines(output: str) -> list[str]:
    """Return the last non-blank output lines of a failed command."""
    return [line for line in output.split("\n") if line.strip()][-SHOWN_LINES:]


def _judge(rule: CheckRule, ran: Ran) -> CheckJudgement:
    if ran.elsewhere is not None:
        return CheckJudgement("unsound", ran.elsewhere.sentence)
    if ran.disturbed:
        return CheckJudgement("unsound", ran.disturbed)
    if ran.unprepared:
        return CheckJudgement("crashed", ran.unprepared)
    if ran.unbuilt:
        return CheckJudgement("failed", ran.unbuilt)
    if ran.timed_out:
        minutes = "1 minute" if rule.timeout_minutes == 1 else f"{rule.timeout_minutes} minutes"
        return CheckJudgement("timed_out", f"still running after {minutes}")
    if ran.exit_code is None:
        return CheckJudgement("crashed", ran.problem or "it could not be started")
    names = failures_in(ran)
    failing, failed = tuple(names[:KEPT_FAILURES]), len(names)
    broke = why_broke(rule.run, ran.exit_code, rule.failed_exit, ran.output) or _missing(rule, ran)
    if broke:
        return CheckJudgement("crashed", broke, failing, failed)
    if ran.problem:
        is_read = ran.tests is not None or ran.findings is not None
        return CheckJudgement("crashed" if ran.exit_code == 0 or is_read else "failed", ran.problem, failing, failed)
    empty = _says_nothing(rule, ran)
    if empty:
        return CheckJudgement("failed", empty, failing, failed)
    if ran.exit_code == 0 and not failing:
        return CheckJudgement("passed", _all_well(ran))
    return CheckJudgement("failed", _what_failed(ran, failed), failing, failed)


def _says_nothing(rule: CheckRule, ran: Ran) -> str:
    """Return why a declared report is worth nothing: it is missing, has no tests, or all were skipped."""
    if rule.report == "sarif":
        return "there is no report" if ran.findings is None else ""
    if rule.report == "junit" and not ran.tests:
        return "the report contains no tests"
    if ran.tests and all(test.state == "skipped" for test in ran.tests):
        return f"no test ran: all {len(ran.tests)} in the report were skipped"
    return ""


def failures_in(ran: Ran) -> list[str]:
    """Return the names of failing tests or of a tool's errors."""
    tests = [test.id for test in ran.tests or () if test.state == "failed"]
    errors = [name_of(finding) for finding in ran.findings or () if finding.level == "error"]
    return [*tests, *errors]


def name_of(found: ToolFinding) -> str:
    """Return a tool finding's name in a result."""
    return f"{found.rule} {found.path}:{found.line} {found.message}"[:300]


def _missing(rule: CheckRule, ran: Ran) -> str:
    """Return why a tool did not run although its exit code looks like a failed check: its launcher could not find
    it.
    """
    if ran.exit_code == 0 or ran.tests or ran.findings:
        return ""
    tool = tool_of(rule.run)
    no_module = NO_MODULE.search(ran.output)
    if no_module and no_module[1] == tool:
        return not_installed(tool)
    no_toolchain = tool == "cargo" and NO_TOOLCHAIN.search(ran.output)
    return no_toolchain[0] if no_toolchain else ""


def _all_well(ran: Ran) -> str:
    if ran.tests is not None:
        passed = sum(test.state == "passed" for test in ran.tests)
        skipped = sum(test.state == "skipped" for test in ran.tests)
        return f"{passed}/{passed} passed" + (f", {skipped} skipped" if skipped else "")
    if ran.findings:
        return "1 note" if len(ran.findings) == 1 else f"{len(ran.findings)} notes"
    return "no findings" if ran.findings is not None else "exit code 0"


def _what_failed(ran: Ran, failed: int) -> str:
    if ran.tests is not None and failed:
        ran_at_all = sum(test.state != "skipped" for test in ran.tests)
        return f"{ran_at_all - len([t for t in ran.tests if t.state == 'failed'])}/{ran_at_all} passed"
    if failed:
        return f"{failed} {'error' if failed == 1 else 'errors'}"
    return f"exit code {ran.exit_code}"


class WhatRan(msgspec.Struct, frozen=True):
    """The program and environment of a check run, empty if unknown.

    `for_start` is the only tree of the target for which the run is valid: files of the change may lie where the
    environment has its own. `stored` joins all three into one text, and read() parses it.
    """

    program: str = ""
    environment: str = ""
    for_start: str = ""

    @property
    def stored(self) -> str:
        known = f"{self.program} in environment {self.environment}" if self.environment else self.program
        return f"{known} for a target of {self.for_start}" if self.for_start else known

    @staticmethod
    def read(stored: str) -> WhatRan:
        known, _, for_start = stored.partition(" for a target of ")
        program, _, environment = known.partition(" in environment ")
        return WhatRan(program, environment, for_start)


def is_another(now: str, then: str) -> bool:
    """Return True if two runs differ in program, environment or target, as far as both record them."""
    both = zip(*(msgspec.structs.astuple(WhatRan.read(stored)) for stored in (now, then)), strict=True)
    return any(one and other and one != other for one, other in both)


class CheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """A recorded result of one check on one tree, with its session. `tests` names the stored list of all tests or tool
    findings.
    """

    seq: int
    tree: Sha
    name: str
    digest: str
    outcome: CheckOutcome
    summary: str
    exit_code: int | None = None
    duration_ms: int = 0
    failing: list[str] = []
    failed: int = 0
    tests: str = ""
    program: str = ""
    session: SessionId
    at: str = ""

    def holds_for(self, base_tree: str) -> bool:
        """Return True if the result is valid while the target has this tree. (D5)"""
        return WhatRan.read(self.program).for_start in ("", base_tree)

    @property
    def failures(self) -> int:
        """Number of failures. Old versions stored only their names."""
        return max(self.failed, len(self.failing))


class CheckState(msgspec.Struct, frozen=True, kw_only=True):
    """The state of one check for an attempt, with the latest result that counts, if any.

    Failures that the target has too are already removed from the result.

    - claimed: only the makers' own processes ran it (D5)
    - gone: tests of the target missing from the report
    - compared: `gone` is known
    - no_baseline: why the target's failures could not be removed
    - flaky: red and green on the same tree
    - own_inputs: the change alters the environment's inputs
    - by_change: red because of the change
    - red_before: red on the target too, and no report shows the difference
    - fixed: green on the target's current tip
    - accepted: a person accepts it although it is red
    """

    rule: CheckRule
    result: CheckResult | None = None
    claimed: bool = False
    gone: tuple[str, ...] = ()
    compared: bool = True
    flaky: bool = False
    no_baseline: str = ""
    own_inputs: bool = False
    by_change: bool = False
    red_before: bool = False
    fixed: bool = False
    accepted: bool = False

    @property
    def is_own_trouble(self) -> bool:
        """True if it could not start because of the attempt's own files, for example a broken lock file."""
        return self.own_inputs and self.result is not None and self.word == "crashed" and self.result.exit_code is None

    @property
    def is_green(self) -> bool:
        """True if it passed and ran every test of the target."""
        return self.result is not None and self.result.outcome == "passed" and self.compared and not self.gone

    @property
    def lacks_tests(self) -> bool:
        """True if it passed, but tests of the target are or may be missing. A person can accept that. (D5)"""
        return self.result is not None and self.result.outcome == "passed" and not self.is_green

    @property
    def may_be_accepted(self) -> bool:
        """True if it is red on the target too and has no report to compare. A person can accept that. (D5)"""
        return self.red_before and self.rule.report == "none"

    @property
    def word(self) -> str:
        """The outcome for lists: passed, failed, crashed, timed_out, unsound, or not_run."""
        if self.result is None:
            return "not_run"
        if self.result.outcome != "passed" or self.is_green:
            return self.result.outcome
        return "failed" if self.gone else "not_run"

    @property
    def summary(self) -> str:
        """The state in one line."""
        if self.result is None:
            return "not run"
        if self.result.outcome in ("unsound", "crashed", "timed_out"):
            return self.result.summary
        if self.gone and self.result.failing:  # a run that stops at the first failure leaves the rest out
            first, others = self.result.failing[0], self.result.failures - 1
            more = f" and {others} more" if others else ""
            return (
                f"{self.result.summary}: {first}{more} failed, and {len(self.gone)} of the target's tests were not run"
            )
        if self.gone:
            more = f" and {len(self.gone) - 1} more" if len(self.gone) > 1 else ""
            return f"{len(self.gone)} of the target's tests are missing: {self.gone[0]}{more}"
        if not self.compared:
            return "not compared with the target's tests yet"
        if self.no_baseline:
            return f"{self.result.summary}, not compared with the target: {self.no_baseline}"
        why = FIXED_SINCE if self.fixed else RED_BEFORE if self.red_before else ""
        line = report_line(self.rule.run) if why == RED_BEFORE and self.rule.report == "none" else ""
        return self.result.summary + (f". {why}" if why else "") + (f". A report would show it: {line}" if line else "")


def red(
    states: tuple[CheckState, ...], task: str, tree: str, *, counting: bool, by_anyone: bool = False
) -> list[Reason]:
    """Return a reason for each required check that did not pass. (D5)

    `counting`: claimed results are not enough, and `by_anyone` says whether the caller's own run would be.
    """
    reasons = []
    for state in states:
        is_through = state.accepted or state.is_green
        is_claim = counting and state.claimed
        if not state.rule.required or (is_through and not is_claim):
            continue
        name, step = state.rule.name, moves_on(state, task, by_anyone=by_anyone or not counting)
        if is_through:
            ended = "passed" if state.is_green else "ran"
            why = f"the required check {name} {ended} only in a run by an agent or an author, which does not count (claimed)"
            step = run_step(task, by_anyone=by_anyone)
        elif state.word == "not_run":
            ran = " has not run on this version" if state.result is None else f": {state.summary}"
            why = f"the required check {name}{ran}"
        elif state.word == "unsound":
            why = f"the result of the required check {name} is unsound: it {state.summary}"
        else:
            verb = {"crashed": "crashed", "timed_out": "timed out"}.get(state.word, "failed")
            why = f"the required check {name} {verb} ({state.summary})"
        reasons.append(Reason("D5", why, step))
    return reasons


def run_step(task: str, *, by_anyone: bool) -> Steps:
    """Return the command to run the checks again. Agents are never sent to a run that would not count."""
    run = fe("check", "run", task)
    return run if by_anyone else by_person_or_service(run)


def moves_on(state: CheckState, task: str, *, by_anyone: bool) -> Steps:
    """Return the next step for a required check that did not pass. `by_anyone`: the caller's own run counts."""
    run = run_step(task, by_anyone=by_anyone)
    if state.lacks_tests:
        agree = by_person(fe("approve", task, "-m", phrase("why these tests may go")))
        if not state.gone:
            return either(run, agree)
        redo = by_person(fe("redo", task, "-m", phrase("which tests are missing")))
        return in_turn(fe("show", task, "--diff"), either(agree, redo))
    if state.may_be_accepted:
        accept = by_person(fe("approve", task, "-m", phrase("why it may pass")))
        return in_turn(fe("check", "show", task), accept)
    if state.word == "unsound":
        return prose("fix that, then ") + run
    if state.is_own_trouble:
        redo = by_person(fe("redo", task, "-m", phrase("what its environment lacks")))
        return in_turn(fe("check", "show", task), either(redo, run))
    if state.word in ("crashed", "timed_out") or (state.word == "failed" and state.claimed):
        return in_turn(fe("check", "show", task), run)
    return fe("check", "show", task) if state.word == "failed" else run
