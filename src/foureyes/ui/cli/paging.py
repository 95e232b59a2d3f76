"""Paging of output that is longer than the screen, by the user's pager. The verdict stays at the top."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from foureyes.ui.cli import diagnostics, output

FIRST = ("FOUREYES_PAGER",)
LAST = ("PAGER",)
"""Variables read before the user's configuration (FIRST) and after it (LAST)."""
LESS = "FRX"
"""Options of less, as in git: quit if it fits, keep colors, leave the text on screen."""


def write(text: str, *, wanted: bool) -> None:
    """Print prepared text, through the pager if it is `wanted` and the text does not fit the terminal."""
    program = program_for(os.environ) if wanted and is_longer(text) else []
    if not program or not _showed(program, text):
        output.put(text)


def program_for(environ: Mapping[str, str]) -> list[str]:
    """Return the pager's command, none if the user disabled it or the terminal cannot draw."""
    if environ.get("TERM", "dumb") == "dumb" or not sys.stdin.isatty():
        return []
    from foureyes.bootstrap.user_programs import words_of

    chosen = next((environ[name] for name in FIRST if name in environ), None)
    if chosen is None:
        from foureyes.bootstrap.files import own_settings

        own, wrong = own_settings(environ)
        for each in wrong:
            diagnostics.talk(each)
        chosen = own.pager
    if chosen is None:
        chosen = next((environ[name] for name in LAST if name in environ), "less")
    return words_of(chosen)


def is_longer(text: str) -> bool:
    """Return True if the text and a prompt do not fit the screen."""
    if not output.on_terminal():
        return False
    from shutil import get_terminal_size

    size = get_terminal_size()
    return sum(1 + max(0, len(line) - 1) // size.columns for line in text.split("\n")) >= size.lines


def _showed(program: list[str], text: str) -> bool:
    """Run the pager and return True if it worked. Ctrl-C belongs to the pager meanwhile."""
    import signal

    from foureyes.bootstrap.user_programs import hand_over

    output.flush()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        code = hand_over(program, {"LESS": LESS, "LV": "-c", **os.environ}, text.encode("utf-8", "surrogateescape"))
    except OSError:
        return False
    finally:
        signal.signal(signal.SIGINT, before)
    return code != COMMAND_NOT_FOUND


COMMAND_NOT_FOUND = 127
