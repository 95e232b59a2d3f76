"""Restores a backup on a PostgreSQL server, even if the store's schema is missing or damaged."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from foureyes.adapters.store.journal import journal_length
from foureyes.adapters.store.migrate import migrate
from foureyes.adapters.store.postgres_access import refuse_not_owned
from foureyes.adapters.store.replay import copy_journal
from foureyes.adapters.store.shared_store import digits, postgres
from foureyes.adapters.store.sqlite import SqliteEngine
from foureyes.adapters.store.store import Store
from foureyes.adapters.store.store_files import NAME, copy_sound
from foureyes.errors import NoStore, StoreBusy
from foureyes.steps import blank, fe, prose

if TYPE_CHECKING:
    from foureyes.adapters.store.postgres import PostgresEngine
    from foureyes.adapters.store.postgres_access import SchemaFacts


T = TypeVar("T")
WHAT, HOW = "put a backup in the place of the store", fe("store", "restore", blank("FILE"))
ALONE = "SELECT pg_try_advisory_lock(hashtext(:name))"
TURN = "SELECT pg_advisory_xact_lock(hashtext(:name))"
GRANTED = """
    SELECT format('GRANT %s ON TABLE %I.%I TO %I', a.privilege_type, :incoming, c.relname, pg_get_userbyid(a.grantee))
      FROM pg_class c, aclexplode(c.relacl) a WHERE c.relkind = 'r' AND a.grantee NOT IN (0, c.relowner)
      AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = :schema)
      AND to_regclass(format('%I.%I', :incoming, c.relname)) IS NOT NULL
    UNION ALL
    SELECT format('GRANT %s ON SCHEMA %I TO %I', a.privilege_type, :incoming, pg_get_userbyid(a.grantee))
      FROM pg_namespace n, aclexplode(n.nspacl) a WHERE n.nspname = :schema AND a.grantee NOT IN (0, n.nspowner)
    UNION ALL
    SELECT format('ALTER DEFAULT PRIVILEGES FOR ROLE %I IN SCHEMA %I GRANT %s ON TABLES TO %I',
        pg_get_userbyid(d.defaclrole), :incoming, a.privilege_type, pg_get_userbyid(a.grantee))
      FROM pg_default_acl d, aclexplode(d.defaclacl) a
      WHERE d.defaclobjtype = 'r' AND a.grantee NOT IN (0, d.defaclrole)
      AND d.defaclnamespace = (SELECT oid FROM pg_namespace WHERE nspname = :schema)
      AND pg_has_role(d.defaclrole, 'USAGE')
"""
"""Query that copies the grants of the old store to the one that replaces it, including those for future tables."""


def put_back(
    folder: str, url: str, project: str, source: str, now: str, noted: Callable[[Store, str], T]
) -> tuple[T, str]:
    """Replace the store by a sound backup of this project. Return the result of `noted`, and the owner role.

    `noted` records the restore in the new store, with the name under which the old one is kept, or "". The new store
    takes its place only when it is complete.
    """
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(dir=folder, prefix="incoming-") as workdir:
        fresh = os.path.join(workdir, NAME)
        copy_sound(source, fresh, project)
        replaced = refuse_others(url, project)
        kept = f"{replaced.schema}_before_restore_{digits(now)}" if replaced else ""
        role = replaced.owner if replaced and replaced.owner != replaced.role else ""  # an administrator acts as it
        incoming = postgres(url, f"{project}_incoming_{digits(now)}", create=True, role=role)
        try:
            _refuse_another(incoming, url, project)
            _fill(incoming, fresh, now)
            done = noted(Store(incoming, project, place=incoming.place), kept)
            owner = _change_names(incoming, project, kept)
        except BaseException:
            incoming.script([f'DROP SCHEMA IF EXISTS "{incoming.schema}" CASCADE'])
            raise
        finally:
            incoming.close()
    return done, owner


def refuse_others(url: str, project: str) -> SchemaFacts | None:
    """Return the facts of the existing store, or None. Raise StoreProblem if the caller does not own it."""
    try:
        engine = postgres(url, project)
    except NoStore:
        return None
    engine.close()
    refuse_not_owned(engine.facts, WHAT, HOW)
    return engine.facts


def _refuse_another(incoming: PostgresEngine, url: str, project: str) -> None:
    """Raise StoreBusy if another restore is running. Deletes the remains of a killed one."""
    from foureyes.adapters.store.postgres import schema_of, schemas

    if not incoming.fetch(ALONE, {"name": f"{schema_of(project)} restore"})[1][0][0]:
        raise StoreBusy("another restore is running there. Nothing was changed.", next_step=prose("try again"))
    left = [name for name in schemas(url, f"{project}_incoming_") if name != incoming.project]
    incoming.script([f'DROP SCHEMA IF EXISTS "{schema_of(name)}" CASCADE' for name in left])


def _fill(incoming: PostgresEngine, fresh: str, now: str) -> None:
    backup = SqliteEngine(fresh)
    try:
        migrate(incoming, now, None)
        copy_journal(backup, incoming, journal_length(backup))
    finally:
        backup.close()


def _change_names(incoming: PostgresEngine, project: str, kept: str) -> str:
    """Swap the schemas and return the owner. Running writers finish first, and later ones use the new store."""
    from foureyes.adapters.store.postgres import schema_of

    schema = schema_of(project)
    with incoming.transaction(write=True):
        incoming.fetch(TURN, {"name": schema})
        rows = incoming.fetch(GRANTED, {"schema": schema, "incoming": incoming.schema})[1]
        rename = [f'ALTER SCHEMA "{schema}" RENAME TO "{kept}"'] if kept else []
        owner = incoming.facts_of(incoming.project).owner
        grants = [str(row[0]) for row in rows]
        incoming.script([*grants, *rename, f'ALTER SCHEMA "{incoming.schema}" RENAME TO "{schema}"'])
    return owner
