"""Configuration of older tools: JSON or TOML, keys in camelCase, read once by `fe init --from FILE`."""

from __future__ import annotations

import re

import msgspec

from foureyes import config
from foureyes.core.rules.policy import LabelRule, Profile
from foureyes.errors import ConfigError


def read(text: str, name: str) -> dict[str, config.Value]:
    """The settings of a foreign file. A key that this version does not have is an error, never dropped (G1)."""
    try:
        tree = msgspec.json.decode(text, type=dict[str, object]) if text.lstrip().startswith("{") else None
    except msgspec.DecodeError as problem:
        raise ConfigError(f"{name} is not valid JSON: {problem}") from None
    if tree is None:
        return config.read_file(text, name)
    return config.read_tree(_snake(tree), text, name)


def _snake(tree: dict[str, object]) -> dict[str, object]:
    """camelCase keys as ours are; values stay."""
    return {_snake_key(key): _snake(value) if isinstance(value, dict) else value for key, value in tree.items()}


def _snake_key(key: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda found: "_" + found.group(1).lower(), key)


def to_toml(values: dict[str, config.Value]) -> str:
    """Settings as the text of a foureyes.toml."""
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


def _fields(entry: object) -> list[str]:
    """What differs from the defaults, and what has none."""
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
