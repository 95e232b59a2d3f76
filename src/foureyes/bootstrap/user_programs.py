"""Attend to a program of the user's, a pager or an editor: the terminal is its own until it ends."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence


def hand_over(
    argv: Sequence[str], environ: Mapping[str, str], text: bytes | None = None, cwd: str | None = None
) -> int:
    """Let a program have the terminal; how it ended. `OSError` where it cannot be started."""
    from foureyes.adapters.foreground import attend

    return attend(argv, environ, text, cwd)


def program_of(environ: Mapping[str, str], names: Sequence[str], default: str) -> list[str]:
    """The program that somebody chose by one of these variables, as its words; words that no shell would read are one
    name.
    """
    return words_of(next((environ[name] for name in names if environ.get(name, "").strip()), default))


def words_of(chosen: str) -> list[str]:
    """A program as its words; words that no shell would read are one name."""
    try:
        return shlex.split(chosen)
    except ValueError:
        return [chosen]
