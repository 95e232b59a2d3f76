"""D5: where every configured check stands for an attempt, and whose runs count."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from foureyes.core.nouns.check import CheckOutcome, CheckResult, CheckState, is_another
from foureyes.core.nouns.check_rule import CheckRule
from foureyes.core.rules.baseline import Against, against
from foureyes.core.rules.involvement import is_involved
from foureyes.core.words.exit_codes import is_tools_own_break
from foureyes.core.words.globs import matching
from foureyes.core.words.test_names import pairs

if TYPE_CHECKING:
    from foureyes.core.rules.facts import Facts
    from foureyes.core.rules.policy import ReviewPolicy

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
