"""Reads settings from the text of a foureyes.toml, the command line or the environment. Errors list the allowed values."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from foureyes.config.settings import (
    ALIASES,
    BY_KEY,
    FEATURES,
    FILE,
    REMOVED,
    SETTINGS,
    Setting,
    SettingValue,
    instead_of,
)
from foureyes.core.nouns.check_config import REPORTS, CheckRule
from foureyes.core.nouns.session import GRADES
from foureyes.core.rules.policy import DEFAULT_LABEL_RULES, MODES, LabelRule
from foureyes.core.words.folding import folded
from foureyes.core.words.ids import Shape
from foureyes.errors import ConfigError
from foureyes.steps import fe, prose


def read_file(text: str, name: str = FILE) -> dict[str, SettingValue]:
    """Return the settings of a foureyes.toml. Raise ConfigError for an unknown key, a wrong type or an invalid value."""
    return dict(_read_file(text, name))


@lru_cache(maxsize=4)
def _read_file(text: str, name: str) -> dict[str, SettingValue]:
    """Read a file. Cached, because the current one and the target's are read repeatedly."""
    import tomllib

    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise ConfigError(
            f"{name} is not valid TOML: {problem}", next_step=fe("doctor", before=f"fix {name}, then: ")
        ) from None
    return read_tree(tree, text, name)


def read_tree(tree: dict[str, object], text: str, name: str) -> dict[str, SettingValue]:
    """Return the settings of a parsed file. `text` is used only for line numbers in errors."""
    settings: dict[str, SettingValue] = {}
    for key, value in _flat(tree):
        where = KeyPosition(name, text, key)
        if key in FLAGS:
            settings[key] = _checked_flag(value, where)
            continue
        if key in REMOVED:
            continue
        setting = BY_KEY.get(ALIASES.get(key, key))
        if setting is None:
            raise ConfigError(
                f"{where}: there is no such key.{_nearest(key)}",
                next_step=prose(f"known keys: {', '.join(BY_KEY)}"),
            )
        if setting.kind == "profiles" and isinstance(value, dict):
            from foureyes.config.agent_profiles import read_profile

            for each, profile in value.items():  # each has a line of its own
                line = _line_of(text, f"{key}.{each}", _line_of(text, key))
                read_profile(profile, each, f"{name}:{line} {key}.{each}")
        settings[key] = checked(setting, value, where)
    return settings


def former_keys(text: str) -> list[str]:
    """Return a sentence with the replacement for each former key in a file."""
    import tomllib

    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return []  # an error wherever the file is read
    return [sentence for key, _ in _flat(tree) if (sentence := instead_of(key))]


FLAGS = frozenset(f"features.{feature}" for feature in FEATURES)
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


class KeyPosition:
    """The position of a key in words, computed only when needed."""

    def __init__(self, name: str, text: str, key: str) -> None:
        self._name, self._text, self._key = name, text, key

    def __str__(self) -> str:
        return f"{self._name}:{_line_of(self._text, self._key)} {self._key}"


def _line_of(text: str, key: str, otherwise: int = 1) -> int:
    """Return the line of a key, as far as it can be found without a parser that keeps positions."""
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
    return best or otherwise


