"""`fe demo`: replaces this process with the demo, which runs in processes of its own."""

from __future__ import annotations

import os
import sys

import foureyes
from foureyes.errors import Internal
from foureyes.ui.cli.command import Session, verb


@verb("demo", example="fe demo")
def demo(_session: Session) -> None:
    """Watch scripted agents work in a throwaway project. Everything but the agents is real. At a terminal the app
    opens, and R, D and A are yours. Elsewhere it prints the story. It takes about half a minute, touches nothing
    outside a temporary directory, and needs no agent program and no network.
    """
    if not sys.executable:
        raise Internal("this interpreter does not know its own path")
    sys.stdout.flush()
    # By path, so that the demo does not count as a Foureyes process and the app below it is the reader's (I5).
    play = os.path.join(os.path.dirname(foureyes.__file__), "demo", "__main__.py")
    os.execv(sys.executable, [sys.executable, "-P", play])  # noqa: S606 (our own module, no shell)
