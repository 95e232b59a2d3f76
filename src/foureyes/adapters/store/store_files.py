"""Creates, opens and restores the store file of a project."""

from __future__ import annotations

import os
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from foureyes.adapters.folders import NEW, given
from foureyes.adapters.store.exceptions_file import Mirror
from foureyes.adapters.store.feedback_files import FEEDBACK, FeedbackFiles
from foureyes.adapters.store.migrate import LATEST, migrate
from foureyes.adapters.store.sqlite import APPLICATION_ID, SqliteEngine
from foureyes.adapters.store.store import Store
from foureyes.adapters.store.write_lock import WriterLock
from foureyes.core.words.store_place import FILE
from foureyes.errors import Reason, Refused, StoreProblem
from foureyes.steps import blank, by, either, fe, in_turn, shell

if TYPE_CHECKING:
    from foureyes.adapters.store.connection import Database


NAME = "store.db"
LOCK = "store.lock"
MIRROR = "security_events.jsonl"
MAGIC, HEADER_BYTES = b"SQLite format 3\0", 72
"""The start of a SQLite file, up to the application id."""
INSTEAD_OF_A_SECOND = either(
    by("person", fe("store", "join", blank("URL")), "if it is still there, join it: "),
    by(
        "person",
        shell(blank("FOUREYES_STORE=URL"), "fe", "store", "restore", blank("FILE")),
        "if it is not, restore it there: ",
    ),
    by(
        "person",
        fe("store", "restore", blank("FILE"), "--into-file"),
        "if this clone's file should be the store from now on: ",
    ),
    joint="; ",
)
SET_ASIDE = ("moved", "before-restore", "before-schema")
"""The name parts of former store files: after a move, a restore or a migration."""


def open_store(folder: str, now: str) -> Store:
    """Open the existing store and migrate it, after a backup, to the newest schema."""
    path = os.path.join(folder, NAME)
    if not os.path.lexists(path):
        raise StoreProblem(
            f"{NAME} is missing in .foureyes/. Nothing was changed.",
            next_step=in_turn(
                fe("store", "restore", blank("FILE"), after=", if you have a backup"),
                by("person", fe("init", "--again"), "if there is none, a person starts a new journal: "),
                joint="; ",
            ),
        )
    engine = SqliteEngine(path)
    if (version := engine.schema_version()) != LATEST:
        if engine.is_read_only and version < LATEST:
            raise StoreProblem(
                f"the store has schema {version}, and is brought to schema {LATEST} where it can be written.",
                next_step=fe("status", after=", by someone who can write .foureyes"),
            )
        with WriterLock(os.path.join(folder, LOCK)):
            migrate(engine, now, lambda version: engine.backup(f"{path}.before-schema-{version}"))
    return _store(engine, folder, project_of(engine))


def create_store(folder: str, project: str, now: str) -> Store:
    """Create an empty store for a project."""
    engine = SqliteEngine(os.path.join(folder, NAME), create=True)
    migrate(engine, now, None)
    return _store(engine, folder, project)


def _store(engine: SqliteEngine, folder: str, project: str) -> Store:
    return Store(
        engine,
        project,
        lock_path=os.path.join(folder, LOCK),
        mirror=Mirror(os.path.join(folder, MIRROR)),
        feedback=FeedbackFiles(folder),
        place=engine.place,
    )


def project_of(engine: Database) -> str:
    """Return the project id of a store, or an empty string for an unused store."""
    rows = engine.fetch("SELECT id FROM project", {})[1]
    return str(rows[0][0]) if rows else ""


def restore_store(folder: str, source: str, now: str, project: str = "", *, leaves_server: bool = False) -> str:
    """Replace the store by a backup. Return the path of the old store, "" if there was none. (P12)

    The backup is first copied and verified, so that an unsound file changes nothing. The current store may be damaged
    or missing. `project` is the required project, by default that of the current store. `leaves_server` allows a backup
    of a server's store if no file is in use.
    """
    from tempfile import TemporaryDirectory

    path = os.path.join(folder, NAME)
    with WriterLock(os.path.join(folder, LOCK)), TemporaryDirectory(dir=folder, prefix="incoming-") as workdir:
        fresh = os.path.join(workdir, NAME)
        copy_sound(source, fresh, project or project_in(path))
        if not leaves_server and not os.path.lexists(path):
            _refuse_second(fresh, os.path.basename(source))
        kept = _keep_old_store(path, now)
        os.replace(fresh, path)
    retire_mirrors(folder, now)
    return kept


