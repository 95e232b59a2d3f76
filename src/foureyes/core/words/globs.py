"""Path globs of the configuration: `*` within a directory, `**` across them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache


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
def _pattern(globs: tuple[str, ...]) -> re.Pattern[str]:
    """What any of the globs means, as one expression: a long queue asks the same globs of thousands of paths."""
    return re.compile("|".join(f"(?:{_expression(glob)})" for glob in globs), re.DOTALL)


def matching(paths: Iterable[str], globs: Iterable[str]) -> list[str]:
    """The paths that at least one glob means, in their order."""
    wanted = tuple(globs)
    return [path for path in paths if _pattern(wanted).fullmatch(path)] if wanted else []
