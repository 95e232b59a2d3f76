"""Writes settings as the text of a foureyes.toml."""

from __future__ import annotations

import re

import msgspec

from foureyes.config.settings import SettingValue
from foureyes.core.nouns.check_config import CheckRule
from foureyes.core.rules.policy import LabelRule, Profile
from foureyes.core.words.text import flat, one_line

LONGEST = 160
"""Longest reason to write."""


def to_toml(values: dict[str, SettingValue]) -> str:
    """Return settings as the text of a foureyes.toml."""
    sections: dict[str, list[str]] = {}
    checks = [value for key, value in values.items() if key == "checks"]
    values = {key: value for key, value in values.items() if key != "checks"}
    for key, value in values.items():
        section, _, name = key.rpartition(".")
        if isinstance(value, dict):
            sections[key] = [f"{_key(name)} = {_table(entry)}" for name, entry in value.items()]
        else:
            sections.setdefault(section, []).append(f"{name} = {_value(value)}")
    parts = ["\n".join([f"[{section}]", *lines]) for section, lines in sections.items()]
    parts += [
        "\n".join(["[[checks]]", *_fields(rule)]) for rules in checks if isinstance(rules, tuple) for rule in rules
    ]
    return "\n\n".join(parts) + "\n"


def to_comment(rule: CheckRule, why: str) -> str:
    """Return a check as commented lines. A user enables it by removing the `#` signs."""
    remarks = [
        f"Left out by fe init: {flat(one_line(why, LONGEST))}",
        "Where it can run, take the signs off these lines:",
    ]
    return "\n" + "".join(f"# {line}\n" for line in [*remarks, "[[checks]]", *_fields(rule)])


def to_remote(name: str) -> str:
    """Return the remote for sharing between machines as commented lines, ready to enable."""
    remark = "Where several machines share the project (fe store copy), attempts travel by this git remote (Q6):"
    return "\n" + "".join(f"# {line}\n" for line in (remark, "[git]", f"remote = {_value(name)}"))


def _fields(entry: object) -> list[str]:
    """Return the fields of an entry that differ from their defaults."""
    assert isinstance(entry, msgspec.Struct)
    defaults = {field.name: field.default for field in msgspec.structs.fields(entry)}
    return [
        f"{name} = {_value(value)}" for name, value in msgspec.structs.asdict(entry).items() if value != defaults[name]
    ]


def _value(value: object) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return msgspec.json.encode(value).decode()


def _key(label: str) -> str:
    return label if re.fullmatch(r"[A-Za-z0-9_-]+", label) else msgspec.json.encode(label).decode()


def _table(entry: LabelRule | Profile) -> str:
    return "{ " + ", ".join(_fields(entry)) + " }"
