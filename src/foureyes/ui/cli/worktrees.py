"""`fe worktree`."""

from __future__ import annotations

import os

import click

from foureyes.app.results.work import WorktreeState
from foureyes.core.words.text import flat
from foureyes.core.words.untrusted_text import some
from foureyes.steps import fe
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, verb
from foureyes.ui.steps import next_line

NAMES_SHOWN = 5


@verb("worktree", example="fe worktree\nfe worktree --prune --dry-run", modes={"prune": ("dry_run",)})
@click.option("--prune", is_flag=True, help="Remove the worktrees of closed tasks, merged or not.")
@click.option("--dry-run", is_flag=True, help="With --prune: list what would be removed.")
def worktree(session: Session, prune: bool, dry_run: bool) -> None:
    """List task worktrees with status, size and branch. --prune keeps a worktree with uncommitted changes, or with
    ignored files that nothing can rebuild. Branches stay. (K1)
    """
    if prune:
        remove(session, dry_run=dry_run)
        return
    rows = session.app.worktrees.listed()
    if session.json:
        output.write_lines(map(output.with_id, rows))
        return
    if not rows:
        output.write("no worktrees")
        return
    cells = [
        (
            row.task,
            row.status,
            size_of(row.state),
            row.state.wrong or row.state.branch,
            os.path.relpath(row.path, session.cwd),
        )
        for row in rows
    ]
    output.write_raw(output.table(("TASK", "STATUS", "SIZE", "BRANCH", "PATH"), cells) + "\n")
    if any(row.over for row in rows):
        output.write(next_line(fe("worktree", "--prune", "--dry-run")))


def size_of(state: WorktreeState) -> str:
    """Return the size of a worktree in short form."""
    return f"{'>' if state.more else ''}{sized(state.bytes)}"


def sized(count: int) -> str:
    """Return a number of bytes in short form."""
    size, unit = float(count), "B"
    for larger in ("KB", "MB", "GB"):
        if size < 1000:
            break
        size, unit = size / 1000, larger
    return f"{size:.0f} {unit}"


def remove(session: Session, *, dry_run: bool) -> None:
    """Remove the worktrees of closed tasks."""
    rows = session.app.worktrees.prune(session.actor, only_try=dry_run)
    if session.json:
        output.write_lines({**output.with_id(row), "dry_run": dry_run} for row in rows)
        return
    if not rows:
        output.write("no closed task has a worktree")
        return
    for row in rows:
        if row.stays:
            output.write(f"stays    {row.task}  {flat(row.stays)}")
            continue
        along = f"; with the ignored files: {some(row.gone, NAMES_SHOWN)}" if row.gone else ""
        where = os.path.relpath(row.path, session.cwd)
        output.write(f"{'would go' if dry_run else 'removed '} {row.task}  {flat(where)}{along}")
