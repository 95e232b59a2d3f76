"""Path globs of the configuration: `*` within a directory, `**` across them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from foureyes.core.words.folding import folded_path

PATHS = 4_096
"""How many paths each set of globs remembers: a task is asked about the same few again and again."""


@lru_cache(maxsize=256)
def _expression(glob: str) -> str:
    out = ""
    at = 0
    while at < len(glob):
        if glob.startswith("**/", at):
            out += "(?:.*/)?"
            at += 3
        elif glob.startswith("**", at):
            out += ".*"
            at += 2
        else:
            out += {"*": "[^/]*", "?": "[^/]"}.get(glob[at], re.escape(glob[at]))
            at += 1
    return out


@lru_cache(maxsize=256)
def _fits(globs: tuple[str, ...]) -> Callable[[str], bool]:
    """Whether any of the globs means a path. They are one expression, and answers are remembered: a long queue asks the
    same globs of thousands of paths.
    """
    pattern = re.compile("|".join(f"(?:{_expression(glob)})" for glob in globs), re.DOTALL)
    return lru_cache(maxsize=PATHS)(lambda path: pattern.fullmatch(path) is not None)


@lru_cache(maxsize=64)
def _fits_folded(globs: tuple[str, ...]) -> Callable[[str], bool]:
    """Whether any of the globs means a path, as it is written or as another file system may read it."""
    fits, fits_folded = _fits(globs), _fits(tuple(folded_path(glob) for glob in globs))
    return lru_cache(maxsize=PATHS)(lambda path: fits(path) or fits_folded(folded_path(path)))


def matching(paths: Iterable[str], globs: Iterable[str]) -> list[str]:
    """The paths that at least one glob means, in their order."""
    wanted = tuple(globs)
    return list(filter(_fits(wanted), paths)) if wanted else []


def matching_any_case(paths: Iterable[str], globs: Iterable[str]) -> list[str]:
    """The same without case, and as other file systems may read a path: for what is protected, never for what is
    loosened.
    """
    wanted = tuple(globs)
    return list(filter(_fits_folded(wanted), paths)) if wanted else []