def _refuse_second(fresh: str, name: str) -> None:
    """Refuse to create a second store from the backup of a store on a server. (P12)"""
    place = place_in(fresh)
    if place not in ("", FILE):
        text = f"{name} belongs to a store on a PostgreSQL server, and a file here would be a second store"
        raise Refused(
            "nothing was restored.", reasons=(Reason("P12", text, INSTEAD_OF_A_SECOND),), next_step=INSTEAD_OF_A_SECOND
        )


def place_in(path: str) -> str:
    """Return the recorded location of a store, or an empty string."""
    with closing(SqliteEngine(path)) as store:
        rows = store.fetch("SELECT value FROM settings WHERE name = 'store:place'", {})[1]
    return str(rows[0][0]) if rows else ""


def retire_mirrors(folder: str, now: str) -> None:
    """Rename the mirror files, which may not match the restored store. They are written again."""
    for name in (MIRROR, FEEDBACK):
        mirror = os.path.join(folder, name)
        if os.path.lexists(mirror):
            os.replace(mirror, retired(mirror, now))


def copy_sound(source: str, fresh: str, project: str | None) -> None:
    """Copy a backup. Raise StoreProblem unless it is a sound, supported store of this project."""
    name = os.path.basename(source)
    _copy_bytes(source, fresh, name)
    incoming = _opened_backup(fresh, name)
    try:
        problems = incoming.problems()
        if problems:
            raise StoreProblem(
                f"{name} is damaged: {problems[0]}. Nothing was changed.",
                next_step=fe("store", "restore", blank("FILE"), before="name another backup: "),
            )
        migrate(incoming, "1970-01-01T00:00:00.000Z", None)
        theirs = project_of(incoming)
        if project not in (None, theirs):
            raise StoreProblem(
                f"{name} is the store of another project ({theirs}), not of this one ({project}). Nothing was changed.",
                next_step=fe("store", "restore", blank("FILE"), before="name a backup of this project: "),
            )
    finally:
        incoming.close()


def _opened_backup(fresh: str, name: str) -> SqliteEngine:
    """Open the copied backup. Errors name the caller's file, not the current store."""
    try:
        return SqliteEngine(fresh)
    except StoreProblem as problem:
        raise _no_backup(name) from problem


def refuse_no_file(source: str) -> None:
    """Raise StoreProblem early for a missing backup or a file that is not a store."""
    name = os.path.basename(source)
    if not os.path.exists(source):
        raise StoreProblem(
            f"there is no file {name}. Nothing was changed.",
            next_step=fe("store", "restore", blank("FILE"), before="name a backup: "),
        )
    if os.path.isfile(source) and not _begins_like_ours(source):
        raise _no_backup(name)


def _begins_like_ours(source: str) -> bool:
    """Return True if the file begins like a store. An unreadable file passes too, and copying it reports the error."""
    try:
        with open(given(source), "rb") as file:
            head = file.read(HEADER_BYTES)
    except OSError:
        return True
    return head.startswith(MAGIC) and head[-4:] == APPLICATION_ID.to_bytes(4)


def _no_backup(name: str) -> StoreProblem:
    return StoreProblem(
        f"{name} is not a backup of a Foureyes store. Nothing was changed.",
        next_step=fe("store", "restore", blank("FILE")),
    )


def _copy_bytes(source: str, fresh: str, name: str) -> None:
    """Copy a file or the contents of a pipe such as `<(zcat backup.gz)`."""
    from shutil import copyfileobj

    next_step = fe("store", "restore", blank("FILE"))
    try:
        with open(given(source), "rb") as stream, open(os.open(fresh, NEW, 0o644), "wb") as file:
            copyfileobj(stream, file)
    except FileNotFoundError:
        raise StoreProblem(f"there is no file {name}.", next_step=next_step) from None
    except OSError as problem:
        raise StoreProblem(
            f"{name} cannot be read: {problem.strerror}. Nothing was changed.", next_step=next_step
        ) from problem


def project_in(path: str) -> str | None:
    """Return the project id of a store file, or None if it is unreadable."""
    try:
        engine = SqliteEngine(path)
    except StoreProblem:
        return None
    try:
        return project_of(engine)
    except StoreProblem:
        return None
    finally:
        engine.close()


def _keep_old_store(path: str, now: str) -> str:
    """Rename the current store with SQLite's extra files. Return its new name, or an empty string if there is none."""
    if not os.path.lexists(path):
        return ""
    kept = retired(path, now)
    with suppress(StoreProblem):  # a damaged store is kept as it is
        engine = SqliteEngine(path)
        engine.checkpoint()
        engine.close()
    for ending in ("", "-wal", "-shm"):
        if os.path.lexists(path + ending):
            os.replace(path + ending, kept + ending)
    return kept


def retired(path: str, now: str) -> str:
    """Return the new name of a file replaced by a restore."""
    return f"{path}.before-restore-{now.replace(':', '').replace('.', '')}"
