"""A store on PostgreSQL that several machines share, found by a pointer file in `.foureyes/`. The pointer is local and
never committed, so that a checkout cannot redirect a project to another store.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

import msgspec

from foureyes.adapters.folders import OddFile, entries, folder, read, replace
from foureyes.adapters.store import postgres_driver
from foureyes.adapters.store.connection import Database, sql
from foureyes.adapters.store.exceptions_file import Mirror
from foureyes.adapters.store.feedback_files import FeedbackFiles
from foureyes.adapters.store.journal import journal_length
from foureyes.adapters.store.migrate import LATEST, migrate
from foureyes.adapters.store.replay import copy_journal
from foureyes.adapters.store.sqlite import SqliteEngine
from foureyes.adapters.store.store import Store
from foureyes.adapters.store.store_files import LOCK, MIRROR, NAME, project_of
from foureyes.adapters.store.write_lock import WriterLock, in_its_place
from foureyes.app.ports import CountProgress
from foureyes.app.results.settings import CopiedStore
from foureyes.core.words.store_place import SCHEMES, WITHOUT, holds_password
from foureyes.errors import BadInput, NoStore, StoreProblem
from foureyes.steps import blank, by, by_person, fe, phrase, prose, shell

if TYPE_CHECKING:
    from foureyes.adapters.store.postgres import PostgresEngine


POINTER = "store.json"
LARGEST = 1 << 20
LISTED = 1_000


OF_A_MOVE = frozenset({"SessionStarted", "SessionEvidenceAdded", "StorePlaced"})
"""The events that a move appends to the new journal after the last copied row."""


class RecordPlace(Protocol):
    """Records the store's new place in a journal, as the caller."""

    def __call__(self, store: Store, place: str, /) -> None: ...


def not_said(store: Store, place: str, /) -> None:
    """Record nothing."""


class Pointer(msgspec.Struct, frozen=True):
    """The project whose schema to use, and its address. An empty address means FOUREYES_STORE."""

    project: str
    url: str = ""


def is_postgres(url: str) -> bool:
    return url.startswith(SCHEMES)


def check_url(url: str) -> str:
    """Return a store address. Raise BadInput if this version does not support it."""
    if not is_postgres(url):
        raise BadInput(
            "a store address begins with postgresql://. For the file in .foureyes/, leave it empty.",
            next_step=prose(
                "name the address of the server, as postgresql://HOST/DATABASE or postgresql:///?service=NAME"
            ),
        )
    return url


def kept_url(url: str) -> str:
    """Return an address to be saved. Raise BadInput if it contains a password, because other users can see the command
    line."""
    if holds_password(check_url(url)):
        raise BadInput(
            f"that address contains a password, which would be stored in .foureyes/{POINTER} and shown in the process list. Nothing was changed.",
            next_step=prose(WITHOUT),
        )
    return url


class DamagedPointer(StoreProblem):
    """Raised if the pointer file is unreadable. Joining the store writes it again."""


def read_pointer(place: str) -> Pointer | None:
    """Return the pointer, or None if the store is the local file."""
    path = os.path.join(place, POINTER)
    try:
        return msgspec.json.decode(read(path, LARGEST), type=Pointer)
    except FileNotFoundError:
        return None
    except OddFile as odd:
        raise in_its_place(path, odd) from odd
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
        away = prose(f"if the store is the file next to it, move .foureyes/{POINTER} away")
        has_file = os.path.lexists(os.path.join(place, NAME))
        raise DamagedPointer(
            f".foureyes/{POINTER} cannot be read: {problem}. Nothing was changed.",
            next_step=away if has_file else by_person(fe("store", "join", blank("URL"))),
        ) from problem


def write_pointer(place: str, pointer: Pointer) -> None:
    """Write the pointer atomically, readable only by its owner because the address may contain a password. Also removes
    leftovers of a crash."""
    with folder(place) as handle:
        replace(handle, POINTER, msgspec.json.encode(pointer), 0o600)
        for left in entries(handle, LISTED):
            if left.startswith(f"{POINTER}.new-"):
                with suppress(OSError):
                    os.unlink(left, dir_fd=handle)


def leave_server(place: str) -> None:
    """Delete the pointer, so that the store is the local file again."""
    with suppress(FileNotFoundError):
        os.remove(os.path.join(place, POINTER))


def open_shared(folder: str, url: str, project: str, now: str, *, create: bool = False) -> Store:
    """Open a project's store on a PostgreSQL server."""
    engine = postgres(url, project, create=create)
    try:
        migrate(engine, now, lambda version: refuse_old_schema(engine, version))
    except BaseException:
        engine.close()
        raise
    return Store(
        engine,
        project,
        mirror=Mirror(os.path.join(folder, MIRROR), shared=True),
        feedback=FeedbackFiles(folder, shared=True),
        place=engine.place,
    )


