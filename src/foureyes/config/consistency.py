"""Checks that settings fit together: existing profile names, compatible time limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from foureyes.config.effective_policy import agent_profiles, review_policy
from foureyes.config.layers import Layers
from foureyes.config.settings import BY_KEY, SettingValue
from foureyes.core.rules.policy import DEFAULT_PROFILES, HUMAN, PeersRule, Profile, ReviewPolicy
from foureyes.core.rules.required import is_profile
from foureyes.core.words.store_place import why_not_kept
from foureyes.errors import ConfigError
from foureyes.steps import fe, prose

MEND = prose("fix foureyes.toml")


class Disagreement(msgspec.Struct, frozen=True):
    """A setting that conflicts with others."""

    key: str
    text: str


def disagreements(layers: Layers) -> list[Disagreement]:
    """Return every setting that conflicts with others."""
    return [*_of_profiles(layers), *_outside(layers), *_secret(layers)]


def _of_profiles(layers: Layers) -> list[Disagreement]:
    policy, profiles = review_policy(layers), agent_profiles(layers)
    return [*_unknown(policy, profiles), *_too_many(policy.peers), *_never_reviewed(policy, profiles)]


def refuse_disagreement(layers: Layers, key: str = "") -> None:
    """Raise ConfigError with every conflict, or with the first one of a single setting."""
    conflicts = [each for each in disagreements(layers) if key in ("", each.key)]
    if conflicts:
        is_named = any(each in conflicts for each in _of_profiles(layers))
        raise ConfigError(
            ". ".join(f"{each.key}: {each.text}" for each in conflicts),
            next_step=fe("agent", "list", before="fix foureyes.toml. Known profiles: ") if is_named else MEND,
        )


def _unknown(policy: ReviewPolicy, profiles: Mapping[str, Profile]) -> Iterator[Disagreement]:
    """Yield the profile names that do not exist. No agent would ever start for them."""
    tiers, known = policy.tiers, {*DEFAULT_PROFILES, *profiles}
    for key, names in (
        ("review.peers.reviewers", policy.peers.reviewers),
        ("tiers.developer", (tiers.developer,)),
        ("tiers.senior", (tiers.senior,)),
        ("tiers.lead", (tiers.lead,)),
    ):
        missing = [name for name in names if name not in known and name != HUMAN]
        if missing:
            yield Disagreement(key, f"no profile is named {', '.join(missing)}. Profiles: {', '.join(sorted(known))}")
    for label, rule in policy.label_rules.items():
        key, agents = "review.label_rules", [name for name in rule.reviewers if is_profile(name)]
        missing = [name for name in agents if name not in known]
        if missing:
            yield Disagreement(
                key, f"{label}: no profile is named {', '.join(missing)}. Name a person as user@host, or human"
            )
        if agents and rule.independence == "human":
            yield Disagreement(
                key, f"{label}: independence = human asks for people, but {', '.join(agents)} is not a person"
            )


def _too_many(peers: PeersRule) -> Iterator[Disagreement]:
    """Yield a conflict if more reviewers are to be asked than are named. Without names there is no limit."""
    if peers.reviewers and peers.ask > len(set(peers.reviewers)):
        yield Disagreement(
            "review.peers.ask", f"{peers.ask} reviewers should be asked, but only {len(peers.reviewers)} are named"
        )


def _never_reviewed(policy: ReviewPolicy, profiles: Mapping[str, Profile]) -> Iterator[Disagreement]:
    """Yield profiles whose silent runs end before an early review can start. (V1)"""
    silence = policy.peers.silence_minutes
    if not policy.peers.reviewers:
        return
    for name, profile in profiles.items():
        if profile.idle_minutes <= silence:
            yield Disagreement(
                f"agents.{name}",
                f"idle_minutes is {profile.idle_minutes}: more than review.silence_minutes ({silence}), or it is ended before its silence is noticed (V1)",
            )


def _outside(layers: Layers) -> Iterator[Disagreement]:
    """Yield paths to copy, keep or write that are outside the checkout. (K1, D5)"""
    for key in (BY_KEY["work.copy"].key, BY_KEY["checkout.keep"].key, BY_KEY["checkout.writes"].key):
        patterns: SettingValue = layers.file.get(key, ())
        odd = [each for each in _texts(patterns) if each.startswith(("/", "~")) or ".." in each.split("/")]
        if odd:
            yield Disagreement(key, f"{', '.join(odd)}: only files of the checkout, without / and ..")


def _secret(layers: Layers) -> Iterator[Disagreement]:
    """Yield a store address with a password. Accepted settings stay in the journal forever, so it must not be there.
    (P12)
    """
    key = BY_KEY["store.url"].key
    if why := why_not_kept(str(layers.file.get(key, ""))):
        yield Disagreement(key, why)


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list | tuple) else []
