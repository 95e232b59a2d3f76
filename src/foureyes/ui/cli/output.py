"""The only writer of stdout: results as text or JSON. Without a terminal words instead of marks, and no colour."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from foureyes.core.words.text import flat, in_encoding, visible
from foureyes.ui.steps import for_json


def write(text: str) -> None:
    """Text for people; control and bidirectional characters of untrusted text are made visible."""
    put(visible(text) + "\n")


def painted(text: str, paint: Callable[[int, str], str]) -> str:
    """Text for people, ready for `put`: made visible, then each line in its colour where colours are wanted."""
    shown_text = visible(text) + "\n"
    if not on_terminal():
        return shown_text
    from foureyes.ui.cli import colour

    if not colour.is_wanted():
        return shown_text
    return "\n".join(paint(number, line) for number, line in enumerate(shown_text.split("\n")))


def flush() -> None:
    """What was said so far comes before what is said elsewhere."""
    sys.stdout.flush()


def write_raw(text: str) -> None:
    """Text as it is, for what another program reads."""
    put(text)


def write_json(value: object) -> None:
    """One object on one line."""
    try:
        text = msgspec.json.encode(value, enc_hook=for_json).decode()
    except UnicodeEncodeError:  # a path that is no UTF-8
        from foureyes.ui.values import storable

        text = msgspec.json.encode(storable(msgspec.to_builtins(value, enc_hook=for_json))).decode()
    put(text + "\n")


def plain(value: object) -> dict[str, Any]:
    """A view as the fields of an object, to which a command adds its own."""
    fields: dict[str, Any] = msgspec.to_builtins(value, enc_hook=for_json)
    return fields


def with_id(value: object) -> dict[str, Any]:
    """A view of one task with its id under both names that there are: `task`, and `id` as in lists."""
    fields = plain(value)
    name = fields["approved"] if "approved" in fields else fields["task"]
    return {"id": name, "task": name, **fields}


def write_lines(values: Iterable[object]) -> None:
    """NDJSON: one object per line."""
    for value in values:
        write_json(value)


ahead: Callable[[], None] | None = None
"""What is done before something is written: a line that passes by on stderr ends."""


def put(text: str) -> None:
    """To stdout, whatever its encoding can hold."""
    if ahead is not None:
        ahead()
    encoding = sys.stdout.encoding or "utf-8"
    is_utf8 = encoding.lower().replace("-", "") == "utf8"
    sys.stdout.write(text if is_utf8 else in_encoding(text, encoding))


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns without borders; the last one may be as long as it likes."""
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
    """A table that fits a terminal: columns in which nothing stands are left out, then `last` if it does not fit, then
    `wide` is cut. Without a terminal it has every column, whole.
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
"""What is left of a title on a terminal that is too narrow for everything."""


def columns() -> int:
    """How wide the terminal is."""
    from shutil import get_terminal_size

    return get_terminal_size().columns


def count(number: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def on_terminal() -> bool:
    """Whether a person is looking."""
    return sys.stdout.isatty()


def shorten(text: str, limit: int) -> str:
    """Cut for a terminal only: a program gets everything."""
    return text if len(text) <= limit or not on_terminal() else text[: limit - 1] + "…"


def when(moment: str | None) -> str:
    """Relative on a terminal, ISO otherwise."""
    if not moment:
        return ""
    if not on_terminal():
        return moment
    return age(moment) + " ago"


def age(moment: str) -> str:
    """How long ago, in the largest unit that fits."""
    seconds = max(0, int((datetime.now(UTC) - datetime.fromisoformat(moment)).total_seconds()))
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"