def refuse_old_schema(engine: PostgresEngine, version: int) -> None:
    """Raise StoreProblem if the caller does not own the tables, because only the owner can migrate them."""
    if not engine.facts.owns:
        raise StoreProblem(
            f"the store has schema {version}, and is brought to schema {LATEST} by the owner of its tables, "
            f"{engine.facts.owner}: role {engine.facts.role} may not. Nothing was changed.",
            next_step=by("other", fe("status"), f"the role {engine.facts.owner} runs, with this version: "),
        )


def postgres(url: str, project: str, *, create: bool = False, role: str = "") -> PostgresEngine:
    """Return the engine. Raise StoreProblem if the optional driver is not installed."""
    check_url(url)
    try:
        postgres_driver.load()
        from foureyes.adapters.store.postgres import PostgresEngine
    except ImportError as problem:
        raise StoreProblem(
            "PostgreSQL needs the driver psycopg.", next_step=shell("pip", "install", phrase("foureyes[postgres]"))
        ) from problem
    return PostgresEngine(url, project, create=create, role=role)


def move_to_server(
    folder: str,
    url: str,
    now: str,
    *,
    keep_url: bool,
    record_place: RecordPlace = not_said,
    progress: CountProgress | None = None,
) -> CopiedStore:
    """Copy the file's journal to a server, verify it and rename the file. Writers wait meanwhile.

    `record_place` records the new place in both journals: in the new one before it is used, and in the old one last.
    """
    path = os.path.join(folder, NAME)
    with WriterLock(os.path.join(folder, LOCK)):
        source = SqliteEngine(path)
        try:
            migrate(source, now, None)
            project = project_of(source)
            target = postgres(url, project, create=True)
            try:
                migrate(target, now, None)
                target = without_stale_copy(source, target, url, project, now)
                count = copy_journal(source, target, journal_length(source), progress)
                moved_to = target.place
                record_place(Store(target, project), moved_to)
            finally:
                target.close()
            source.checkpoint()
        finally:
            source.close()
        write_pointer(folder, Pointer(project, url if keep_url else ""))
        set_aside(path, now)
        record_retired_place(SqliteEngine(retired(path, now), retired=True), project, moved_to, record_place)
    return CopiedStore(rows=count, store="postgresql")


def record_retired_place(engine: Database, project: str, moved_to: str, record_place: RecordPlace) -> None:
    """Record in the old store that it was moved, so that a restored copy of it is recognized."""
    try:
        record_place(Store(engine, project), moved_to)
    except StoreProblem:
        pass  # the store is where it should be; this one is only kept
    finally:
        engine.close()


def has_project(url: str, project: str) -> bool:
    """Return True if the server has a used store of this project. An interrupted init may have left an empty one."""
    try:
        engine = postgres(url, project)
    except NoStore:
        return False
    try:
        return "project" in engine.tables() and project_of(engine) == project
    finally:
        engine.close()


def without_stale_copy(source: Database, target: PostgresEngine, url: str, project: str, now: str) -> PostgresEngine:
    """Rename a copy that a crash left on the server, and return a fresh engine. Raise StoreProblem unless it is an
    earlier state of this journal.
    """
    seq, _ = target.fetch(sql("journal.head"), {})[1][0]
    if not seq:
        return target
    if not is_earlier_copy(source, target):
        raise StoreProblem(
            "that server has another journal of this project. Nothing was changed.",
            next_step=prose("name another database"),
        )
    target.script([renaming(project, "stale", now)])
    target.close()
    fresh = postgres(url, project, create=True)
    migrate(fresh, now, None)
    return fresh


def is_earlier_copy(source: Database, target: Database) -> bool:
    """Return True if a journal is an earlier state of another one, apart from events that a move appended."""
    for seq, kind, hash_ in target.fetch(sql("journal.last"), {})[1]:
        if source.fetch(sql("journal.at"), {"seq": seq})[1] == [(hash_,)]:
            return True
        if kind not in OF_A_MOVE:
            return False
    return False


def renaming(project: str, word: str, now: str) -> str:
    """Return the SQL that renames a schema no longer used as the store."""
    return f'ALTER SCHEMA "foureyes_{project}" RENAME TO "foureyes_{project}_{word}_{digits(now)}"'


def set_aside(path: str, now: str) -> None:
    """Rename a store's file together with its write-ahead log, because the two belong together."""
    for ending in ("-wal", "-shm", ""):
        if os.path.lexists(path + ending):
            os.replace(path + ending, retired(path, now) + ending)


def retired(path: str, now: str) -> str:
    """Return the new name for a file that is no longer the store."""
    return f"{path}.moved-{digits(now)}"


def digits(moment: str) -> str:
    return "".join(character for character in moment if character.isdigit())
