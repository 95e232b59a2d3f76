"""Small things that every text needs: cutting, ages, clocks."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from foureyes.core.words.text import MARKS, widest
from foureyes.core.words.text import fitting as characters

MOST_IN_COLUMN = MARKS + 2
"""So many characters are in one column at most: a letter and its marks."""


def columns(text: str) -> int:
    """The columns that a text may take: never fewer than the terminal draws."""
    return max(cell_len(text), widest(text))


def fitting(text: str, room: int) -> int:
    """How many characters of a text are sure to fit; no more of it is looked at than could."""
    many = characters(text[: room * MOST_IN_COLUMN], room)
    while many and cell_len(text[:many]) > room:
        many -= 1
    return many


def cut(text: Text, width: int, *, pad: bool = False) -> Text:
    """Text that fits a width however the terminal draws it, with an ellipsis where something is missing."""
    if not text.plain.isascii() and widest(text.plain) > width:
        text.plain = f"{text.plain[: fitting(text.plain, width - 1)]}…"
    text.truncate(width, overflow="ellipsis")
    if pad:
        text.pad_right(max(0, width - columns(text.plain)))
    return text


def age(seconds: int) -> str:
    """How long: `40s`, `12 min`, `3 h`, `2 d`."""
    for size, unit in ((86_400, " d"), (3_600, " h"), (60, " min")):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def short_age(seconds: int) -> str:
    """The same for a narrow column: `40s`, `12m`, `3h`, `2d`."""
    return age(seconds).replace(" min", "m").replace(" ", "")


def clock(moment: str) -> str:
    """The hour and minute of a moment on record, in the reader's own time."""
    from datetime import datetime

    return datetime.fromisoformat(moment).astimezone().strftime("%H:%M")


def uncut(parts: Sequence[str], room: int) -> str:
    """As many of some words as there is room for, from the first on: none is cut in two."""
    words = ""
    for part in parts:
        longer = f"{words}  {part}" if words else part
        if words and cell_len(longer) > room:
            break
        words = longer
    return words
