"""Both engines have the same schema, whether a store is new or migrated."""

from __future__ import annotations

import re
from typing import NamedTuple

from foureyes.adapters.store.connection import Database
from foureyes.adapters.store.migrate import migrate
from foureyes.adapters.store.replay import TABLES

from tests import engines
from tests.adapters.store.old import old_database
from tests.engines import NOW


class Column(NamedTuple):
    """What both engines say about a column, in the same words."""

    name: str
    type: str
    required: bool
    default: str
    key: int
    """Its place in the primary key; 0 when it has none."""


POSTGRES_COLUMNS = """
SELECT c.relname, a.attname, format_type(a.atttypid, NULL), a.attnotnull, coalesce(pg_get_expr(d.adbin, d.adrelid), ''),
  coalesce(array_position(k.conkey, a.attnum), 0)
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
LEFT JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'p'
WHERE a.attnum > 0 AND NOT a.attisdropped ORDER BY c.relname, a.attnum
"""
SEARCH = "task_text"
"""The one table that each engine has in its own way."""


def shape(engine: Database) -> dict[str, list[Column]]:
    """Every table with its columns in their order; asked of the engine itself, whatever statements made them."""
    found: dict[str, list[Column]] = {}
    if engine.name == "sqlite":
        for table in engine.tables():
            for _, name, type_, required, default, key in engines.plain_sql(engine, f"PRAGMA table_info({table})"):
                found.setdefault(table, []).append(Column(name, type_, bool(required or key), default or "", key))
    else:
        for table, name, type_, required, default, key in engines.plain_sql(engine, POSTGRES_COLUMNS):
            found.setdefault(table, []).append(
                Column(name, type_.upper(), required, default.removesuffix("::text"), key)
            )
    return {table: columns for table, columns in found.items() if not table.startswith((SEARCH, "sqlite_"))}


def test_both_engines_have_the_same_tables_and_columns() -> None:
    ours, theirs = shape(engines.database("sqlite")), shape(engines.database("postgres"))
    assert ours == theirs
    assert set(TABLES) <= set(ours)
    assert Column("recorded", "INTEGER", True, "0", 0) in ours["approvals"]


INDEXES = {
    "sqlite": "SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL",
    "postgres": "SELECT replace(indexdef, quote_ident(schemaname) || '.', '') FROM pg_indexes WHERE schemaname = current_schema()",
}


def indexes(engine: Database) -> dict[str, str]:
    """Every index that has a name of ours, with its table and columns."""
    texts = "\n".join(str(row[0]) for row in engine.fetch(INDEXES[engine.name], {})[1])
    made = re.findall(r"^CREATE (?:UNIQUE )?INDEX (\w+) ON (\w+) (?:USING btree )?\(([^)]*)\)", texts, re.MULTILINE)
    return {name: f"{table} ({columns})" for name, table, columns in made if not name.endswith("_key")}


def test_both_engines_have_the_same_indexes() -> None:
    ours, theirs = (indexes(engines.database(on)) for on in ("sqlite", "postgres"))
    assert ours == {name: on for name, on in theirs.items() if not name.endswith("_pkey")}
    assert ours["tokens_by_session"] == "tokens (session)"


def test_a_store_that_went_forward_has_the_shape_of_a_new_one(on: str) -> None:
    engine = old_database(on)
    migrate(engine, NOW, None)
    assert shape(engine) == shape(engines.database(on))
    assert indexes(engine) == indexes(engines.database(on))
