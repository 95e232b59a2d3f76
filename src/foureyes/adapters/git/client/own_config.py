"""The repository's own configuration, asked for once and again whenever one of its files has changed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from os.path import join

from foureyes.adapters.git.client.programs import Setting

_RACY = 100_000_000
"""Nanoseconds: a file that was written just before it was read may have been written after it, in the same tick."""

_Mark = tuple[int, int, int, int] | None


class OwnConfig:
    """What git says about one repository's configuration; nothing is kept that includes other files."""

    def __init__(self, common_dir: str) -> None:
        self._common_dir = common_dir
        self._kept: dict[str, tuple[tuple[_Mark, ...], list[Setting]]] = {}

    def seen_from(self, git_dir: str, ask: Callable[[str], list[Setting]]) -> list[Setting]:
        """The settings in force for one of the repository's git directories; `ask` is git itself."""
        now, marks = time.time_ns(), self._marks(git_dir)
        kept = self._kept.get(git_dir)
        if kept is not None and kept[0] == marks:
            return kept[1]
        settings = ask(git_dir)
        includes = any(setting.key.startswith(("include.", "includeif.")) for setting in settings)
        if not includes and all(mark is None or max(mark[2:]) < now - _RACY for mark in marks):
            self._kept[git_dir] = (marks, settings)
        return settings

    def _marks(self, git_dir: str) -> tuple[_Mark, ...]:
        return tuple(_mark(path) for path in (join(self._common_dir, "config"), join(git_dir, "config.worktree")))


def _mark(path: str) -> _Mark:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
