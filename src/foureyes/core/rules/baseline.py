"""D5: what the target has is no finding of the task. A check is seen against its result on the target.

What a tool found is counted: by file (following renames), rule, words and code, wherever its lines are now. As many as
the target has are known, one more is new; what cannot be compared is never dropped (G1).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from re import compile as pattern

import msgspec
from msgspec.structs import replace

from foureyes.core.nouns.check import CheckResult, ToolFinding
from foureyes.core.nouns.check_rule import CheckRule
from foureyes.core.words.digest import sha256

MOST_RESULTS = 50_000
"""How many results of a tool are listed; of more nothing is known but their number."""
ERROR, WARNING = "e", "w"
NUMBER = pattern(r"\d+")


class Against(msgspec.Struct, frozen=True):
    """A result as it is seen against the target's; `lacking` says why it is not."""

    result: CheckResult
    lacking: str = ""


class ListedResult(msgspec.Struct, frozen=True, order=True):
    """One result of a list: the how-maniest error of the report it is, or warning; where, and what it is known by."""

    line: int
    number: int
    level: str
    key: str
    path: str


def known_by(rule: str, message: str, code: str = "", mark: str = "") -> str:
    """What a tool's result is known by wherever its line is now. Numbers in its words (of lines, of a measure) say
    nothing where there is code; without code, what the tool itself knows it by.
    """
    words = " ".join((NUMBER.sub("0", message) if code.strip() else message).split())
    text = msgspec.json.encode([rule, words, "".join(code.split()) or mark])
    return sha256(b"foureyes found\n" + text).hexdigest()[:24]


def listed(findings: Sequence[ToolFinding]) -> Iterator[str]:
    """Every error and warning of a report as a line of its list; nothing where there are too many."""
    counts = {ERROR: 0, WARNING: 0}
    for each in findings if len(findings) <= MOST_RESULTS else ():
        level = each.level[:1]
        if level in counts:
            key = each.key or known_by(each.rule, each.message)
            yield f"{level}{counts[level]}\t{each.line}\t{key}\t{each.path}"
            counts[level] += 1


def against(
    rule: CheckRule,
    result: CheckResult,
    before: CheckResult,
    lists: Mapping[str, Collection[str]],
    renames: Mapping[str, str],
) -> Against:
    """A result that names what failed, without what failed on the target, too. `before`: the target's own;
    `renames`: what a path of now is called there.
    """
    if before.outcome == "passed":
        return Against(result)
    if not before.failing:
        return Against(result, f"there it says only: {before.summary}")
    if rule.report == "junit":
        return Against(_without_tests(result, before))
    if not result.tests or not before.tests:
        return Against(result, "no list of all that it found was kept")
    if result.tests == before.tests:
        return Against(_without(result, before, []))
    now, then = lists.get(result.tests), lists.get(before.tests)
    if now is None or then is None:
        return Against(result, "no list of all that it found was kept")
    return Against(_without(result, before, new_of(_spots(now), _spots(then), renames)))


def on_target(rule: CheckRule, result: CheckResult) -> CheckResult:
    """A result on the target's own tip: what a baseline there holds against no task is known, and does not make the
    target red. A run that broke, or that names nothing to compare with, does (G1).
    """
    is_listed = rule.report == "junit" or bool(result.tests)
    if not (rule.report != "none" and result.outcome == "failed" and result.failing and is_listed):
        return result
    what = "error" if rule.report == "sarif" else "failure"
    known = f"{result.failures} known {what}{'' if result.failures == 1 else 's'}"
    return replace(result, outcome="passed", summary=known)


def new_of(now: Sequence[ListedResult], then: Sequence[ListedResult], renames: Mapping[str, str]) -> list[ListedResult]:
    """What is there now beyond what was there then: each of then is one of now, at the same line if there is one."""
    left: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for spot in sorted(then):
        left[spot.path, spot.key].append(spot.line)
    rest = sorted(now)
    for exactly in (True, False):
        new = []
        for spot in rest:
            lines = left[renames.get(spot.path, spot.path), spot.key]
            if lines and (not exactly or spot.line in lines):
                lines.remove(spot.line if exactly else lines[0])
            else:
                new.append(spot)
        rest = new
    return rest


def _spots(lines: Collection[str]) -> list[ListedResult]:
    return [
        ListedResult(int(line), int(number[1:]), number[0], key, path)
        for number, line, key, path in (text.split("\t", 3) for text in lines)
    ]


def _without(result: CheckResult, before: CheckResult, new: Sequence[ListedResult]) -> CheckResult:
    errors = sorted(spot.number for spot in new if spot.level == ERROR)
    if errors:
        names = [result.failing[number] for number in errors if number < len(result.failing)]
        known = result.failures - len(errors)
        more = f", and {_errors(known)} that the target has as well" if known else ""
        return replace(result, failing=names, failed=len(errors), summary=f"{_errors(len(errors))}{more}")
    same = f"{_errors(result.failures)}, and the target has {'it' if result.failures == 1 else 'them all'} as well"
    warnings = sum(spot.level == WARNING for spot in new)
    return _ended(result, before, same, f"{warnings} warnings that it has not" if warnings else "")


def _without_tests(result: CheckResult, before: CheckResult) -> CheckResult:
    """Tests by their names; those that are not kept by name are new."""
    known = set(before.failing)
    new = [name for name in result.failing if name not in known]
    failed = result.failures - len(result.failing) + len(new)
    if failed:
        return replace(result, failing=new, failed=failed, summary=f"{result.summary}, {failed} fail that pass there")
    return _ended(result, before, f"{result.summary}, and the target fails no less", "")


def _ended(result: CheckResult, before: CheckResult, same: str, besides: str) -> CheckResult:
    """Passed, unless how it ended says that there is more to it than what the target has. Some tools end with the
    number of tests that failed.
    """
    is_alike = result.exit_code == before.exit_code or all(run.exit_code == run.failures for run in (result, before))
    if result.exit_code == 0 or (is_alike and not besides):
        return replace(result, outcome="passed", failing=[], failed=0, summary=same)
    more = besides or f"exit code {result.exit_code}, there {before.exit_code}"
    return replace(result, failing=[], failed=0, summary=f"{same}; {more}")


def _errors(number: int) -> str:
    return "1 error" if number == 1 else f"{number} errors"
