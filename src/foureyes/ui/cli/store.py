"""`fe store backup|restore|copy|join|roles|adopt`."""

from __future__ import annotations

import os
import sys

import click

from foureyes.bootstrap.places import folder_of, repository
from foureyes.core.words.store_place import place_words
from foureyes.errors import Refused
from foureyes.steps import blank, by, by_person, fe
from foureyes.ui.cli import diagnostics
from foureyes.ui.cli.command import Session, verb
from foureyes.ui.steps import next_line


@click.group("store")
def store() -> None:
    """Back up, restore and move the project's journal."""


@verb("backup", example="fe store backup ../shop-2027-01-31.db")
@click.argument("file")
def store_backup(session: Session, file: str) -> None:
    """Copy the whole store to a file. Others may write meanwhile. Never overwrites a file."""
    session.app.projects.backup(session.actor, os.path.join(session.cwd, file))
    back, role = fe("store", "restore", file, after="   puts it back"), session.app.projects.role()
    if role is not None and role.kind != "owner":
        back = by("other", back, f"{role.owner or 'someone else'}, the owner of the store: ")
    session.answer({"backup": file}, f"backed up to {file}\n{next_line(back)}")


@verb("restore", example="fe store restore ../shop-2027-01-31.db")
@click.argument("file")
@click.option("--into-file", is_flag=True, help="Restore a server's backup as a local file of this clone.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def store_restore(session: Session, file: str, into_file: bool, yes: bool) -> None:
    """Replace the store with a backup. People only, recorded. The old store is kept.

    On a server only the owner of the store's schema can do this, and other roles keep their access. In a clone that
    knows no server, the backup of a server's store needs --into-file. Nobody else works with that file.
    """
    from foureyes.bootstrap.restore import restore_backup
    from foureyes.ui.cli.text.store import restored_fields, restored_text

    if not yes and not _wants_restored(session, file):
        session.note("nothing was restored")
        return
    done = restore_backup(session.cwd, os.environ, session.actor, file, into_file=into_file)
    session.answer(restored_fields(done, file), restored_text(done, file, session.cwd))


def _wants_restored(session: Session, file: str) -> bool:
    """Ask before a backup replaces an existing store. Callers who may not do it are refused first."""
    from foureyes.bootstrap.restore import refuse_restore

    folder = folder_of(repository(session.cwd))
    kept = any(os.path.lexists(os.path.join(folder, name)) for name in ("store.db", "store.json"))
    if not session.can_ask or not (kept or os.environ.get("FOUREYES_STORE")):
        return True
    is_there = refuse_restore(session.cwd, os.environ, session.actor, file)
    old_store = "the current store is kept as a copy" if is_there else "there is no current store to keep"
    session.note(f"Restoring {file} discards all newer records. {old_store[0].upper()}{old_store[1:]}.")
    return click.confirm(f"Replace the store with {file}?", default=False, err=True)


@verb("copy", example="fe store copy postgresql://db.example.org/foureyes")
@click.argument("url")
def store_copy(session: Session, url: str) -> None:
    """Move the store from the file to PostgreSQL. People only. Every row is verified, and writers wait meanwhile.
    The file stays in its directory under another name. To move back: fe store backup, then fe store restore
    --into-file.
    """
    from foureyes.bootstrap.store_move import address_to_name, copy_store, remote_to_name
    from foureyes.ui.cli.text.store import copied_text

    copied = copy_store(session.cwd, os.environ, session.actor, url, show_progress)
    address = address_to_name(session.cwd, os.environ, url)
    session.answer(copied, copied_text(copied, remote_to_name(session.cwd), address))


@verb("join", example="fe store join postgresql://db.example.org/foureyes")
@click.argument("url", required=False, default="")
def store_join(session: Session, url: str) -> None:
    """Connect this clone to the project's PostgreSQL store. People only. foureyes.toml names the project. The
    default URL comes from FOUREYES_STORE or foureyes.toml. Put no password into it: use ~/.pgpass, a service file or
    PGPASSWORD. In a clone that joined before, it changes the address.
    """
    from foureyes.bootstrap.join import join_store
    from foureyes.ui.cli.text.store import joined_text

    joined = join_store(session.cwd, os.environ, session.actor, url)
    session.answer(joined, joined_text(joined))


@verb("roles", example="fe store roles --writer agents --reader auditor")
@click.option(
    "--writer", multiple=True, metavar="NAME", help="A role that adds to the journal and changes nothing in it."
)
@click.option("--reader", multiple=True, metavar="NAME", help="A role that reads, verifies and makes backups.")
def store_roles(session: Session, writer: tuple[str, ...], reader: tuple[str, ...]) -> None:
    """Print the SQL that gives others access to the store. For a store on a server: it creates writers and readers
    besides its owner. Nothing runs. The owner of the schema, or the administrator of the server, gives it to psql.
    Without names, the roles are named after the schema. Options can be repeated.
    """
    text = session.app.projects.grants(writer, reader)
    if not text:
        raise Refused(
            "roles need PostgreSQL, and this project's store is a file.",
            next_step=by_person(fe("store", "copy", blank("postgresql://…"))),
        )
    session.answer({"sql": text}, text)


@verb("adopt", example='fe store adopt -m "the database was moved to a new server"')
@click.option("--reason", "-m", default="", help="Why this is the project's store.")
def store_adopt(session: Session, reason: str) -> None:
    """Accept a store that was moved or restored. Use it if the store is not where its journal says, or lacks the
    last merge on the target, as after a move to another server or a restored backup. People only. If none of you did
    that, look at .foureyes/store.json first. The files that mirror the store are written again.
    """
    adopted = session.app.projects.adopt(session.actor, reason)
    lines = [f"this is the project's store: {adopted.rows} rows"]
    lines += [f"  it is {place_words(adopted.place)}"] if adopted.place else []
    lines += [f"  the target's anchor {adopted.anchor[:20]} is not in it, but merging continues"] * bool(adopted.anchor)
    lines += [f"  {note}" for note in adopted.notes]
    session.answer(adopted, "\n".join(lines))


def show_progress(done: int, total: int) -> None:
    """Print the progress of long work on stderr."""
    if sys.stderr.isatty() or done % 100_000 == 0:
        diagnostics.talk(f"{done:,} of {total:,} rows" if total else f"{done:,} rows")


for _command in (store_backup, store_restore, store_copy, store_join, store_roles, store_adopt):
    store.add_command(_command)
