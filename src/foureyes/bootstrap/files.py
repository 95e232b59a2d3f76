"""Files of the user: command arguments, the user's configuration, and crash traces."""

from __future__ import annotations

import os
from collections.abc import Mapping
from os.path import isabs, join

from foureyes.adapters.folders import LOGS, folder, given, opened, read
from foureyes.config.own_settings import OWN_FILE, Own, read_own

# ---- Files given to a command ----


def read_given(path: str, most: int, *, handed_over: bool = True) -> bytes:
    """Return up to `most` bytes of a file, or raise OSError.

    A pipe such as `/dev/stdin` or `<(...)` is waited for, unless `handed_over` is False because a user interface must
    not block.
    """
    with open(given(path) if handed_over else opened(path, follow=True), "rb") as stream:
        return stream.read(most)


# ---- The user's configuration ----

LARGEST = 64 * 1024


def own_path(environ: Mapping[str, str]) -> str:
    """Return the path of the user's configuration, or an empty string."""
    configuration, home = environ.get("XDG_CONFIG_HOME", ""), environ.get("HOME", "")
    if isabs(configuration):
        return join(configuration, OWN_FILE)
    return join(home, ".config", OWN_FILE) if isabs(home) else ""


def own_settings(environ: Mapping[str, str]) -> tuple[Own, list[str]]:
    """Return the user's settings, and sentences about problems. A missing file gives neither."""
    path = own_path(environ)
    if not path:
        return Own(), []
    try:
        text = read(path, LARGEST, follow=True).decode()
    except FileNotFoundError:
        return Own(), []
    except (OSError, UnicodeDecodeError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else "it is not valid UTF-8"
        return Own(), [f"{path} is ignored: {why}"]
    own, wrong = read_own(text)
    return own, [f"{path}: {each}, so it is ignored" for each in wrong]


# ---- Crash traces ----


def append_trace(project: str, name: str, text: str) -> str:
    """Append to a file in `.foureyes/logs/` and return its path for display. Raise OSError on failure."""
    with folder(os.path.join(project, LOGS), make=True) as place:
        handle = opened(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600, at=place)
        with open(handle, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    return f"{os.path.basename(project)}/{LOGS}/{name}"
