"""`fe security`: every exception on record."""

from __future__ import annotations

import click

from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, verb


def show_security(session: Session, limit: int) -> None:
    """Every exception on record, newest first; `fe stats security` shows the same."""
    rows, totals = session.app.audit.exceptions(limit), session.app.audit.exception_totals()
    if session.json:
        output.write_lines(rows)
        return
    if not rows:
        output.write("no exceptions on record")
        return
    output.write("   ".join(f"{total.kind} {total.n}" for total in totals))
    cells = [
        (f"#{row.seq}", output.when(row.at), row.kind, row.rule, row.task, row.session, row.reason) for row in rows
    ]
    output.write_raw(output.table(("ROW", "WHEN", "KIND", "RULE", "TASK", "SESSION", "REASON"), cells) + "\n")


@verb("security", example="fe security")
@click.option("--limit", type=click.IntRange(1, 10_000), default=100, show_default=True)
def security(session: Session, limit: int) -> None:
    """List every exception: by whom, under which rule, why. Nothing clears this list."""
    show_security(session, limit)
