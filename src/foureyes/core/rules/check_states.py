"""Check states of an attempt: the result of each configured check, compared with the target, and when to try again.
(D5)
"""

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
from foureyes.core.words.names_of_tests import pairs
from foureyes.core.words.paths import matching

if TYPE_CHECKING:
    from foureyes.core.rules.facts import Facts
    from foureyes.core.rules.policy import ReviewPolicy


# ---- D5 ----

RAN: frozenset[CheckOutcome] = frozenset({"passed", "failed"})
"""Outcomes that show which tests exist. Crashed, stopped and unsound runs do not. (G1)"""

BROKEN_HERE = ", where the target's own run comes to its end"

NOT_COMPARED = "*"
"""Stands for all missing tests, if a person accepted them without knowing the target's tests."""
ACCEPTED = "*red:"
"""Prefix for a check among the accepted tests. The check is red on the target too, and a person accepted that."""


def check_states(facts: Facts, policy: ReviewPolicy) -> tuple[CheckState, ...]:
    """Return the state of each accepted check on the attempt's tree, compared with the target's tests at its base."""
    attempt = facts.attempt
    if attempt is None:
        return ()
    return check_states_on(facts, policy, attempt.tree, attempt.base_tree)


def check_states_on(
    facts: Facts, policy: ReviewPolicy, tree: str, base_tree: str, also_gone: Iterable[str] = ()
) -> tuple[CheckState, ...]:
    """Like check_states(), for any tree with results in the facts. `also_gone` lists tests and checks that a person has
    already accepted.
    """
    allowed = frozenset(also_gone)
    states = tuple(check_state(facts, rule, tree, base_tree, allowed) for rule in policy.checks)
    states = tuple(
        replace(state, accepted=f"{ACCEPTED}{state.rule.name}" in allowed and state.may_be_accepted) for state in states
    )
    return tuple(replace(state, compared=True) for state in states) if NOT_COMPARED in allowed else states


def seen_on_tip(states: Iterable[CheckState], green: Collection[str]) -> tuple[CheckState, ...]:
    """Mark the checks that were red before and are green on the target's current tip."""
    return tuple(replace(state, fixed=state.red_before and state.rule.name in green) for state in states)


def check_state(
    facts: Facts, rule: CheckRule, tree: str, base_tree: str, allowed: frozenset[str] = frozenset()
) -> CheckState:
    """Return the state of one check from its latest result that counts, or else from the latest claimed one."""
    known = facts.results_for(base_tree)
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
    """Return True if the tool broke on the change (a syntax error, a failing conftest) but finished on the base. (D5)

    Both runs need the same program, unless the change alters the environment's inputs.
    """
    broke = result.outcome == "crashed" and is_tools_own_break(rule.run, result.exit_code, rule.failed_exit)
    if not broke or base_tree == result.tree:
        return False
    known = (base_tree, rule.digest, rule.name)
    on_base = [
        old
        for old in facts.results_for(base_tree)
        if (old.tree, old.digest, old.name) == known and (counts(facts, old) or not counts(facts, result))
    ]
    if not on_base or on_base[-1].outcome not in RAN:
        return False
    return _changes_inputs(facts, rule) or not is_another(result.program, on_base[-1].program)


def _against(
    facts: Facts, rule: CheckRule, result: CheckResult, before: list[CheckResult], on_base: list[CheckResult]
) -> Against:
    """Return the result without failures that the target has too, by the target's latest counting run that finished."""
    if rule.report == "none" or result.outcome != "failed" or not result.failing:
        return Against(result)
    if not before:
        broke = [old.summary for old in on_base if old.outcome not in RAN]
        return Against(result, f"it crashed there ({broke[-1]})" if broke else "it has no run there that counts")
    renames = {file.path: file.old_path for file in facts.attempt.files if file.old_path} if facts.attempt else {}
    return against(rule, result, before[-1], facts.tests, renames)


