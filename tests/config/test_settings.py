"""Every key of the configuration: its meaning, and its default, which is that of the rules (P, A4, E2)."""

from __future__ import annotations

import msgspec
import pytest

from foureyes.app.runner.run_end import COMMIT_MAX_FILES, COMMIT_MAX_MB
from foureyes.app.runner.snapshot import MIN_FREE_MB
from foureyes.config import FILE
from foureyes.config.effective_policy import agent_profiles, review_policy
from foureyes.config.layers import Layers, resolve
from foureyes.config.settings import ALIASES, BY_KEY, POLICY_ALIAS, REMOVED, SETTINGS, WHOLE_LISTS, Setting, instead_of
from foureyes.core.nouns.check_config import TIMEOUT_MINUTES, CheckoutRule
from foureyes.core.rules.minor_tasks import MAX_BYTES
from foureyes.core.rules.policy import (
    BATCH_MAX,
    AutoApprove,
    HumanRule,
    IdentityRule,
    Limits,
    MinorRule,
    PeersRule,
    ReviewPolicy,
    RiskRule,
    RunRule,
    SprintRule,
    Tiers,
)
from foureyes.core.rules.risk import MANY_FILES, NEW_AGENT, SOME_LINES

from tests.config.samples import layers


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: s.key)
def test_every_key_says_what_it_means_and_its_default_is_allowed(setting: Setting) -> None:
    assert setting.meaning
    assert resolve(setting, Layers()) == type(resolve(setting, Layers()))(setting.key, setting.default, "default")
    if setting.allowed:
        assert setting.default in setting.allowed


def test_every_default_is_written_once_with_the_rules_P() -> None:
    assert review_policy(Layers()) == ReviewPolicy()


@pytest.mark.parametrize("setting", [s for s in SETTINGS if s.of is not None], ids=lambda s: s.key)
def test_the_default_of_a_key_is_that_of_the_struct_it_fills_P(setting: Setting) -> None:
    assert setting.of is not None
    assert setting.own_default == "", "a second default beside the struct's"
    fields = {field.name: field for field in msgspec.structs.fields(setting.of)}
    field = fields[setting.name]
    default = field.default if field.default is not msgspec.NODEFAULT else field.default_factory()
    assert (setting.builtin or setting.default) == default
    assert not (setting.builtin and setting.default), "an extra list begins empty"


def test_every_field_of_the_rules_has_exactly_one_key_P() -> None:
    """A field that no key fills could not be configured; one that two keys fill would have two answers."""
    structs = {
        IdentityRule,
        ReviewPolicy,
        MinorRule,
        AutoApprove,
        HumanRule,
        RiskRule,
        Limits,
        Tiers,
        RunRule,
        PeersRule,
        SprintRule,
        CheckoutRule,
    }
    parts = {
        (ReviewPolicy, name) for name in ("minor", "auto", "human", "risk", "limits", "tiers", "run", "peers", "sprint")
    } | {(ReviewPolicy, name) for name in ("scripted", "programs", "checkout")}  # two follow from the profiles
    fields = {(struct, name) for struct in structs for name in struct.__struct_fields__} - parts
    filled = [(setting.of, setting.name) for setting in SETTINGS if setting.of is not None]
    assert len(filled) == len(set(filled))
    assert set(filled) == fields


def test_every_other_name_of_a_key_leads_to_a_key_and_is_none() -> None:
    assert set(ALIASES.values()) <= set(BY_KEY)
    assert not {*ALIASES, *REMOVED} & set(BY_KEY)
    assert not set(ALIASES) & set(REMOVED)
    assert set(WHOLE_LISTS) <= set(ALIASES)


def test_every_former_key_says_what_to_write_instead() -> None:
    for old, new in ALIASES.items():
        assert old == POLICY_ALIAS or new in instead_of(old)
    for old in REMOVED:
        assert "can be removed" in instead_of(old)
    assert {instead_of(key) for key in (*BY_KEY, POLICY_ALIAS)} == {""}


@pytest.mark.parametrize(
    ("key", "number"),
    [
        ("checkout.timeout_minutes", TIMEOUT_MINUTES / 60), ("minor.max_bytes", MAX_BYTES),
        ("review.human.batch_max", BATCH_MAX), ("review.risk.high_files", MANY_FILES),
        ("review.risk.look_lines", SOME_LINES), ("review.risk.new_agent", NEW_AGENT),
        ("run.commit_max_files", COMMIT_MAX_FILES), ("run.commit_max_mb", COMMIT_MAX_MB),
        ("run.min_free_mb", MIN_FREE_MB),
    ],
)  # fmt: skip
def test_a_removed_key_names_the_value_in_force(key: str, number: float) -> None:
    assert ("an hour" if key == "checkout.timeout_minutes" else f" {number} ") in f"{REMOVED[key]} "


def test_what_decides_about_the_gate_is_protected_by_default_A4() -> None:
    assert ReviewPolicy().protected_paths == (FILE, ".github/workflows/**")


@pytest.mark.parametrize("tier", Tiers.__struct_fields__)
def test_every_tier_names_a_profile_that_exists_or_a_person_E2(tier: str) -> None:
    assert getattr(Tiers(), tier) in {"human", *agent_profiles(Layers())}


def test_a_built_in_agent_that_is_given_a_model_still_runs_its_own_program_E2_I6() -> None:
    text = '[agents]\nclaude-senior = { model = "large" }\nmine = { model = "small" }\n'
    profiles = agent_profiles(layers(file=text))
    assert (profiles["claude-senior"].program, profiles["claude-senior"].model) == ("claude", "large")
    assert profiles["mine"].program == "mine"
