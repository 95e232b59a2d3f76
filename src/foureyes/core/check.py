"""Checks: what one command of the quality pipeline says about one tree (D5). Pure: from what was seen to an outcome.

"Not run", "crashed" and "timed out" are never a pass, and neither is a report without a test (G1, lessons 29, 30, 49).
"""

from __future__ import annotations

from hashlib import sha256
from typing import Literal

import msgspec

from foureyes.core.ids import SessionId, Sha
from foureyes.errors import Reason

Report = Literal["none", "junit", "sarif"]
Outcome = Literal["passed", "failed", "crashed", "timed_out"]
TestState = Literal["passed", "failed", "skipped"]

REPORTS: tuple[Report, ...] = ("none", "junit", "sarif")
KEPT_FAILURES = 1_000
"""How many failing tests or findings of one run are kept by name."""

CANNOT_RUN = frozenset({126, 127})
"""What a shell answers for a program that is not there or cannot be run."""

FOUND_SOMETHING: dict[str, tuple[int, ...]] = {
    "pytest": (1, 5),
    "ruff": (1,),
    "mypy": (1,),
    "pyright": (1,),
    "flake8": (1,),
    "pylint": tuple(code for code in range(1, 32)),
    "eslint": (1,),
    "biome": (1,),
    "tsc": (1, 2),
    "golangci-lint": (1,),
    "shellcheck": (1,),
    "semgrep": (1,),
    "bandit": (1,),
}
"""Exit codes with which a known tool says that it ran and found something; any other one but 0 means that it broke."""


class CheckRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One `[[checks]]` of the configuration. `failed_exit` overrides what is known about a tool's exit codes.

    `env` names variables of whoever runs the checks that this one needs (`JAVA_HOME`); nothing else gets through.
    """

    name: str
    run: str
    report: Report = "none"
    required: bool = True
    timeout_minutes: int = 10
    failed_exit: tuple[int, ...] | None = None
    env: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """What a result is a result of: another command, report or environment is another check."""
        said = msgspec.json.encode([self.name, self.run, self.report, self.timeout_minutes, self.failed_exit, self.env])
        return sha256(b"foureyes check\n" + said).hexdigest()[:16]


class TestResult(msgspec.Struct, frozen=True):
    """One test of a report, by the name that stays the same from run to run."""

    id: str
    state: TestState


class ToolFinding(msgspec.Struct, frozen=True):
    """One result of a SARIF report. `level` is SARIF's: error, warning, note or none."""

    rule: str
    level: str
    path: str
    line: int
    message: str


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of one run. `tests` and `findings` are None when no such report was asked for or it could not be read.

    `problem` says why the run or its report cannot be trusted: the program could not be started, the report is not there
    or is no report.
    """

    exit_code: int | None
    timed_out: bool = False
    duration_ms: int = 0
    output: str = ""
    program: str = ""
    tests: tuple[TestResult, ...] | None = None
    findings: tuple[ToolFinding, ...] | None = None
    problem: str = ""


class Judged(msgspec.Struct, frozen=True):
    """An outcome and its one line: `12/12 passed`, `2 errors`, `exit code 3`."""

    outcome: Outcome
    summary: str
    failing: tuple[str, ...] = ()


def judge(rule: CheckRule, ran: Ran) -> Judged:
    """D5: what a run means. Exit code and report must both say that all is well."""
    if ran.timed_out:
        return Judged("timed_out", f"still running after {rule.timeout_minutes} minutes")
    if ran.exit_code is None:
        return Judged("crashed", ran.problem or "it could not be started")
    failing = failures_in(ran)
    broke = _broke(rule, ran.exit_code)
    if broke:
        return Judged("crashed", broke, failing)
    if ran.problem:
        return Judged("crashed" if ran.exit_code == 0 else "failed", ran.problem, failing)
    if rule.report == "junit" and not ran.tests:
        return Judged("failed", "the report has no test in it", failing)
    if ran.exit_code == 0 and not failing:
        return Judged("passed", _all_well(ran))
    return Judged("failed", _what_failed(ran, failing), failing)


def failures_in(ran: Ran) -> tuple[str, ...]:
    """The failing tests of a report, or the errors that a tool found, by name."""
    tests = [test.id for test in ran.tests or () if test.state == "failed"]
    found = [f"{f.rule} {f.path}:{f.line} {f.message}"[:300] for f in ran.findings or () if f.level == "error"]
    return tuple([*tests, *found][:KEPT_FAILURES])


def _broke(rule: CheckRule, code: int) -> str:
    """Why an exit code means that the check itself broke; empty when it means passed or failed."""
    if code == 0:
        return ""
    if code < 0 or code > 128:
        return f"ended by signal {-code if code < 0 else code - 128}"
    if code in CANNOT_RUN:
        return f"exit code {code}: the program was not found or could not be run"
    known = rule.failed_exit if rule.failed_exit is not None else FOUND_SOMETHING.get(tool_of(rule.run))
    return f"exit code {code}" if known is not None and code not in known else ""


def tool_of(command: str) -> str:
    """The program that a command line runs, as far as one can tell; only where it is the whole line's."""
    if any(mark in command for mark in ("&&", "||", ";", "|", "\n")):
        return ""
    words = [word for word in command.split() if "=" not in word.split("/")[-1].split("-")[0] or word.startswith("-")]
    while words and words[0] in ("npx", "uv", "run", "poetry", "python", "python3", "-m", "exec", "pnpm", "yarn"):
        words = words[1:]
    return words[0].rpartition("/")[2] if words else ""


