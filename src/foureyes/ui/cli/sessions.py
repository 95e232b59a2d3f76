"""`fe whoami` and `fe session list`."""

from __future__ import annotations

import click

from foureyes.app.sessions import seen_alone
from foureyes.errors import EnvironmentProblem
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, verb


@verb("whoami", example="fe whoami")
def whoami(session: Session) -> None:
    """Who you are to Foureyes, and why it thinks so."""
    try:
        me = session.app.sessions.whoami(session.actor)
    except EnvironmentProblem:
        me = seen_alone(session.actor)
    origin = f", origin {', '.join(me.origins)}" if me.kind != "human" else ""
    lines = [f"{me.name} ({me.session}): {me.kind}, {me.trust}{origin}", *[f"  {why}" for why in me.why]]
    session.answer(me, "\n".join(lines))


@click.group("session")
def session() -> None:
    """Sessions: one pair of eyes at work each."""


@verb("list", example="fe session list")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True)
def session_list(session: Session, limit: int) -> None:
    """Who has written here, the latest first."""
    rows = session.app.sessions.list(limit)
    if session.json:
        output.write_lines(rows)
        return
    cells = [(row.id, row.name, row.kind, row.trust, row.origin, output.when(row.last_seen_at)) for row in rows]
    output.write_raw(output.table(("ID", "NAME", "KIND", "TRUST", "ORIGIN", "LAST SEEN"), cells) + "\n")


session.add_command(session_list)