def _nearest(key: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(key, BY_KEY, n=1)
    return f" Did you mean {close[0]}?" if close else ""


def _checked_flag(value: object, where: KeyPosition) -> SettingValue:
    if not isinstance(value, bool):
        raise ConfigError(f"{where} = {shown(value)}: allowed are true, false")
    return value


def checked(setting: Setting, value: object, where: str | KeyPosition) -> SettingValue:
    """Return the value if the setting allows it. Raise ConfigError with the allowed values otherwise."""
    if setting.kind == "choice" and isinstance(value, str) and value in setting.allowed:
        return value
    if setting.kind == "text" and isinstance(value, str):
        return _remote(value, where) if setting.key == "git.remote" else value
    if setting.kind == "yes/no" and isinstance(value, bool):
        return value
    if setting.kind == "number" and isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    if setting.kind == "list" and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return _linters(value, where) if setting.key == "review.extra_linters" else tuple(value)
    if setting.kind == "profiles" and isinstance(value, dict):
        from foureyes.config.agent_profiles import read_profile

        return {name: read_profile(profile, name, f"{where}.{name}") for name, profile in value.items()}
    if setting.kind == "rules" and isinstance(value, dict):
        return _label_rules(value, where)
    if setting.kind == "share" and isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    if (
        setting.kind == "amount"
        and isinstance(value, (int, float))
        and not isinstance(value, bool)
        and 0 <= value < 1e9
    ):
        return float(value)
    if setting.kind == "checks" and isinstance(value, list):
        return _checks(value, where)
    raise ConfigError(f"{where} = {shown(value)}: allowed are {allowed_values(setting)}")


def _remote(name: str, where: str | KeyPosition) -> str:
    """Return the name of a remote. Raise ConfigError for anything else. (Q6)"""
    from foureyes.config.settings import why_no_remote

    if why := why_no_remote(name):
        raise ConfigError(f"{where} = {shown(name)}: {why}")
    return name


def _linters(tools: list[str], where: str | KeyPosition) -> tuple[str, ...]:
    """Return linters with their severity limits. Raise ConfigError for an invalid one. (L1)"""
    from foureyes.core.nouns.finding import most_of

    try:
        most_of(tools)
    except ValueError as problem:
        raise ConfigError(f'{where}: {problem}. Write "eslint" or "eslint=LOW"') from None
    return tuple(tools)


def _label_rules(rules: dict[str, object], where: str | KeyPosition) -> dict[str, LabelRule]:
    """Return the rules by label, ignoring case. Raise ConfigError for two rules of the same label. (M3)"""
    known = {folded(label): label for label in DEFAULT_LABEL_RULES}
    by_label: dict[str, LabelRule] = {}
    for label, rule in rules.items():
        name = known.setdefault(folded(label), label)
        if name in by_label:
            raise ConfigError(f"{where}.{label}: {name} is the same label. Write one rule for both")
        by_label[name] = _label_rule(rule, name, f"{where}.{label}")
    return by_label


def _label_rule(rule: object, label: str, where: str) -> LabelRule:
    """Return a label's rule. An entry for a label with a default rule changes only the given keys."""
    known = msgspec.to_builtins(DEFAULT_LABEL_RULES[label]) if label in DEFAULT_LABEL_RULES else {}
    try:
        label_rule = msgspec.convert({**known, **rule} if isinstance(rule, dict) else rule, LabelRule)
    except msgspec.ValidationError as problem:
        choices = f"mode = {'|'.join(MODES)}, independence = {'|'.join(GRADES)}, unseen = note|ask|refuse"
        whose = 'reviews = 1, reviewers = ["codex", "alice@host", "human"]'
        raise ConfigError(f"{where}: {problem}; allowed are auto_approve = true|false, {whose}, {choices}") from None
    if any(not name or name != name.strip() for name in label_rule.reviewers):
        raise ConfigError(f"{where}: a reviewer is the name of an agent, a person as user@host, or human")
    return label_rule


def _checks(rules: list[object], where: str | KeyPosition) -> tuple[CheckRule, ...]:
    """Return the checks, each with a unique name and a command."""
    checks: list[CheckRule] = []
    for number, rule in enumerate(rules, 1):
        try:
            check = msgspec.convert(rule, CheckRule)
        except msgspec.ValidationError as problem:
            allowed = (
                f"name, run, report = {'|'.join(REPORTS)}, report_files = [globs], required = true|false, "
                "timeout_minutes, failed_exit = [1], env = [names], writes = [globs]"
            )
            raise ConfigError(f"{where} number {number}: {problem}; allowed are {allowed}") from None
        if not CHECK_NAME.fullmatch(check.name) or check.name in {earlier.name for earlier in checks}:
            raise ConfigError(
                f"{where} number {number}: the name {check.name!r} must be one word of letters, digits, - and _, used only once"
            )
        if check.checkout is not None:
            raise ConfigError(f"{where} {check.name}: checkout belongs to the project, under [checkout]")
        if not check.run.strip() or not 1 <= check.timeout_minutes <= 24 * 60:
            raise ConfigError(f"{where} {check.name}: run must not be empty, and timeout_minutes must be 1 to 1440")
        if check.report_files and (check.report == "none" or any(map(_leads_out, check.report_files))):
            raise ConfigError(
                f"{where} {check.name}: report_files must be globs below the checkout, and report must be junit or sarif"
            )
        if any(map(_leads_out, check.writes)):
            raise ConfigError(f"{where} {check.name}: writes must be globs of files in its checkout")
        checks.append(check)
    return tuple(checks)


def _leads_out(glob: str) -> bool:
    return not glob.strip() or glob.startswith("/") or ".." in glob.split("/")


CHECK_NAME = Shape(r"[A-Za-z0-9_-]{1,40}")


def allowed_values(setting: Setting) -> str:
    """Return the allowed values in words."""
    words = {
        "choice": ", ".join(setting.allowed),
        "yes/no": "true, false",
        "number": "whole numbers from 0",
        "list": "a list of texts",
        "text": "a text",
        "share": "a share from 0 to 1",
        "amount": "a number from 0, e.g. 2.5",
        "checks": '[[checks]] tables, e.g. name = "tests", run = "pytest -q"',
        "profiles": 'a table by agent, e.g. claude = { program = "claude", model = "…" }',
        "rules": 'a table by label, e.g. security = { auto_approve = false, independence = "human" }',
    }
    return words[setting.kind]


def shown(value: object) -> str:
    """Return a value as a user would write it."""
    return f'"{value}"' if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)


def parse(setting: Setting, text: str, where: str) -> SettingValue:
    """Return a value from the command line or the environment."""
    value: object = text
    if setting.kind == "number":
        value = int(text) if re.fullmatch(r"\d{1,9}", text) else text
    elif setting.kind == "share":
        value = float(text) if re.fullmatch(r"\d?(\.\d{1,9})?", text) and text else text
    elif setting.kind == "amount":
        value = float(text) if re.fullmatch(r"\d{1,9}(\.\d{1,6})?", text) else text
    elif setting.kind == "yes/no":
        value = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}.get(text.lower(), text)
    return checked(setting, value, where)


def parse_flag(text: str, where: str) -> bool:
    """Return the value of a feature flag."""
    value = {"true": True, "1": True, "false": False, "0": False}.get(text.strip().lower())
    if value is None:
        raise ConfigError(f'{where} = "{text}": allowed are true, false')
    return value
