"""Configuration of older tools: JSON or TOML, keys in camelCase, read once by `fe init --from FILE`."""

from __future__ import annotations

import re

import msgspec

from foureyes.config.parser import read_file, read_tree
from foureyes.config.settings import SettingValue
from foureyes.errors import ConfigError


def read(text: str, name: str) -> dict[str, SettingValue]:
    """The settings of a foreign file. A key that this version does not have is an error, never dropped (G1)."""
    try:
        tree = msgspec.json.decode(text, type=dict[str, object]) if text.lstrip().startswith("{") else None
    except msgspec.DecodeError as problem:
        raise ConfigError(f"{name} is not valid JSON: {problem}") from None
    if tree is None:
        return read_file(text, name)
    return read_tree(_snake(tree), text, name)


def _snake(tree: dict[str, object]) -> dict[str, object]:
    """camelCase keys as ours are; values stay."""
    return {_snake_key(key): _snake(value) if isinstance(value, dict) else value for key, value in tree.items()}


def _snake_key(key: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda capital: "_" + capital.group(1).lower(), key)
