"""Settings: who may change them and how; foureyes.toml, store and environment in layers (P12)."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from foureyes.config.settings import BY_KEY, FILE, SETTINGS, Setting, Source, Value
from foureyes.core.nouns.check import REPORTS, CheckRule
from foureyes.core.nouns.session import GRADES
from foureyes.core.rules.policy import (
    DEFAULT_LABEL_RULES,
    MODES,
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

__all__ = ["BY_KEY", "FILE", "SETTINGS", "Setting", "Source", "Value"]

POLICY_ALIAS = "review_policy_mode"

FEATURES: dict[str, str] = {
    "balanced_review_policy": "true: review.policy is balanced, false: strict; unset: review.policy decides"
}
FEATURE_ENV_ALIASES = {"balanced_review_policy": "TD_FEATURE_BALANCED_REVIEW_POLICY"}


class Layers(msgspec.Struct, frozen=True, kw_only=True):
    """Where values come from, strongest last asked: file < store < environment. `human` says who is asking."""

    file: dict[str, Value] = {}
    store: dict[str, str] = {}
    environ: Mapping[str, str] = {}
    human: bool = False


class Resolved(msgspec.Struct, frozen=True):
    """A value, where it came from, and what was ignored on the way."""

    key: str
    value: Value
    source: Source
    note: str = ""


def read_file(text: str, name: str = FILE) -> dict[str, Value]:
    """The settings of a foureyes.toml; an unknown key, a wrong type or an impossible value is an error that names
    it.
    """
    import tomllib

    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise ConfigError(f"{name} is not valid TOML: {problem}", next_step=f"mend {name}, then: fe doctor") from None
    return read_tree(tree, text, name)


def read_tree(tree: dict[str, object], text: str, name: str) -> dict[str, Value]:
    """The settings in a parsed file; `text` is only for saying on which line something is wrong."""
    found: dict[str, Value] = {}
    for key, value in _flat(tree):
        where = f"{name}:{_line_of(text, key)} {key}"
        if key in (POLICY_ALIAS, *(f"features.{feature}" for feature in FEATURES)):
            found[key] = _checked_alias(key, value, where)
            continue
        setting = BY_KEY.get(key)
        if setting is None:
            raise ConfigError(
                f"{where}: there is no such key.{_nearest(key)}", next_step=f"keys there are: {', '.join(BY_KEY)}"
            )
        found[key] = checked(setting, value, where)
    return found


SECTIONS = frozenset(key.rpartition(".")[0] for key in (*(setting.key for setting in SETTINGS), "features.x"))


def _flat(tree: dict[str, object], prefix: str = "") -> list[tuple[str, object]]:
    out: list[tuple[str, object]] = []
    for name, value in tree.items():
        key = prefix + (f'"{name}"' if "." in name else name)
        if isinstance(value, dict) and key not in BY_KEY and (value or key in SECTIONS):
            out += _flat(value, key + ".")
        else:
            out.append((key, value))
    return out


def _line_of(text: str, key: str) -> int:
    """The line a key stands on, as well as can be told without a position-keeping parser."""
    section, best = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[+\s*([^\]]+?)\s*\]+", line)
        name = re.match(r"\s*([^=#\[]+?)\s*=", line)
        if header:
            section = header.group(1)
            if f"{section}.".startswith(f"{key}."):
                best = best or number
        elif name and f"{section}.{name.group(1)}.".lstrip(".").replace('"', "").startswith(key.replace('"', "") + "."):
            return best or number
    return best or 1


def _nearest(key: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(key, BY_KEY, n=1)
    return f" Did you mean {close[0]}?" if close else ""


def _checked_alias(key: str, value: object, where: str) -> Value:
    if key == POLICY_ALIAS:
        return checked(BY_KEY["review.policy"], value, where)
    if not isinstance(value, bool):
        raise ConfigError(f"{where} = {_show(value)}: allowed are true, false")
    return value


def checked(setting: Setting, value: object, where: str) -> Value:
    """The value if the setting allows it, else an error with the allowed values."""
    if setting.kind == "choice" and isinstance(value, str) and value in setting.allowed:
        return value
    if setting.kind == "text" and isinstance(value, str):
        return value
    if setting.kind == "yes/no" and isinstance(value, bool):
        return value
    if setting.kind == "number" and isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    if setting.kind == "list" and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    if setting.kind == "profiles" and isinstance(value, dict):
        return {name: _profile(profile, name, f"{where}.{name}") for name, profile in value.items()}
    if setting.kind == "rules" and isinstance(value, dict):
        return {label: _label_rule(rule, label, f"{where}.{label}") for label, rule in value.items()}
    if setting.kind == "share" and isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    if setting.kind == "checks" and isinstance(value, list):
        return _checks(value, where)
    raise ConfigError(f"{where} = {_show(value)}: allowed are {allowed_values(setting)}")


def _label_rule(rule: object, label: str, where: str) -> LabelRule:
    """What is said about a label that has a rule by default changes only what it says."""
    known = msgspec.to_builtins(DEFAULT_LABEL_RULES[label]) if label in DEFAULT_LABEL_RULES else {}
    try:
        return msgspec.convert({**known, **rule} if isinstance(rule, dict) else rule, LabelRule)
    except msgspec.ValidationError as problem:
        choices = f"mode = {'|'.join(MODES)}, independence = {'|'.join(GRADES)}, unseen = note|ask|refuse"
        raise ConfigError(
            f"{where}: {problem}; allowed are auto_approve = true|false, reviews = 1, {choices}"
        ) from None


def _checks(rules: list[object], where: str) -> tuple[CheckRule, ...]:
    """The quality pipeline: each check with a name of its own and something to run."""
    found: list[CheckRule] = []
    for number, rule in enumerate(rules, 1):
        try:
            check = msgspec.convert(rule, CheckRule)
        except msgspec.ValidationError as problem:
            allowed = (
                f"name, run, report = {'|'.join(REPORTS)}, required = true|false, timeout_minutes, failed_exit = "
                "[1], env = [names]"
            )
            raise ConfigError(f"{where} number {number}: {problem}; allowed are {allowed}") from None
        if not CHECK_NAME.fullmatch(check.name) or check.name in {one.name for one in found}:
            raise ConfigError(
                f"{where} number {number}: name {check.name!r}: one word of letters, digits, - and _, and each once"
            )
        if not check.run.strip() or not 1 <= check.timeout_minutes <= 24 * 60:
            raise ConfigError(f"{where} {check.name}: run must not be empty, timeout_minutes is 1 to 1440")
        found.append(check)
    return tuple(found)


CHECK_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")


def _profile(profile: object, name: str, where: str) -> Profile:
    try:
        found = msgspec.convert(profile, Profile)
    except msgspec.ValidationError as problem:
        raise ConfigError(f"{where}: {problem}; allowed are program, model and vendor, each a text") from None
    return found if found.program else msgspec.structs.replace(found, program=name)


def allowed_values(setting: Setting) -> str:
    """What to write, in words."""
    words = {
        "choice": ", ".join(setting.allowed),
        "yes/no": "true, false",
        "number": "whole numbers from 0",
        "list": "a list of texts",
        "text": "a text",
        "share": "a share from 0 to 1",
        "checks": '[[checks]] tables, e.g. name = "tests", run = "pytest -q"',
        "profiles": 'a table by agent, e.g. claude = { program = "claude", model = "…" }',
        "rules": 'a table by label, e.g. security = { auto_approve = false, independence = "human" }',
    }
    return words[setting.kind]


def _show(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)


def parse(setting: Setting, text: str, where: str) -> Value:
    """A value typed on the command line or found in the environment."""
    value: object = text
    if setting.kind == "number":
        value = int(text) if re.fullmatch(r"\d{1,9}", text) else text
    elif setting.kind == "share":
        value = float(text) if re.fullmatch(r"\d?(\.\d{1,9})?", text) and text else text
    elif setting.kind == "yes/no":
        value = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}.get(text.lower(), text)
    return checked(setting, value, where)


def parse_flag(text: str, where: str) -> bool:
    """A feature flag's value."""
    value = {"true": True, "1": True, "false": False, "0": False}.get(text.strip().lower())
    if value is None:
        raise ConfigError(f'{where} = "{text}": allowed are true, false')
    return value


