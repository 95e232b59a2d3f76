"""Colours of the command line: on a terminal only, and only where nobody asked for none. A word says it, too: colour is
never the only sign.
"""

from __future__ import annotations

import os
import sys

BOLD, DIM, RED, GREEN, YELLOW, CYAN = "1", "2", "31", "32", "33", "36"

WORDS: dict[str, str] = {
    "in_progress": CYAN,
    "reviewing": YELLOW,
    "approved": GREEN,
    "closed": DIM,
    "deferred": DIM,
    "blocked": RED,
    "rejected": RED,
    "STUCK": RED,
    "stuck": RED,
}
"""How a status stands out; what is open is plain."""

COLUMNS = frozenset({"STATUS", "STATE"})


def is_wanted() -> bool:
    """Whether a person looks at a terminal that has colours, and did not say no (NO_COLOR)."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return False
    return os.environ.get("TERM", "dumb") != "dumb"


def painted(text: str, tint: str) -> str:
    """Text in a colour; without one as it is."""
    return f"\x1b[{tint}m{text}\x1b[0m" if tint else text


def cell(column: str, text: str) -> str:
    """A cell of a table, padded already."""
    words = text.split(maxsplit=1)
    return painted(text, WORDS.get(words[0], "")) if column in COLUMNS and words else text


def of_task(number: int, line: str) -> str:
    """A line of a task's page: its title, then how it stands."""
    if number == 0:
        return painted(line, BOLD)
    words = line.split(maxsplit=1)
    return painted(line, WORDS.get(words[0], "")) if number == 1 and words else line


def of_diff(_: int, line: str) -> str:
    """A line of a change, as git writes it."""
    if line[:4] in ("--- ", "+++ ") or line[:5] == "diff ":
        return painted(line, BOLD)
    return painted(line, {"+": GREEN, "-": RED, "@": CYAN}.get(line[:1], ""))
