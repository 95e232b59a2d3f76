"""Runs named SQL (`queries/*.sql`) on one database connection and returns tuples. Also folds text for the search."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Protocol, TypeVar

import msgspec

from foureyes.errors import Internal, VerificationFailed

if TYPE_CHECKING:
    from foureyes.app.results.settings import StoreRole


# ---- A database connection ----

T = TypeVar("T")
SqlValue = str | int | None
PLAIN = frozenset({str, int, type(None)})


class Engine(Protocol):
    """The operations shared by SQLite and PostgreSQL."""

    def run(self, name: str, params: dict[str, SqlValue]) -> None:
        """Execute a statement that changes rows. It may be buffered until the next query or the commit."""

    def change(self, name: str, params: dict[str, SqlValue]) -> int:
        """Execute a statement that changes rows at once and return the number of changed rows."""

    def fetch(self, statement: str, params: dict[str, SqlValue]) -> tuple[list[str], list[tuple[SqlValue, ...]]]:
        """Return the columns and rows of a query."""

    def fetch_all(
        self, asked: Sequence[tuple[str, dict[str, SqlValue]]]
    ) -> list[tuple[list[str], list[tuple[SqlValue, ...]]]]:
        """Like fetch(), for several queries in one round trip."""


class Database(Engine, Protocol):
    """A complete database connection, including the operations for migrations and audits. `place` distinguishes this
    database from a copy where possible. (P12)"""

    name: str
    place: str
    written: set[str] | None
    """The kinds of rows that the transaction is about to commit, None if unknown. They decide whether other processes
    are notified.
    """

    def stream(self, statement: str) -> Iterator[tuple[SqlValue, ...]]:
        """Yield rows one by one, for tables larger than memory."""

    def script(self, statements: list[str]) -> None:
        """Execute schema changes, statement by statement."""

    def transaction(self, *, write: bool) -> AbstractContextManager[None]:
        """Open a transaction with one consistent state. A writing one commits at the end, or rolls back on an error."""

    def check_place(self) -> None:
        """Raise StoreProblem if the store has been moved away."""

    def schema_version(self) -> int: ...

    def set_schema_version(self, version: int) -> None: ...

    def tables(self) -> set[str]: ...

    def problems(self) -> list[str]: ...

    def describe(self) -> str:
        """Return a short description of the database."""

    def role(self) -> StoreRole | None:
        """Return the caller's role on the server, or None for a file."""

    def grants(self, writers: Sequence[str], readers: Sequence[str]) -> str:
        """Return the SQL that grants access to other roles, "" for a file."""

    def backup(self, path: str) -> None:
        """Write a complete copy as a SQLite file."""

    def close(self) -> None: ...


def plain(params: dict[str, object]) -> dict[str, SqlValue]:
    """Return parameters as databases take them: lists as JSON text, booleans as 0 and 1."""
    if PLAIN.issuperset(map(type, params.values())):
        return params  # type: ignore[return-value]
    out: dict[str, SqlValue] = {}
    for name, value in params.items():
        if isinstance(value, bool):
            out[name] = int(value)
        elif value is None or isinstance(value, (str, int)):
            out[name] = value
        else:
            out[name] = msgspec.json.encode(value).decode()
    return out


def structs(into: type[T], columns: list[str], rows: list[tuple[SqlValue, ...]]) -> list[T]:
    """Return rows as values of one type. Fields of list or struct type are decoded from JSON. Raise VerificationFailed
    for an unreadable row."""
    if not rows:
        return []
    nested = _NESTED.get(into)
    if nested is None:
        nested = _nested_in(into, rows)
    out = []
    for row in rows:
        record: dict[str, object] = dict(zip(columns, row, strict=True))
        try:
            for name in nested:
                text = record.get(name)
                if isinstance(text, str):
                    record[name] = msgspec.json.decode(text)
            out.append(msgspec.convert(record, into, strict=False))
        except msgspec.MsgspecError as problem:
            named = str(record.get("task") or record.get("id") or "")
            raise VerificationFailed(
                f"what is stored of {named or 'a row'} cannot be read: {problem}", task=named
            ) from problem
    return out


