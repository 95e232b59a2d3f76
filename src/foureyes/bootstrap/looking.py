"""A look at the files of a repository, or of a directory of it: read, never run."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator
from configparser import ConfigParser, Error
from typing import Any

from foureyes.adapters.folders import opened, walked

MOST_BYTES = 200_000
MANY_FILES = 10_000
LEFT_OUT = frozenset({".git", "node_modules", ".venv", "venv", "target", "vendor", "dist", "build", "__pycache__"})


class FolderFiles:
    """The files below a directory, by their names there; what is not there, or no such file, is empty."""

    def __init__(self, root: str) -> None:
        self.root = root

    def text(self, name: str) -> str:
        try:
            path = os.path.join(self.root, name)
            with open(opened(path, follow=True), encoding="utf-8", errors="replace") as file:
                return file.read(MOST_BYTES)
        except OSError:
            return ""

    def first(self, *names: str) -> str:
        """The first of these files that is there."""
        return next((name for name in names if os.path.isfile(os.path.join(self.root, name))), "")

    def has(self, *names: str) -> bool:
        return bool(self.first(*names))

    def is_folder(self, name: str) -> bool:
        return os.path.isdir(os.path.join(self.root, name))

    def names(self, folder: str = "") -> list[str]:
        try:
            return sorted(os.listdir(os.path.join(self.root, folder)))
        except OSError:
            return []

    def toml(self, name: str) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text(name))
        except (tomllib.TOMLDecodeError, RecursionError):
            return {}

    def json(self, name: str) -> dict[str, Any]:
        try:
            document = json.loads(self.text(name) or "{}")
        except (ValueError, RecursionError):
            return {}
        return document if isinstance(document, dict) else {}

    def sections(self, name: str) -> ConfigParser:
        """The settings of an ini file."""
        settings = ConfigParser(interpolation=None, strict=False)
        try:
            settings.read_string(self.text(name))
        except Error:
            return ConfigParser()
        return settings

    def is_large(self) -> bool:
        """Whether there are very many files: what tests all of them takes its time."""
        return next((True for number, _ in enumerate(self._files()) if number >= MANY_FILES), False)

    def _files(self) -> Iterator[str]:
        for _, folders, names in walked(self.root):
            folders[:] = [name for name in folders if name not in LEFT_OUT]
            yield from names


def table(value: object, *names: str) -> dict[str, Any]:
    """A table within tables; empty where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}
