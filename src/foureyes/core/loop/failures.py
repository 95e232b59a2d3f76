"""Check failures as findings (L2, L8, L13), and the failed, fixed and new tests of each round."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence

import msgspec
from msgspec.structs import replace

from foureyes.core.loop.fingerprint import words
from foureyes.core.nouns.check import KEPT_FAILURES, MANY_FAILURES, CheckResult, Ran, ToolFinding, name_of
from foureyes.core.nouns.check_config import CheckRule
from foureyes.core.nouns.finding import Finding, ReportedFinding
from foureyes.core.nouns.finding_state import UNRESOLVED
from foureyes.core.words.names_of_tests import pairs
from foureyes.core.words.text import one_line

# ---- Failing checks (L2, L8, L13) ----

TITLE = 300
ROOM, LEAST = 12_000, 300
"""Character limits in a prompt: for all failures of a check together, and the least for each. (F4)"""
LISTED, NAME, TOLD_FIRST = 60, 160, 3
"""Limits of a failure list: the number of names, characters per name, and failures shown with their message."""
LONGEST_FAILURE, SHORT_FAILURE = 2_000, 200
"""Characters kept of a failing test's message: normally, and if there are many failures."""
MANY = ":many"


def is_many(finding: Finding | ReportedFinding) -> bool:
    """Return True if the finding lists many failures of its check."""
    return finding.rule.endswith(MANY) and not finding.path


def reported_failures(ran: Ran) -> tuple[ToolFinding, ...]:
    """Return the failures with message and place. If there are many, messages are short and their number is limited."""
    tests = [test for test in ran.tests or () if test.state == "failed"]
    most = LONGEST_FAILURE if len(tests) <= MANY_FAILURES else SHORT_FAILURE
    failures = [
        ToolFinding(test.id, "error", test.path, test.line, test.message[:most]) for test in tests[:KEPT_FAILURES]
    ]
    return (*failures, *[each for each in ran.findings or () if each.level == "error"])[:KEPT_FAILURES]


def named_in(result: CheckResult, failures: Sequence[ToolFinding], *, by_name: bool) -> list[ToolFinding]:
    """Return the failures that the result names. It does not name those that the target has too. (D5)"""
    left = Counter(result.failing)
    named = []
    for each in failures:
        name = each.rule if by_name else name_of(each)
        if left[name] > 0:
            left[name] -= 1
            named.append(each)
    return named


def failing_of(
    rule: CheckRule, result: CheckResult, failures: Sequence[ToolFinding], attempt: int, not_compared: str = ""
) -> list[ReportedFinding]:
    """Return the findings for a failed check: its tests, its tool findings, or the check itself. `not_compared` says
    why it could not be compared with the target.
    """
    findings = _failing_of(rule, result, failures, attempt)
    if not not_compared:
        return findings
    mark = f"It is not known whether the target fails too: {not_compared}."
    return [replace(each, problem="\n\n".join(filter(None, (each.problem, mark)))) for each in findings]


