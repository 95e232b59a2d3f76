"""`fe attention`: everything that waits for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, verb
from foureyes.ui.cli.text.attention import FIRST, attention_text

if TYPE_CHECKING:
    from foureyes.app.views.status import AttentionView


@verb("attention", example="fe attention")
@click.option("--limit", type=click.IntRange(1, 50), default=50, show_default=True, help="How many rows to show.")
def attention(session: Session, limit: int) -> None:
    """List what only a person can resolve. These are holds, loops waiting for a decision, stuck merges, a red target,
    silent claims, a configuration that nobody accepted, expired waivers and rejected work. Newest first, each with its
    reason and your commands.
    """
    view = session.app.attention.view(session.actor, limit=limit)
    if session.json:
        output.write_lines(view.rows)
        return
    output.write(attention_text(view))


def first(session: Session) -> AttentionView:
    """Return the first items, which other pages show at the top. (E6)"""
    return session.app.attention.view(session.actor, limit=FIRST)
