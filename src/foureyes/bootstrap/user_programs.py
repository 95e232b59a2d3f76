"""Programs of the user, such as a pager or an editor, that take over the terminal until they end."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence


def hand_over(
    argv: Sequence[str], environ: Mapping[str, str], text: bytes | None = None, cwd: str | None = None
) -> int:
    """Run a program on the terminal and return its exit code. Raises OSError if it cannot start."""
    from foureyes.adapters.foreground import attend

    return attend(argv, environ, text, cwd)


def program_of(environ: Mapping[str, str], names: Sequence[str], default: str) -> list[str]:
    """Return the words of the program that one of these variables names. A value that a shell could not parse is one
    word.
    """
    return words_of(next((environ[name] for name in names if environ.get(name, "").strip()), default))


def words_of(chosen: str) -> list[str]:
    """Return a program as words. A value that a shell could not parse is one word."""
    try:
        return shlex.split(chosen)
    except ValueError:
        return [chosen]