def is_looser(setting: Setting, value: Value, than: Value) -> bool:
    """Whether a value is looser than another on the setting's scale."""
    if isinstance(setting.scale, tuple):
        return setting.scale.index(str(value)) > setting.scale.index(str(than))
    return bool(value < than if setting.scale == "yes" else value > than)  # type: ignore[operator]


def resolve(setting: Setting, layers: Layers) -> Resolved:
    """The value in force: environment over store over foureyes.toml over default; looser by environment only for
    people.
    """
    value, source = setting.default, "default"
    candidates: list[tuple[Source, Value | None]] = [
        ("foureyes.toml", _in_file(setting, layers)),
        ("store", _in_store(setting, layers.store)),
    ]
    for name, found in candidates:
        if found is not None:
            value, source = found, name
    if isinstance(value, dict) and isinstance(setting.default, dict):
        value = setting.default | value  # type: ignore[operator]
    below = Resolved(setting.key, value, source)  # type: ignore[arg-type]
    if not setting.scale:
        return below
    wanted = _in_environment(setting, layers)
    if wanted is None:
        return below
    if is_looser(setting, wanted, value) and (setting.only_tighter or not layers.human):
        note = (
            f"{setting.env} = {_show(wanted)} is looser than {_show(value)} and was ignored: only a person may "
            "loosen (P12)"
        )
        return Resolved(setting.key, value, source, note)  # type: ignore[arg-type]
    return Resolved(setting.key, wanted, "environment")


