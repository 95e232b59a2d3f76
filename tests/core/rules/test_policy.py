"""P6 and P1 as far as settings and labels say: which grade is asked for, and who asks."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.nouns.session import GRADES, Grade
from foureyes.core.rules.policy import (
    BATCH_MAX,
    DEFAULT_LABEL_RULES,
    MODES,
    POLICIES,
    AutoApprove,
    LabelRule,
    MinorRule,
    ReviewPolicy,
    Unseen,
    bars_auto_approval,
    must_be_seen,
    required_grade,
    required_reviews,
)

from tests.core.samples import quick, rules

UNSEEN = get_args(Unseen)


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


def test_the_default_label_rules_are_security_docs_and_trivial_M3() -> None:
    assert {
        "security": LabelRule(mode="per-task", auto_approve=False, independence="human"),
        "docs": LabelRule(mode="skip"),
        "trivial": LabelRule(mode="auto-approve"),
    } == DEFAULT_LABEL_RULES
    assert all(rule.reviews == 0 and rule.unseen == "note" for rule in DEFAULT_LABEL_RULES.values())


def test_the_modes_go_from_most_control_to_least_M() -> None:
    assert MODES == ("per-task", "batch", "auto-approve", "skip")
    policy = ReviewPolicy()
    assert policy.default_mode == "batch"
    assert policy.auto == AutoApprove(
        enabled=True, require_quality_pass=True, max_iterations=3, require_signal_done=True
    )
    assert (policy.human.settle_seconds, BATCH_MAX) == (10, 50)
    assert (policy.reviews, policy.docs_paths) == (
        0,
        (
            "**/*.md", "**/*.rst", "**/*.adoc", "**/doc/**/*.txt", "**/docs/**/*.txt",
            "**/*.png", "**/*.jpg", "**/*.gif", "**/*.webp",
        ),
    )  # fmt: skip


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


RULES = st.builds(
    LabelRule,
    auto_approve=st.booleans(),
    independence=st.sampled_from(GRADES),
    reviews=st.integers(0, 3),
    unseen=st.sampled_from(UNSEEN),
)


@quick
@given(st.dictionaries(st.sampled_from("abc"), RULES), st.permutations("abcd"))
def test_the_order_of_labels_does_not_matter_and_more_labels_never_ask_for_less_P6(
    label_rules: dict[str, LabelRule], labels: list[str]
) -> None:
    policy = rules(label_rules=label_rules)
    assert required_grade(policy, labels) == required_grade(policy, sorted(labels))
    assert bars_auto_approval(policy, labels) == bars_auto_approval(policy, sorted(labels))
    assert must_be_seen(policy, labels) == must_be_seen(policy, sorted(labels))
    for end in range(len(labels)):
        fewer = required_grade(policy, labels[:end])[0]
        assert GRADES.index(fewer) <= GRADES.index(required_grade(policy, labels)[0])
        assert required_reviews(policy, labels[:end]) <= required_reviews(policy, labels)
        assert must_be_seen(policy, labels[:end]) is None or must_be_seen(policy, labels)


def test_a_label_without_a_rule_asks_for_nothing_P6() -> None:
    for label in ("wip", "docs"):
        assert required_grade(ReviewPolicy(), [label]) == ("origin", "review.independence")
        assert bars_auto_approval(ReviewPolicy(), [label]) is None
        assert required_reviews(ReviewPolicy(), [label]) == 0
        assert must_be_seen(ReviewPolicy(), [label]) is None
