"""Making, opening and replacing the store of a project."""

from __future__ import annotations

import os
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from foureyes.adapters.folders import NEW, given
from foureyes.adapters.store.feedback_files import FEEDBACK, FeedbackFiles
from foureyes.adapters.store.migrate import LATEST, migrate
from foureyes.adapters.store.mirror import Mirror
from foureyes.adapters.store.sqlite import APPLICATION_ID, SqliteEngine
from foureyes.adapters.store.store import Store
from foureyes.adapters.store.write_lock import WriterLock
from foureyes.core.words.store_place import FILE
from foureyes.errors import Reason, Refused, StoreProblem
from foureyes.steps import blank, by, either, fe, in_turn, shell

if TYPE_CHECKING:
    from foureyes.adapters.store.engine import Database


NAME = "store.db"
LOCK = "store.lock"
MIRROR = "security_events.jsonl"
MAGIC, HEADER_BYTES = b"SQLite format 3\0", 72
"""How a file of SQLite begins, to the end of the number that says whose it is."""
INSTEAD_OF_A_SECOND = either(
    by("person", fe("store", "join", blank("URL")), "is it there still, join it: "),
    by(
        "person",
        shell(blank("FOUREYES_STORE=URL"), "fe", "store", "restore", blank("FILE")),
        "is it not, put it back there: ",
    ),
    by("person", fe("store", "restore", blank("FILE"), "--into-file"), "is it the file of this clone from now on: "),
    joint="; ",
)
SET_ASIDE = ("moved", "before-restore", "before-schema")
"""What a store's file is called that is none any more: after a move, a restore, an upgrade of its tables."""


def open_store(folder: str, now: str) -> Store:
    """An existing store, brought to the newest schema (after a backup)."""
    path = os.path.join(folder, NAME)
    if not os.path.lexists(path):
        raise StoreProblem(
            f"{NAME} is missing in .foureyes/. Nothing was changed.",
            next_step=in_turn(
                fe("store", "restore", blank("FILE"), after=", if you have a backup"),
                by("person", fe("init", "--again"), "if there is none, a person begins a new journal: "),
                joint="; ",
            ),
        )
    engine = SqliteEngine(path)
    if (version := engine.schema_version()) != LATEST:
        if engine.is_read_only and version < LATEST:
            raise StoreProblem(
                f"the store has schema {version}, and is brought to schema {LATEST} where it can be written.",
                next_step=fe("status", after=", by who can write .foureyes"),
            )
        with WriterLock(os.path.join(folder, LOCK)):
            migrate(engine, now, lambda version: engine.backup(f"{path}.before-schema-{version}"))
    return _store(engine, folder, project_of(engine))


def create_store(folder: str, project: str, now: str) -> Store:
    """A new, empty store for a project."""
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
    """The id of the project whose store this is; empty for a store that was never used."""
    rows = engine.fetch("SELECT id FROM project", {})[1]
    return str(rows[0][0]) if rows else ""


def restore_store(folder: str, source: str, now: str, project: str = "", *, leaves_server: bool = False) -> str:
    """Put a backup in the store's place; the store as it was is kept beside it. Returns where; empty if there was none.
    `project` is whose store it must be: what the target says, else what the store that is there says. `leaves_server`:
    also where no file was the store here, and the backup is of a store on a server (P12).

    The backup is checked and copied first: a file that is not a sound store changes nothing. The store that is there
    may be damaged or missing: that is what backups are for.
    """
    from tempfile import TemporaryDirectory

    path = os.path.join(folder, NAME)
    with WriterLock(os.path.join(folder, LOCK)), TemporaryDirectory(dir=folder, prefix="incoming-") as desk:
        fresh = os.path.join(desk, NAME)
        copy_sound(source, fresh, project or project_in(path))
        if not leaves_server and not os.path.lexists(path):
            _refuse_second(fresh, os.path.basename(source))
        kept = _keep_aside(path, now)
        os.replace(fresh, path)
    put_mirrors_aside(folder, now)
    return kept


def _refuse_second(fresh: str, name: str) -> None:
    """P12: a store that lies on a server does not get a second one beside a clone without a word."""
    place = place_in(fresh)
    if place not in ("", FILE):
        text = f"{name} is of a store on a PostgreSQL server, which a file here would be a second one of"
        raise Refused(
            "nothing was restored.", reasons=(Reason("P12", text, INSTEAD_OF_A_SECOND),), next_step=INSTEAD_OF_A_SECOND
        )


def place_in(path: str) -> str:
    """Where a store lies, as its journal says; empty where that is not on record."""
    with closing(SqliteEngine(path)) as store:
        rows = store.fetch("SELECT value FROM settings WHERE name = 'store:place'", {})[1]
    return str(rows[0][0]) if rows else ""


def put_mirrors_aside(folder: str, now: str) -> None:
    """Files that mirror a store may tell of rows that another one does not have; they are written again."""
    for name in (MIRROR, FEEDBACK):
        mirror = os.path.join(folder, name)
        if os.path.lexists(mirror):
            os.replace(mirror, aside(mirror, now))


def copy_sound(source: str, fresh: str, project: str | None) -> None:
    """A copy of a backup, if it is a sound store of this project that this version understands."""
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
    """What was copied, as a store; what is wrong is the file that the caller named, not the store that is there."""
    try:
        return SqliteEngine(fresh)
    except StoreProblem as problem:
        raise _no_backup(name) from problem


def refuse_no_file(source: str) -> None:
    """A backup that is not there, or a file that is none, is said so before anybody is asked anything."""
    name = os.path.basename(source)
    if not os.path.exists(source):
        raise StoreProblem(
            f"there is no file {name}. Nothing was changed.",
            next_step=fe("store", "restore", blank("FILE"), before="name a backup: "),
        )
    if os.path.isfile(source) and not _begins_like_ours(source):
        raise _no_backup(name)


def _begins_like_ours(source: str) -> bool:
    """Whether the first bytes of a file are those of a store; of one that cannot be read, who copies it says why."""
    try:
        with open(given(source), "rb") as file:
            head = file.read(HEADER_BYTES)
    except OSError:
        return True
    return head.startswith(MAGIC) and head[-4:] == APPLICATION_ID.to_bytes(4)


def _no_backup(name: str) -> StoreProblem:
    return StoreProblem(
        f"{name} is no backup of a Foureyes store. Nothing was changed.",
        next_step=fe("store", "restore", blank("FILE")),
    )


def _copy_bytes(source: str, fresh: str, name: str) -> None:
    """A file, or what another program writes into a pipe that the caller names (`<(zcat backup.gz)`)."""
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
    """Whose store a file is; None when it cannot say any more."""
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


def _keep_aside(path: str, now: str) -> str:
    """Move what is the store now, with what SQLite keeps beside it, out of the way; its new name, empty if there is
    none.
    """
    if not os.path.lexists(path):
        return ""
    kept = aside(path, now)
    with suppress(StoreProblem):  # a damaged store is kept as it is
        engine = SqliteEngine(path)
        engine.checkpoint()
        engine.close()
    for ending in ("", "-wal", "-shm"):
        if os.path.lexists(path + ending):
            os.replace(path + ending, kept + ending)
    return kept


def aside(path: str, now: str) -> str:
    """Where a file goes that a restore takes the place of."""
    return f"{path}.before-restore-{now.replace(':', '').replace('.', '')}"
