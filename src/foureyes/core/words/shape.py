"""The shape of a text, as a pattern that is compiled when first asked: most commands ask few of those they load."""

from __future__ import annotations

import re
from functools import cached_property


class Shape:
    """A regular expression that costs nothing until it is needed."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern = pattern
        self._flags = flags

    def match(self, text: str) -> re.Match[str] | None:
        """Where a text begins so."""
        return self._compiled.match(text)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """A text that is so as a whole."""
        return self._compiled.fullmatch(text)

    def search(self, text: str) -> re.Match[str] | None:
        """The first place in a text that is so."""
        return self._compiled.search(text)

    def sub(self, replacement: str, text: str) -> str:
        """A text with every such place replaced."""
        return self._compiled.sub(replacement, text)

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self._flags)
