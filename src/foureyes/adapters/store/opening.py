"""Making, opening and replacing the store of a project."""

from __future__ import annotations

import os

from foureyes.adapters.store.engine import Database
from foureyes.adapters.store.migrate import migrate
from foureyes.adapters.store.mirror import Mirror
from foureyes.adapters.store.sqlite import SqliteEngine
from foureyes.adapters.store.store import Store
from foureyes.errors import StoreProblem

NAME = "store.db"
LOCK = "store.lock"
MIRROR = "security_events.jsonl"


def open_store(folder: str, now: str) -> Store:
    """An existing store, brought to the newest schema (after a backup)."""
    path = os.path.join(folder, NAME)
    if not os.path.exists(path):
        raise StoreProblem(f"{NAME} is missing in .foureyes/. Nothing was changed.", next_step="fe restore FILE, if you have a backup")
    engine = SqliteEngine(path)
    migrate(engine, now, lambda version: engine.backup(f"{path}.before-schema-{version}"))
    return _store(engine, folder, project_of(engine))


def create_store(folder: str, project: str, now: str) -> Store:
    """A new, empty store for a project."""
    engine = SqliteEngine(os.path.join(folder, NAME), create=True)
    migrate(engine, now, None)
    return _store(engine, folder, project)


def _store(engine: SqliteEngine, folder: str, project: str) -> Store:
    return Store(engine, project, lock_path=os.path.join(folder, LOCK), mirror=Mirror(os.path.join(folder, MIRROR)))


def project_of(engine: Database) -> str:
    """The id of the project whose store this is; empty for a store that was never used."""
    rows = engine.fetch("SELECT id FROM project", {})[1]
    return str(rows[0][0]) if rows else ""


def restore_store(folder: str, source: str, now: str) -> str:
    """Put a backup in the store's place; the store as it was is kept beside it. Returns where.

    The backup is opened, checked and copied first: a file that is not a sound store changes nothing.
    """
    if not os.path.isfile(source):
        raise StoreProblem(f"there is no file {source}.", next_step="fe restore FILE")
    incoming = SqliteEngine(source)
    path = os.path.join(folder, NAME)
    try:
        problems = incoming.problems()
        if problems:
            raise StoreProblem(f"{os.path.basename(source)} is damaged: {problems[0]}. Nothing was changed.")
        _refuse_other_project(path, incoming, source)
        fresh = f"{path}.incoming-{os.getpid()}"
        incoming.backup(fresh)
    finally:
        incoming.close()
    kept = f"{path}.before-restore-{now.replace(':', '').replace('.', '')}"
    if os.path.exists(path):
        current = SqliteEngine(path)
        current.backup(kept)
        current.close()
    for ending in ("-wal", "-shm"):
        if os.path.exists(path + ending):
            os.remove(path + ending)
    os.replace(fresh, path)
    mirror = os.path.join(folder, MIRROR)
    if os.path.exists(mirror):  # it may tell of rows that the backup does not have; the next write makes a new one
        os.replace(mirror, f"{mirror}.before-restore-{now.replace(':', '').replace('.', '')}")
    return kept


def _refuse_other_project(path: str, incoming: SqliteEngine, source: str) -> None:
    if not os.path.exists(path):
        return
    current = SqliteEngine(path)
    mine, theirs = project_of(current), project_of(incoming)
    current.close()
    if mine != theirs:
        raise StoreProblem(f"{os.path.basename(source)} is the store of another project ({theirs}). Nothing was changed.")
