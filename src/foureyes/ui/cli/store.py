"""`fe store copy`."""

from __future__ import annotations

import os
import sys

import click

from foureyes.ui.cli import diagnostics
from foureyes.ui.cli.command import Session, verb


@click.group("store")
def store() -> None:
    """Where the project keeps its journal."""


@verb("copy", example="fe store copy postgresql://db.example.org/foureyes")
@click.argument("url")
def store_copy(session: Session, url: str) -> None:
    """Move the store to a PostgreSQL server, or back into the file with the word sqlite. Every row is verified; nothing
    is dropped.

    For people. Writers wait meanwhile. What was the store before is kept beside it under another name.
    """
    from foureyes.bootstrap.moving import copy_store

    count = copy_store(session.cwd, os.environ, session.actor, url, show_progress)
    where = "the file .foureyes/store.db" if url == "sqlite" else "the server"
    note = "" if url == "sqlite" else "\n  other machines: [store] url in foureyes.toml, then fe init there"
    session.answer(
        {"rows": count, "store": "sqlite" if url == "sqlite" else "postgresql"},
        f"{count} rows copied and verified; the store is now {where}{note}",
    )


def show_progress(done: int, total: int) -> None:
    """Progress of long work, on stderr."""
    if sys.stderr.isatty() or done % 100_000 == 0:
        diagnostics.talk(f"{done:,} of {total:,} rows" if total else f"{done:,} rows")


store.add_command(store_copy)
