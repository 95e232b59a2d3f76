"""Translates the errors of PostgreSQL and its driver into our messages, with next steps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from urllib.parse import unquote

import psycopg
from psycopg import errors

from foureyes.adapters.store.connection import SqlValue
from foureyes.adapters.store.postgres_access import ENCODING, grant_by
from foureyes.core.words.store_place import without_password
from foureyes.core.words.text import visible
from foureyes.errors import NoStore, StoreBusy, StoreProblem
from foureyes.steps import Steps, blank, by, by_person, either, fe, prose, shell

LOCK_TIMEOUT = "10s"
GIVE_PASSWORD = prose("give its password: a line of ~/.pgpass (readable by you only), PGPASSWORD, or a service file")
LOOK_AT_ADDRESS = either(
    prose("check that the server runs"),
    by_person(fe("store", "join", blank("URL"), before="if the address has changed: FOUREYES_STORE, or ")),
    joint="; ",
)
PUT_BACK = by("person", fe("store", "restore", blank("FILE")), "its owner restores a backup: ")
OTHER_TABLES = (errors.UndefinedColumn, errors.DuplicateTable, errors.DuplicateColumn, errors.DuplicateObject)
"""Errors for a missing column, or for objects of a migration that exist without its record. (J2)"""
FULL = re.compile(r"too many clients|connection slots are reserved|too many connections")
"""Pattern for a refused connection, which has no error code, only the server's text. A match affects only the
message.
"""
MAKE_ROOM = prose(
    "ask the administrator to raise max_connections (a runner keeps three, each further job one more), or end a runner that is not needed. Then try again."
)
NAME_ANOTHER = prose("check that the server runs and that the address is right")
REFUSED: tuple[tuple[re.Pattern[str], Steps], ...] = (
    (
        re.compile(r'database ".*" does not exist'),
        prose(
            f"name an existing database, or ask the administrator to create it: CREATE DATABASE NAME ENCODING '{ENCODING}' TEMPLATE template0"
        ),
    ),
    (
        re.compile(r"definition of service .* not found|service file .* not found"),
        prose(
            "put a section [NAME] with host=…, dbname=… and user=… into ~/.pg_service.conf, "
            "or into the file named by PGSERVICEFILE"
        ),
    ),
    (
        re.compile(r"password authentication failed"),
        prose(
            "fix it where it is set: its line of ~/.pgpass (readable by you only), PGPASSWORD, the service file, or "
            "the address in FOUREYES_STORE"
        ),
    ),
    (
        re.compile(r'role ".*" does not exist'),
        prose("name an existing role, or ask the administrator to create it: CREATE ROLE NAME LOGIN"),
    ),
    (
        re.compile(r"no pg_hba\.conf entry"),
        prose("ask the administrator for a line in pg_hba.conf that allows this role from here"),
    ),
)
"""Why a server may refuse, found by its text, with the next steps. A match affects only the message. For a server in
another language there are only the general steps.
"""


@contextmanager
def in_our_words(role: str = "", owner: str = "", *, committing: bool = False) -> Iterator[None]:
    """Translate psycopg's errors. `role` is the caller, and `owner` can grant it rights."""
    try:
        yield
    except (errors.LockNotAvailable, errors.QueryCanceled) as problem:
        raise _busy(f"the store has been busy for {LOCK_TIMEOUT}") from problem
    except errors.IdleInTransactionSessionTimeout as problem:
        raise _busy("this command paused too long while writing, so the server ended its transaction") from problem
    except (errors.DiskFull, errors.OutOfMemory) as problem:
        raise StoreProblem(
            "the database is out of space. Nothing was changed.", next_step=prose("free some space and try again")
        ) from problem
    except errors.ReadOnlySqlTransaction as problem:
        raise StoreProblem(
            f"the database does not let you write: {first_line(problem)}. Nothing was changed.",
            next_step=prose("ask its administrator for write access"),
        ) from problem
    except errors.InsufficientPrivilege as problem:
        raise StoreProblem(
            f"your role on the server may not: {first_line(problem)}. Nothing was changed.",
            next_step=grant_by(role, owner),
        ) from problem
    except (errors.UntranslatableCharacter, errors.CharacterNotInRepertoire) as problem:
        raise StoreProblem(
            f"the database cannot store that text, because it does not use UTF-8: {first_line(problem)}. Nothing was changed.",
            next_step=prose("move the store to a database in UTF-8, by a backup"),
        ) from problem
    except (errors.UndefinedTable, errors.InvalidSchemaName) as problem:
        raise NoStore(
            f"the store of this project, or a part of it, is missing: {first_line(problem)}. Nothing was changed.",
            next_step=PUT_BACK,
        ) from problem
    except OTHER_TABLES as problem:
        raise StoreProblem(
            f"the tables there are not those of a store of this version: {first_line(problem)}. Nothing was changed.",
            next_step=PUT_BACK,
        ) from problem
    except psycopg.OperationalError as problem:
        raise _lost(problem, committing) from problem


