"""Which programs can be driven, and by which profile."""

from __future__ import annotations

from typing import get_args

from foureyes.adapters.agents.dialects import DIALECTS, dialect_of
from foureyes.adapters.agents.streams.parser import FORMATS
from foureyes.core.rules.policy import DEFAULT_PROFILES, Adapter, OutputFormat, Profile


def test_every_adapter_and_output_that_a_profile_may_name_is_there() -> None:
    assert set(DIALECTS) == set(get_args(Adapter)) - {""}
    assert set(FORMATS) == set(get_args(OutputFormat)) - {""}
    assert {dialect.output for dialect in DIALECTS.values()} <= set(FORMATS)


def test_a_profile_is_driven_as_it_says_else_by_the_name_of_its_program() -> None:
    assert dialect_of(Profile("/opt/bin/codex")) is DIALECTS["codex"]
    assert dialect_of(Profile("my-claude", adapter="claude")) is DIALECTS["claude"]
    assert dialect_of(Profile("aider")) is DIALECTS["text"]
    assert all(dialect_of(profile) is DIALECTS[profile.program] for profile in DEFAULT_PROFILES.values())
