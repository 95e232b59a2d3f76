"""Which change of a setting loosens the gate, for who is asked to accept it (P12)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from foureyes.config.loosening import ANY_CHANGE, LOOSER_IF, is_loosened
from foureyes.config.settings import BY_KEY, SettingValue
from foureyes.core.nouns.check_config import CheckRule
from foureyes.core.rules.policy import LabelRule, Profile

TESTS, LINT = CheckRule(name="tests", run="pytest"), CheckRule(name="lint", run="ruff")
SECURITY = LabelRule("per-task", auto_approve=False, independence="human")

LOOSER: list[tuple[str, SettingValue, SettingValue]] = [
    ("review.policy", "strict", "balanced"),
    ("review.human_proof", "key", "observed"),
    ("review.auto_approve.enabled", False, True),
    ("minor.max_lines", 50, 5_000),
    ("review.reviews", 2, 0),
    ("project.extra_protected_paths", ("deploy/**", "infra/**"), ("infra/**",)),
    ("review.extra_docs_paths", ("docs/**",), ("docs/**", "**")),
    ("review.auto_approve.max_iterations", 3, 0),
    ("tiers.lead", "human", "claude"),
    ("identity.home", "host", "container"),
    ("checkout.extra_inputs", ("a.lock", "b.lock"), ("a.lock",)),
    ("checkout.extra_inputs", ("a.lock",), ("a.lock", "src/**")),
    ("checks", (TESTS, LINT), (LINT,)),
    ("checks", (TESTS,), (CheckRule(name="tests", run="pytest", required=False),)),
    ("checks", (TESTS,), (CheckRule(name="tests", run="true"),)),
    ("checks", (TESTS,), (replace(TESTS, writes=("src/**",)),)),
    ("checkout.writes", (), ("src/**",)),
    ("review.label_rules", {"security": SECURITY}, {}),
    ("review.peers.ask", 3, 1),
    ("review.peers.reviewers", ("codex", "gemini"), ("codex",)),
    ("project.demo", False, True),
    ("agents", {"codex": Profile("codex", reads="complete")}, {"codex": Profile("codex")}),
    ("review.label_rules", {"security": SECURITY}, {"security": LabelRule("skip")}),
    ("review.label_rules", {}, {"urgent": LabelRule("auto-approve")}),
    ("review.label_rules", {"law": LabelRule(unseen="refuse")}, {"law": LabelRule(unseen="ask")}),
    ("review.label_rules", {"law": LabelRule(reviewers=("codex", "qwen"))}, {"law": LabelRule(reviewers=("codex",))}),
]
OTHER: list[tuple[str, SettingValue, SettingValue]] = [
    ("review.policy", "balanced", "strict"),
    ("review.reviews", 0, 2),
    ("checks", (LINT,), (TESTS, LINT)),
    ("project.extra_protected_paths", (), ("deploy/**",)),
    ("review.label_rules", {}, {"law": LabelRule("per-task", independence="human")}),
    ("review.label_rules", {"law": LabelRule(reviewers=("qwen",))}, {"law": LabelRule(reviewers=("codex", "qwen"))}),
    ("review.auto_approve.max_iterations", 0, 3),
    ("project.prefix", "fe", "shop"),
    ("agents", {"codex": Profile("codex")}, {"codex": Profile("codex", reads="complete", model="o9")}),
    ("minor.max_lines", 50, 50),
]


@pytest.mark.parametrize(("key", "old", "new"), LOOSER)
def test_what_asks_for_less_is_marked_P12(key: str, old: SettingValue, new: SettingValue) -> None:
    assert is_loosened(key, old, new)


@pytest.mark.parametrize(("key", "old", "new"), OTHER)
def test_what_asks_for_more_or_for_something_else_is_not_P12(key: str, old: SettingValue, new: SettingValue) -> None:
    assert not is_loosened(key, old, new)


def test_every_key_with_a_direction_exists() -> None:
    assert set(LOOSER_IF) <= set(BY_KEY)


BY_ITSELF = {
    *ANY_CHANGE, "checks", "checkout.isolation", "tiers.lead", "review.auto_approve.max_iterations",
    "review.label_rules", "agents",
}  # fmt: skip
WHATEVER = {
    "project.id", "project.prefix", "project.target", "store.url", "work.worktree", "checkout.keep",
    "review.quick_issues", "review.peers.timeout_minutes", "review.silence_minutes",
    "review.peers.focus", "review.peers.max_words", "tiers.developer", "tiers.senior", "run.review_limit",
    "run.checks_at_once", "run.spend_per_task", "run.spend_per_sprint",
    "run.max_runs_per_task", "run.notify", "sprint.pause_on_error", "sprint.checkpoint",
}  # fmt: skip
"""What decides nothing about what counts, whatever it is."""


def test_of_every_setting_it_is_known_whether_it_can_loosen_P12() -> None:
    known = [*LOOSER_IF, *BY_ITSELF, *WHATEVER, *(key for key, setting in BY_KEY.items() if setting.scale)]
    assert sorted(known) == sorted(BY_KEY)
