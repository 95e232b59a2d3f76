"""Builds the policy in force: the structs of the rules, filled from the configuration layers. (P, I6)"""

from __future__ import annotations

from functools import cache

import msgspec
from msgspec.structs import replace

from foureyes.config.layers import Layers, in_force, is_said, resolve
from foureyes.config.settings import BY_KEY, SETTINGS, Setting, SettingValue
from foureyes.core.nouns.check_config import CheckoutRule, CheckRule
from foureyes.core.rules.policy import (
    AutoApprove,
    HumanRule,
    IdentityRule,
    Limits,
    MinorRule,
    PeersRule,
    Profile,
    ReviewPolicy,
    RiskRule,
    RunRule,
    SprintRule,
    Tiers,
    programs_of_profiles,
)


def agent_profiles(layers: Layers) -> dict[str, Profile]:
    """Return the known agent programs by name, with their model and vendor. (I6)"""
    profiles = resolve(BY_KEY["agents"], layers).value
    assert isinstance(profiles, dict)
    return profiles  # type: ignore[return-value]


def listed_profiles(layers: Layers) -> tuple[str, ...]:
    """Return the agent programs listed in `[agents]`, in order."""
    return tuple(layers.file.get(BY_KEY["agents"].key, ()))  # type: ignore[arg-type]


def identity_rule(layers: Layers) -> IdentityRule:
    """Return the setting for where callers of this project can be identified. (I3)"""
    return IdentityRule(**_values(IdentityRule, layers))  # type: ignore[arg-type]


def review_policy(layers: Layers) -> ReviewPolicy:
    """Return the complete resolved policy."""
    checkout = CheckoutRule(**_values(CheckoutRule, layers))  # type: ignore[arg-type]
    return ReviewPolicy(
        minor=MinorRule(**_values(MinorRule, layers)),  # type: ignore[arg-type]
        auto=AutoApprove(**_values(AutoApprove, layers)),  # type: ignore[arg-type]
        human=HumanRule(**_values(HumanRule, layers)),  # type: ignore[arg-type]
        risk=RiskRule(**_values(RiskRule, layers)),  # type: ignore[arg-type]
        limits=_limits(_values(Limits, layers)),
        tiers=Tiers(**_values(Tiers, layers)),  # type: ignore[arg-type]
        peers=PeersRule(**_values(PeersRule, layers)),  # type: ignore[arg-type]
        run=RunRule(**_values(RunRule, layers)),  # type: ignore[arg-type]
        sprint=SprintRule(**_values(SprintRule, layers)),  # type: ignore[arg-type]
        scripted=frozenset(name for name, each in agent_profiles(layers).items() if each.adapter == "scripted"),
        programs=programs_of_profiles(agent_profiles(layers)),
        checkout=checkout,
        **_with(checkout, _values(ReviewPolicy, layers)),  # type: ignore[arg-type]
    )


def _values(struct: type[msgspec.Struct], layers: Layers) -> dict[str, SettingValue]:
    """Return the configured fields of a struct. Unset fields keep the struct's defaults."""
    return {setting.name: in_force(setting, layers) for setting in _fills(struct) if is_said(setting, layers)}


@cache
def _fills(struct: type[msgspec.Struct]) -> tuple[Setting, ...]:
    """Return the settings that fill a struct."""
    return tuple(setting for setting in SETTINGS if setting.of is struct)


def _with(checkout: CheckoutRule, values: dict[str, SettingValue]) -> dict[str, SettingValue]:
    """Return the checks, each with the checkout, because its environment is part of a check. (D5)"""
    rules = values.get("checks")
    if not checkout.matters or not isinstance(rules, tuple):
        return values
    checks = tuple(replace(rule, checkout=checkout) for rule in rules if isinstance(rule, CheckRule))
    return {**values, "checks": checks}


def _limits(values: dict[str, SettingValue]) -> Limits:
    """Return the limits, each at least 1, because 0 would escalate tasks before they begin. (E1)"""
    return Limits(**{name: max(1, value) if isinstance(value, int) else value for name, value in values.items()})  # type: ignore[arg-type]