def _failing_of(
    rule: CheckRule, result: CheckResult, failures: Sequence[ToolFinding], attempt: int
) -> list[ReportedFinding]:
    if result.failures > MANY_FAILURES and failures:
        return [many_of(rule, result, failures, attempt)]
    room = max(ROOM // max(len(failures), 1), LEAST)
    if rule.report == "junit" and failures:
        return [_test(each, room) for each in failures]
    if rule.report == "sarif" and failures:
        return [_tool(each, room) for each in failures]
    why = f"check {rule.name} fails: {result.summary}"
    return [ReportedFinding(severity="HIGH", title=f"check {rule.name} fails", problem=why, rule=rule.name)]


def _test(test: ToolFinding, room: int) -> ReportedFinding:
    title, problem = f"failing test: {test.rule}"[:TITLE], test.message[:room]
    return ReportedFinding(
        severity="HIGH", title=title, path=test.path, line=test.line, problem=problem, rule=test.rule
    )


def _tool(tool: ToolFinding, room: int) -> ReportedFinding:
    """Return a finding of at least HIGH severity, whatever `review.extra_linters` says: the required check fails
    because of it. (L1)
    """
    return ReportedFinding(
        severity="CRITICAL" if tool.critical else "HIGH",
        title=" ".join(tool.message.split())[:TITLE] or tool.rule or "finding",
        path=tool.path,
        line=tool.line,
        problem=tool.message[:room],
        rule=tool.rule,
        tool=tool.tool,
    )


def many_of(rule: CheckRule, result: CheckResult, failures: Sequence[ToolFinding], attempt: int) -> ReportedFinding:
    """Return one finding for all failures. A broken import fails every test, and a thousand findings fit in no prompt.
    (F4)
    """
    what = "tests" if rule.report == "junit" else "errors"
    lines = [f"- {_named(each, rule)}" for each in failures[:LISTED]]
    left = result.failures - len(lines)
    lines += [f"- and {left} more"] if left > 0 else []
    first = [f"{_named(each, rule)}:\n{each.message}" for each in failures[:TOLD_FIRST] if rule.report == "junit"]
    return ReportedFinding(
        severity="HIGH",
        title=f"{result.failures} {what} of check {rule.name} fail in attempt {attempt}",
        problem="\n\n".join(["\n".join(lines), *[text for text in first if not text.endswith(":\n")]]),
        rule=rule.name + MANY,
    )


def _named(each: ToolFinding, rule: CheckRule) -> str:
    where = f" ({each.path}:{each.line})" if each.path and each.line else f" ({each.path})" if each.path else ""
    message = "" if rule.report == "junit" else f": {each.message}"
    return one_line(f"{each.rule}{where}{message}", NAME)


def assigned(failing: Sequence[ReportedFinding], known: Sequence[Finding], *, by_name: bool) -> dict[int, Finding]:
    """Map each failure, by its number, to its known finding. Each finding is used once.

    Tests and checks match by name. Tool findings match by file, rule and title, first on the same line, then in order,
    open findings first.
    """
    left: defaultdict[tuple[str, ...], list[Finding]] = defaultdict(list)
    for finding in sorted(known, key=lambda finding: (finding.state not in UNRESOLVED, finding.line)):
        left[_key(finding, by_name=by_name)].append(finding)
    fitting: dict[int, Finding] = {}
    for exactly in (True, False):
        for at in sorted(range(len(failing)), key=lambda at: failing[at].line):
            fits = left[_key(failing[at], by_name=by_name)] if at not in fitting else []
            fit = next((finding for finding in fits if not exactly or finding.line == failing[at].line), None)
            if fit is not None:
                fitting[at] = fit
                fits.remove(fit)
    return fitting


def _key(finding: Finding | ReportedFinding, *, by_name: bool) -> tuple[str, ...]:
    return ("", finding.rule) if by_name or not finding.path else (finding.path, finding.rule, words(finding.title))


def was_fixed(
    before: CheckResult,
    now: CheckResult,
    ran: Collection[str],
    reported_before: Sequence[ToolFinding],
    reported_now: Sequence[ToolFinding],
) -> bool:
    """Return True if a failure from before is fixed: a test that ran and passes now, or an error that is gone. (L13)"""
    if now.failures >= KEPT_FAILURES:
        return False
    if ran:
        fails = set(now.failing)
        return any(name not in fails for name in pairs(before.failing, ran, some=True).values())
    return bool(_counted(reported_before) - _counted(reported_now))


def _counted(failures: Sequence[ToolFinding]) -> Counter[tuple[str, str, str]]:
    return Counter((each.rule, each.path, each.message) for each in failures)


# ---- The QA loop (L13) ----


class Tests(msgspec.Struct, frozen=True):
    """The failing tests of one iteration, or the check's name if there is no report."""

    iteration: int
    failing: frozenset[str]


class Tracking(msgspec.Struct, frozen=True, kw_only=True):
    """One iteration, compared with the first failing one and with the previous one."""

    iteration: int
    original_failures: tuple[str, ...] = ()
    fixed_since_start: tuple[str, ...] = ()
    still_failing: tuple[str, ...] = ()
    new_failures: tuple[str, ...] = ()
    fixed_now: tuple[str, ...] = ()

    @property
    def progress_made(self) -> bool:
        """True if a test that failed before passes now. New failures alone are no progress."""
        return bool(self.fixed_now)


def track(iterations: Iterable[Tests]) -> list[Tracking]:
    """Return the tracking of each iteration. The first iteration that has failures gives the original ones. (L13)"""
    tracked: list[Tracking] = []
    original: frozenset[str] = frozenset()
    before: frozenset[str] = frozenset()
    for tests in iterations:
        original = original or tests.failing
        tracked.append(
            Tracking(
                iteration=tests.iteration,
                original_failures=_sorted(original),
                fixed_since_start=_sorted(original - tests.failing),
                still_failing=_sorted(original & tests.failing),
                new_failures=_sorted(tests.failing - original),
                fixed_now=_sorted(before - tests.failing),
            )
        )
        before = tests.failing
    return tracked


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names))


def progress(tracked: Sequence[Tracking]) -> bool:
    """Return True if the latest iteration fixed a test."""
    return bool(tracked) and tracked[-1].progress_made
