"""Whom a store on a server lets in: read from its schema, kept in its backups, given again where one is put back.

Rights lie in the schema and go with it. A backup of a server's store has a table besides those of a store, with the
names of its owner, its writers and its readers: no journal, and nothing that counts for a decision.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from foureyes.adapters.store.postgres_roles import OWNER, WRITER, grants_of, rights_on
from foureyes.adapters.store.sqlite import SqliteEngine

if TYPE_CHECKING:
    from foureyes.adapters.store.engine import Engine
    from foureyes.adapters.store.postgres import PostgresEngine

TABLE = "let_in"
MAKE = "CREATE TABLE let_in (role TEXT PRIMARY KEY, kind TEXT NOT NULL)"
KEEP = "INSERT INTO let_in VALUES (:role, :kind)"
LOOK = "SELECT role, kind FROM let_in ORDER BY role"
PEOPLE = """
    SELECT pg_get_userbyid(n.nspowner), 'owner' FROM pg_namespace n WHERE n.nspname = :schema
    UNION
    SELECT pg_get_userbyid(a.grantee), CASE WHEN EXISTS (SELECT 1 FROM pg_class c, aclexplode(c.relacl) t
        WHERE c.relnamespace = n.oid AND c.relkind = 'r' AND t.grantee = a.grantee AND t.privilege_type = 'INSERT')
        THEN 'writer' ELSE 'reader' END
      FROM pg_namespace n, aclexplode(n.nspacl) a
      WHERE n.nspname = :schema AND a.privilege_type = 'USAGE' AND a.grantee NOT IN (0, n.nspowner)
    ORDER BY 1
"""
KNOWN = "SELECT rolname FROM pg_roles"
MISSING = """
    SELECT c.relname FROM pg_class c WHERE c.relkind = 'r' AND to_regclass(format('%I.%I', :schema, c.relname)) IS NULL
      AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = :incoming) ORDER BY c.relname
"""

BEFORE = """
    SELECT n.nspname FROM pg_namespace n WHERE n.nspname ~ :before
      AND n.nspowner = (SELECT nspowner FROM pg_namespace WHERE nspname = :schema)
      ORDER BY substring(n.nspname FROM '[0-9]+$') DESC LIMIT 1
"""
"""The store of this project that was set aside last, if it is the same owner's: others can give a schema any name."""


class Again(NamedTuple):
    """Whom a store lets in that was put back: `others` as before, `absent` are not on this server. `unknown`: neither
    the server nor the backup tells. `owner`: whose the store is then.
    """

    others: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    unknown: bool = False
    owner: str = ""


def people_of(engine: Engine, schema: str) -> dict[str, str]:
    """The roles that a schema lets in, each with its kind."""
    return {str(role): str(kind) for role, kind in engine.fetch(PEOPLE, {"schema": schema})[1]}


def remember(backup: SqliteEngine, people: dict[str, str]) -> None:
    """In a backup, for who puts it back where the schema is gone."""
    backup.script([MAKE])
    for role, kind in people.items():
        backup.fetch(KEEP, {"role": role, "kind": kind})


def remembered(path: str) -> dict[str, str]:
    """Whom the store let in when a backup was made of it; empty where the backup does not tell."""
    backup = SqliteEngine(path)
    try:
        rows = backup.fetch(LOOK, {})[1] if TABLE in backup.tables() else []
    finally:
        backup.close()
    return {str(role): str(kind) for role, kind in rows}


def owner_in(people: dict[str, str]) -> str:
    return next((role for role, kind in people.items() if kind == OWNER), "")


def let_in_missing(incoming: PostgresEngine, schema: str) -> tuple[list[str], Again]:
    """The SQL for what the store that is there lacks: tables that a newer version has, or somebody dropped."""
    others = _others(people_of(incoming, schema))
    rows = incoming.fetch(MISSING, {"schema": schema, "incoming": incoming.schema})[1]
    statements = [
        rights_on(incoming.schema, str(table), role, kind) for (table,) in rows for role, kind in others.items()
    ]
    return [each for each in statements if each], Again(_said(others))


def let_in_again(incoming: PostgresEngine, people: dict[str, str]) -> tuple[list[str], Again]:
    """The SQL where nothing is left that tells but the backup; only roles that the server knows."""
    others = {role: kind for role, kind in _others(people).items() if role != incoming.facts.role}
    known = {str(role) for (role,) in incoming.fetch(KNOWN, {})[1]}
    present = {role: kind for role, kind in others.items() if role in known}
    absent = {role: kind for role, kind in others.items() if role not in known}
    facts = incoming.facts_of(incoming.project)
    statements = [each for role, kind in present.items() for each in grants_of(facts, role, kind == WRITER)]
    return statements, Again(_said(present), _said(absent), unknown=not people)


def let_in_before(target: PostgresEngine) -> tuple[str, ...]:
    """Whom the store of this project let in that was on this server before, the new one lets in, too: whom. A copy that
    a crash left was never the store, and may let in nobody.
    """
    before = f"^{target.schema}_moved_[0-9]+$"
    rows = target.fetch(BEFORE, {"before": before, "schema": target.schema})[1]
    if not rows:
        return ()
    statements, again = let_in_again(target, people_of(target, str(rows[0][0])))
    target.script(statements)
    return again.others


def _others(people: dict[str, str]) -> dict[str, str]:
    return {role: kind for role, kind in people.items() if kind != OWNER}


def _said(people: dict[str, str]) -> tuple[str, ...]:
    return tuple(f"{role} ({kind})" for role, kind in people.items())
