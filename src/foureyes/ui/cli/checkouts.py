"""`fe checkout list|prune`."""

from __future__ import annotations

from collections.abc import Sequence

import click

from foureyes.app.views.check import EnvironmentRow
from foureyes.core.words.text import flat, one_line
from foureyes.steps import fe
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, verb
from foureyes.ui.cli.worktrees import sized
from foureyes.ui.steps import next_line

KEY, COMMAND, TREE = 8, 60, 7


@click.group("checkout")
def checkout() -> None:
    """Manage the cached environments of checks. [checkout] prepare builds them. (D5)"""


@verb("list", example="fe checkout list")
def list_all(session: Session) -> None:
    """List your cached environments on this machine. It covers every project, and shows what each is for, its size and
    its last use.
    """
    rows = session.app.checkouts.listed()
    if session.json:
        output.write_lines(rows)
        return
    if not rows:
        output.write("no environments of checks are kept here")
        return
    _write(rows)
    output.write(next_line(fe("checkout", "prune", "--dry-run")))


def _write(rows: Sequence[EnvironmentRow]) -> None:
    cells = [
        (
            row.key[:KEY],
            sized(row.bytes),
            output.when(row.used),
            row.tree[:TREE] or "all",
            flat(one_line(row.command, COMMAND)),
        )
        for row in rows
    ]
    output.write_raw(output.table(("KEY", "SIZE", "USED", "FOR", "MADE BY"), cells) + "\n")


@verb("prune", example="fe checkout prune --dry-run")
@click.option(
    "--all", "everything", is_flag=True, help="Also recently used ones; checks build them again. People only."
)
@click.option("--dry-run", is_flag=True, help="List what would be removed; remove nothing.")
def prune(session: Session, everything: bool, dry_run: bool) -> None:
    """Remove environments that no check used for 14 days. Above 20 GB the least recently used ones go too. An
    environment in use stays.
    """
    rows = session.app.checkouts.prune(session.actor, everything=everything, only_try=dry_run)
    if session.json:
        output.write_lines({"key": row.key, "bytes": row.bytes, "dry_run": dry_run} for row in rows)
        return
    if not rows:
        output.write("nothing to remove" if everything else "nothing to remove: all of them are in use, or were lately")
        return
    _write(rows)
    what = "would go" if dry_run else "removed"
    output.write(f"{what}: {len(rows)}, {sized(sum(row.bytes for row in rows))}")


for each in (list_all, prune):
    checkout.add_command(each)