def _nested_in(into: type, rows: list[tuple[SqlValue, ...]]) -> tuple[str, ...]:
    """Return the JSON fields of a type.

    Inspecting a type costs more than scanning a few rows for JSON. So a short command scans its rows, and a
    long-running program inspects each type once.
    """
    _LOOKS[into] = _LOOKS.get(into, 0) + 1
    asks = _LOOKS[into] > MANY_LOOKS or any(map(_may_be_json, chain.from_iterable(rows)))
    return nested_fields(into) if asks else ()


def _may_be_json(value: SqlValue) -> bool:
    return isinstance(value, str) and value.startswith(("[", "{"))


MANY_LOOKS = 30
_LOOKS: dict[type, int] = {}
_NESTED: dict[type, tuple[str, ...]] = {}


def nested_fields(into: type) -> tuple[str, ...]:
    """Return the fields of a struct stored as JSON text: lists, tuples and structs."""
    if into not in _NESTED:
        fields = msgspec.structs.fields(into) if issubclass(into, msgspec.Struct) else ()
        _NESTED[into] = tuple(field.encode_name for field in fields if _is_nested(field.type))
    return _NESTED[into]


def _is_nested(kind: object) -> bool:
    if getattr(kind, "__origin__", None) in (list, tuple):
        return True
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


# ---- Named SQL ----

FOLDER = os.path.join(os.path.dirname(__file__), "queries")
MARK, PART = "-- name: ", "-- part: "


@cache
def _load(noun: str) -> dict[str, str]:
    """Return all statements of one file, with their comments."""
    with open(os.path.join(FOLDER, noun + ".sql"), encoding="utf-8") as file:
        text = file.read()
    above, *blocks = text.split(MARK)
    for part in above.split(PART)[1:]:
        name, _, body = part.partition("\n")
        blocks = [block.replace(f"{{{name.strip()}}}", _statement(body)) for block in blocks]
    statements = (block.partition("\n") for block in blocks)
    return {name.strip(): body for name, _, body in statements}


def _statement(body: str) -> str:
    return "\n".join(line for line in body.splitlines() if not line.startswith("--")).strip().rstrip(";")


@cache
def sql(name: str) -> str:
    """Return the statement with this name. The first part names the file (`task.get` is in task.sql)."""
    noun = name.partition(".")[0]
    try:
        return _statement(_load(noun)[name])
    except (KeyError, FileNotFoundError):
        raise Internal(f"there is no query named {name}") from None


@cache
def overrides(engine: str) -> dict[str, str]:
    """Return the statements that an engine replaces, each with its replacement (`task.postgres.sql`)."""
    ending = f".{engine}.sql"
    files = sorted(entry.removesuffix(".sql") for entry in os.listdir(FOLDER) if entry.endswith(ending))
    return {sql(name): _statement(body) for file in files for name, body in _load(file).items()}


def names() -> list[str]:
    """Return the names of all queries. For tests."""
    nouns = sorted(entry.removesuffix(".sql") for entry in os.listdir(FOLDER) if entry.count(".") == 1)
    return [name for noun in nouns for name in _load(noun)]


# ---- Folding text for the search ----

SEPARATORS = str.maketrans(dict.fromkeys(r"""!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~""", " "))
"""Word separators of SQLite's index. PostgreSQL's parser alone would keep `src/app.py` as one word."""


def fold(text: str) -> str:
    """Return a text without accents and in lower case, as SQLite's own index has it."""
    if not text.isascii():
        from unicodedata import combining, normalize

        text = "".join(character for character in normalize("NFKD", text) if not combining(character))
    return text.translate(SEPARATORS).lower()
