"""The repository's own configuration, asked for once and again whenever one of its files has changed.

Changed is told by their bytes: times and sizes are no content (a mapped file can be written without a trace in them).
"""

from __future__ import annotations

from collections.abc import Callable
from os.path import join

from foureyes.adapters.folders import MB, read
from foureyes.adapters.git.client.programs import GitSetting

LARGEST = 16 * MB


class OwnConfig:
    """What git says about one repository's configuration; nothing is kept that includes other files."""

    def __init__(self, common_dir: str) -> None:
        self._common_dir = common_dir
        self._kept: dict[str, tuple[tuple[bytes | None, ...], list[GitSetting]]] = {}

    def seen_from(self, git_dir: str, ask: Callable[[str], list[GitSetting]]) -> list[GitSetting]:
        """The settings in force for one of the repository's git directories; `ask` is git itself."""
        marks = self._contents(git_dir)
        kept = self._kept.get(git_dir)
        if kept is not None and kept[0] == marks:
            return kept[1]
        settings = ask(git_dir)
        includes = any(setting.key.startswith(("include.", "includeif.")) for setting in settings)
        if not includes and marks == self._contents(git_dir):
            self._kept[git_dir] = (marks, settings)
        return settings

    def _contents(self, git_dir: str) -> tuple[bytes | None, ...]:
        return tuple(_content(path) for path in (join(self._common_dir, "config"), join(git_dir, "config.worktree")))


def _content(path: str) -> bytes | None:
    try:
        return read(path, LARGEST, follow=True)
    except OSError:
        return None
