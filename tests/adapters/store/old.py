"""Stores that an earlier version left: its migrations are really applied, and its journal has rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.adapters.store import migrate as module
from foureyes.adapters.store.connection import Database
from foureyes.adapters.store.migrate import migrate, migrations
from foureyes.adapters.store.postgres import PostgresEngine
from foureyes.adapters.store.sqlite import SqliteEngine
from foureyes.adapters.store.store import Store
from foureyes.core.events.project import ProjectCreated, SecurityRecorded

from tests import engines
from tests.engines import NOW
from tests.stage.checkout import PROJECT

OLD = 1
"""The schema of these stores: the latest before this one."""


def as_it_was(engine: Database) -> Database:
    """An empty database becomes a store of the old schema with a few rows."""
    known = migrations(engine.name)[:OLD]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LATEST", OLD)
        patch.setattr(module, "migrations", lambda _: known)
        assert migrate(engine, NOW, None) == OLD
    with Store(engine, PROJECT).write() as tx:
        tx.append("ses-x", NOW, [("", ProjectCreated(name="p", prefix="fe", target="main"))])
        tx.append("ses-x", NOW, [("", SecurityRecorded(kind="minor", rule="P1", reason="because"))])
    return engine


def old_database(on: str) -> Database:
    """Of its own, closed and dropped after the test."""
    return as_it_was(engines.empty(on))


def old_at(place: engines.Place) -> Database:
    """Where `place.open()` finds it."""
    if place.on == "sqlite":
        return old_file(place.folder)
    return as_it_was(engines.kept(PostgresEngine(engines.server().url, place.project, create=True)))


def old_file(folder: Path) -> SqliteEngine:
    """A store in a file."""
    engine = SqliteEngine(str(folder / "store.db"), create=True)
    engines.kept(as_it_was(engine))
    return engine
