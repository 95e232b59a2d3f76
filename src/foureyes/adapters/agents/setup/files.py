"""Files of a checkout that somebody else keeps: read and replaced in one step, or a sentence says why not and nothing
is touched.

A link stays one where it leads to a plain file of the same checkout: many projects have one text under two names.
"""

from __future__ import annotations

import os
from contextlib import suppress

from foureyes.adapters.folders import MB, folder, read, replace
from foureyes.errors import EnvironmentProblem

LARGEST = 16 * MB


def text_of(root: str, name: str) -> str | None:
    """The text of a file, byte for byte; None where there is none."""
    path = _place(root, name)
    try:
        return read(path, LARGEST).decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as problem:
        raise _untouched(name, f"it is no UTF-8 text (byte {problem.start})") from problem
    except OSError as problem:
        raise _untouched(name, problem.strerror or "it cannot be read") from problem


def refuse_unwritable(root: str, name: str) -> None:
    """Refuse what could be replaced, and is not meant to be."""
    path = _place(root, name)
    with suppress(FileNotFoundError):
        if not os.stat(path).st_mode & 0o222:
            raise _untouched(name, "it is read-only")


def put(root: str, name: str, text: str | None) -> None:
    """Replace a file, make it, or take it away with the folders that are empty then: the old or the new as a whole."""
    path = _place(root, name)
    try:
        if text is None:
            os.remove(path)
            _clear(root, os.path.dirname(path))
            return
        before = os.stat(path).st_mode & 0o777 if os.path.exists(path) else None
        around, last = os.path.split(path)
        with folder(around, make=True) as place:
            replace(place, last, text.encode(), 0o666 if before is None else before)
            if before is not None:
                os.chmod(last, before, dir_fd=place)
    except OSError as problem:
        raise _untouched(name, problem.strerror or "it cannot be written") from problem


def _clear(root: str, path: str) -> None:
    top = os.path.realpath(root)
    while path.startswith(top + os.sep):
        try:
            os.rmdir(path)
        except OSError:
            return
        path = os.path.dirname(path)


def _place(root: str, name: str) -> str:
    """Where a file really lies; refused where that is not in the checkout, or in git's own directory."""
    top = os.path.realpath(root)
    path = os.path.realpath(os.path.join(top, name))
    inside = os.path.relpath(path, top).split(os.sep)
    if inside[0] in (os.pardir, ".git", ".foureyes"):
        raise _untouched(name, f"a link leads to {path}, which is no file of this checkout")
    if path != os.path.join(top, name) and not os.path.lexists(path):
        raise _untouched(name, "a link leads nowhere")
    return path


def _untouched(name: str, why: str) -> EnvironmentProblem:
    return EnvironmentProblem(f"{name}: {why}. It was not touched.")