def _lost(problem: psycopg.OperationalError, committing: bool) -> StoreProblem:
    if committing:
        return StoreProblem(
            "the connection was lost while the change was being saved. It was saved completely or not at all.",
            next_step=fe("audit", "log"),
        )
    return StoreProblem(
        f"the database cannot be reached: {first_line(problem)}. Nothing was changed.", next_step=LOOK_AT_ADDRESS
    )


def _busy(why: str) -> StoreBusy:
    return StoreBusy(f"{why}. Nothing was changed.", next_step=prose("try again"))


def unreachable(problem: Exception, url: str, *, making: bool = False) -> StoreProblem:
    """Return the error for a failed connection, with a next step that depends on the cause. `making` is for a store
    that does not exist yet."""
    words = without_secrets(first_line(problem), url)
    what = "the server has no connection left" if FULL.search(str(problem)) else "the database cannot be reached"
    return StoreProblem(f"{what}: {words}. Nothing was changed.", next_step=_way_there(problem, making))


def _way_there(problem: Exception, making: bool) -> Steps:
    """Return the next step. The driver knows whether the server asked for a password and whether one was sent."""
    if FULL.search(str(problem)):
        return MAKE_ROOM
    for words, step in REFUSED:
        if words.search(str(problem)):
            return step
    address = NAME_ANOTHER if making else LOOK_AT_ADDRESS
    tried = problem.pgconn if isinstance(problem, psycopg.Error) else None
    if tried is None or not (tried.needs_password or tried.used_password):
        return address
    return GIVE_PASSWORD if tried.needs_password else either(GIVE_PASSWORD, address, joint="; ")


def first_line(problem: Exception) -> str:
    """Return the first line of the server's message."""
    text = str(problem).strip().splitlines()
    return text[0].rstrip(".") if text else type(problem).__name__


def without_secrets(text: str, url: str) -> str:
    """Return the text without any part of the address's password. If it has one, the whole text is replaced."""
    rest = url.partition("://")[2]
    guarded = rest.rpartition("@")[0].partition(":")[2] + " " + rest.partition("password=")[2]
    pieces = {
        piece for part in (guarded, unquote(guarded)) for piece in re.split(r"[^0-9A-Za-z_]+", part) if len(piece) > 1
    }
    if any(piece in text for piece in pieces):
        return "the address or the password was not accepted"
    return re.sub(r"postgres(ql)?://\S+", "postgresql://…", text)


def held_by(holder: Sequence[SqlValue], url: str) -> StoreBusy:
    """Return the error for a lock held by another writer, with its program, machine, role and server process. (G5)

    Any role that can connect can hold the lock indefinitely. The suggested command only inspects. It names this server,
    because on another one the process number would be another process.
    """
    busy, step = f"the store has been busy for {LOCK_TIMEOUT}", prose("try again")
    if not holder:
        return StoreBusy(f"{busy}. Nothing was changed.", next_step=step)
    program, machine, role, pid = (visible(str(each)) for each in holder)
    what = f"SELECT * FROM pg_stat_activity WHERE pid = {pid}"  # noqa: S608 (shown, never run)
    look = shell("psql", without_password(url), "-c", what, after=". The administrator of that server can end it")
    return StoreBusy(
        f"{busy} (writer: {program}, {machine}, role {role}, pid {pid} of the server). Nothing was changed.",
        next_step=either(step, look, joint=", and if it does not end: "),
    )
