"""Checks: what one command of the quality pipeline says about one tree (D5). Pure: from what was seen to an outcome.

"Not run", "crashed", "timed out" and "unsound" are never a pass, and neither is a report without a test (G1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

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
"""So many are named in one line."""


class Rewritten(msgspec.Struct, frozen=True):
    """Paths at which something else is than was committed, or nothing: since `built`, the end of `checkout.build`, or
    since the check that came after it.
    """

    built: tuple[str, ...] = ()
    checked: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.built or self.checked)


def unlisted(rule: CheckRule, rewritten: Rewritten) -> Rewritten:
    """D5: what neither the check's `writes` nor, of the build's, the checkout's let it write."""
    by_build = rule.checkout.writes if rule.checkout is not None else ()
    return Rewritten(_without(rewritten.built, by_build), _without(rewritten.checked, rule.writes))


def _without(paths: Sequence[str], globs: Sequence[str]) -> tuple[str, ...]:
    let = frozenset(matching(paths, globs))
    return tuple(path for path in paths if path not in let)


def in_words(rewritten: Rewritten) -> str:
    """What was changed, and by what."""
    parts = [_named(rewritten.built) + " by checkout.build"] if rewritten.built else []
    parts += [_named(rewritten.checked)] if rewritten.checked else []
    return f"changed {', and '.join(parts)}"


def what_to_do(rewritten: Rewritten) -> str:
    """How the next run is about what was committed."""
    names = ["checkout.writes"] if rewritten.built else []
    names += ["writes of its [[checks]]"] if rewritten.checked else []
    return f"commit that as the run leaves it, or let {' and '.join(names)} name it"


def unfit_in_words(paths: Sequence[str]) -> str:
    """What is to be committed besides, where a change asks for other packages than its lock files have."""
    return (
        f"{_named(paths)} did not fit what this change asks for, and the run changed it: commit it as the run leaves it"
    )


def _named(paths: Sequence[str]) -> str:
    more = len(paths) - NAMED
    return ", ".join(map(visible, paths[:NAMED])) + (f" and {more} more" if more > 0 else "") + " of its tree"


# ---- Checks ----

# "Not run", "crashed", "timed out" and "unsound" are never a pass, and neither is a report without a test (G1).

CheckOutcome = Literal["passed", "failed", "crashed", "timed_out", "unsound"]
CheckedTree = Literal["", "attempt", "target", "merge"]
"""What a checked tree is: that of an attempt, of the target, or what the target would become."""
TestState = Literal["passed", "failed", "skipped"]

SHOWN_LINES = 8
"""How much is shown of what was printed by the making of an environment that failed."""
KEPT_FAILURES = 1_000
"""How many failing tests or findings of one run are kept by name."""
MANY_FAILURES = 20
"""More failures of one check than this are one finding that lists them: a broken import fails a thousand tests (F4)."""

RED_BEFORE = "red on the target as well; Foureyes cannot tell whether this change made it worse"
FIXED_SINCE = "the target was red as well where this began, and passes now: bring the target into this branch"
NO_MODULE = Shape(r"[^\n:]*: No module named (\w+)\s*\Z")
"""How Python says at its end that the module that it was to run is not there."""
NO_TOOLCHAIN = Shape(r"rustup could not choose a version of \w+|toolchain '[^'\n]*' is not installed")
"""How rustup says that there is no cargo to run."""


class TestResult(msgspec.Struct, frozen=True):
    """One test of a report, by the name that stays the same from run to run; of one that failed, what was said about
    it, and where in the tree that is.
    """

    id: str
    state: TestState
    message: str = ""
    path: str = ""
    line: int = 0


