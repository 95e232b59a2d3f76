"""Reading settings: every key, what is allowed, and what an error names (P, D5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.config import FILE
from foureyes.config.layers import resolve
from foureyes.config.parser import former_keys, read_file
from foureyes.config.settings import BY_KEY, REMOVED, SETTINGS, Setting, SettingValue
from foureyes.core.rules.policy import LabelRule
from foureyes.errors import ConfigError
from foureyes.ui.steps import steps_text

from tests.config.samples import EXAMPLES, WRONG, error, layers, line, quick


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
    assert "fe doctor" in steps_text(found.next_step)


def test_an_empty_file_says_nothing() -> None:
    assert read_file("") == {}
    assert read_file("# nothing\n") == {}


@quick
@given(st.text(max_size=60))
def test_whatever_a_file_holds_is_settings_or_a_clear_error_G1(text: str) -> None:
    problem = None
    found: dict[str, SettingValue] = {}
    try:
        found = read_file(text)
    except ConfigError as caught:
        problem = caught
    assert problem is None or FILE in problem.message
    assert set(found) <= {*BY_KEY, "review_policy_mode", "features.balanced_review_policy"}


CHECK = '[[checks]]\nname = "tests"\nrun = "pytest"\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (CHECK * 2, "number 2"), (CHECK.replace("tests", "my tests"), "one word"),
        (CHECK.replace("tests", ""), "one word"), (CHECK.replace("pytest", " "), "must not be empty"),
        (CHECK + "timeout_minutes = 0\n", "1 to 1440"), (CHECK + "timeout_minutes = 1441\n", "1 to 1440"),
        (CHECK.replace("tests", "../x"), "one word"),
        (CHECK + 'writes = ["../x"]\n', "files in its checkout"), (CHECK + 'writes = [""]\n', "files in its checkout"),
    ],
)  # fmt: skip
def test_a_check_has_a_name_of_its_own_something_to_run_and_an_end_D5(text: str, words: str) -> None:
    found = error(text)
    assert words in found.message
    assert found.message.startswith(f"{FILE}:1 checks")


def test_a_former_key_is_read_as_the_new_one() -> None:
    found = layers(file="[review.risk]\nhigh_lines = 9\n")
    assert resolve(BY_KEY["review.risk.large_change"], found).value == 9
    assert f"{FILE}:2 review.risk.high_lines" in error('[review.risk]\nhigh_lines = "9"\n').message


def test_a_former_key_beside_the_new_one_must_agree() -> None:
    both = layers(file="[review.risk]\nhigh_lines = 9\nlarge_change = 8\n")
    with pytest.raises(ConfigError, match="twice, with different values"):
        resolve(BY_KEY["review.risk.large_change"], both)


@pytest.mark.parametrize("key", REMOVED)
def test_a_removed_key_is_accepted_and_ignored(key: str) -> None:
    assert read_file(line(key, '"whatever"') + '\n[git]\nremote = "origin"\n') == {"git.remote": "origin"}


def test_the_former_keys_of_a_file_are_named_with_the_new_ones() -> None:
    text = (
        'review_policy_mode = "strict"\n[minor]\nmax_bytes = 9\nmax_lines = 9\n[review]\ndocs_paths = ["x"]\n'
        'check_paths = ["x"]\n[review.risk]\nhigh_lines = 9\n'
    )
    assert former_keys(text) == [
        "minor.max_bytes has no effect and can be removed (a minor change has at most 4096 bytes)",
        "review.docs_paths still replaces the built-in list. Write review.extra_docs_paths instead, which adds to it",
        "review.check_paths is now review.extra_check_paths, which adds to the built-in list",
        "review.risk.high_lines is now review.risk.large_change",
    ]


def test_a_rule_of_a_label_counts_however_the_label_is_written_M3() -> None:
    found = read_file("[review.label_rules]\nSecurity = { reviews = 2 }\nUx = { reviews = 1 }\n")["review.label_rules"]
    assert isinstance(found, dict)
    assert found["security"] == LabelRule("per-task", auto_approve=False, independence="human", reviews=2)
    assert set(found) == {"security", "Ux"}
    with pytest.raises(ConfigError, match="the same label"):
        read_file("[review.label_rules]\nux = { reviews = 2 }\nUX = { reviews = 1 }\n")


def test_a_label_rule_names_reviewers_and_no_empty_name_is_one_M3_D6() -> None:
    found = read_file('[review.label_rules]\nux = { reviewers = ["codex", "alice@laptop"] }\n')["review.label_rules"]
    assert found == {"ux": LabelRule(reviewers=("codex", "alice@laptop"))}
    for names in ('[""]', '[" codex"]', '"codex"', "[1]"):
        with pytest.raises(ConfigError, match=r"review\.label_rules\.ux"):
            read_file(f"[review.label_rules]\nux = {{ reviewers = {names} }}\n")
