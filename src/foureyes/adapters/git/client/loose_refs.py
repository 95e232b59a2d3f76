"""Refs that stand in a file of their own, read without starting git."""

from __future__ import annotations

import os
from os.path import join

from foureyes.adapters.git.client.answers import as_sha
from foureyes.core.words.ids import Sha

_NEVER_IN_A_REF = frozenset(" ~^:?*[\\\x7f") | {chr(code) for code in range(32)}


def is_plain(name: str) -> bool:
    """Whether a name can be that of a ref, and is no expression."""
    return not (_NEVER_IN_A_REF.intersection(name) or ".." in name or "@{" in name)


def read_loose(common_dir: str, ref: str) -> Sha | None:
    """What a ref of all worktrees is at; None where only git can say: packed, symbolic, a link, another format."""
    if not ref.startswith(("refs/heads/", "refs/foureyes/")) or not is_plain(ref):
        return None
    try:
        descriptor = os.open(join(common_dir, ref), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        with open(descriptor, encoding="ascii") as file:
            return as_sha(file.read(100).strip())
    except (OSError, ValueError):
        return None
