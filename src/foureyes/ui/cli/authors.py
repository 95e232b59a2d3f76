"""`fe author clear`: who counts as an author (I8)."""

from __future__ import annotations

import click

from foureyes.ui.cli.command import Session, reason_options, say, verb


@click.group("author")
def author() -> None:
    """Correct who counts as an author of a change."""


@verb("clear", example='fe author clear fe-7k2 ses-x3jd81wq -m "the trailer was written by somebody else"')
@click.argument("task")
@click.argument("name", metavar="SESSION")
@reason_options
def author_clear(session: Session, task: str, name: str, reason: str) -> None:
    """Record that a commit trailer names a wrong session. People only. Claims and submissions are never cleared."""
    say(session, session.app.attempts.clear_author(session.actor, task, name, reason))


author.add_command(author_clear)
