"""Strip terminal control sequences from everything the app draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.text import Text
from textual.filter import LineFilter

if TYPE_CHECKING:
    from textual.color import Color


_SIGNS = {**{code: chr(0x2400 + code) for code in range(32)}, 127: "␡"} | dict.fromkeys(range(0x80, 0xA0), "�")
_IN_LINES = {code: sign for code, sign in _SIGNS.items() if chr(code) != "\n"}
_TYPED = {code: sign for code, sign in _SIGNS.items() if chr(code) not in "\t\n\r"}
_GONE = dict.fromkeys(_SIGNS)


def signs(text: str) -> str:
    """A line with each control character as one sign, so that every place in it stays where it is."""
    return text if text.isprintable() else text.translate(_SIGNS)


def typed(text: str) -> str:
    """A text of several lines, as it may stand in a field: tabs and line ends are part of it."""
    return text if text.isprintable() else text.translate(_TYPED)


def harmless(text: Text) -> Text:
    """Lines to be drawn, without control characters."""
    plain = text.plain
    if not plain.isprintable():
        shown = plain.translate(_IN_LINES)
        if shown != plain:
            text.plain = shown
    return text


class Sieve(LineFilter):
    """The last of the filters that every line of every widget goes through. What it takes out had no width, so that
    nothing else moves.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        if all(segment.text.isprintable() and not segment.control for segment in segments):
            return segments
        return [Segment(segment.text.translate(_GONE), segment.style) for segment in segments if not segment.control]
