"""`[agents.NAME]`: agents of one's own, and clear words about what is wrong with one (E2, I6)."""

from __future__ import annotations

import pytest

from foureyes.config.agent_profiles import ADAPTERS, OUTPUTS, read_profile
from foureyes.config.parser import read_file
from foureyes.core.rules.policy import Profile
from foureyes.errors import ConfigError


def test_what_is_said_of_a_built_in_one_changes_only_that_I6() -> None:
    senior = read_profile({"model": "large", "slots": 1}, "claude-senior", "here")
    assert senior == Profile("claude", model="large", vendor="anthropic", slots=1)
    assert read_profile({"program": "claude", "model": "m"}, "claude", "here").vendor == "anthropic"


def test_another_program_under_a_built_in_name_is_not_that_vendors_I6() -> None:
    assert read_profile({"program": "/opt/mine"}, "claude", "here") == Profile("/opt/mine")


def test_one_of_ones_own_says_how_it_is_run() -> None:
    given = {
        "program": "aider", "args": ["--message-file", "{prompt_file}"], "adapter": "text", "output": "text",
        "env": ["MY_KEY", "MODE=quiet"], "deadline_minutes": 5, "idle_minutes": 1, "slots": 0,
    }  # fmt: skip
    profile = read_profile(given, "mine", "here")
    assert (profile.args, profile.env) == (("--message-file", "{prompt_file}"), ("MY_KEY", "MODE=quiet"))
    assert read_profile({}, "mine", "here").program == "mine"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"modell": "x"}, "modell.*allowed are program, model"),
        ({"slots": -1}, "slots is 0 to 100"),
        ({"slots": "2"}, "slots"),
        ({"deadline_minutes": 0}, "deadline_minutes is 1 to"),
        ({"idle_minutes": 10**9}, "idle_minutes is 1 to"),
        ({"program": "./bin/x"}, "absolute path"),
        ({"program": ""}, "absolute path"),
        ({"adapter": "cursor"}, "adapter"),
        ({"output": "xml"}, "output"),
        ({"args": "-v"}, "args"),
        ({"args": ["a\0b"]}, "NUL"),
        ({"env": ["1X"]}, "neither the name of a variable"),
        ({"env": ["FOUREYES_TOKEN"]}, "FOUREYES_TOKEN: variables starting with FOUREYES_"),
        ({"env": ["GIT_DIR=/x"]}, "GIT_DIR: variables starting with FOUREYES_, GIT_"),
        ("claude", "allowed are"),
    ],
)
def test_what_is_wrong_is_said(given: object, told: str) -> None:
    with pytest.raises(ConfigError, match=f"foureyes.toml:3 agents.x: .*{told}"):
        read_profile(given, "x", "foureyes.toml:3 agents.x")


@pytest.mark.parametrize("name", ["human", "", "a/b", "..", "a b", "x" * 41])
def test_a_name_can_be_a_file_and_is_no_persons(name: str) -> None:
    with pytest.raises(ConfigError, match="cannot be the name of an agent"):
        read_profile({}, name, "here")


def test_what_there_is_to_choose_from() -> None:
    assert {"text", "scripted", "claude", "codex"} <= set(ADAPTERS)
    assert set(OUTPUTS) <= set(ADAPTERS)


def test_what_is_wrong_is_said_with_its_line_and_the_values_there_are() -> None:
    text = '[run]\nnotify = "x"\n\n[agents.one]\nmodel = "m"\n\n[agents.two]\nadapter = "clawd"\n'
    with pytest.raises(ConfigError) as wrong:
        read_file(text)
    assert wrong.value.message.startswith("foureyes.toml:7 agents.two: ")
    assert wrong.value.message.endswith(f"allowed are adapter = {'|'.join(ADAPTERS)}")
