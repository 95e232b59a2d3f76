"""`fe tui`, and bare `fe` on a terminal: opens the terminal app."""

from __future__ import annotations

import os
import sys

from foureyes.errors import BadInput, Refused
from foureyes.steps import fe
from foureyes.ui.cli.command import Session, verb


@verb("tui", example="fe tui")
def tui(session: Session) -> None:
    """Open the terminal app. The same as bare fe on a terminal."""
    prepare_terminal()
    if session.actor.kind == "agent":
        raise Refused("the terminal app is for people.", next_step=fe("prime"))
    if not can_draw():
        raise BadInput("the terminal app needs an interactive terminal.", next_step=fe("status"))
    open_terminal(session)


def can_draw() -> bool:
    """Return True if the terminal can draw."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def prepare_terminal() -> None:
    """Prepare the runner launcher before any store is opened, because the app may start a runner."""
    if can_draw():
        from foureyes.bootstrap.runner_launcher import prepare

        prepare()


def open_terminal(session: Session, note: str = "") -> None:
    """Open the app for the caller. `note` is its first message. The app opens the project again in its own thread."""
    from foureyes.bootstrap.files import own_settings
    from foureyes.bootstrap.wiring import open_project, whoami
    from foureyes.ui.tui.app import open_app
    from foureyes.ui.tui.garbage_collection import steady
    from foureyes.ui.tui.paste import read_pastes_whole
    from foureyes.ui.tui.worker import Desk

    cwd, asserted = session.cwd, session.asserted
    _ = session.app, session.actor  # report a missing project or a bad token before the app takes the screen
    desk = Desk(
        lambda: open_project(cwd, os.environ, lambda question: desk.aside(question)),
        lambda app: app.sessions.recognise(lambda programs: whoami(os.environ, asserted, programs)),
    )
    steady()
    read_pastes_whole()
    own, wrong = own_settings(os.environ)
    open_app(desk, own=own, note=note or "; ".join(wrong)).run()
