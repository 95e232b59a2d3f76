"""Colors of the command line, on terminals only and unless disabled. Color repeats the text and never replaces it."""

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
"""Color of each status. Open tasks have none."""

COLUMNS = frozenset({"STATUS", "STATE"})


def is_wanted() -> bool:
    """Return True if stdout is a terminal with colors and NO_COLOR is not set."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return False
    return os.environ.get("TERM", "dumb") != "dumb"


def painted(text: str, tint: str) -> str:
    """Return text in a color, or unchanged without one."""
    return f"\x1b[{tint}m{text}\x1b[0m" if tint else text


def cell(column: str, text: str) -> str:
    """Return a padded table cell in its color."""
    words = text.split(maxsplit=1)
    return painted(text, WORDS.get(words[0], "")) if column in COLUMNS and words else text


def of_task(number: int, line: str) -> str:
    """Return a line of a task's page: the title in bold, the status in its color."""
    if number == 0:
        return painted(line, BOLD)
    words = line.split(maxsplit=1)
    return painted(line, WORDS.get(words[0], "")) if number == 1 and words else line


def of_diff(_: int, line: str) -> str:
    """Return a line of a git diff in its color."""
    if line[:4] in ("--- ", "+++ ") or line[:5] == "diff ":
        return painted(line, BOLD)
    return painted(line, {"+": GREEN, "-": RED, "@": CYAN}.get(line[:1], ""))
