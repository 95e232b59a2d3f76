"""Which directories of a tree pytest puts on the path by itself: by its settings, and where conftest and tests lie."""

from __future__ import annotations

import os
import tomllib
from configparser import ConfigParser, Error

from foureyes.adapters.folders import read

MOST_BYTES = 1_000_000
FILES = {"pytest.ini": "pytest", ".pytest.ini": "pytest", "tox.ini": "pytest", "setup.cfg": "tool:pytest"}
FROM_THE_TOP = ("conftest.py", "tests/__init__.py", "test/__init__.py")
"""Files for which pytest puts the top of the tree on the path."""


def said_paths(root: str) -> list[str]:
    """The directories of `pythonpath`, as they are written."""
    for name, section in FILES.items():
        text = _text(os.path.join(root, name))
        settings = ConfigParser(interpolation=None)
        try:
            settings.read_string(text)
            if settings.has_option(section, "pythonpath"):
                return settings.get(section, "pythonpath").split()
        except Error:
            continue
    try:
        table = tomllib.loads(_text(os.path.join(root, "pyproject.toml"))).get("tool", {}).get("pytest", {})
        paths = table.get("ini_options", table).get("pythonpath", [])
    except (tomllib.TOMLDecodeError, RecursionError, AttributeError):
        return []
    return paths.split() if isinstance(paths, str) else [path for path in paths if isinstance(path, str)]


def first_paths(root: str) -> list[str]:
    """What goes to the front of the path before the tests are imported."""
    beside = [*said_paths(root)]
    if any(
        os.path.isfile(os.path.join(root, name)) for name in ("conftest.py", "tests/__init__.py", "test/__init__.py")
    ):
        beside.append("")
    return [os.path.join(root, path) for path in beside]


def _text(path: str) -> str:
    try:
        return read(path, MOST_BYTES, follow=True).decode("utf-8", "replace")
    except OSError:
        return ""
