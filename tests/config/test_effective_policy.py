"""The policy that comes of the configuration: every key reaches it, and without any it is that of the rules (P)."""

from __future__ import annotations

from operator import attrgetter

from foureyes.config import FILE
from foureyes.config.effective_policy import review_policy
from foureyes.config.layers import Layers
from foureyes.core.nouns.check_config import INPUTS, CheckRule
from foureyes.core.nouns.finding import most_of
from foureyes.core.rules.policy import (
    CHECK_PATHS,
    COVERAGE_EXCLUDE,
    DEFAULT_LABEL_RULES,
    DOCS_PATHS,
    LINTERS,
    PROTECTED_PATHS,
    TEST_PATHS,
    WATCHED_PATHS,
    AutoApprove,
    HumanRule,
    LabelRule,
    Limits,
    MinorRule,
    ReviewPolicy,
    RiskRule,
    Tiers,
)
from foureyes.core.words.vocabulary import QUICK_ISSUES

from tests.config.samples import EXAMPLES, layers


def test_without_any_layer_the_policy_is_that_of_the_rules_P() -> None:
    """So nothing of the configuration is loaded where nothing is set."""
    found = review_policy(Layers())
    assert found == ReviewPolicy()
    assert (found.name, found.independence, found.claim_stale_minutes) == ("balanced", "origin", 120)
    assert found.minor == MinorRule(self=True, max_lines=50, self_approvals_per_day=5)
    assert found.label_rules == ReviewPolicy().label_rules
    assert FILE in found.protected_paths


def test_every_key_of_the_rules_reaches_the_policy_P() -> None:
    text = (
        '[project]\nclaim_stale_minutes = 1\nextra_protected_paths = ["x"]\n[review]\npolicy = '
        '"trusted"\nindependence = "vendor"\n'
        "[review.label_rules]\ndocs = { auto_approve = false }\n[minor]\nself = false\nmax_lines = "
        "2\nself_approvals_per_day = 3\n"
    )
    assert review_policy(layers(file=text)) == ReviewPolicy(
        name="trusted", independence="vendor", claim_stale_minutes=1, protected_paths=(*PROTECTED_PATHS, "x"),
        minor=MinorRule(False, 2, self_approvals_per_day=3),
        label_rules={
            "docs": LabelRule("skip", auto_approve=False), "trivial": LabelRule("auto-approve"),
            "security": LabelRule("per-task", auto_approve=False, independence="human"),
        },
        quick_issues=QUICK_ISSUES,
    )  # fmt: skip


def test_every_key_about_modes_and_checks_reaches_the_policy_M_D5() -> None:
    mine: dict[str, list[str]] = {}
    for key, (text, _) in EXAMPLES.items():
        section, _, name = key.rpartition(".")
        if section.startswith(("review", "minor")):
            mine.setdefault(section, []).append(f"{name} = {text}\n")
    tables = "".join(f"[{section}]\n{''.join(lines)}" for section, lines in mine.items())
    policy = review_policy(layers(file=f"checks = {EXAMPLES['checks'][0]}\n{tables}"))
    assert policy.auto == AutoApprove(
        enabled=False, require_quality_pass=False, max_iterations=0, require_signal_done=False
    )
    assert policy.human == HumanRule(settle_seconds=0)
    assert policy.risk == RiskRule(
        large_change=2, test_paths=(*TEST_PATHS, "t/**"), watched_paths=(*WATCHED_PATHS, "w/**")
    )  # fmt: skip
    assert (policy.default_mode, policy.reviews, policy.docs_paths, policy.check_paths) == (
        "per-task",
        2,
        (*DOCS_PATHS, "*.txt"),
        (*CHECK_PATHS, "ci/**"),
    )
    assert (policy.quick_issues, policy.minor.checks) == (("Too long",), False)
    assert policy.checks == (CheckRule(name="tests", run="pytest", report="junit"),)


def test_every_key_about_the_loop_reaches_the_policy_E5_E2_V2() -> None:
    keys = [
        key
        for key in EXAMPLES
        if key.startswith(("loop.", "tiers.", "review.peers.")) or key == "review.extra_coverage_exclude"
    ]
    tables: dict[str, str] = {}
    for key in keys:
        section, _, name = key.rpartition(".")
        tables[section] = tables.get(section, f"[{section}]\n") + f"{name} = {EXAMPLES[key][0]}\n"
    policy = review_policy(layers(file="".join(tables.values())))
    assert policy.limits == Limits(no_progress_limit=3, iteration_cap=8, rejection_review_share=0.75)
    assert policy.tiers == Tiers(developer="codex", senior="codex-senior", lead="codex-lead")
    assert (policy.focus, policy.max_words, policy.coverage_exclude) == (("Load",), 90, (*COVERAGE_EXCLUDE, "dist/**"))
    assert review_policy(Layers()).limits == Limits(no_progress_limit=2, iteration_cap=5, rejection_review_share=0.5)


def test_a_former_list_adds_to_the_built_in_one() -> None:
    for text, field, built_in in (
        ('[project]\nprotected_paths = ["x"]', "protected_paths", PROTECTED_PATHS),
        ('[review]\ncheck_paths = ["x"]', "check_paths", CHECK_PATHS),
        ('[review.risk]\ntest_paths = ["x"]', "risk.test_paths", TEST_PATHS),
        ('[review.risk]\nwatched_paths = ["x"]', "risk.watched_paths", WATCHED_PATHS),
        ('[checkout]\ninputs = ["x"]', "checkout.inputs", INPUTS),
    ):
        assert attrgetter(field)(review_policy(layers(file=text))) == tuple(dict.fromkeys((*built_in, "x")))


def test_a_former_list_whose_entries_loosen_still_replaces() -> None:
    """The built-in entries would loosen a rule that the project made tighter (P12)."""
    for key in ("docs_paths", "coverage_exclude", "linters"):
        assert getattr(review_policy(layers(file=f'[review]\n{key} = ["x"]')), key) == ("x",)
        assert getattr(review_policy(layers(file=f"[review]\n{key} = []")), key) == ()


def test_an_extra_linter_may_say_more_than_the_built_in_one_L1() -> None:
    found = review_policy(layers(file='[review]\nextra_linters = ["ruff=HIGH", "mine"]')).linters
    assert found == (*LINTERS, "ruff=HIGH", "mine")
    assert most_of(found)["ruff"] == "HIGH"


def test_a_limit_of_none_is_a_limit_of_one_and_a_share_of_none_is_none_E1_L14() -> None:
    """A loop that has not begun escalates nowhere; a share is no count."""
    text = "[loop]\nno_progress_limit = 0\niteration_cap = 0\nrejection_review_share = 0\n"
    assert review_policy(layers(file=text)).limits == Limits(
        no_progress_limit=1, iteration_cap=1, rejection_review_share=0
    )


def test_rules_of_labels_are_added_to_the_default_ones_and_may_change_them_P6() -> None:
    changed = review_policy(
        layers(file='[review.label_rules.security]\nindependence = "origin"\nauto_approve = false\n')
    )
    mine = {"security": LabelRule("per-task", auto_approve=False, independence="origin")}
    assert changed.label_rules == DEFAULT_LABEL_RULES | mine
    less = review_policy(layers(file='[review.label_rules.security]\nindependence = "origin"\n')).label_rules[
        "security"
    ]
    assert less == mine["security"], "what is not said stays"
