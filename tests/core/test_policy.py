"""P6 and P1 as far as settings and labels say: which grade is asked for, and who asks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.policy import DEFAULT_LABEL_RULES, POLICIES, LabelRule, MinorRule, ReviewPolicy, bars_auto_approval, required_grade
from foureyes.core.session import GRADES, Grade

from tests.core.samples import quick, rules


def test_the_policies_go_from_strictest_to_loosest_P12() -> None:
    assert POLICIES == ("strict", "balanced", "delegated", "trusted")


def test_the_defaults_are_those_of_the_rules_P() -> None:
    policy = ReviewPolicy()
    assert (policy.name, policy.independence, policy.claim_stale_minutes) == ("balanced", "origin", 120)
    assert policy.minor == MinorRule(self=True, max_lines=50, self_approvals_per_day=5)
    assert "foureyes.toml" in policy.protected_paths


def test_security_asks_for_a_person_by_default_P6() -> None:
    assert required_grade(ReviewPolicy(), ["security"]) == ("human", "label security")
    assert bars_auto_approval(ReviewPolicy(), ["a", "security"]) == "security"
    assert {"security": LabelRule(auto_approve=False, independence="human")} == DEFAULT_LABEL_RULES


def test_the_defaults_of_one_policy_are_not_those_of_another_P6() -> None:
    ReviewPolicy().label_rules.clear()
    assert required_grade(ReviewPolicy(), ["security"])[0] == "human"


@pytest.mark.parametrize("base", GRADES)
@pytest.mark.parametrize("label", GRADES)
def test_the_higher_of_policy_and_label_holds_P6(base: Grade, label: Grade) -> None:
    policy = rules(independence=base, label_rules={"x": LabelRule(independence=label)})
    grade, source = required_grade(policy, ["x"])
    assert grade == GRADES[max(GRADES.index(base), GRADES.index(label))]
    assert source == ("label x" if GRADES.index(label) > GRADES.index(base) else "review.independence")


@quick
@given(st.dictionaries(st.sampled_from("abc"), st.builds(LabelRule, st.booleans(), st.sampled_from(GRADES))), st.permutations("abcd"))
def test_the_order_of_labels_does_not_matter_and_more_labels_never_ask_for_less_P6(
    label_rules: dict[str, LabelRule], labels: list[str]
) -> None:
    policy = rules(label_rules=label_rules)
    assert required_grade(policy, labels) == required_grade(policy, sorted(labels))
    assert bars_auto_approval(policy, labels) == bars_auto_approval(policy, sorted(labels))
    for end in range(len(labels)):
        fewer = required_grade(policy, labels[:end])[0]
        assert GRADES.index(fewer) <= GRADES.index(required_grade(policy, labels)[0])


def test_a_label_without_a_rule_asks_for_nothing_P6() -> None:
    assert required_grade(ReviewPolicy(), ["docs"]) == ("origin", "review.independence")
    assert bars_auto_approval(ReviewPolicy(), ["docs"]) is None
