"""Stores as an older version left them: its migrations are really applied, its rows are those that it really wrote.

`schema_2.jsonl` was written by the last version with schema 2: every row of its journal, which has every kind of event
that it knew, and of its tables. `schema_3.jsonl` and `schema_4.jsonl` are the same of schemas 3 and 4; `schema_5.jsonl`
is what the last version wrote before modules and names moved, `schema_6.jsonl` what one wrote that had no index of
what is closed, `schema_7.jsonl` what one wrote that knew no stacks, measured no bytes and drew no samples,
`schema_8.jsonl` what one wrote that took every run for one on its own tree, `schema_9.jsonl` what one wrote that ran no
agents, `schema_10.jsonl` what one wrote that knew no review cycles, `schema_11.jsonl` one without sprints,
`schema_12.jsonl` one without leases of checks, `schema_13.jsonl` one that knew not how many failed nor which tool found
something, `schema_14.jsonl` one without calibrations (`write_last.py` says how). They are never written again:
what they hold must be understood for ever.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foureyes.adapters.store import migrate as module
from foureyes.adapters.store.engine import Database
from foureyes.adapters.store.migrate import migrate, migrations
from foureyes.adapters.store.postgres import PostgresEngine
from foureyes.adapters.store.projections.steps import index
from foureyes.adapters.store.sqlite import SqliteEngine

from tests import engines
from tests.engines import NOW

OLD = 2
"""The schema that the stores of this module have, unless another is asked for."""
OLDER = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
"""The schemas of which there are stores."""
LAST = (5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
"""The schemas of the stores that `write_last.py` wrote."""


def rows_of_old(schema: int = OLD) -> list[tuple[str, dict[str, Any]]]:
    """Every row, with its table."""
    written = Path(__file__).parent / f"schema_{schema}.jsonl"
    return [(table, row) for table, row in map(json.loads, written.read_text(encoding="utf-8").splitlines())]


def with_old_schema(engine: Database, schema: int = OLD) -> Database:
    """An empty database after the first migrations only, applied as the version applied them that knew no more."""
    known = migrations(engine.name)[:schema]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LATEST", schema)
        patch.setattr(module, "migrations", lambda _: known)
        assert migrate(engine, NOW, None) == schema
    return engine


def as_it_was(engine: Database, schema: int = OLD) -> Database:
    """An empty database as the old version would have left it."""
    with_old_schema(engine, schema)
    with engine.transaction(write=True):
        engine.fetch("DELETE FROM head", {})
        for table, row in rows_of_old(schema):
            names = ", ".join(row)
            engine.fetch(f"INSERT INTO {table} ({names}) VALUES ({', '.join(f':{name}' for name in row)})", row)
        for (task,) in engine.fetch("SELECT id FROM tasks WHERE deleted = 0 ORDER BY n", {})[1]:
            index(engine, str(task), "task.insert_text")
    return engine


def old_database(on: str, schema: int = OLD) -> Database:
    """Of its own, closed and dropped after the test."""
    return as_it_was(engines.empty(on), schema)


def old_at(place: engines.Place, schema: int = OLD) -> Database:
    """Where `place.open()` finds it."""
    if place.on == "sqlite":
        return old_file(place.folder, schema)
    return as_it_was(engines.kept(PostgresEngine(engines.server().url, place.project, create=True)), schema)


def old_file(folder: Path, schema: int = OLD) -> SqliteEngine:
    """A store in a file."""
    engine = SqliteEngine(str(folder / "store.db"), create=True)
    engines.kept(as_it_was(engine, schema))
    return engine
