"""Path globs of the configuration: `*` within a directory, `**` across them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache


@lru_cache(maxsize=256)
def _pattern(glob: str) -> re.Pattern[str]:
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
    return re.compile(out, re.DOTALL)


def matching(paths: Iterable[str], globs: Iterable[str]) -> list[str]:
    """The paths that at least one glob means, in their order."""
    patterns = [_pattern(glob) for glob in globs]
    return [path for path in paths if any(pattern.fullmatch(path) for pattern in patterns)]
