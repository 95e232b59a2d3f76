"""States of checks (D5): where every configured check stands for an attempt, against the target, and when it is tried again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from re import compile as pattern
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from foureyes.core.nouns.check import CheckOutcome, CheckResult, CheckState, ToolFinding, is_another
from foureyes.core.nouns.check_config import CheckRule
from foureyes.core.rules.involvement import is_involved
from foureyes.core.words.check_output import is_tools_own_break
from foureyes.core.words.digest import sha256
from foureyes.core.words.paths import matching
from foureyes.core.words.test_names import pairs

if TYPE_CHECKING:
    from foureyes.core.rules.facts import Facts
    from foureyes.core.rules.policy import ReviewPolicy


# ---- D5 ----

RAN: frozenset[CheckOutcome] = frozenset({"passed", "failed"})
"""G1: a run that crashed, was ended or used other code tells nothing about which tests there are."""

BROKEN_HERE = ", where the target's own run comes to its end"

NOT_COMPARED = "*"
"""Stands for all tests, where a person agreed although it is not known which ones the target has."""
ACCEPTED = "*red:"
"""Before the name of a check, among the tests that were let go: it is red on the target as well, and was accepted."""


def check_states(facts: Facts, policy: ReviewPolicy) -> tuple[CheckState, ...]:
    """Each check of the accepted configuration on the attempt's tree, compared with the target's tests at its base."""
    attempt = facts.attempt
    if attempt is None:
        return ()
    return check_states_on(facts, policy, attempt.tree, attempt.base_tree)


def check_states_on(
    facts: Facts, policy: ReviewPolicy, tree: str, base_tree: str, also_gone: Iterable[str] = ()
) -> tuple[CheckState, ...]:
    """The same on any tree that the facts hold results of. `also_gone`: what a person let go, or accepted, before."""
    allowed = frozenset(also_gone)
    states = tuple(check_state(facts, rule, tree, base_tree, allowed) for rule in policy.checks)
    states = tuple(
        replace(state, accepted=f"{ACCEPTED}{state.rule.name}" in allowed and state.may_be_accepted) for state in states
    )
    return tuple(replace(state, compared=True) for state in states) if NOT_COMPARED in allowed else states


def seen_on_tip(states: Iterable[CheckState], green: Collection[str]) -> tuple[CheckState, ...]:
    """The same, where it is known which checks pass on the tip of the target."""
    return tuple(replace(state, fixed=state.red_before and state.rule.name in green) for state in states)


def check_state(
    facts: Facts, rule: CheckRule, tree: str, base_tree: str, allowed: frozenset[str] = frozenset()
) -> CheckState:
    """The latest result that counts; failing that, the latest one that somebody claims."""
    known = facts.results_beside(base_tree)
    mine = [result for result in known if (result.digest, result.name) == (rule.digest, rule.name)]
    here = [result for result in mine if result.tree == tree]
    if not here:
        return CheckState(rule=rule)
    counting = [result for result in here if counts(facts, result)]
    result = (counting or here)[-1]
    on_base = [old for old in mine if old.tree == base_tree]
    counted = [old for old in on_base if not counting or counts(facts, old)]
    before = [old for old in counted if old.outcome in RAN]
    outcomes = {each.outcome for each in (counting or here)} & RAN
    is_breaking = is_broken_by_change(facts, rule, result, base_tree)
    result = replace(result, outcome="failed", summary=f"{result.summary}{BROKEN_HERE}") if is_breaking else result
    seen = _against(facts, rule, result, before, on_base) if base_tree else Against(result)
    there = before[-1] if before and base_tree != tree else None
    by_change = is_breaking or _is_by_change(seen, there)
    compared = rule.report != "junit" or not base_tree or base_tree == tree or bool(before)
    return CheckState(
        rule=rule,
        result=seen.result,
        claimed=not counting,
        gone=_gone(facts, rule, result, before, allowed) if base_tree != tree else (),
        compared=compared,
        flaky=len(outcomes) > 1,
        no_baseline=seen.lacking,
        own_inputs=_changes_inputs(facts, rule),
        by_change=by_change,
        red_before=_is_red(seen) and not by_change and there is not None and there.outcome == "failed",
    )


def is_broken_by_change(facts: Facts, rule: CheckRule, result: CheckResult, base_tree: str) -> bool:
    """D5: whether a run broke by the tool's own exit code (a file that cannot be parsed, a conftest that fails), while
    the latest one where the change begins came to its end, by the same program in the same environment. An
    environment that the change itself asks for is its own.
    """
    broke = result.outcome == "crashed" and is_tools_own_break(rule.run, result.exit_code, rule.failed_exit)
    if not broke or base_tree == result.tree:
        return False
    known = (base_tree, rule.digest, rule.name)
    on_base = [
        old
        for old in facts.results_beside(base_tree)
        if (old.tree, old.digest, old.name) == known and (counts(facts, old) or not counts(facts, result))
    ]
    if not on_base or on_base[-1].outcome not in RAN:
        return False
    return _changes_inputs(facts, rule) or not is_another(result.program, on_base[-1].program)


def _against(
    facts: Facts, rule: CheckRule, result: CheckResult, before: list[CheckResult], on_base: list[CheckResult]
) -> Against:
    """The result without what the target fails, too, by the latest result there; one that does not count, or of a run
    that broke, is none.
    """
    if rule.report == "none" or result.outcome != "failed" or not result.failing:
        return Against(result)
    if not before:
        broke = [old.summary for old in on_base if old.outcome not in RAN]
        return Against(result, f"it broke there ({broke[-1]})" if broke else "it did not run there where it counts")
    renames = {file.path: file.old_path for file in facts.attempt.files if file.old_path} if facts.attempt else {}
    return against(rule, result, before[-1], facts.tests, renames)


def _is_red(seen: Against) -> bool:
    """Whether it fails, and that says something beside what the target says."""
    return seen.result.outcome == "failed" and not seen.lacking


def _is_by_change(seen: Against, before: CheckResult | None) -> bool:
    """D5: whether a check is red because of the change: it passes where the change begins, or a report names something
    that the target has not, or lacks every test of one that there has some.
    """
    if before is None or not _is_red(seen):
        return False
    return before.outcome == "passed" or bool(seen.result.failing) or bool(before.tests and not seen.result.tests)


def _changes_inputs(facts: Facts, rule: CheckRule) -> bool:
    """D5: whether the environment is one for this attempt alone."""
    if rule.checkout is None or not rule.checkout.prepare.strip():
        return False
    return bool(matching(facts.changed_paths(), rule.checkout.inputs))


def counts(facts: Facts, result: CheckResult) -> bool:
    """D5: run by a service or a person outside the process trees of everyone who made or delegated the work."""
    who = facts.party(result.session)
    return who.kind != "agent" and who.trust != "asserted" and not is_involved(facts, who)


def _gone(
    facts: Facts, rule: CheckRule, result: CheckResult, before: list[CheckResult], allowed: frozenset[str]
) -> tuple[str, ...]:
    """The tests that passed on the target and are not in this report."""
    if rule.report != "junit" or not result.tests:
        return ()
    had = {
        name
        for old in before
        if old.tests != result.tests
        for name in facts.tests.get(old.tests, frozenset()).difference(old.failing)
    }
    has = facts.tests.get(result.tests, frozenset())
    return tuple(sorted(had - allowed - pairs(had, has).keys())) if had - has else ()


# ---- D5 ----

# What a tool found is counted: by file (following renames), rule, words and code, wherever its lines are now. As many as
# the target has are known, one more is new; what cannot be compared is never dropped (G1).

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


# ---- D5 ----

FIRST_PAUSE = 60
LONGEST_PAUSE = 3_600


class BrokenCheckRuns(msgspec.Struct, frozen=True):
    """Runs of a check that ended one after the other without saying anything about the work: the last one, how many
    there were, and how many seconds after the last the next is due.
    """

    last: CheckResult
    tries: int

    @property
    def pause(self) -> int:
        return pause_after(self.tries)


def pause_after(tries: int) -> int:
    """How many seconds after so many failures in a row the next try is due."""
    return int(min(FIRST_PAUSE * 2 ** min(tries - 1, 10), LONGEST_PAUSE))


def lacks_a_run(state: CheckState) -> bool:
    """Whether a required check has no result that says something and counts, or nothing to compare it with."""
    has_result = state.result is not None and state.result.outcome in RAN
    return state.rule.required and (not has_result or state.claimed or not state.compared)


def broken_of(facts: Facts, state: CheckState) -> BrokenCheckRuns | None:
    """Why a run that is lacking is not begun at once: the latest ones broke, on the attempt's tree or, where only that
    is to be compared, on the target's.
    """
    attempt = facts.attempt
    if attempt is None or not lacks_a_run(state):
        return None
    has_result = state.result is not None and state.result.outcome in RAN and not state.claimed
    tree = attempt.base_tree if has_result else attempt.tree
    tries, last = 0, None
    for result in reversed(facts.results_beside(attempt.base_tree)):
        if (result.tree, result.name, result.digest) != (tree, state.rule.name, state.rule.digest):
            continue
        if not counts(facts, result):
            continue
        if result.outcome in RAN:
            break
        tries, last = tries + 1, last or result
    return BrokenCheckRuns(last, tries) if last else None
