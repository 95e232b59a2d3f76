"""Settings: every key, its default, who may change it and how; foureyes.toml, store and environment in layers (P12)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

import msgspec

from foureyes.core.policy import DEFAULT_LABEL_RULES, DEFAULT_PROFILES, POLICIES, LabelRule, MinorRule, Profile, ReviewPolicy
from foureyes.core.session import GRADES
from foureyes.errors import ConfigError

FILE = "foureyes.toml"
Value = str | int | bool | tuple[str, ...] | dict[str, LabelRule] | dict[str, Profile]
Plain = Literal["text", "number", "yes/no", "choice", "list", "rules", "profiles"]
Source = Literal["environment", "store", "foureyes.toml", "default"]


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """One key of the configuration.

    `scale` says which way is stricter, so that an environment may tighten it: for a choice the allowed values from
    strictest to loosest, for a number "low", for yes/no "no". Without a scale it cannot be overridden there;
    `only_tighter` means that people cannot loosen it there either, because it is about who is a person.
    """

    key: str
    kind: Plain
    default: Value
    meaning: str
    allowed: tuple[str, ...] = ()
    scale: tuple[str, ...] | Literal["low", "no", ""] = ""
    only_tighter: bool = False

    @property
    def env(self) -> str:
        return "FOUREYES_" + self.key.replace(".", "_").upper() if self.scale else ""


SETTINGS: tuple[Setting, ...] = (
    Setting(key="project.id", kind="text", default="", meaning="written by init; ties the store to the target branch"),
    Setting(key="project.prefix", kind="text", default="fe", meaning="what task ids begin with"),
    Setting(key="project.target", kind="text", default="main", meaning="the protected branch"),
    Setting(key="project.claim_stale_minutes", kind="number", default=120, meaning="silence after which anyone may release a claim"),
    Setting(
        key="project.protected_paths",
        kind="list",
        default=(FILE, ".github/workflows/**"),
        meaning="globs; a change that touches one is never minor (P10)",
    ),
    Setting(key="store.url", kind="text", default="", meaning="empty: .foureyes/store.db; or postgresql://… (FOUREYES_STORE wins)"),
    Setting(
        key="review.policy",
        kind="choice",
        default="balanced",
        allowed=POLICIES,
        scale=POLICIES,
        meaning="who may approve (P); review_policy_mode is an alias",
    ),
    Setting(
        key="review.independence",
        kind="choice",
        default="origin",
        allowed=GRADES,
        scale=tuple(reversed(GRADES)),
        meaning="how independent of every author a reviewer must be (I6)",
    ),
    Setting(
        key="review.same_origin",
        kind="choice",
        default="refuse",
        allowed=("refuse", "audit"),
        scale=("refuse", "audit"),
        meaning="another session of an author's origin: refused, or allowed and audited (I4)",
    ),
    Setting(
        key="review.human_proof",
        kind="choice",
        default="observed",
        allowed=("observed", "key"),
        scale=("key", "observed"),
        only_tighter=True,
        meaning="key: every decision of a person is signed with their key (I9)",
    ),
    Setting(
        key="review.agent_approval",
        kind="choice",
        default="reason",
        allowed=("reason", "review"),
        scale=("review", "reason"),
        meaning="review: an agent's approval needs its own counting review of the diff (D9)",
    ),
    Setting(
        key="review.label_rules",
        kind="rules",
        default=DEFAULT_LABEL_RULES,
        meaning="by label: auto_approve (true, false) and independence (a grade)",
    ),
    Setting(
        key="agents",
        kind="profiles",
        default=DEFAULT_PROFILES,
        meaning="by agent: program, model and vendor; they count for issued sessions (I6)",
    ),
    Setting(key="minor.self", kind="yes/no", default=True, scale="no", meaning="whether an author may approve its own minor task"),
    Setting(key="minor.max_lines", kind="number", default=50, scale="low", meaning="a larger change is not minor"),
    Setting(key="minor.self_approvals_per_day", kind="number", default=5, scale="low", meaning="per origin, over the last 24 hours"),
)
BY_KEY: dict[str, Setting] = {setting.key: setting for setting in SETTINGS}
POLICY_ALIAS = "review_policy_mode"

FEATURES: dict[str, str] = {"balanced_review_policy": "true: review.policy is balanced, false: strict; unset: review.policy decides"}
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
    """The settings of a foureyes.toml; an unknown key, a wrong type or an impossible value is an error that names it."""
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
            raise ConfigError(f"{where}: there is no such key.{_nearest(key)}", next_step=f"keys there are: {', '.join(BY_KEY)}")
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
        return {label: _label_rule(rule, f"{where}.{label}") for label, rule in value.items()}
    raise ConfigError(f"{where} = {_show(value)}: allowed are {allowed_values(setting)}")


def _label_rule(rule: object, where: str) -> LabelRule:
    try:
        return msgspec.convert(rule, LabelRule)
    except msgspec.ValidationError as problem:
        raise ConfigError(f"{where}: {problem}; allowed are auto_approve = true|false, independence = {'|'.join(GRADES)}") from None


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
    return bool(value > than)  # type: ignore[operator]


def resolve(setting: Setting, layers: Layers) -> Resolved:
    """The value in force: environment over store over foureyes.toml over default; looser by environment only for people."""
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
        note = f"{setting.env} = {_show(wanted)} is looser than {_show(value)} and was ignored: only a person may loosen (P12)"
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
    return [f"FOUREYES_FEATURE_{feature.upper()}", *([FEATURE_ENV_ALIASES[feature]] if feature in FEATURE_ENV_ALIASES else [])]


def agent_profiles(layers: Layers) -> dict[str, Profile]:
    """The agent programs that are known by name, with the model and vendor that count for them (I6)."""
    found = resolve(BY_KEY["agents"], layers).value
    assert isinstance(found, dict)
    return found  # type: ignore[return-value]


def review_policy(layers: Layers) -> ReviewPolicy:
    """Everything the rules ask about, resolved."""

    def get(key: str) -> Value:
        return resolve(BY_KEY[key], layers).value

    minor = {name: get(f"minor.{name}") for name in ("self", "max_lines", "self_approvals_per_day")}
    values = {
        "name": get("review.policy"),
        "independence": get("review.independence"),
        "same_origin": get("review.same_origin"),
        "human_proof": get("review.human_proof"),
        "agent_approval": get("review.agent_approval"),
        "minor": MinorRule(**minor),  # type: ignore[arg-type]
        "protected_paths": get("project.protected_paths"),
        "claim_stale_minutes": get("project.claim_stale_minutes"),
    }
    return ReviewPolicy(label_rules=get("review.label_rules"), **values)  # type: ignore[arg-type]
