"""Files of people: those that a command is told to read, their own configuration, traces of defects."""

from __future__ import annotations

import os
from collections.abc import Mapping
from os.path import isabs, join

from foureyes.adapters.folders import LOGS, folder, given, opened, read
from foureyes.config.own_settings import OWN_FILE, Own, read_own

# ---- Files that a command is told to read ----


def read_given(path: str, most: int, *, handed_over: bool = True) -> bytes:
    """So many bytes of it at most; an `OSError` says what is there instead of a file. What the caller hands over
    (`/dev/stdin`, `<(...)`) is waited for, unless nobody can wait: a face that others look at meanwhile.
    """
    with open(given(path) if handed_over else opened(path, follow=True), "rb") as stream:
        return stream.read(most)


# ---- The user's own file ----

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


# ---- A trace of a defect of ours, kept in the project's folder ----


def append_trace(project: str, name: str, text: str) -> str:
    """Append to a file below `.foureyes/logs/`; its path as people read it. OSError where that cannot be."""
    with folder(os.path.join(project, LOGS), make=True) as place:
        handle = opened(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600, at=place)
        with open(handle, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    return f"{os.path.basename(project)}/{LOGS}/{name}"
