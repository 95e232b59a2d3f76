"""The user's own file: `foureyes/config.toml` below their configuration directory."""

from __future__ import annotations

from collections.abc import Mapping
from os.path import isabs, join

from foureyes.adapters.folders import read
from foureyes.config.own import OWN_FILE, Own, read_own

LARGEST = 64 * 1024


def own_path(environ: Mapping[str, str]) -> str:
    """Where it would lie; empty where there is no such place."""
    configuration, home = environ.get("XDG_CONFIG_HOME", ""), environ.get("HOME", "")
    if isabs(configuration):
        return join(configuration, OWN_FILE)
    return join(home, ".config", OWN_FILE) if isabs(home) else ""


def own_settings(environ: Mapping[str, str]) -> tuple[Own, list[str]]:
    """What is set there, and what is wrong with it, in sentences; a file that is not there says nothing."""
    path = own_path(environ)
    if not path:
        return Own(), []
    try:
        text = read(path, LARGEST, follow=True).decode()
    except FileNotFoundError:
        return Own(), []
    except (OSError, UnicodeDecodeError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else "it is not valid UTF-8"
        return Own(), [f"{path} is left aside: {why}"]
    own, wrong = read_own(text)
    return own, [f"{path}: {each}; left aside" for each in wrong]
