"""Access to a PostgreSQL store: the caller's role in a project's schema and the rights it lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from foureyes.app.results.settings import StoreRole
from foureyes.core.words.text import flat
from foureyes.errors import StoreProblem
from foureyes.steps import Steps, blank, by, fe, prose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foureyes.adapters.store.connection import Engine, SqlValue


FACTS = (
    "SELECT d.oid, s.system_identifier, current_user, d.datname, pg_encoding_to_char(d.encoding), "
    "has_database_privilege(d.oid, 'CREATE'), n.oid, coalesce(has_schema_privilege(n.oid, 'USAGE'), false), "
    "coalesce(pg_has_role(n.nspowner, 'USAGE'), false), coalesce(pg_get_userbyid(n.nspowner)::text, '') "
    "FROM pg_database d CROSS JOIN pg_control_system() s "
    "LEFT JOIN pg_namespace n ON n.nspname = %(name)s WHERE d.datname = current_database()"
)
MAY = (
    "SELECT has_table_privilege(c.oid, 'INSERT'), has_table_privilege(c.oid, 'UPDATE, DELETE, TRUNCATE') FROM pg_class c "
    "WHERE c.relname = 'journal' AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = :schema)"
)
ENCODING = "UTF8"
OWNER, WRITER, READER = "owner", "writer", "reader"
ALL = ("SELECT", "INSERT", "UPDATE", "DELETE")
JOURNAL, MIGRATIONS = "journal", "migrations"
NOT_FOR_A_WRITER = {JOURNAL: ("UPDATE", "DELETE"), MIGRATIONS: ("INSERT", "UPDATE", "DELETE")}
"""Changes that a writer must not make. Recorded rows never change, and only the owner changes tables, with a new
version.
"""


class SchemaFacts(NamedTuple):
    """A server's facts about a schema, its database and the caller's role."""

    schema: str
    database_number: SqlValue = None
    server: SqlValue = None
    role: str = ""
    database: str = ""
    encoding: str = ""
    may_create: bool = False
    number: SqlValue = None
    may_use: bool = False
    owns: bool = False
    owner: str = ""

    @property
    def place(self) -> str:
        """The ids of the schema, its database and the server's files, "" if there is no such schema. A dump restored
        elsewhere has other ids.
        """
        return "" if self.number is None else f"postgresql {self.server}/{self.database_number}/{self.number}"


def refuse_to_make(facts: SchemaFacts) -> None:
    """Raise StoreProblem if a store cannot be created there."""
    if facts.encoding != ENCODING:
        raise StoreProblem(
            f"database {facts.database} is in {facts.encoding}, and a store needs UTF-8: some texts could not be "
            "written. Nothing was changed.",
            next_step=prose(f"name a database that was made with ENCODING '{ENCODING}' TEMPLATE template0"),
        )
    if facts.number is None and not facts.may_create:
        grant = f"GRANT CREATE ON DATABASE {quoted(facts.database)} TO {quoted(facts.role)}"
        raise StoreProblem(
            f"role {facts.role} may not create a schema in database {facts.database}. Nothing was changed.",
            next_step=prose(f"ask its administrator for: {grant}"),
        )


def refuse_unusable(facts: SchemaFacts) -> None:
    """Raise StoreProblem if the schema exists but the role may not use it. A grant fixes that, not a restore."""
    if not facts.may_use:
        raise StoreProblem(
            f"database {facts.database} has the store of this project, but role {facts.role} may not use its schema "
            f"{facts.schema}. Nothing was changed.",
            next_step=grant_by(facts.role, facts.owner),
        )


def refuse_not_owned(facts: SchemaFacts, what: str, how: Steps) -> None:
    """Raise StoreProblem before the start of an operation that requires the schema's owner."""
    if facts.number is not None and not facts.owns:
        raise for_the_owner(f"schema {facts.schema} belongs to role {facts.owner}", facts.owner, facts.role, what, how)


def for_the_owner(why: str, owner: str, role: str, what: str, how: Steps) -> StoreProblem:
    """Return the error that names the owner and the command to run."""
    return StoreProblem(
        f"only the store's owner can {what}. {why}, and you are {role}. Nothing was changed.",
        next_step=by("other", how, f"the role {owner} runs: "),
    )


def grant_by(role: str, owner: str) -> Steps:
    """Return the steps that give a role the rights it lacks."""
    grant = fe("store", "roles", "--writer", role or blank("NAME"), after="   (or --reader, to read only)")
    return by("other", grant, f"{owner or 'someone else'} owns it and prints the SQL that gives you access with: ")


def role_of(engine: Engine, facts: SchemaFacts) -> StoreRole:
    """Return the caller's role: owner, writer or reader, and for a writer if it could change recorded rows."""
    if facts.owns:
        return StoreRole(name=facts.role, kind=OWNER, schema=facts.schema, owner=facts.owner)
    rows = engine.fetch(MAY, {"schema": facts.schema})[1]
    adds, rewrites = (bool(rows[0][0]), bool(rows[0][1])) if rows else (False, False)
    kind = WRITER if adds else READER
    return StoreRole(name=facts.role, kind=kind, schema=facts.schema, rewrites=rewrites, owner=facts.owner)


def grants_sql(facts: SchemaFacts, writers: Sequence[str], readers: Sequence[str]) -> str:
    """Return the SQL with which the owner admits the named writers and readers."""
    owner = flat(facts.owner)
    lines = [
        f"-- Roles of the store of this project: schema {facts.schema} in database {flat(facts.database)}.",
        f"-- Its owner, {owner}, makes, upgrades, moves and restores it. The owner's password is for people only.",
        *([] if facts.owns else [f"-- You are {flat(facts.role)}, and cannot run this: {owner} gives it to psql."]),
        *[f"-- CREATE ROLE {flat(quoted(name))} LOGIN;   -- if it is not there yet" for name in (*writers, *readers)],
        "BEGIN;",
    ]
    for writer in writers:
        why = "-- a writer adds to the journal, and changes or deletes nothing in it"
        lines += [why, *grants_of(facts, writer, writes=True)]
    for reader in readers:
        lines += ["-- a reader reads, verifies and makes backups", *grants_of(facts, reader, writes=False)]
    return "\n".join([*lines, "COMMIT;"])


def grants_of(facts: SchemaFacts, role: str, writes: bool) -> list[str]:
    """Return the statements that admit one role, to existing tables and to those of later versions."""
    schema, name, words = quoted(facts.schema), quoted(role), ", ".join(ALL) if writes else "SELECT"
    later = f"ALTER DEFAULT PRIVILEGES FOR ROLE {quoted(facts.owner)} IN SCHEMA {schema}"
    kept = NOT_FOR_A_WRITER if writes else {}
    return [
        f"GRANT USAGE ON SCHEMA {schema} TO {name};",
        f"GRANT {words} ON ALL TABLES IN SCHEMA {schema} TO {name};",
        f"{later} GRANT {words} ON TABLES TO {name};",
        *[f"REVOKE {', '.join(these)} ON {schema}.{table} FROM {name};" for table, these in kept.items()],
    ]


def quoted(name: str) -> str:
    """Return a name quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'
