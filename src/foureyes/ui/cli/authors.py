"""`fe author clear`: who counts as an author (I8)."""

from __future__ import annotations

import click

from foureyes.ui.cli.command import Session, reason_options, say, verb


@click.group("author")
def author() -> None:
    """Author sets: who may not approve a change because they made it."""


@verb("clear", example='fe author clear fe-7k2 ses-x3jd81wq -m "the trailer was written by somebody else"')
@click.argument("task")
@click.argument("name", metavar="SESSION")
@reason_options
def author_clear(session: Session, task: str, name: str, reason: str) -> None:
    """Say that a commit's trailer names a session wrongly. For people; on record. Claims and hand-ins are never
    cleared.
    """
    say(session, session.app.attempts.clear_author(session.actor, task, name, reason))


author.add_command(author_clear)
