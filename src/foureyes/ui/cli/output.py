"""Output: the only module that writes to stdout, as text or JSON. Without a terminal, it prints words in place of
symbols, and no color.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from foureyes.core.words.text import flat, in_encoding, visible
from foureyes.ui.steps import for_json


def write(text: str) -> None:
    """Print text for people. Control and bidirectional characters are made visible."""
    put(visible(text) + "\n")


def painted(text: str, paint: Callable[[int, str], str]) -> str:
    """Return text for `put`, with control characters visible and each line in its color if colors are wanted."""
    shown_text = visible(text) + "\n"
    if not on_terminal():
        return shown_text
    from foureyes.ui.cli import colour

    if not colour.is_wanted():
        return shown_text
    return "\n".join(paint(number, line) for number, line in enumerate(shown_text.split("\n")))


def flush() -> None:
    """Flush stdout, so that it precedes later output on stderr."""
    sys.stdout.flush()


def write_raw(text: str) -> None:
    """Print text unchanged, for other programs."""
    put(text)


def write_json(value: object) -> None:
    """Print one object on one line."""
    try:
        text = msgspec.json.encode(value, enc_hook=for_json).decode()
    except UnicodeEncodeError:  # a path that is not UTF-8
        from foureyes.ui.values import storable

        text = msgspec.json.encode(storable(msgspec.to_builtins(value, enc_hook=for_json))).decode()
    put(text + "\n")


def plain(value: object) -> dict[str, Any]:
    """Return a view as fields, to which a command can add its own."""
    fields: dict[str, Any] = msgspec.to_builtins(value, enc_hook=for_json)
    return fields


def with_id(value: object) -> dict[str, Any]:
    """Return a view of a task with its id as both `task` and `id`."""
    fields = plain(value)
    name = fields["approved"] if "approved" in fields else fields["task"]
    return {"id": name, "task": name, **fields}


def write_lines(values: Iterable[object]) -> None:
    """Print NDJSON: one object per line."""
    for value in values:
        write_json(value)


ahead: Callable[[], None] | None = None
"""Called before each write, to clear a transient line on stderr."""


def put(text: str) -> None:
    """Write to stdout, replacing characters that its encoding lacks."""
    if ahead is not None:
        ahead()
    encoding = sys.stdout.encoding or "utf-8"
    is_utf8 = encoding.lower().replace("-", "") == "utf8"
    sys.stdout.write(text if is_utf8 else in_encoding(text, encoding))


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return columns without borders. The last one has no width limit."""
    cells = [list(head), *[[flat(cell) for cell in row] for row in rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    padded = [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in cells]
    if on_terminal():
        padded[1:] = [_coloured(head, row) for row in padded[1:]]
    return "\n".join("  ".join(row).rstrip() for row in padded)


def _coloured(head: Sequence[str], row: list[str]) -> list[str]:
    from foureyes.ui.cli import colour

    return [colour.cell(name, cell) for name, cell in zip(head, row, strict=True)] if colour.is_wanted() else row


def fitted(head: Sequence[str], rows: Sequence[Sequence[str]], *, wide: str, last: str) -> str:
    """Return a table that fits the terminal. Empty columns are dropped first, then `last`, then `wide` is cut. Without
    a terminal, the table is complete.
    """
    if not on_terminal():
        return table(head, rows)
    width = columns()
    kept = [i for i in range(len(head)) if i == 0 or any(row[i] for row in rows)]
    while True:
        sizes = {i: max(len(head[i]), *(len(flat(row[i])) for row in rows)) for i in kept}
        room = width - sum(size + 2 for i, size in sizes.items() if head[i] != wide)
        if room >= NARROW or head[kept[-1]] != last:
            break
        kept.pop()
    return table(
        [head[i] for i in kept],
        [[shorten(flat(row[i]), max(room, NARROW)) if head[i] == wide else row[i] for i in kept] for row in rows],
    )


NARROW = 24
"""Smallest width of a title on a narrow terminal."""


def columns() -> int:
    """Return the terminal's width."""
    from shutil import get_terminal_size

    return get_terminal_size().columns


def count(number: int, noun: str) -> str:
    """Return a number with its noun: `1 file`, `2 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def on_terminal() -> bool:
    """Return True if stdout is a terminal."""
    return sys.stdout.isatty()


def shorten(text: str, limit: int) -> str:
    """Return text cut to the limit on a terminal, otherwise in full."""
    return text if len(text) <= limit or not on_terminal() else text[: limit - 1] + "…"


def when(moment: str | None) -> str:
    """Return a time, relative on a terminal and otherwise in ISO format."""
    if not moment:
        return ""
    if not on_terminal():
        return moment
    return age(moment) + " ago"


def age(moment: str) -> str:
    """Return the age of a time in the largest unit that fits."""
    seconds = max(0, int((datetime.now(UTC) - datetime.fromisoformat(moment)).total_seconds()))
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"
