"""D5: where a check stands for an attempt: whose runs count, which tests are gone, what is flaky."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from foureyes.core.nouns.check import CheckOutcome, CheckResult, CheckState, WhatRan, red
from foureyes.core.nouns.check_config import CheckRule
from foureyes.core.nouns.session import Party
from foureyes.core.rules.check_states import (
    NOT_COMPARED,
    broken_of,
    check_states,
    check_states_on,
    counts,
    is_broken_by_change,
)
from foureyes.core.rules.facts import Facts

from tests.core.samples import (
    ADA,
    BASE_TREE,
    CREATOR,
    CRON,
    LINT,
    MAKER,
    STRANGER,
    TESTS,
    TREE,
    agent,
    asserted,
    attempt,
    made,
    person,
    planned,
    quick,
    ran,
    rules,
)

BASED = attempt(base_tree=BASE_TREE)
LEAD = agent("lead")
HELD = {"two": frozenset({"a", "b"}), "one": frozenset({"a"}), "three": frozenset({"a", "b", "c"})}


def checked(*results: CheckResult, maker: Party = MAKER, based: bool = False) -> Facts:
    known = [CREATOR, STRANGER, ADA, LEAD, CRON, *PARTIES]
    facts = made(maker, *known, attempt_=BASED if based else attempt())
    return replace(facts, results=results, tests=HELD)


def namespaces(facts: Facts, rule: CheckRule = TESTS) -> CheckState:
    (found,) = check_states(facts, rules(checks=(rule,)))
    return found


PARTIES = [
    agent("again", origin="origin of maker"), agent("child", parents=[MAKER]), asserted(), person("bob"),
    replace(CRON, session=agent("below").session, name="below", under=frozenset({"process:maker"})),
]  # fmt: skip


@pytest.mark.parametrize(
    ("who", "expected"),
    [
        (CRON, True), (ADA, True), (person("bob"), True), (MAKER, False), (PARTIES[0], False), (PARTIES[1], False),
        (STRANGER, False), (CREATOR, False), (LEAD, False), (asserted(), False),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)  # fmt: skip
def test_a_run_counts_where_no_agent_and_nobody_involved_ran_it_D5(who: Party, expected: bool) -> None:
    facts = checked(ran(by=who))
    assert counts(facts, facts.results[0]) == expected
    assert namespaces(facts).claimed == (not expected)


def test_a_person_who_made_the_work_only_claims_D5() -> None:
    facts = checked(ran(by=ADA), maker=person("ada", terminal="2"))
    assert namespaces(facts).claimed


def test_a_service_below_an_authors_process_only_claims_D5() -> None:
    maker = replace(MAKER, process="process:maker")
    facts = checked(ran(by=PARTIES[4]), maker=maker)
    assert namespaces(facts).claimed


def test_who_delegated_the_work_only_claims_D5() -> None:
    facts = checked(ran(by=LEAD), maker=agent("worker", parents=[LEAD]))
    assert namespaces(facts).claimed


def test_a_session_that_nobody_knows_only_claims_G1() -> None:
    assert namespaces(checked(ran(by=agent("forged")))).claimed


def test_a_run_that_counts_goes_before_a_later_one_that_does_not_D5() -> None:
    facts = checked(ran(outcome="failed", seq=1), ran(by=MAKER, seq=2))
    found = namespaces(facts)
    assert (found.word, found.claimed, found.is_green) == ("failed", False, False)
    found = namespaces(checked(ran(seq=1), ran(by=MAKER, outcome="failed", seq=2)))
    assert (found.word, found.claimed) == ("passed", False)


def test_of_runs_that_count_the_latest_is_taken_and_both_colours_are_flaky_H1() -> None:
    found = namespaces(checked(ran(outcome="failed", seq=1), ran(seq=2)))
    assert (found.word, found.flaky) == ("passed", True)
    found = namespaces(checked(ran(seq=1), ran(outcome="timed_out", seq=2)))
    assert (found.word, found.flaky, found.is_green) == ("timed_out", False, False), "it broke itself: of no colour"
    assert not namespaces(checked(ran(seq=1), ran(seq=2))).flaky
    assert not namespaces(checked(ran(by=MAKER, outcome="failed", seq=1), ran(seq=2))).flaky, (
        "what a maker claims makes nothing flaky"
    )


@pytest.mark.parametrize(
    "other",
    [
        ran(tree=BASE_TREE), ran(replace(TESTS, run="pytest -x")), ran(replace(TESTS, name="more")),
        ran(replace(TESTS, report="none")), ran(replace(TESTS, timeout_minutes=1)), ran(replace(TESTS, env=("HOME",))),
        ran(replace(TESTS, failed_exit=(0,))),
    ],
    ids=str,
)  # fmt: skip
def test_a_result_of_another_tree_or_another_command_is_none_of_this_one_D5(other: CheckResult) -> None:
    found = namespaces(checked(other))
    assert (found.word, found.result, found.is_green) == ("not_run", None, False)


def test_whether_a_check_is_required_does_not_change_its_results_D5() -> None:
    assert namespaces(checked(ran(replace(TESTS, required=False)))).is_green


def test_without_an_attempt_nothing_stands_anywhere_D5() -> None:
    assert check_states(planned(), rules(checks=(TESTS,))) == ()


# Tests of the target


def test_a_test_of_the_target_that_is_not_in_the_report_is_gone_D5() -> None:
    facts = checked(ran(tree=BASE_TREE, tests="three", seq=1), ran(tests="one", seq=2), based=True)
    found = namespaces(facts)
    assert (found.gone, found.is_green, found.word) == (("b", "c"), False, "failed")
    assert "2 of the target's tests are missing: b and 1 more" in found.summary
    (reason,) = red((found,), "fe-abc", TREE, counting=True)
    assert (reason.rule, "missing" in reason.message) == ("D5", True)
    assert [step.argv[1] for step in reason.next.steps if step.argv] == ["show", "approve", "redo"]


def test_what_failed_is_said_before_what_was_not_run_because_of_it_D5() -> None:
    facts = checked(ran(tree=BASE_TREE, tests="three", seq=1), ran(tests="one", seq=2), based=True)
    found = namespaces(facts)
    assert found.result is not None
    stopped = replace(found, result=replace(found.result, outcome="failed", failing=["a"], summary="0/1 passed"))
    assert stopped.summary == "0/1 passed: a failed, and 2 of the target's tests were not run"
    assert (stopped.is_green, stopped.word) == (False, "failed")


def test_more_tests_than_before_are_fine_D5() -> None:
    assert namespaces(checked(ran(tree=BASE_TREE, tests="one"), ran(tests="three"), based=True)).is_green


def test_what_was_allowed_to_go_is_not_gone_at_the_merge_D5() -> None:
    facts = checked(ran(tree=BASE_TREE, tests="three"), ran(tests="one"), based=True)
    (found,) = check_states_on(facts, rules(checks=(TESTS,)), TREE, BASE_TREE, ["b", "c"])
    assert (found.gone, found.is_green) == ((), True)
    (found,) = check_states_on(facts, rules(checks=(TESTS,)), TREE, BASE_TREE, ["b"])
    assert found.gone == ("c",)


def test_without_a_run_on_the_target_nothing_was_compared_and_that_is_no_pass_G1_D5() -> None:
    found = namespaces(checked(ran(tests="one"), based=True))
    assert (found.compared, found.is_green, found.word) == (False, False, "not_run")
    assert "not compared" in found.summary
    (found,) = check_states_on(
        checked(ran(tests="one"), based=True), rules(checks=(TESTS,)), TREE, BASE_TREE, [NOT_COMPARED]
    )
    assert found.is_green, "a person agreed to that"


@pytest.mark.parametrize("outcome", ["crashed", "timed_out", "unsound"])
def test_a_run_that_broke_on_the_target_compares_nothing_G1_D5(outcome: CheckOutcome) -> None:
    assert not namespaces(
        checked(ran(tree=BASE_TREE, tests="one", outcome=outcome), ran(tests="one"), based=True)
    ).compared


def test_a_failed_run_on_the_target_still_names_the_tests_that_passed_D5() -> None:
    there = replace(ran(tree=BASE_TREE, tests="three", outcome="failed"), failing=["b"])
    found = namespaces(checked(there, ran(tests="one"), based=True))
    assert (found.compared, found.gone) == (True, ("c",))


def test_what_a_maker_ran_on_the_target_does_not_count_for_the_comparison_D5() -> None:
    found = namespaces(checked(ran(tree=BASE_TREE, tests="one", by=MAKER), ran(tests="one"), based=True))
    assert (found.claimed, found.compared) == (False, False)
    found = namespaces(
        checked(
            ran(tree=BASE_TREE, tests="three"), ran(tree=BASE_TREE, tests="one", by=MAKER), ran(tests="one"), based=True
        )
    )
    assert found.gone == ("b", "c"), "and hides nothing"


def test_only_reports_of_tests_are_compared_D5() -> None:
    found = namespaces(checked(ran(LINT), based=True), LINT)
    assert (found.compared, found.is_green) == (True, True)


def test_an_attempt_on_the_targets_own_tree_has_nothing_to_compare_D5() -> None:
    same = replace(checked(ran(tests="one")), attempt=attempt(base_tree=TREE))
    assert namespaces(same).is_green


@quick
@given(
    st.lists(
        st.tuples(
            st.sampled_from([MAKER, STRANGER, CRON, ADA]),
            st.sampled_from(["passed", "failed", "crashed", "timed_out", "unsound"]),
        ),
        max_size=4,
    )
)
def test_nothing_is_green_for_agents_but_a_last_counting_run_that_passed_D5(
    runs: list[tuple[Party, CheckOutcome]],
) -> None:
    facts = checked(*[ran(by=who, outcome=outcome, seq=n) for n, (who, outcome) in enumerate(runs)])
    counting = [outcome for who, outcome in runs if who in (CRON, ADA)]
    reasons = red(check_states(facts, rules(checks=(TESTS,))), "fe-abc", TREE, counting=True)
    assert (not reasons) == (bool(counting) and counting[-1] == "passed")
    assert all(reason.rule == "D5" and reason.message and reason.next for reason in reasons)
    claimed = [outcome for _, outcome in runs]
    people = red(check_states(facts, rules(checks=(TESTS,))), "fe-abc", TREE, counting=False)
    assert (not people) == ((counting or claimed)[-1:] == ["passed"]), (
        "people are informed by claims where nothing counts"
    )


def test_an_error_of_other_code_with_the_words_of_a_known_one_is_the_changes_own_D5() -> None:
    scan = CheckRule(name="scan", run="scan", report="sarif")
    there = replace(
        ran(scan, outcome="failed", tree=BASE_TREE, tests="old"), failing=["R1 a.py:3 no eval"], exit_code=1
    )
    here = replace(there, tree=attempt().tree, tests="new")
    lists = {"old": frozenset({"e0\t3\tk1\ta.py"}), "new": frozenset({"e0\t3\tk2\ta.py"})}
    facts = replace(checked(there, here, based=True), tests=lists)
    assert (namespaces(facts, scan).word, namespaces(facts, scan).by_change) == ("failed", True)
    same = replace(facts, results=(there, replace(here, tests="old")))
    assert (namespaces(same, scan).word, namespaces(same, scan).by_change) == ("passed", False)


FAILS, RED_THERE = {"outcome": "failed", "exit_code": 1}, {"outcome": "failed", "exit_code": 1, "tests": "three"}


@pytest.mark.parametrize(
    ("rule", "there", "here", "expected"),
    [
        (LINT, {}, FAILS, (True, False)),
        (LINT, FAILS, FAILS, (False, True)),
        (LINT, {"outcome": "failed", "exit_code": 3}, FAILS, (False, True)),
        (LINT, {"outcome": "crashed"}, FAILS, (False, False)),
        (LINT, None, FAILS, (False, False)),
        (LINT, {}, {"outcome": "crashed"}, (False, False)),
        (TESTS, {"tests": "three"}, {**RED_THERE, "failing": ["c"]}, (True, False)),
        (TESTS, {**RED_THERE, "failing": ["b"]}, {**RED_THERE, "failing": ["b", "c"]}, (True, False)),
        (TESTS, {**RED_THERE, "failing": ["b"]}, {**RED_THERE, "failing": ["b"]}, (False, False)),
        (TESTS, {**RED_THERE, "failing": ["b"]}, {**RED_THERE, "failing": ["b"], "exit_code": 7}, (False, True)),
        (TESTS, {**RED_THERE, "failing": ["b"]}, FAILS, (True, False)),
        (TESTS, FAILS, FAILS, (False, True)),
        (TESTS, {"outcome": "timed_out"}, {**RED_THERE, "failing": ["c"]}, (False, False)),
    ],
    ids=[
        "passes there", "fails there", "fails there in another way", "crashed there", "has no run there", "crashed",
        "a test", "one more test", "the same tests", "the same tests and another end", "no test any more",
        "no test in either", "no end there",
    ],
)  # fmt: skip
def test_a_check_is_red_because_of_the_change_where_the_target_has_less_D5(
    rule: CheckRule, there: dict[str, Any] | None, here: dict[str, Any], expected: tuple[bool, bool]
) -> None:
    on_target = [] if there is None else [replace(ran(rule, tree=BASE_TREE, seq=1), **there)]
    found = namespaces(checked(*on_target, replace(ran(rule, seq=2), **here), based=True), rule)
    assert (found.by_change, found.red_before) == expected


def test_a_result_that_was_for_one_tree_of_the_target_says_nothing_for_another_D5() -> None:
    for_it, for_another = (WhatRan("sh", "", tree).stored for tree in (BASE_TREE, "4" * 40))
    assert namespaces(checked(replace(ran(LINT), program=for_it), based=True), LINT).word == "passed"
    assert namespaces(checked(replace(ran(LINT), program=for_another), based=True), LINT).word == "not_run"


def test_a_run_breaks_by_the_change_only_beside_one_that_was_for_this_target_D5() -> None:
    for_it, for_another = (WhatRan("pytest", "", tree).stored for tree in (BASE_TREE, "4" * 40))
    rule = replace(LINT, run="pytest")
    before = replace(ran(rule, tree=BASE_TREE), program=for_it)
    broke = replace(ran(rule, outcome="crashed"), exit_code=4, program=for_it)
    assert is_broken_by_change(checked(before, broke, based=True), rule, broke, BASE_TREE)
    elsewhere = checked(replace(before, program=for_another), broke, based=True)
    assert not is_broken_by_change(elsewhere, rule, replace(broke, program=""), BASE_TREE)


def test_a_run_that_broke_beside_another_target_keeps_none_waiting_D5() -> None:
    broke = [replace(ran(outcome="crashed"), program=WhatRan("sh", "", tree).stored) for tree in (BASE_TREE, "4" * 40)]
    for result, waits in zip(broke, (True, False), strict=True):
        facts = checked(result, based=True)
        assert (broken_of(facts, namespaces(facts)) is not None) == waits
