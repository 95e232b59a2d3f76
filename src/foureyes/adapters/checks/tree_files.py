"""The files of the checkout that a check ran in: what a report's paths mean there, with nothing of the checkout's own
path in them (D5). They are listed when first asked for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cached_property

from foureyes.adapters.folders import walked
from foureyes.core.words.paths import Tails

MOST_FILES = 200_000
LEFT_OUT = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__", ".tox", ".nox", ".gradle", ".mypy_cache"})
LARGEST_REPORT = 50_000_000


class CheckedFiles:
    """The files below a directory; without one, there is none. `seen` is what the check calls that directory, `place`
    the one around it: paths that mean something only in this run.
    """

    def __init__(self, root: str = "", seen: str = "", place: str = "") -> None:
        self.root = root.rstrip("/")
        self._tops = tuple(f"{path}/" for path in dict.fromkeys((seen.rstrip("/"), self.root)) if path)
        self._paths = (*self._tops, *([f"{place.rstrip('/')}/"] if place.strip("/") else []))

    @cached_property
    def _own(self) -> re.Pattern[str] | None:
        dotted = [path.strip("/").replace("/", ".") + "." for path in self._paths]
        words = "|".join(re.escape(word) for word in [*self._paths, *dotted])
        return re.compile(rf"(?<![\w.-])(?:file://)?(?:{words})") if self._paths else None

    def cut(self, text: str) -> str:
        """A text without the path of the checkout, which is another one in every run."""
        return self._own.sub("", text) if self._own is not None else text

    def relative(self, path: str) -> str:
        """A path from the top of the tree, where it leads below it."""
        top = next((top for top in self._tops if path.startswith(top)), "")
        return path.removeprefix(top).removeprefix("./")

    def find(self, path: str, near: list[str] | None = None) -> str:
        """The file of the tree that a path means: by its whole path, from the top, or as the only one that ends so."""
        own = self.relative(path.strip().removeprefix("file://").replace("\\", "/"))
        if not own or not self.root or own.startswith(("/", "../")):
            return ""
        return own if own in self._tails else self._tails.ending(own, near or ())

    def longest(self, path: str) -> str:
        """The same; else the longest end of it that is a path of the tree, as of another clone."""
        return self.find(path) or (self._tails.longest(path) if self.root else "")

    @cached_property
    def _tails(self) -> Tails:
        return Tails(self._below())

    def _below(self) -> Iterator[str]:
        number, start = 0, len(self.root) + 1
        for folder, folders, names in walked(self.root):
            folders[:] = [name for name in folders if name not in LEFT_OUT]
            for name in names:
                number += 1
                if number > MOST_FILES:
                    return
                path = os.path.join(folder, name)[start:]
                if path.isprintable():  # what cannot be shown is no place
                    yield path
