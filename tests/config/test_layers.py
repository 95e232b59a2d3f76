"""Layers of settings: which one wins, and who may loosen what (P, P12)."""

from __future__ import annotations

from itertools import product

import pytest

from foureyes.app.context import OF_SETTINGS
from foureyes.config import FILE
from foureyes.config.layers import VARIABLES, is_looser, resolve
from foureyes.config.parser import parse
from foureyes.config.settings import BY_KEY, SETTINGS, Setting
from foureyes.core.nouns.session import GRADES
from foureyes.core.rules.policy import MODES, POLICIES
from foureyes.errors import ConfigError

from tests.config.samples import FLAG, POLICY, TD_FLAG, error, layers, value_of


def test_the_layers_are_environment_over_store_over_file_over_default_P12() -> None:
    file, store, environ = (
        '[review]\npolicy = "delegated"\n',
        {"review.policy": "balanced"},
        {"FOUREYES_REVIEW_POLICY": "strict"},
    )
    found = [
        resolve(POLICY, layers()),
        resolve(POLICY, layers(file=file)),
        resolve(POLICY, layers(file=file, store=store)),
        resolve(POLICY, layers(file=file, store=store, environ=environ)),
    ]
    assert [(row.value, row.source) for row in found] == [
        ("balanced", "default"),
        ("delegated", FILE),
        ("balanced", "store"),
        ("strict", "environment"),
    ]


SCALED = [setting for setting in SETTINGS if setting.scale]
STRICTER_AND_LOOSER = {
    "review.policy": ("strict", "trusted"),
    "review.independence": ("human", "session"),
    "review.same_origin": ("refuse", "audit"),
    "identity.home": ("host", ""),
    "review.human_proof": ("key", ""),
    "review.agent_approval": ("review", ""),
    "review.default_mode": ("per-task", "skip"),
    "review.auto_approve.enabled": ("false", ""),
    "review.auto_approve.require_quality_pass": ("true", "false"),
    "review.auto_approve.require_signal_done": ("true", "false"),
    "minor.self": ("false", ""),
    "minor.checks": ("true", "false"),
    "minor.max_lines": ("10", "5000"),
    "minor.self_approvals_per_day": ("0", "99"),
}


def test_every_scaled_key_is_tried_below() -> None:
    assert {setting.key for setting in SCALED} == set(STRICTER_AND_LOOSER)


@pytest.mark.parametrize("human", [True, False])
@pytest.mark.parametrize("setting", SCALED, ids=lambda s: s.key)
def test_the_environment_may_make_any_process_stricter_P12(setting: Setting, human: bool) -> None:
    stricter, _ = STRICTER_AND_LOOSER[setting.key]
    found = resolve(setting, layers(environ={setting.env: stricter}, human=human))
    assert (found.value, found.source) == (parse(setting, stricter, ""), "environment")


@pytest.mark.parametrize("setting", [s for s in SCALED if STRICTER_AND_LOOSER[s.key][1]], ids=lambda s: s.key)
def test_the_environment_may_loosen_only_in_a_persons_session_P12(setting: Setting) -> None:
    _, looser = STRICTER_AND_LOOSER[setting.key]
    agents = resolve(setting, layers(environ={setting.env: looser}))
    assert (agents.value, agents.source) == (setting.default, "default")
    assert setting.env in agents.note
    assert "P12" in agents.note
    persons = resolve(setting, layers(environ={setting.env: looser}, human=True))
    assert (persons.value, persons.source) == (parse(setting, looser, ""), "environment")


def test_nobodys_environment_says_that_a_person_needs_no_key_I9() -> None:
    file, environ = '[review]\nhuman_proof = "key"\n', {"FOUREYES_REVIEW_HUMAN_PROOF": "observed"}
    for human in (True, False):
        found = resolve(BY_KEY["review.human_proof"], layers(file=file, environ=environ, human=human))
        assert (found.value, found.source) == ("key", FILE)
        assert "was ignored" in found.note


def test_nobodys_environment_says_where_a_project_is_at_home_I3() -> None:
    for human in (True, False):
        found = resolve(BY_KEY["identity.home"], layers(environ={"FOUREYES_IDENTITY_HOME": "container"}, human=human))
        assert (found.value, found.source) == ("host", "default")


