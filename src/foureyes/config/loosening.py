"""Tells which changes of settings loosen the gate, for a person who is asked to accept one. It only marks them.
(P12)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from foureyes.config.layers import is_looser
from foureyes.config.settings import BY_KEY, SettingValue
from foureyes.core.nouns.check_config import ISOLATIONS, CheckRule
from foureyes.core.nouns.session import GRADES
from foureyes.core.rules.policy import MODES, LabelRule, Mode, Profile, Unseen

UNSEEN: tuple[Unseen, ...] = ("note", "ask", "refuse")
USUAL: Mode = "batch"
"""The default mode of a label without one."""
ANY_CHANGE = (
    "identity.uid_map", "checkout.prepare", "checkout.build", "checkout.extra_inputs", "git.remote",
    "review.risk.extra_test_paths",
)  # fmt: skip
LOOSER_IF: Mapping[str, Literal["more", "less", "added", "gone"]] = {
    "project.extra_protected_paths": "gone", "review.extra_check_paths": "gone",
    "review.risk.extra_watched_paths": "gone", "review.extra_docs_paths": "added",
    "review.extra_coverage_exclude": "added", "review.extra_linters": "added",
    "review.reviews": "less", "review.human.settle_seconds": "less", "review.risk.large_change": "more",
    "project.claim_stale_minutes": "less",
    "loop.no_progress_limit": "more", "loop.iteration_cap": "more", "loop.rejection_review_share": "more",
    "review.peers.ask": "less", "review.peers.reviewers": "gone",
    "project.demo": "more", "run.services": "added", "work.copy": "added", "checkout.env": "added",
    "checkout.writes": "added",
}  # fmt: skip
"""For settings without a scale, what loosens them: more, less, an added entry or a removed one."""


def is_loosened(key: str, old: SettingValue, new: SettingValue) -> bool:
    """Return True if the new value of a setting demands less than the old one.

    If that cannot be decided, it is not loosening. A change of who counts as a person always is. A list of commands or
    rules is loosened as soon as one entry is.
    """
    if old == new:
        return False
    if isinstance(old, dict) and isinstance(new, dict):
        return any(_rule_is_looser(old.get(name), rule) for name, rule in {**dict.fromkeys(old), **new}.items())
    if key == "checks":
        return _checks_are_looser(old, new)
    if key == "review.auto_approve.max_iterations":
        return new == 0 or (old != 0 and new > old)  # type: ignore[operator]
    if key in ANY_CHANGE:
        return True
    if key == "checkout.isolation":
        return ISOLATIONS.index(new) > ISOLATIONS.index(old)
    if key == "tiers.lead":
        return old == "human"
    setting = BY_KEY.get(key)
    if setting is not None and setting.scale:
        return is_looser(setting, new, old)
    return _by_direction(key, old, new)


def _by_direction(key: str, old: SettingValue, new: SettingValue) -> bool:
    direction = LOOSER_IF.get(key)
    if direction in ("more", "less"):
        return new > old if direction == "more" else new < old  # type: ignore[operator]
    if direction is not None and isinstance(old, tuple) and isinstance(new, tuple):
        return bool(set(new) - set(old) if direction == "added" else set(old) - set(new))
    return False


def _checks_are_looser(old: SettingValue, new: SettingValue) -> bool:
    """Return True if a required check was removed, made optional or changed."""
    if not isinstance(old, tuple) or not isinstance(new, tuple):
        return False
    now = {rule.name: rule for rule in new if isinstance(rule, CheckRule)}
    required = [rule for rule in old if isinstance(rule, CheckRule) and rule.required]
    return any(
        (after := now.get(rule.name)) is None or not after.required or after.digest != rule.digest for rule in required
    )


def _rule_is_looser(old: object, new: object) -> bool:
    """Return True if a label rule demands less. A removed rule demands nothing. (V6)

    A profile is loosened if its stream no longer reports the files read, because its reviews then cannot be verified.
    """
    if isinstance(old, Profile):
        return isinstance(new, Profile) and bool(old.reads) and not new.reads
    if not isinstance(old, LabelRule) and not isinstance(new, LabelRule):
        return False
    was = old if isinstance(old, LabelRule) else LabelRule()
    now = new if isinstance(new, LabelRule) else LabelRule()
    return any(
        (
            MODES.index(now.mode or USUAL) > MODES.index(was.mode or USUAL),
            now.auto_approve and not was.auto_approve,
            GRADES.index(now.independence) < GRADES.index(was.independence),
            now.reviews < was.reviews,
            bool(set(was.reviewers) - set(now.reviewers)),
            UNSEEN.index(now.unseen) < UNSEEN.index(was.unseen),
        )
    )