def _all_well(ran: Ran) -> str:
    if ran.tests is not None:
        passed = sum(test.state == "passed" for test in ran.tests)
        skipped = sum(test.state == "skipped" for test in ran.tests)
        return f"{passed}/{passed} passed" + (f", {skipped} skipped" if skipped else "")
    if ran.findings:
        return f"{len(ran.findings)} notes"
    return "passed"


def _what_failed(ran: Ran, failing: tuple[str, ...]) -> str:
    if ran.tests is not None and failing:
        ran_at_all = sum(test.state != "skipped" for test in ran.tests)
        return f"{ran_at_all - len([t for t in ran.tests if t.state == 'failed'])}/{ran_at_all} passed"
    if failing:
        return f"{len(failing)} {'error' if len(failing) == 1 else 'errors'}"
    return f"exit code {ran.exit_code}"


class CheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """A result on record: of one check on one tree, with who ran it. `tests` names the list of all its tests."""

    seq: int
    tree: Sha
    name: str
    digest: str
    outcome: Outcome
    summary: str
    exit_code: int | None = None
    duration_ms: int = 0
    failing: list[str] = []
    tests: str = ""
    session: SessionId
    at: str = ""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """Where one check stands for one attempt: its latest result that counts for whoever asks, if there is one.

    `claimed`: only a run by the makers' own process trees is there (D5). `gone`: tests of the target that are not in the
    report. `flaky`: red and green on one tree.
    """

    rule: CheckRule
    result: CheckResult | None = None
    claimed: bool = False
    gone: tuple[str, ...] = ()
    flaky: bool = False

    @property
    def is_green(self) -> bool:
        """Passed, with every test that the target has."""
        return self.result is not None and self.result.outcome == "passed" and not self.gone

    @property
    def word(self) -> str:
        """For lists: passed, failed, crashed, timed_out, or not_run."""
        if self.result is None:
            return "not_run"
        return "failed" if self.gone and self.result.outcome == "passed" else self.result.outcome

    @property
    def said(self) -> str:
        """One line about it."""
        if self.result is None:
            return "not run"
        if self.gone:
            more = f" and {len(self.gone) - 1} more" if len(self.gone) > 1 else ""
            return f"{len(self.gone)} of the target's tests are gone: {self.gone[0]}{more}"
        return self.result.summary


def red(standings: tuple[Standing, ...], task: str, tree: str, *, counting: bool) -> list[Reason]:
    """D5: a reason for each required check that did not pass. `counting`: claimed results do not do."""
    found = []
    for standing in standings:
        if not standing.rule.required or (standing.is_green and not (counting and standing.claimed)):
            continue
        name = standing.rule.name
        if standing.is_green:
            said = f"required check {name} passed only where its makers ran it themselves (claimed)"
            step = f"a person or a service runs: fe check run {task}"
        elif standing.result is None:
            said, step = f"required check {name} was not run on tree {tree[:7]}", f"fe check run {task}"
        else:
            verb = {"crashed": "crashed", "timed_out": "timed out"}.get(standing.word, "failed")
            said, step = f"required check {name} {verb} on tree {tree[:7]} ({standing.said})", f"fe check show {task}"
        found.append(Reason("D5", said, step))
    return found