class ToolFinding(msgspec.Struct, frozen=True, omit_defaults=True):
    """One result of a SARIF report, or a test that failed, by its name. `level` is SARIF's: error, warning, note or
    none; `tool` found it; `critical`: its score says so; `key` is what it is known by wherever its line is.
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
    """Code of a checkout that a run used in place of its tree's: the file, and what led there (an environment, a link).

    `advice`: what to do so that the tree's own is used.
    """

    file: str
    checkout: str
    by: str
    advice: str

    @property
    def sentence(self) -> str:
        of = f"{self.file}, installed from" if self.file.startswith("/") else f"{self.file} of"
        return f"took {of} {self.checkout} (by {self.by}), not of this tree; {self.advice}"


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of one run. `tests` and `findings` are None when no such report was asked for or it could not be
    read.

    `problem` says why the run or its report cannot be trusted: the program could not be started, the report is not
    there or is no report. `elsewhere`: it did not run on the tree that it was started on; `disturbed`: somebody else
    wrote to that. `unprepared`: it did not run, because its environment could not be made; `unbuilt`: nor the tree.
    `rewritten`: files of its tree that are others now; `unfit`: those of them that say what is needed, where the
    change itself asks for something else.
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
    """An outcome and its one line: `12/12 passed`, `2 errors`, `exit code 3`. `failing` names what failed, up to a
    limit; `failed` says how many those are in truth.
    """

    outcome: CheckOutcome
    summary: str
    failing: tuple[str, ...] = ()
    failed: int = 0


def may_have_been_killed(ran: Ran) -> bool:
    """D5: whether it ended as a shell ends whose program the machine killed, and no report says otherwise."""
    return ran.exit_code in AS_IF_KILLED and ran.tests is None and ran.findings is None


def judge(rule: CheckRule, ran: Ran) -> CheckJudgement:
    """D5: what a run means. Exit code and report must both say that all is well, and be about this tree.

    A run that rewrote its tree and fails anyway stays failed, with what was rewritten: no outcome but passed could rest
    on that, unless what it found is seen against the target. Where only lock files are others, and do not fit what the
    change asks for, that is the change's own, and who made it commits them.
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
    """The last lines of what a command printed that failed; blank ones are left out."""
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
    """Why a declared report shows nothing: none was read, it has no test in it, or none of its tests ran."""
    if rule.report == "sarif":
        return "there is no report" if ran.findings is None else ""
    if rule.report == "junit" and not ran.tests:
        return "the report has no test in it"
    if ran.tests and all(test.state == "skipped" for test in ran.tests):
        return f"no test ran: all {len(ran.tests)} in the report were skipped"
    return ""


def failures_in(ran: Ran) -> list[str]:
    """The failing tests of a report, or the errors that a tool found, by name."""
    tests = [test.id for test in ran.tests or () if test.state == "failed"]
    errors = [name_of(finding) for finding in ran.findings or () if finding.level == "error"]
    return [*tests, *errors]


def name_of(found: ToolFinding) -> str:
    """What a tool found, as a result names it."""
    return f"{found.rule} {found.path}:{found.line} {found.message}"[:300]


def _missing(rule: CheckRule, ran: Ran) -> str:
    """Why a tool did not run, though its exit code is that of one that found something: its starter lacks it."""
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


class WhatRan(NamedTuple):
    """The program that a check ran, and the key of the environment in which; empty where one is not known. `beside`:
    the tree of the target for which alone the run says something: by its files, the change's own may lie where the
    environment has some. A result has all as one text: `stored`, and `read` again.
    """

    program: str = ""
    environment: str = ""
    beside: str = ""

    @property
    def stored(self) -> str:
        known = f"{self.program} in environment {self.environment}" if self.environment else self.program
        return f"{known} for a target of {self.beside}" if self.beside else known

    @staticmethod
    def read(stored: str) -> WhatRan:
        known, _, beside = stored.partition(" for a target of ")
        program, _, environment = known.partition(" in environment ")
        return WhatRan(program, environment, beside)


def is_another(now: str, then: str) -> bool:
    """Whether two runs are of different programs, or in different environments, as far as both say so."""
    return any(one and other and one != other for one, other in zip(WhatRan.read(now), WhatRan.read(then), strict=True))


class CheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """A result on record: of one check on one tree, with who ran it. `tests` names the list of all its tests, or of all
    that a tool found.
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

    def holds_beside(self, base_tree: str) -> bool:
        """D5: whether it says something about a change to this tree of the target."""
        return WhatRan.read(self.program).beside in ("", base_tree)

    @property
    def failures(self) -> int:
        """How many failed; an older version kept only their names."""
        return max(self.failed, len(self.failing))


CLAIMED = "claimed: an agent or an author ran it, so it decides nothing by itself"
"""D5: how a person reads that only a claimed result is there."""


class CheckState(msgspec.Struct, frozen=True, kw_only=True):
    """Where one check stands for one attempt: its latest result that counts for whoever asks, if there is one.

    `claimed`: only a run by the makers' own process trees is there (D5). `gone`: tests of the target that are not in
    the report; `compared`: whether it is known at all which those are. `flaky`: red and green on one tree. What the
    target fails, too, is not in the result any more; `no_baseline` says why that is not known. `own_inputs`: it changes
    what its environment is made from. `by_change`: it is red because of the change; `red_before`: it is red on the
    target as well, and nothing tells whether the change adds to that; `fixed`: not on its tip any more; `accepted`:
    a person approves all the same.
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
        """It did not even begin, where the attempt itself says what is to be there: a lock file that it broke."""
        return self.own_inputs and self.result is not None and self.word == "crashed" and self.result.exit_code is None

    @property
    def is_green(self) -> bool:
        """Passed, with every test that the target has."""
        return self.result is not None and self.result.outcome == "passed" and self.compared and not self.gone

    @property
    def lacks_tests(self) -> bool:
        """It passed, and tests of the target are gone, or may be: what a person can agree to (D5)."""
        return self.result is not None and self.result.outcome == "passed" and not self.is_green

    @property
    def may_be_accepted(self) -> bool:
        """It is red on the target as well, and has no report that could tell more: a person can (D5)."""
        return self.red_before and self.rule.report == "none"

    @property
    def word(self) -> str:
        """For lists: passed, failed, crashed, timed_out, unsound, or not_run."""
        if self.result is None:
            return "not_run"
        if self.result.outcome != "passed" or self.is_green:
            return self.result.outcome
        return "failed" if self.gone else "not_run"

    @property
    def summary(self) -> str:
        """One line about it."""
        if self.result is None:
            return "not run"
        if self.result.outcome in ("unsound", "crashed", "timed_out"):
            return self.result.summary
        if self.gone and self.result.failing:  # a run that stops at the first failure leaves the rest out
            first, others = self.result.failing[0], self.result.failures - 1
            more = f" and {others} more" if others else ""
            return f"{self.result.summary}: {first}{more} failed; {len(self.gone)} of the target's tests were not run"
        if self.gone:
            more = f" and {len(self.gone) - 1} more" if len(self.gone) > 1 else ""
            return f"{len(self.gone)} of the target's tests are gone: {self.gone[0]}{more}"
        if not self.compared:
            return "not compared with the target's tests yet"
        if self.no_baseline:
            return f"{self.result.summary}, not compared with the target: {self.no_baseline}"
        why = FIXED_SINCE if self.fixed else RED_BEFORE if self.red_before else ""
        line = report_line(self.rule.run) if why == RED_BEFORE and self.rule.report == "none" else ""
        return self.result.summary + (f"; {why}" if why else "") + (f". With a report it could: {line}" if line else "")


def red(
    states: tuple[CheckState, ...], task: str, tree: str, *, counting: bool, by_anyone: bool = False
) -> list[Reason]:
    """D5: a reason for each required check that did not pass. `counting`: claimed results do not do; then `by_anyone`
    says whether the caller's own run would.
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
            why = f"the required check {name} gave no sound result: it {state.summary}"
        else:
            verb = {"crashed": "crashed", "timed_out": "timed out"}.get(state.word, "failed")
            why = f"the required check {name} {verb} ({state.summary})"
        reasons.append(Reason("D5", why, step))
    return reasons


def run_step(task: str, *, by_anyone: bool) -> Steps:
    """Another run of the checks. An agent is never sent to one that would not count."""
    run = fe("check", "run", task)
    return run if by_anyone else by_person_or_service(run)


def moves_on(state: CheckState, task: str, *, by_anyone: bool) -> Steps:
    """What brings a required check on that did not pass. `by_anyone`: the caller's own run will do."""
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
