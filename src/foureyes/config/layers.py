"""Resolves settings: environment over store over foureyes.toml over default, with limits for loosening. (P12)"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from foureyes.config import FILE
from foureyes.config.parser import parse, parse_flag, shown
from foureyes.config.settings import (
    FEATURE_ENV_ALIASES,
    FEATURES,
    POLICY_ALIAS,
    SETTINGS,
    WHOLE_LISTS,
    Setting,
    SettingSource,
    SettingValue,
    names_of,
)
from foureyes.errors import ConfigError
from foureyes.steps import prose


class Layers(msgspec.Struct, frozen=True, kw_only=True):
    """The values of each layer, from the weakest to the strongest: file, store, environment. `human` is True if a
    person asks."""

    file: dict[str, SettingValue] = {}
    store: dict[str, str] = {}
    environ: Mapping[str, str] = {}
    human: bool = False


class Resolved(msgspec.Struct, frozen=True):
    """A value, where it comes from, and a note about a value that was ignored."""

    key: str
    value: SettingValue
    source: SettingSource
    note: str = ""


def is_looser(setting: Setting, value: SettingValue, than: SettingValue) -> bool:
    """Return True if a value is looser than another, by the setting's scale."""
    if isinstance(setting.scale, tuple):
        return setting.scale.index(str(value)) > setting.scale.index(str(than))
    return bool(value < than if setting.scale == "yes" else value > than)  # type: ignore[operator]


def resolve(setting: Setting, layers: Layers) -> Resolved:
    """Return the value in force: environment over store over foureyes.toml over default. (P12)"""
    below = _below_environment(setting, layers)
    wanted = _in_environment(setting, layers) if setting.scale else None
    if wanted is None:
        return below
    if is_looser(setting, wanted, below.value) and (setting.only_tighter or not layers.human):
        note = (
            f"{setting.env} = {shown(wanted)} is looser than {shown(below.value)} and was ignored, because only a person may "
            "loosen it (P12)"
        )
        return Resolved(setting.key, below.value, below.source, note)
    return Resolved(setting.key, wanted, "environment")


def in_force(setting: Setting, layers: Layers) -> SettingValue:
    """Return the value for the rules. Keys that extend a built-in list include that list. (P12)

    A former key whose entries loosen still replaces the built-in list.
    """
    value = resolve(setting, layers).value
    if not setting.builtin or any(key in layers.file for key in names_of(setting.key) if key in WHOLE_LISTS):
        return value
    assert isinstance(value, tuple)
    return tuple(dict.fromkeys((*setting.builtin, *value)))


def is_said(setting: Setting, layers: Layers) -> bool:
    """Return True if a layer sets the setting. Otherwise the default applies."""
    if layers.environ or setting.key == "review.policy":
        return True
    return any(name in layers.file or name in layers.store for name in names_of(setting.key))


def _below_environment(setting: Setting, layers: Layers) -> Resolved:
    """Return the value of the store, or else of foureyes.toml, or else the default. A table is merged with the default
    one.
    """
    in_file, in_store = _in_file(setting, layers), _in_store(setting, layers.store)
    if in_store is not None:
        return Resolved(setting.key, in_store, "store")
    if in_file is None:
        return Resolved(setting.key, setting.default, "default")
    if isinstance(in_file, dict) and isinstance(default := setting.default, dict):
        in_file = default | in_file  # type: ignore[operator]
    return Resolved(setting.key, in_file, FILE)


def _agreeing(setting: Setting, values: dict[str, SettingValue], layer: str) -> SettingValue | None:
    """Return the value of one layer. Raise ConfigError if two names of the same setting have different values. (P)"""
    if len(values) > 1 and len({str(value) for value in values.values()}) > 1:
        claims = " but ".join(f"{name} says {shown(value)}" for name, value in values.items())
        raise ConfigError(
            f"{layer} sets {setting.key} twice, with different values: {claims}", next_step=prose("keep one of them")
        )
    return next(iter(values.values()), None)


def _policy_of_flag(flag: bool) -> str:
    return "balanced" if flag else "strict"


def _in_file(setting: Setting, layers: Layers) -> SettingValue | None:
    values = {name: layers.file[name] for name in names_of(setting.key) if name in layers.file}
    if setting.key == "review.policy":
        flag = layers.file.get("features.balanced_review_policy")
        if flag is not None:
            values["features.balanced_review_policy"] = _policy_of_flag(bool(flag))
    return _agreeing(setting, values, FILE)


def _in_store(setting: Setting, texts: Mapping[str, str]) -> SettingValue | None:
    values: dict[str, SettingValue] = {}
    if setting.key in texts:
        values[setting.key] = parse(setting, texts[setting.key], f"the stored setting {setting.key}")
    if setting.key == "review.policy" and "feature.balanced_review_policy" in texts:
        values["feature balanced_review_policy"] = _policy_of_flag(
            parse_flag(texts["feature.balanced_review_policy"], "feature balanced_review_policy")
        )
    return _agreeing(setting, values, "the store")


def _in_environment(setting: Setting, layers: Layers) -> SettingValue | None:
    values: dict[str, SettingValue] = {}
    names = [setting.env] + (["FOUREYES_" + POLICY_ALIAS.upper()] if setting.key == "review.policy" else [])
    for name in names:
        if layers.environ.get(name):
            values[name] = parse(setting, layers.environ[name], name)
    if setting.key == "review.policy":
        for name in flag_names("balanced_review_policy"):
            if layers.environ.get(name):
                values[name] = _policy_of_flag(parse_flag(layers.environ[name], name))
    return _agreeing(setting, values, "the environment")


def flag_names(feature: str) -> list[str]:
    """Return the environment variables that set a feature, ours first."""
    return [
        f"FOUREYES_FEATURE_{feature.upper()}",
        *([FEATURE_ENV_ALIASES[feature]] if feature in FEATURE_ENV_ALIASES else []),
    ]


VARIABLES = (
    *(setting.env for setting in SETTINGS if setting.env),
    "FOUREYES_" + POLICY_ALIAS.upper(),
    *(name for feature in FEATURES for name in flag_names(feature)),
)


def variables_in(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment variables that set settings. If there are none, it does not matter who asks. (P12)"""
    return {name: value for name in VARIABLES if (value := environ.get(name))}
