"""Access to a PostgreSQL store: the caller's role in a project's schema, and what is missing for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from foureyes.app.views.settings import StoreRole
from foureyes.core.words.text import flat
from foureyes.errors import StoreProblem
from foureyes.steps import Steps, blank, by, fe, prose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foureyes.adapters.store.engine import Engine, SqlValue


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
"""What was recorded stays as it is; tables are changed by the owner, with a new version."""


class SchemaFacts(NamedTuple):
    """What a server says of a schema, of its database and of who is asking."""

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
        """The numbers of the schema, of its database and of the server's files: a copy that was made by dumping, or
        under another name, has other ones. Empty where there is no such schema.
        """
        return "" if self.number is None else f"postgresql {self.server}/{self.database_number}/{self.number}"


def refuse_to_make(facts: SchemaFacts) -> None:
    """What keeps a store from being made there."""
    if facts.encoding != ENCODING:
        raise StoreProblem(
            f"database {facts.database} is in {facts.encoding}, and a store needs UTF-8: some texts could not be "
            "written. Nothing was changed.",
            next_step=prose(f"name a database that was made with ENCODING '{ENCODING}' TEMPLATE template0"),
        )
    if facts.number is None and not facts.may_create:
        grant = f"GRANT CREATE ON DATABASE {quoted(facts.database)} TO {quoted(facts.role)}"
        raise StoreProblem(
            f"role {facts.role} may make no schema in database {facts.database}: the database does not let you. "
            "Nothing was changed.",
            next_step=prose(f"ask its administrator for: {grant}"),
        )


def refuse_unusable(facts: SchemaFacts) -> None:
    """A schema that is there and shut is another matter than none (A role gets in by a grant, not by a copy)."""
    if not facts.may_use:
        raise StoreProblem(
            f"database {facts.database} has the store of this project, and role {facts.role} may not use its schema "
            f"{facts.schema}. Nothing was changed.",
            next_step=let_in_by(facts.role, facts.owner),
        )


def refuse_not_owned(facts: SchemaFacts, what: str, how: Steps) -> None:
    """What renames or makes a schema is for who owns it, and is refused before anything is begun."""
    if facts.number is not None and not facts.owns:
        raise for_the_owner(f"schema {facts.schema} belongs to role {facts.owner}", facts.owner, facts.role, what, how)


def for_the_owner(why: str, owner: str, role: str, what: str, how: Steps) -> StoreProblem:
    """Who can do it, and by which command."""
    return StoreProblem(
        f"only its owner can {what}: {why}, and you are {role}. Nothing was changed.",
        next_step=by("other", how, f"the role {owner} runs: "),
    )


def let_in_by(role: str, owner: str) -> Steps:
    """How a role gets in that may do nothing, or not enough."""
    grant = fe("store", "roles", "--writer", role or blank("NAME"), after="   (or --reader, to read only)")
    return by("other", grant, f"{owner or 'someone else'} owns it, and gets the SQL that allows you in by: ")


def role_of(engine: Engine, facts: SchemaFacts) -> StoreRole:
    """Which of the three this is, and whether a writer could change what is recorded."""
    if facts.owns:
        return StoreRole(name=facts.role, kind=OWNER, schema=facts.schema, owner=facts.owner)
    rows = engine.fetch(MAY, {"schema": facts.schema})[1]
    adds, rewrites = (bool(rows[0][0]), bool(rows[0][1])) if rows else (False, False)
    kind = WRITER if adds else READER
    return StoreRole(name=facts.role, kind=kind, schema=facts.schema, rewrites=rewrites, owner=facts.owner)


def grants_sql(facts: SchemaFacts, writers: Sequence[str], readers: Sequence[str]) -> str:
    """What the owner types to let others in: a role each for who writes and who reads, of those that are named."""
    owner = flat(facts.owner)
    lines = [
        f"-- Roles of the store of this project: schema {facts.schema} in database {flat(facts.database)}.",
        f"-- Its owner, {owner}, makes, upgrades, moves and restores it. The owner's password is for people only.",
        *([] if facts.owns else [f"-- You are {flat(facts.role)}, and cannot run this: {owner} gives it to psql."]),
        *[f"-- CREATE ROLE {flat(quoted(name))} LOGIN;   -- if it is not there yet" for name in (*writers, *readers)],
        "BEGIN;",
    ]
    for writer in writers:
        why = "-- a writer adds to the journal, and changes or takes out nothing of it"
        lines += [why, *grants_of(facts, writer, writes=True)]
    for reader in readers:
        lines += ["-- a reader looks, verifies and makes backups", *grants_of(facts, reader, writes=False)]
    return "\n".join([*lines, "COMMIT;"])


def grants_of(facts: SchemaFacts, role: str, writes: bool) -> list[str]:
    """What lets one role in: to all tables that there are, and to those that the owner makes for a later version."""
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
    """A name as SQL takes it."""
    return '"' + name.replace('"', '""') + '"'
