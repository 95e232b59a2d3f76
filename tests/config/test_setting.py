"""A key of the configuration: where its default comes from, and its variable (P12)."""

from __future__ import annotations

from foureyes.config.settings import Setting
from foureyes.core.rules.policy import PeersRule


def test_a_key_has_the_default_of_the_struct_that_it_fills_or_its_own_P12() -> None:
    minutes = Setting(key="review.peers.timeout_minutes", kind="number", of=PeersRule, meaning="…")
    assert (minutes.name, minutes.default) == ("timeout_minutes", PeersRule().timeout_minutes)
    assert Setting(key="project.prefix", kind="text", own_default="fe", meaning="…").default == "fe"


def test_only_a_key_with_a_scale_has_a_variable_P12() -> None:
    assert Setting(key="a.b", kind="number", scale="low", meaning="…").env == "FOUREYES_A_B"
    assert Setting(key="a.b", kind="number", meaning="…").env == ""
