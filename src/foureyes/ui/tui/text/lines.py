"""Small things that every text needs: cutting, ages, clocks."""

from __future__ import annotations

from rich.text import Text


def cut(text: Text, width: int, *, pad: bool = False) -> Text:
    """Text that fits a width, with an ellipsis where something is missing."""
    text.truncate(width, overflow="ellipsis", pad=pad)
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
