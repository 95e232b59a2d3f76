"""The keys of `[git]` and `[store]`: by what several machines share a project (Q6)."""

from __future__ import annotations

import re

from foureyes.config.setting import Setting
from foureyes.core.rules.policy import ReviewPolicy

SHARING: tuple[Setting, ...] = (
    Setting(
        key="git.remote",
        of=ReviewPolicy,
        kind="text",
        meaning="the git remote (origin) that has the project's one target branch: attempts are pushed there, merges "
        "move it there; empty: this repository alone (Q6)",
    ),
    Setting(key="store.url", kind="text", meaning="empty: .foureyes/store.db; or postgresql://… (FOUREYES_STORE wins)"),
)
_NAME = re.compile(r"(?!-)[A-Za-z0-9._-]{1,100}")


def why_no_remote(name: str) -> str:
    """Why this is not the name of a remote, else empty; an address is none: each clone has its own way there."""
    if not name or (_NAME.fullmatch(name) and ".." not in name and not name.endswith((".", ".lock"))):
        return ""
    return "allowed is the name that git remote lists (origin), or nothing"
