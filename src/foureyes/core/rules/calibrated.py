"""Whether the agreement of a reviewer profile counts, by what it found when it was calibrated (V4, V6)."""

from __future__ import annotations

import msgspec

from foureyes.core.nouns.calibration import Calibration
from foureyes.core.rules.policy import Profile
from foureyes.core.words.digest import sha256

ASIDE = frozenset({"slots", "deadline_minutes", "idle_minutes", "attach_args", "resume_args", "vendor"})
"""What a profile may change in and be the same reviewer."""


def fingerprint_of(profile: Profile) -> str:
    """How a profile reviews: program, model, arguments, environment. What is as it is by itself is left out, so that a
    field that a later Foureyes adds makes nobody another reviewer.
    """
    usual, given = msgspec.structs.asdict(Profile()), msgspec.structs.asdict(profile)
    changed = {name: value for name, value in given.items() if name not in ASIDE and value != usual[name]}
    return sha256(msgspec.json.encode(changed, order="sorted")).hexdigest()[:16]


def why_uncounted(name: str, profile: Profile | None, known: Calibration | None, least: float) -> str:
    """V4, V6: why a review of this profile does not count, where a share of seeded defects has to be found; empty where
    it does. Never calibrated, or calibrated as another program or model, is not calibrated (G1).
    """
    if least <= 0:
        return ""
    if known is None or profile is None:
        return f"{name} was never calibrated, and review.peers.min_recall is {percent(least)}"
    if known.fingerprint != fingerprint_of(profile):
        return f"{name} was calibrated with another program, model or arguments than it has now"
    if known.recall < least:
        share = f"{known.seeded_found} of {known.seeded} seeded defects ({percent(known.recall)})"
        return f"{name} found {share}, and review.peers.min_recall is {percent(least)}"
    return ""


def percent(share: float) -> str:
    """A share for people; less than something is never shown as equal to it."""
    return f"{int(share * 1000) / 10:g} %"
