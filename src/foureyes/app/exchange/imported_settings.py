"""Settings of older tools: JSON or TOML with camelCase keys, read once by `fe init --from FILE`."""

from __future__ import annotations

import re

import msgspec

from foureyes.config.parser import read_file, read_tree
from foureyes.config.settings import SettingValue
from foureyes.errors import ConfigError


def read(text: str, name: str) -> dict[str, SettingValue]:
    """Return the settings of another tool's file. An unknown key is an error. (G1)"""
    try:
        tree = msgspec.json.decode(text, type=dict[str, object]) if text.lstrip().startswith("{") else None
    except msgspec.DecodeError as problem:
        raise ConfigError(f"{name} is not valid JSON: {problem}") from None
    if tree is None:
        return read_file(text, name)
    return read_tree(_snake(tree), text, name)


def _snake(tree: dict[str, object]) -> dict[str, object]:
    """Return the tree with snake_case keys."""
    return {_snake_key(key): _snake(value) if isinstance(value, dict) else value for key, value in tree.items()}


def _snake_key(key: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda capital: "_" + capital.group(1).lower(), key)
