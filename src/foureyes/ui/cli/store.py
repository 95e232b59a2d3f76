"""`fe store copy`."""

from __future__ import annotations

import os
import sys

import click

from foureyes.core.words.place import place_words
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


@verb("adopt", example='fe store adopt -m "the database was moved to a new server"')
@click.option("--reason", "-m", default="", help="Why this is the project's store; it stays on record.")
def store_adopt(session: Session, reason: str) -> None:
    """Take up the store that was found: it lies elsewhere than its journal says, or lacks the last merge on the target.

    For people. Ordinary after the database was moved or dumped to another server, or an older backup was restored. If
    nobody of you did that, look at .foureyes/store.json first. Files that mirror the store are written anew.
    """
    adopted = session.app.projects.adopt(session.actor, reason)
    lines = [f"this is the project's store: {adopted.rows} rows"]
    lines += [f"  it lies {place_words(adopted.place)}"] if adopted.place else []
    lines += [f"  the target's anchor {adopted.anchor[:20]} is not in it; merges go on all the same"] * bool(
        adopted.anchor
    )
    lines += [f"  {note}" for note in adopted.notes]
    session.answer(adopted, "\n".join(lines))


def show_progress(done: int, total: int) -> None:
    """Progress of long work, on stderr."""
    if sys.stderr.isatty() or done % 100_000 == 0:
        diagnostics.talk(f"{done:,} of {total:,} rows" if total else f"{done:,} rows")


store.add_command(store_copy)
store.add_command(store_adopt)
