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
    """Manage where the project keeps its journal."""


@verb("copy", example="fe store copy postgresql://db.example.org/foureyes")
@click.argument("url")
def store_copy(session: Session, url: str) -> None:
    """Move the store from the file to PostgreSQL. Every row is verified. People only. Writers wait meanwhile. The file
    is kept next to it under another name. Back into a file: fe backup, then fe restore --into-file.
    """
    from foureyes.bootstrap.moving import address_to_name, copy_store, remote_to_name
    from foureyes.ui.cli.text.copied import copied_text

    copied = copy_store(session.cwd, os.environ, session.actor, url, show_progress)
    address = address_to_name(session.cwd, os.environ, url)
    session.answer(copied, copied_text(copied, remote_to_name(session.cwd), address))


@verb("join", example="fe store join postgresql://db.example.org/foureyes")
@click.argument("url", required=False, default="")
def store_join(session: Session, url: str) -> None:
    """Connect this clone to the project's PostgreSQL store. The project is the one that foureyes.toml names. People
    only. Without URL it takes the address of FOUREYES_STORE or of foureyes.toml. Put no password into it: use
    ~/.pgpass, a service file or PGPASSWORD. In a clone that joined before, it changes the address.
    """
    from foureyes.bootstrap.joining import join_store
    from foureyes.ui.cli.text.joined import joined_text

    joined = join_store(session.cwd, os.environ, session.actor, url)
    session.answer(joined, joined_text(joined))


@verb("roles", example="fe store roles --writer agents --reader auditor")
@click.option(
    "--writer", multiple=True, metavar="NAME", help="A role that adds to the journal and changes nothing in it."
)
@click.option("--reader", multiple=True, metavar="NAME", help="A role that reads, verifies and makes backups.")
def store_roles(session: Session, writer: tuple[str, ...], reader: tuple[str, ...]) -> None:
    """Print the SQL that gives others access to the store. For a store on a server: it makes writers and readers next
    to its owner. Nothing is run. The owner of the store's schema, or the administrator of the server, gives it to psql.
    Without names, it is for roles that are called like the schema. Each option can be given more than once.
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
    """Accept a store that was moved or restored. It is not where its journal says, or lacks the last merge on the
    target. People only. This is ordinary after the database was moved or dumped to another server, or an older backup
    was restored. If none of you did that, look at .foureyes/store.json first. The files that mirror the store are
    written again.
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