def test_self_approval_that_the_file_forbids_is_not_allowed_by_an_agents_environment_P12() -> None:
    file, environ = "[minor]\nself = false\n", {"FOUREYES_MINOR_SELF": "true"}
    assert value_of("minor.self", file=file, environ=environ) is False
    assert value_of("minor.self", file=file, environ=environ, human=True) is True


def test_what_is_looser_is_measured_against_the_store_too_P12() -> None:
    store, environ = {"review.policy": "strict"}, {"FOUREYES_REVIEW_POLICY": "balanced"}
    assert value_of(store=store, environ=environ) == "strict"
    assert value_of(store={"review.policy": "trusted"}, environ=environ) == "balanced"


@pytest.mark.parametrize("setting", [s for s in SETTINGS if not s.scale], ids=lambda s: s.key)
@pytest.mark.parametrize("human", [True, False])
def test_keys_without_a_scale_cannot_be_overridden_by_the_environment_P12(setting: Setting, human: bool) -> None:
    assert setting.env == ""
    variable = "FOUREYES_" + setting.key.replace(".", "_").upper()
    found = resolve(setting, layers(environ={variable: "1", "": "1"}, human=human))
    assert (found.value, found.source) == (setting.default, "default")


@pytest.mark.parametrize("setting", SCALED, ids=lambda s: s.key)
def test_nonsense_in_the_environment_is_an_error_that_names_the_variable_P(setting: Setting) -> None:
    for human in (True, False):
        with pytest.raises(ConfigError) as caught:
            resolve(setting, layers(environ={setting.env: "perhaps"}, human=human))
        assert setting.env in caught.value.message
        assert "allowed are" in caught.value.message


@pytest.mark.parametrize("setting", SCALED, ids=lambda s: s.key)
def test_an_empty_variable_is_not_set_P12(setting: Setting) -> None:
    assert resolve(setting, layers(environ={setting.env: ""})).source == "default"


def test_nonsense_in_the_store_is_an_error_that_names_the_setting_G1() -> None:
    with pytest.raises(ConfigError, match=r"stored setting review\.policy"):
        value_of(store={"review.policy": "anarchy"})


def test_an_agents_environment_never_makes_the_policy_looser_P12() -> None:
    for below, above, human in product(POLICIES, POLICIES, (True, False)):
        found = value_of(store={"review.policy": below}, environ={"FOUREYES_REVIEW_POLICY": above}, human=human)
        assert found == (above if human else min(below, above, key=POLICIES.index)), (below, above, human)


def test_the_scales_go_from_strict_to_loose_P12() -> None:
    independence = BY_KEY["review.independence"]
    assert [is_looser(POLICY, name, "balanced") for name in POLICIES] == [False, False, True, True]
    assert [is_looser(independence, grade, "model") for grade in GRADES] == [True, True, True, False, False, False]
    assert is_looser(BY_KEY["minor.max_lines"], 51, 50)
    assert not is_looser(BY_KEY["minor.max_lines"], 50, 50)
    assert is_looser(BY_KEY["minor.self"], True, False)
    assert not is_looser(BY_KEY["minor.self"], False, True)


def test_a_share_is_read_from_the_store_too_L14() -> None:
    assert value_of("loop.rejection_review_share", store={"loop.rejection_review_share": "0.25"}) == 0.25
    for text in ("lots", "1.5", "-0.1", "nan"):
        with pytest.raises(ConfigError, match="a share from 0 to 1"):
            value_of("loop.rejection_review_share", store={"loop.rejection_review_share": text})


def test_the_scales_of_modes_and_switches_go_from_strict_to_loose_P12_M4() -> None:
    mode = BY_KEY["review.default_mode"]
    assert [is_looser(mode, name, "batch") for name in MODES] == [False, False, True, True]
    assert is_looser(BY_KEY["review.auto_approve.enabled"], True, False)
    for key in ("review.auto_approve.require_quality_pass", "review.auto_approve.require_signal_done", "minor.checks"):
        assert is_looser(BY_KEY[key], False, True)
        assert not is_looser(BY_KEY[key], True, False)


def test_review_policy_mode_is_an_alias_in_file_and_environment_P() -> None:
    assert value_of(file='review_policy_mode = "strict"\n') == "strict"
    assert value_of(environ={"FOUREYES_REVIEW_POLICY_MODE": "strict"}) == "strict"


