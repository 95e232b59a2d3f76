"""Settings: every key, what is allowed, what an error names, and which layer wins (P, P12)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foureyes.config import (
    BY_KEY,
    FILE,
    SETTINGS,
    Layers,
    Setting,
    Value,
    is_looser,
    parse,
    read_file,
    resolve,
    review_policy,
)
from foureyes.core.nouns.check import CheckRule
from foureyes.core.nouns.feedback import QUICK_ISSUES
from foureyes.core.nouns.session import GRADES
from foureyes.core.rules.policy import (
    DEFAULT_LABEL_RULES,
    MODES,
    POLICIES,
    AutoApprove,
    HumanRule,
    LabelRule,
    Limits,
    MinorRule,
    Profile,
    ReviewPolicy,
    RiskRule,
    Tiers,
)
from foureyes.errors import ConfigError

quick = settings(derandomize=True, max_examples=100, deadline=None, database=None)
POLICY = BY_KEY["review.policy"]
FLAG, TD_FLAG = "FOUREYES_FEATURE_BALANCED_REVIEW_POLICY", "TD_FEATURE_BALANCED_REVIEW_POLICY"

EXAMPLES: dict[str, tuple[str, Value]] = {
    "project.id": ('"0123"', "0123"),
    "project.prefix": ('"td"', "td"),
    "project.target": ('"trunk"', "trunk"),
    "project.claim_stale_minutes": ("30", 30),
    "project.protected_paths": ('["a/**", "b"]', ("a/**", "b")),
    "store.url": ('"postgresql://db/x"', "postgresql://db/x"),
    "review.policy": ('"strict"', "strict"),
    "review.independence": ('"vendor"', "vendor"),
    "review.same_origin": ('"audit"', "audit"),
    "review.human_proof": ('"key"', "key"),
    "review.agent_approval": ('"review"', "review"),
    "agents": ('{ claude = { model = "opus" } }', {"claude": Profile("claude", model="opus")}),
    "review.label_rules": ('{ docs = { independence = "model" } }', {"docs": LabelRule("skip", independence="model")}),
    "review.default_mode": ('"per-task"', "per-task"),
    "review.reviews": ("2", 2),
    "review.docs_paths": ('["*.txt"]', ("*.txt",)),
    "review.check_paths": ('["ci/**"]', ("ci/**",)),
    "review.quick_issues": ('["Too long"]', ("Too long",)),
    "review.auto_approve.enabled": ("false", False),
    "review.auto_approve.require_quality_pass": ("false", False),
    "review.auto_approve.max_iterations": ("0", 0),
    "review.auto_approve.require_signal_done": ("false", False),
    "review.human.sample_share": ("0.5", 0.5),
    "review.human.sample_from": ("2", 2),
    "review.human.batch_max": ("3", 3),
    "review.human.settle_seconds": ("0", 0),
    "review.risk.look_lines": ("1", 1),
    "review.risk.high_lines": ("2", 2),
    "review.risk.high_files": ("3", 3),
    "review.risk.new_agent": ("4", 4),
    "review.risk.test_paths": ('["t/**"]', ("t/**",)),
    "review.risk.watched_paths": ('["w/**"]', ("w/**",)),
    "review.coverage_exclude": ('["dist/**"]', ("dist/**",)),
    "review.peers.focus": ('["Load"]', ("Load",)),
    "review.peers.max_words": ("90", 90),
    "loop.no_progress_limit": ("3", 3),
    "loop.iteration_cap": ("8", 8),
    "loop.rejection_review_share": ("0.75", 0.75),
    "tiers.developer": ('"codex"', "codex"),
    "tiers.senior": ('"codex-senior"', "codex-senior"),
    "tiers.lead": ('"codex-lead"', "codex-lead"),
    "minor.self": ("false", False),
    "minor.checks": ("false", False),
    "minor.max_lines": ("0", 0),
    "minor.self_approvals_per_day": ("1", 1),
    "checks": (
        '[{ name = "tests", run = "pytest", report = "junit" }]',
        (CheckRule(name="tests", run="pytest", report="junit"),),
    ),
}
WRONG: dict[str, list[str]] = {
    "text": ["1", "true", "[]", "1.5", "{ a = 1 }"],
    "number": ['"5"', "-1", "1.5", "true", "[]"],
    "yes/no": ['"true"', "1", "[]"],
    "choice": ['"lax"', '"Strict"', '""', "1", "true", '["strict"]'],
    "list": ['"a"', "1", "[1]", '["a", 1]', "{ a = 1 }"],
    "share": ['"0.5"', "-0.1", "1.1", "2", "true", "[]", "nan", "inf"],
    "checks": [
        '"pytest"',
        "1",
        "{ name = 1 }",
        '["pytest"]',
        '[{ name = "a" }]',
        '[{ run = "a" }]',
        '[{ name = "a", run = "b", report = "html" }]',
        '[{ name = "a", run = "b", required = 1 }]',
        '[{ name = "a", run = "b", timeout = 5 }]',
        '[{ name = "a", run = "b", failed_exit = "1" }]',
    ],
    "profiles": ['"a"', "1", "[]", "{ claude = 1 }", "{ claude = { model = 1 } }", '{ claude = { modell = "x" } }'],
    "rules": [
        '"a"',
        "1",
        "[]",
        "{ docs = 1 }",
        '{ docs = { independence = "god" } }',
        "{ docs = { auto_approve = 1 } }",
        "{ docs = { x = 1 } }",
        '{ docs = { mode = "auto" } }',
        '{ docs = { reviews = "two" } }',
        '{ docs = { unseen = "never" } }',
    ],
}


def line(key: str, value: str) -> str:
    section, _, name = key.rpartition(".")
    return (f"[{section}]" if section else "") + f"\n{name} = {value}\n"


def error(text: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        read_file(text)
    return caught.value


def value_of(
    key: str = "review.policy",
    *,
    file: str = "",
    store: dict[str, str] | None = None,
    environ: dict[str, str] | None = None,
    human: bool = False,
) -> Value:
    return resolve(BY_KEY[key], layers(file=file, store=store, environ=environ, human=human)).value


def layers(
    *, file: str = "", store: dict[str, str] | None = None, environ: dict[str, str] | None = None, human: bool = False
) -> Layers:
    return Layers(file=read_file(file), store=store or {}, environ=environ or {}, human=human)


# --------------------------------------------------------------------------------------------------------- the file


def test_every_key_has_an_example_here() -> None:
    assert set(EXAMPLES) == set(BY_KEY) == {setting.key for setting in SETTINGS}


@pytest.mark.parametrize("key", EXAMPLES)
def test_every_key_is_read_from_the_file_and_wins_over_the_default_P12(key: str) -> None:
    text, expected = EXAMPLES[key]
    assert read_file(line(key, text)) == {key: expected}
    found = resolve(BY_KEY[key], layers(file=line(key, text)))
    default = BY_KEY[key].default
    in_force = {**default, **expected} if isinstance(default, dict) and isinstance(expected, dict) else expected
    assert (found.value, found.source, found.note) == (in_force, FILE, "")
    assert BY_KEY[key].default != expected


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: s.key)
def test_every_key_says_what_it_means_and_its_default_is_allowed(setting: Setting) -> None:
    assert setting.meaning
    assert resolve(setting, Layers()) == type(resolve(setting, Layers()))(setting.key, setting.default, "default")
    if setting.allowed:
        assert setting.default in setting.allowed


WRONGS = [(setting, value) for setting in SETTINGS for value in WRONG[setting.kind]]


@pytest.mark.parametrize(("setting", "value"), WRONGS, ids=[f"{s.key} = {v}" for s, v in WRONGS])
def test_a_wrong_value_is_an_error_that_names_file_line_key_and_what_is_allowed(setting: Setting, value: str) -> None:
    message = error("# a comment\n\n" + line(setting.key, value)).message
    assert f"{FILE}:4 {setting.key}" in message
    assert "allowed are" in message
    for allowed in setting.allowed:
        assert allowed in message


def test_an_unknown_key_is_an_error_with_the_nearest_one() -> None:
    found = error('[review]\npolcy = "strict"\n')
    assert f"{FILE}:2 review.polcy" in found.message
    assert "Did you mean review.policy?" in found.message
    assert found.next_step


@pytest.mark.parametrize(
    "text",
    ["x = 1\n", '[review]\nindependance = "human"\n', "[minor]\ncheck = false\n", "review = 1\n", "[[review]]\n"],
)
def test_what_is_not_a_key_is_an_error(text: str) -> None:
    assert FILE in error(text).message


@pytest.mark.parametrize("text", ["[reveiw]\n", "[project]\n[review.polices]\n"])
def test_an_unknown_table_is_an_error_even_when_it_is_empty_G1(text: str) -> None:
    assert FILE in error(text).message


def test_a_quoted_key_with_a_dot_is_not_the_key_of_a_table_G1() -> None:
    """TOML has two different keys here; taking them for one would let the second silently win over the first."""
    assert "review.policy" in error('"review.policy" = "strict"\n[review]\npolicy = "trusted"\n').message


PLACES = [
    ('\nreview.policy = "lax"\n', 2, "review.policy"),
    ('[project]\nid = "x"\n\n[review]\n# here\npolicy = "lax"\n', 6, "review.policy"),
    ('[review]\npolicy = "strict"\n[minor]\nself = 1\n', 4, "minor.self"),
    ('[review]\n"policy" = "lax"\n', 2, "review.policy"),
    ('\n[review.label_rules]\ndocs = { independence = "god" }\n', 3, "review.label_rules.docs"),
    ('\n\n[review.label_rules.docs]\nindependence = "god"\n', 4, "review.label_rules.docs"),
    ('\n[features]\nbalanced_review_policy = "yes"\n', 3, "features.balanced_review_policy"),
    ('\nreview_policy_mode = "lax"\n', 2, "review_policy_mode"),
    ("\nfeatures.balanced_review_policy = 1\n", 2, "features.balanced_review_policy"),
]


@pytest.mark.parametrize(("text", "number", "key"), PLACES, ids=[row[2] + f" in line {row[1]}" for row in PLACES])
def test_an_error_names_the_line_it_is_on(text: str, number: int, key: str) -> None:
    message = error(text).message
    assert key in message
    found = int(message.removeprefix(f"{FILE}:").split(" ")[0])
    assert found in (number, number - 1 if "label_rules" in key else number), f"said line {found}"


@pytest.mark.parametrize("text", ["[review\n", "policy = \n", '[review]\npolicy = "a"\npolicy = "b"\n', "\x00"])
def test_broken_toml_is_an_error_that_says_so_and_what_to_do(text: str) -> None:
    found = error(text)
    assert f"{FILE} is not valid TOML" in found.message
    assert "line" in found.message
    assert "fe doctor" in found.next_step


def test_an_empty_file_says_nothing() -> None:
    assert read_file("") == {}
    assert read_file("# nothing\n") == {}


@quick
@given(st.text(max_size=60))
def test_whatever_a_file_holds_is_settings_or_a_clear_error_G1(text: str) -> None:
    problem = None
    found: dict[str, Value] = {}
    try:
        found = read_file(text)
    except ConfigError as caught:
        problem = caught
    assert problem is None or FILE in problem.message
    assert set(found) <= {*BY_KEY, "review_policy_mode", "features.balanced_review_policy"}


# ----------------------------------------------------------------------------------------------------------- layers


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
    "review.human_proof": ("key", ""),
    "review.agent_approval": ("review", ""),
    "review.default_mode": ("per-task", "skip"),
    "review.auto_approve.enabled": ("false", ""),
    "review.auto_approve.require_quality_pass": ("true", "false"),
    "review.auto_approve.require_signal_done": ("true", "false"),
    "review.human.batch_max": ("5", "500"),
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


@quick
@given(st.sampled_from(POLICIES), st.sampled_from(POLICIES), st.booleans())
def test_an_agents_environment_never_makes_the_policy_looser_P12(below: str, above: str, human: bool) -> None:
    found = value_of(store={"review.policy": below}, environ={"FOUREYES_REVIEW_POLICY": above}, human=human)
    assert found == (above if human else min(below, above, key=POLICIES.index))


def test_the_scales_go_from_strict_to_loose_P12() -> None:
    independence = BY_KEY["review.independence"]
    assert [is_looser(POLICY, name, "balanced") for name in POLICIES] == [False, False, True, True]
    assert [is_looser(independence, grade, "model") for grade in GRADES] == [True, True, False, False, False]
    assert is_looser(BY_KEY["minor.max_lines"], 51, 50)
    assert not is_looser(BY_KEY["minor.max_lines"], 50, 50)
    assert is_looser(BY_KEY["minor.self"], True, False)
    assert not is_looser(BY_KEY["minor.self"], False, True)


# ---------------------------------------------------------------------------------------------- aliases and the flag


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
        assert "disagrees with itself about review.policy" in caught.value.message


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


# ------------------------------------------------------------------------------------------------- the whole policy


def test_without_any_layer_the_policy_is_that_of_the_rules_P() -> None:
    found = review_policy(Layers())
    assert (found.name, found.independence, found.claim_stale_minutes) == ("balanced", "origin", 120)
    assert found.minor == MinorRule(self=True, max_lines=50, self_approvals_per_day=5)
    assert found.label_rules == ReviewPolicy().label_rules
    assert FILE in found.protected_paths


def test_every_key_of_the_rules_reaches_the_policy_P() -> None:
    text = (
        '[project]\nclaim_stale_minutes = 1\nprotected_paths = ["x"]\n[review]\npolicy = '
        '"trusted"\nindependence = "vendor"\n'
        "[review.label_rules]\ndocs = { auto_approve = false }\n[minor]\nself = false\nmax_lines = "
        "2\nself_approvals_per_day = 3\n"
    )
    assert review_policy(layers(file=text)) == ReviewPolicy(
        name="trusted", independence="vendor", claim_stale_minutes=1, protected_paths=("x",), minor=MinorRule(False, 2, 3),
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
    assert policy.human == HumanRule(sample_share=0.5, sample_from=2, batch_max=3, settle_seconds=0)
    assert policy.risk == RiskRule(
        look_lines=1, high_lines=2, high_files=3, new_agent=4, test_paths=("t/**",), watched_paths=("w/**",)
    )  # fmt: skip
    assert (policy.default_mode, policy.reviews, policy.docs_paths, policy.check_paths) == (
        "per-task",
        2,
        ("*.txt",),
        ("ci/**",),
    )
    assert (policy.quick_issues, policy.minor.checks) == (("Too long",), False)
    assert policy.checks == (CheckRule(name="tests", run="pytest", report="junit"),)


def test_every_key_about_the_loop_reaches_the_policy_E5_E2_V2() -> None:
    keys = [
        key
        for key in EXAMPLES
        if key.startswith(("loop.", "tiers.", "review.peers.")) or key == "review.coverage_exclude"
    ]
    tables: dict[str, str] = {}
    for key in keys:
        section, _, name = key.rpartition(".")
        tables[section] = tables.get(section, f"[{section}]\n") + f"{name} = {EXAMPLES[key][0]}\n"
    policy = review_policy(layers(file="".join(tables.values())))
    assert policy.limits == Limits(no_progress_limit=3, iteration_cap=8, rejection_review_share=0.75)
    assert policy.tiers == Tiers(developer="codex", senior="codex-senior", lead="codex-lead")
    assert (policy.focus, policy.max_words, policy.coverage_exclude) == (("Load",), 90, ("dist/**",))
    assert review_policy(Layers()).limits == Limits(no_progress_limit=2, iteration_cap=5, rejection_review_share=0.5)


def test_a_limit_of_none_is_a_limit_of_one_and_a_share_of_none_is_none_E1_L14() -> None:
    """A loop that has not begun escalates nowhere; a share is no count."""
    text = "[loop]\nno_progress_limit = 0\niteration_cap = 0\nrejection_review_share = 0\n"
    assert review_policy(layers(file=text)).limits == Limits(
        no_progress_limit=1, iteration_cap=1, rejection_review_share=0
    )


CHECK = '[[checks]]\nname = "tests"\nrun = "pytest"\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (CHECK * 2, "number 2"), (CHECK.replace("tests", "my tests"), "one word"),
        (CHECK.replace("tests", ""), "one word"), (CHECK.replace("pytest", " "), "must not be empty"),
        (CHECK + "timeout_minutes = 0\n", "1 to 1440"), (CHECK + "timeout_minutes = 1441\n", "1 to 1440"),
        (CHECK.replace("tests", "../x"), "one word"),
    ],
)  # fmt: skip
def test_a_check_has_a_name_of_its_own_something_to_run_and_an_end_D5(text: str, words: str) -> None:
    found = error(text)
    assert words in found.message
    assert found.message.startswith(f"{FILE}:1 checks")


def test_a_share_is_read_from_the_store_too_H3() -> None:
    assert value_of("review.human.sample_share", store={"review.human.sample_share": "0.25"}) == 0.25
    for text in ("lots", "1.5", "-0.1", "nan"):
        with pytest.raises(ConfigError, match="a share from 0 to 1"):
            value_of("review.human.sample_share", store={"review.human.sample_share": text})


def test_the_scales_of_modes_and_switches_go_from_strict_to_loose_P12_M4() -> None:
    mode = BY_KEY["review.default_mode"]
    assert [is_looser(mode, name, "batch") for name in MODES] == [False, False, True, True]
    assert is_looser(BY_KEY["review.auto_approve.enabled"], True, False)
    for key in ("review.auto_approve.require_quality_pass", "review.auto_approve.require_signal_done", "minor.checks"):
        assert is_looser(BY_KEY[key], False, True)
        assert not is_looser(BY_KEY[key], True, False)


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
