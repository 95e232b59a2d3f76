"""`fe store copy`, `join`, `roles`, `adopt`."""

from __future__ import annotations

import os
import sys

import click

from foureyes.core.words.place import place_words
from foureyes.errors import Refused
from foureyes.steps import blank, by_person, fe
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
    from foureyes.bootstrap.moving import address_to_name, copy_store, remote_to_name
    from foureyes.ui.cli.text.copied import copied_text

    copied = copy_store(session.cwd, os.environ, session.actor, url, show_progress)
    address = address_to_name(session.cwd, os.environ, url)
    session.answer(copied, copied_text(copied, remote_to_name(session.cwd), address))


@verb("join", example="fe store join postgresql://db.example.org/foureyes")
@click.argument("url", required=False, default="")
def store_join(session: Session, url: str) -> None:
    """Let this clone use the store that a PostgreSQL server has of the project that foureyes.toml names.

    For people. Without URL, the address of FOUREYES_STORE or of foureyes.toml. A password does not belong into it: put
    it into ~/.pgpass, a service file or PGPASSWORD. In a clone that joined before, the address is changed.
    """
    from foureyes.bootstrap.joining import join_store
    from foureyes.ui.cli.text.joined import joined_text

    joined = join_store(session.cwd, os.environ, session.actor, url)
    session.answer(joined, joined_text(joined))


@verb("roles", example="fe store roles --writer agents --reader auditor")
@click.option("--writer", multiple=True, metavar="NAME", help="Who adds to the journal, and changes nothing of it.")
@click.option("--reader", multiple=True, metavar="NAME", help="Who looks, verifies and makes backups.")
def store_roles(session: Session, writer: tuple[str, ...], reader: tuple[str, ...]) -> None:
    """The SQL that lets others in to a store on a server: writers and readers, beside its owner. Runs nothing.

    The owner of the store's schema, or who administers the server, gives it to psql. Without names, it is for roles
    that are called like the schema. Each option can be given more than once.
    """
    text = session.app.projects.grants(writer, reader)
    if not text:
        raise Refused(
            "the store is a file: who may write .foureyes may write all of it.",
            next_step=by_person(fe("store", "copy", blank("postgresql://…"))),
        )
    session.answer({"sql": text}, text)


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


for _command in (store_copy, store_join, store_roles, store_adopt):
    store.add_command(_command)
