"""The reader's pager, for what is longer than the screen: the verdict stands on top and is not scrolled away."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from foureyes.ui.cli import diagnostics, output

FIRST = ("FOUREYES_PAGER",)
LAST = ("PAGER",)
"""What is asked before, and after, the reader's own file."""
LESS = "FRX"
"""As git has it: leave at once where it fits, pass colours on, leave the text on the screen."""


def write(text: str, *, wanted: bool) -> None:
    """Text that is ready to be shown; through the pager where it is `wanted`, there is a terminal, and it is too long
    for that.
    """
    program = program_for(os.environ) if wanted and is_longer(text) else []
    if not program or not _showed(program, text):
        output.put(text)


def program_for(environ: Mapping[str, str]) -> list[str]:
    """The pager as its words; none where somebody set it to nothing, or the terminal cannot be drawn on."""
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
    """Whether a text does not fit the terminal at once; a prompt comes below it."""
    if not output.on_terminal():
        return False
    from shutil import get_terminal_size

    size = get_terminal_size()
    return sum(1 + max(0, len(line) - 1) // size.columns for line in text.split("\n")) >= size.lines


def _showed(program: list[str], text: str) -> bool:
    """Let the pager have the terminal. Ctrl-C is the pager's then: it ends what it shows, not us."""
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