def _agreeing(setting: Setting, values: dict[str, Value], layer: str) -> Value | None:
    """One value of one layer; names that mean the same setting must agree within it (P)."""
    if len({str(value) for value in values.values()}) > 1:
        said = " but ".join(f"{name} says {_show(value)}" for name, value in values.items())
        raise ConfigError(f"{layer} disagrees with itself about {setting.key}: {said}", next_step="keep one of them")
    return next(iter(values.values()), None)


def _policy_of_flag(flag: bool) -> str:
    return "balanced" if flag else "strict"


def _in_file(setting: Setting, layers: Layers) -> Value | None:
    found = {setting.key: layers.file[setting.key]} if setting.key in layers.file else {}
    if setting.key == "review.policy":
        if POLICY_ALIAS in layers.file:
            found[POLICY_ALIAS] = layers.file[POLICY_ALIAS]
        flag = layers.file.get("features.balanced_review_policy")
        if flag is not None:
            found["features.balanced_review_policy"] = _policy_of_flag(bool(flag))
    return _agreeing(setting, found, FILE)


def _in_store(setting: Setting, texts: Mapping[str, str]) -> Value | None:
    found: dict[str, Value] = {}
    if setting.key in texts:
        found[setting.key] = parse(setting, texts[setting.key], f"the stored setting {setting.key}")
    if setting.key == "review.policy" and "feature.balanced_review_policy" in texts:
        found["feature balanced_review_policy"] = _policy_of_flag(
            parse_flag(texts["feature.balanced_review_policy"], "feature balanced_review_policy")
        )
    return _agreeing(setting, found, "the store")


def _in_environment(setting: Setting, layers: Layers) -> Value | None:
    found: dict[str, Value] = {}
    names = [setting.env] + (["FOUREYES_" + POLICY_ALIAS.upper()] if setting.key == "review.policy" else [])
    for name in names:
        if layers.environ.get(name):
            found[name] = parse(setting, layers.environ[name], name)
    if setting.key == "review.policy":
        for name in flag_names("balanced_review_policy"):
            if layers.environ.get(name):
                found[name] = _policy_of_flag(parse_flag(layers.environ[name], name))
    return _agreeing(setting, found, "the environment")


def flag_names(feature: str) -> list[str]:
    """The environment variables that set a feature, ours first."""
    return [
        f"FOUREYES_FEATURE_{feature.upper()}",
        *([FEATURE_ENV_ALIASES[feature]] if feature in FEATURE_ENV_ALIASES else []),
    ]


VARIABLES = (
    *(setting.env for setting in SETTINGS if setting.env),
    "FOUREYES_" + POLICY_ALIAS.upper(),
    *(name for feature in FEATURES for name in flag_names(feature)),
)


def has_variables(environ: Mapping[str, str]) -> bool:
    """Whether the environment says anything about a setting: only then it matters that a person asks (P12)."""
    return any(environ.get(name) for name in VARIABLES)


def agent_profiles(layers: Layers) -> dict[str, Profile]:
    """The agent programs that are known by name, with the model and vendor that count for them (I6)."""
    found = resolve(BY_KEY["agents"], layers).value
    assert isinstance(found, dict)
    return found  # type: ignore[return-value]


def review_policy(layers: Layers) -> ReviewPolicy:
    """Everything the rules ask about, resolved."""

    def get(key: str) -> Value:
        return resolve(BY_KEY[key], layers).value

    def group(prefix: str, names: tuple[str, ...]) -> dict[str, Value]:
        return {name: get(f"{prefix}.{name}") for name in names}

    values = {
        "name": get("review.policy"),
        "minor": MinorRule(**group("minor", MinorRule.__struct_fields__)),  # type: ignore[arg-type]
        "auto": AutoApprove(**group("review.auto_approve", AutoApprove.__struct_fields__)),  # type: ignore[arg-type]
        "human": HumanRule(**group("review.human", HumanRule.__struct_fields__)),  # type: ignore[arg-type]
        "risk": RiskRule(**group("review.risk", RiskRule.__struct_fields__)),  # type: ignore[arg-type]
        "protected_paths": get("project.protected_paths"),
        "claim_stale_minutes": get("project.claim_stale_minutes"),
        "checks": get("checks"),
        "limits": _limits(group("loop", Limits.__struct_fields__)),
        "tiers": Tiers(**group("tiers", Tiers.__struct_fields__)),  # type: ignore[arg-type]
        **group("review.peers", ("focus", "max_words")),
        **group("review", PLAIN),
    }
    return ReviewPolicy(**values)  # type: ignore[arg-type]


def _limits(values: dict[str, Value]) -> Limits:
    """E1: a limit of none would escalate what has not begun."""
    return Limits(**{name: max(1, value) if isinstance(value, int) else value for name, value in values.items()})  # type: ignore[arg-type]


PLAIN = (
    "independence", "same_origin", "human_proof", "agent_approval", "label_rules", "default_mode", "reviews",
    "docs_paths", "check_paths", "quick_issues", "coverage_exclude",
)  # fmt: skip
"""What the policy calls by the same name as the configuration."""