def _is_red(seen: Against) -> bool:
    """Return True if the check fails in a way that the target's own result does not."""
    return seen.result.outcome == "failed" and not seen.lacking


def _is_by_change(seen: Against, before: CheckResult | None) -> bool:
    """Return True if the change made the check red: the check passes on the base, the report names something new, or
    the report has no tests although the base's has. (D5)
    """
    if before is None or not _is_red(seen):
        return False
    return before.outcome == "passed" or bool(seen.result.failing) or bool(before.tests and not seen.result.tests)


def _changes_inputs(facts: Facts, rule: CheckRule) -> bool:
    """Return True if the change touches the inputs of the check's environment and so gets an environment of its own.
    (D5)
    """
    if rule.checkout is None or not rule.checkout.prepare.strip():
        return False
    return bool(matching(facts.changed_paths(), rule.checkout.inputs))


def counts(facts: Facts, result: CheckResult) -> bool:
    """Return True if someone uninvolved ran the check: a service or a person, outside the process trees of all makers
    and delegators. (D5)
    """
    who = facts.party(result.session)
    return who.kind != "agent" and who.trust != "asserted" and not is_involved(facts, who)


def _gone(
    facts: Facts, rule: CheckRule, result: CheckResult, before: list[CheckResult], allowed: frozenset[str]
) -> tuple[str, ...]:
    """Return the tests that passed on the target and are missing from this report."""
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

# Tool findings are compared by count per file (following renames), rule, message and code, at any line. As many as the
# target has are known, each further one is new. A finding without a counterpart to compare with is never dropped (G1).

MOST_RESULTS = 50_000
"""Largest number of findings to list. Of longer reports only the count is kept."""
ERROR, WARNING = "e", "w"
NUMBER = pattern(r"\d+")


class Against(msgspec.Struct, frozen=True):
    """A result compared with the target's. `lacking` says why they could not be compared."""

    result: CheckResult
    lacking: str = ""


class ListedResult(msgspec.Struct, frozen=True, order=True):
    """One finding of a list.

    It has the line, its number among the errors or warnings of the report, the level, the key and the path.
    """

    line: int
    number: int
    level: str
    key: str
    path: str


def known_by(rule: str, message: str, code: str = "", mark: str = "") -> str:
    """Return a key for a finding that does not depend on its line.

    With code, numbers in the message are ignored. Without code, the tool's own mark is used.
    """
    words = " ".join((NUMBER.sub("0", message) if code.strip() else message).split())
    text = msgspec.json.encode([rule, words, "".join(code.split()) or mark])
    return sha256(b"foureyes found\n" + text).hexdigest()[:24]


def listed(findings: Sequence[ToolFinding]) -> Iterator[str]:
    """Yield each error and warning as one line of a list, or nothing if there are more than MOST_RESULTS."""
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
    """Return the result without the failures that the target has too. `before` is the target's result. `renames` maps
    new paths to the target's.
    """
    if before.outcome == "passed":
        return Against(result)
    if not before.failing:
        return Against(result, f"there it only reported: {before.summary}")
    if rule.report == "junit":
        return Against(_without_tests(result, before))
    if not result.tests or not before.tests:
        return Against(result, "its findings were not listed completely")
    if result.tests == before.tests:
        return Against(_without(result, before, []))
    now, then = lists.get(result.tests), lists.get(before.tests)
    if now is None or then is None:
        return Against(result, "its findings were not listed completely")
    return Against(_without(result, before, new_of(_spots(now), _spots(then), renames)))


def on_target(rule: CheckRule, result: CheckResult) -> CheckResult:
    """Return a failed result on the target's tip as passed if its failures are known by name.

    Known failures do not make the target red. A run that broke, or that names nothing to compare, stays red. (G1)
    """
    is_listed = rule.report == "junit" or bool(result.tests)
    if not (rule.report != "none" and result.outcome == "failed" and result.failing and is_listed):
        return result
    what = "error" if rule.report == "sarif" else "failure"
    known = f"{result.failures} known {what}{'' if result.failures == 1 else 's'}"
    return replace(result, outcome="passed", summary=known)