@pytest.mark.parametrize(
    ("flag", "policy"),
    [("true", "balanced"), ("false", "strict"), ("1", "balanced"), ("0", "strict"), (" False ", "strict")],
)
def test_the_flag_means_balanced_or_strict_P(flag: str, policy: str) -> None:
    assert value_of(store={"feature.balanced_review_policy": flag}) == policy
    for variable in (FLAG, TD_FLAG):
        assert value_of(environ={variable: flag}, human=True) == policy


def test_the_flag_in_the_file_is_true_or_false_P() -> None:
    assert value_of(file="[features]\nbalanced_review_policy = false\n") == "strict"
    assert value_of(file="[features]\nbalanced_review_policy = true\n") == "balanced"
    assert "allowed are true, false" in error('[features]\nbalanced_review_policy = "false"\n').message
    assert "no such key" in error("[features]\nother = true\n").message


def test_an_unset_flag_changes_nothing_P() -> None:
    assert value_of(file='[review]\npolicy = "delegated"\n') == "delegated"


def test_the_flag_of_an_agents_environment_only_tightens_P12() -> None:
    strict = '[review]\npolicy = "strict"\n'
    for variable in (FLAG, TD_FLAG):
        assert value_of(environ={variable: "false"}) == "strict"
        assert value_of(file=strict, environ={variable: "true"}) == "strict"
        assert value_of(file=strict, environ={variable: "true"}, human=True) == "balanced"
        assert value_of(file='[review]\npolicy = "trusted"\n', environ={variable: "true"}) == "balanced"


def test_a_flag_that_is_neither_true_nor_false_is_an_error_that_names_it_P() -> None:
    for environ in ({FLAG: "maybe"}, {TD_FLAG: "maybe"}):
        with pytest.raises(ConfigError) as caught:
            value_of(environ=environ)
        assert next(iter(environ)) in caught.value.message
    with pytest.raises(ConfigError, match="allowed are true, false"):
        value_of(store={"feature.balanced_review_policy": "maybe"})


DISAGREEING: list[tuple[str, dict[str, str], dict[str, str], str]] = [
    ('review_policy_mode = "strict"\n[review]\npolicy = "balanced"\n', {}, {}, FILE),
    ('[review]\npolicy = "strict"\n[features]\nbalanced_review_policy = true\n', {}, {}, FILE),
    ('review_policy_mode = "delegated"\n[features]\nbalanced_review_policy = true\n', {}, {}, FILE),
    ("", {"review.policy": "trusted", "feature.balanced_review_policy": "true"}, {}, "the store"),
    ("", {}, {"FOUREYES_REVIEW_POLICY": "strict", FLAG: "true"}, "the environment"),
    ("", {}, {"FOUREYES_REVIEW_POLICY": "strict", "FOUREYES_REVIEW_POLICY_MODE": "balanced"}, "the environment"),
    ("", {}, {FLAG: "true", TD_FLAG: "false"}, "the environment"),
]


@pytest.mark.parametrize(("file", "store", "environ", "layer"), DISAGREEING)
def test_names_of_one_setting_that_disagree_within_a_layer_are_an_error_P(
    file: str, store: dict[str, str], environ: dict[str, str], layer: str
) -> None:
    for human in (True, False):
        with pytest.raises(ConfigError) as caught:
            value_of(file=file, store=store, environ=environ, human=human)
        assert layer in caught.value.message
        assert "sets review.policy twice" in caught.value.message


def test_names_that_agree_within_a_layer_are_fine_P() -> None:
    assert (
        value_of(
            file='review_policy_mode = "strict"\n[review]\npolicy = "strict"\n[features]\nbalanced_review_policy '
            "= false\n"
        )
        == "strict"
    )
    assert value_of(environ={FLAG: "false", TD_FLAG: "0", "FOUREYES_REVIEW_POLICY": "strict"}) == "strict"


def test_disagreement_across_layers_is_decided_by_the_layers_P() -> None:
    assert (
        value_of(file='[review]\npolicy = "trusted"\n', store={"feature.balanced_review_policy": "false"}) == "strict"
    )
    assert value_of(store={"review.policy": "delegated"}, environ={FLAG: "true"}) == "balanced"
    assert (
        value_of(file="[features]\nbalanced_review_policy = false\n", store={"review.policy": "delegated"})
        == "delegated"
    )


def test_every_variable_begins_as_the_callers_of_the_configuration_expect_P12() -> None:
    assert all(name.startswith(OF_SETTINGS) for name in VARIABLES)
