"""`fe check environments`."""

from __future__ import annotations

from collections.abc import Sequence

import click

from foureyes.app.results.attempt import EnvironmentRow
from foureyes.core.words.text import flat, one_line
from foureyes.steps import fe
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, verb
from foureyes.ui.cli.worktrees import sized
from foureyes.ui.steps import next_line

KEY, COMMAND, TREE = 8, 60, 7


@verb("environments", example="fe check environments --prune --dry-run", modes={"prune": ("everything", "dry_run")})
@click.option("--prune", is_flag=True, help="Remove those that no check used for 14 days.")
@click.option("--all", "everything", is_flag=True, help="With --prune: recently used ones too. People only.")
@click.option("--dry-run", is_flag=True, help="With --prune: list what would be removed.")
def check_environments(session: Session, prune: bool, everything: bool, dry_run: bool) -> None:
    """List the cached environments of checks on this machine. [checkout] prepare builds them, for every project. Above
    20 GB, --prune also removes the least recently used ones. An environment in use stays. (D5)
    """
    if prune:
        remove(session, everything=everything, dry_run=dry_run)
        return
    rows = session.app.checkouts.listed()
    if session.json:
        output.write_lines(rows)
        return
    if not rows:
        output.write("no cached check environments")
        return
    _write(rows)
    output.write(next_line(fe("check", "environments", "--prune", "--dry-run")))


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


def remove(session: Session, *, everything: bool, dry_run: bool) -> None:
    """Remove unused environments."""
    rows = session.app.checkouts.prune(session.actor, everything=everything, only_try=dry_run)
    if session.json:
        output.write_lines({"key": row.key, "bytes": row.bytes, "dry_run": dry_run} for row in rows)
        return
    if not rows:
        output.write(
            "nothing to remove" if everything else "nothing to remove: all of them are in use or were used recently"
        )
        return
    _write(rows)
    what = "would go" if dry_run else "removed"
    output.write(f"{what}: {len(rows)}, {sized(sum(row.bytes for row in rows))}")