def new_of(now: Sequence[ListedResult], then: Sequence[ListedResult], renames: Mapping[str, str]) -> list[ListedResult]:
    """Return the findings in `now` that have no counterpart in `then`. Findings on the same line are paired first."""
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
        more = f", plus {_errors(known)} that the target also has" if known else ""
        return replace(result, failing=names, failed=len(errors), summary=f"{_errors(len(errors))}{more}")
    same = f"{_errors(result.failures)}, {'which' if result.failures == 1 else 'all of which'} the target also has"
    warnings = sum(spot.level == WARNING for spot in new)
    return _ended(result, before, same, f"{warnings} warnings that the target does not have" if warnings else "")


def _without_tests(result: CheckResult, before: CheckResult) -> CheckResult:
    """Return the result without the tests that fail on the target too. A failure whose name was not kept counts as
    new.
    """
    known = set(before.failing)
    new = [name for name in result.failing if name not in known]
    failed = result.failures - len(result.failing) + len(new)
    if failed:
        return replace(
            result,
            failing=new,
            failed=failed,
            summary=f"{result.summary}, {failed} of them {'passes' if failed == 1 else 'pass'} on the target",
        )
    return _ended(result, before, f"{result.summary}, all of which also fail on the target", "")


def _ended(result: CheckResult, before: CheckResult, same: str, extra: str) -> CheckResult:
    """Return the result as passed, unless its exit code or `extra` points to another problem. Exit codes that count
    failed tests may differ.
    """
    is_alike = result.exit_code == before.exit_code or all(run.exit_code == run.failures for run in (result, before))
    if result.exit_code == 0 or (is_alike and not extra):
        return replace(result, outcome="passed", failing=[], failed=0, summary=same)
    more = extra or f"exit code {result.exit_code} here, {before.exit_code} on the target"
    return replace(result, failing=[], failed=0, summary=f"{same}, but {more}")


def _errors(number: int) -> str:
    return "1 error" if number == 1 else f"{number} errors"


# ---- D5 ----

FIRST_PAUSE = 60
LONGEST_PAUSE = 3_600


class BrokenCheckRuns(msgspec.Struct, frozen=True):
    """Consecutive check runs that ended without a verdict: the last run and the number of tries. `pause` is the delay
    in seconds before the next one.
    """

    last: CheckResult
    tries: int

    @property
    def pause(self) -> int:
        return pause_after(self.tries)


def pause_after(tries: int) -> int:
    """Return the delay in seconds before the next try after this many failures in a row."""
    return int(min(FIRST_PAUSE * 2 ** min(tries - 1, 10), LONGEST_PAUSE))


def lacks_a_run(state: CheckState) -> bool:
    """Return True if a required check has no counting verdict, or nothing to compare it with."""
    has_result = state.result is not None and state.result.outcome in RAN
    return state.rule.required and (not has_result or state.claimed or not state.compared)


def broken_of(facts: Facts, state: CheckState) -> BrokenCheckRuns | None:
    """Return the latest broken runs that delay a missing run. They are on the attempt's tree, or on the target's if
    only the comparison is missing.
    """
    attempt = facts.attempt
    if attempt is None or not lacks_a_run(state):
        return None
    has_result = state.result is not None and state.result.outcome in RAN and not state.claimed
    tree = attempt.base_tree if has_result else attempt.tree
    tries, last = 0, None
    for result in reversed(facts.results_for(attempt.base_tree)):
        if (result.tree, result.name, result.digest) != (tree, state.rule.name, state.rule.digest):
            continue
        if not counts(facts, result):
            continue
        if result.outcome in RAN:
            break
        tries, last = tries + 1, last or result
    return BrokenCheckRuns(last, tries) if last else None
