"""`fe demo`: this file only makes way for it; it plays in processes of its own."""

from __future__ import annotations

import os
import sys

from foureyes.errors import Internal
from foureyes.ui.cli.command import Session, verb


@verb("demo", example="fe demo")
def demo(_session: Session) -> None:
    """A throw-away project in which agents that play a script work through a plan, with everything else real. It takes
    about half a minute, touches nothing outside of a temporary directory, needs no agent program and no network.
    """
    if not sys.executable:
        raise Internal("this interpreter does not know its own path")
    sys.stdout.flush()
    # -P: a package of that name in the directory where it is typed is not ours
    os.execv(sys.executable, [sys.executable, "-P", "-m", "foureyes.demo"])  # noqa: S606 (our own module, no shell)
