"""One connection to a database: named SQL (`queries/*.sql`) in, tuples out; text folded for the search."""

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
    from foureyes.app.views.settings import StoreRole


# ---- One connection to a database, as the rest of the store uses it ----

T = TypeVar("T")
SqlValue = str | int | None
PLAIN = frozenset({str, int, type(None)})


class Engine(Protocol):
    """What SQLite and PostgreSQL have in common here."""

    def run(self, name: str, params: dict[str, SqlValue]) -> None:
        """Execute a statement that changes rows; it may be kept back until something is asked or saved."""

    def change(self, name: str, params: dict[str, SqlValue]) -> int:
        """Execute a statement that changes rows, now; how many it changed."""

    def fetch(self, statement: str, params: dict[str, SqlValue]) -> tuple[list[str], list[tuple[SqlValue, ...]]]:
        """Columns and rows of a query text."""

    def fetch_all(
        self, asked: Sequence[tuple[str, dict[str, SqlValue]]]
    ) -> list[tuple[list[str], list[tuple[SqlValue, ...]]]]:
        """The same of several, by one way to the database and back."""


class Database(Engine, Protocol):
    """A whole database connection: what the store, migrations and audits need beyond statements. `place` tells this
    database from a copy of it, as far as that goes (P12).
    """

    name: str
    place: str
    written: set[str] | None
    """The kinds of rows that a transaction is about to commit, where they are known: by them it is told to others."""

    def stream(self, statement: str) -> Iterator[tuple[SqlValue, ...]]:
        """Rows one by one, for tables larger than memory."""

    def script(self, statements: list[str]) -> None:
        """Schema changes, statement by statement."""

    def transaction(self, *, write: bool) -> AbstractContextManager[None]:
        """One consistent state; a writing one ends with a commit or leaves no trace."""

    def check_place(self) -> None:
        """Refuse to write where the store no longer is."""

    def schema_version(self) -> int: ...

    def set_schema_version(self, version: int) -> None: ...

    def tables(self) -> set[str]: ...

    def problems(self) -> list[str]: ...

    def describe(self) -> str:
        """What kind of database this is, in a few words."""

    def role(self) -> StoreRole | None:
        """Who the caller is to a server; None for a file."""

    def grants(self, writers: Sequence[str], readers: Sequence[str]) -> str:
        """The SQL that lets others in; empty for a file."""

    def backup(self, path: str) -> None:
        """A whole copy as a SQLite file."""

    def close(self) -> None: ...


def plain(params: dict[str, object]) -> dict[str, SqlValue]:
    """Parameters as databases take them: lists as JSON text, booleans as 0 and 1."""
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
    """Rows as values of one type. Columns whose field is a list or a struct hold JSON."""
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
    """Few rows hold JSON, and asking a type for its fields costs more than many looks at its rows: a command that ends
    soon looks, a program that stays asks once.
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
    """The fields of a struct that are stored as JSON text: lists, tuples and structs."""
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
    """All statements of one file, with their comments."""
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
    """The statement with this name; it lies in the file that its first part names (`task.get` in task.sql)."""
    noun = name.partition(".")[0]
    try:
        return _statement(_load(noun)[name])
    except (KeyError, FileNotFoundError):
        raise Internal(f"there is no query named {name}") from None


@cache
def overrides(engine: str) -> dict[str, str]:
    """Statements that an engine says differently: ours, and what to say instead (`task.postgres.sql`)."""
    ending = f".{engine}.sql"
    files = sorted(entry.removesuffix(".sql") for entry in os.listdir(FOLDER) if entry.endswith(ending))
    return {sql(name): _statement(body) for file in files for name, body in _load(file).items()}


def names() -> list[str]:
    """Every query there is, for the tests."""
    nouns = sorted(entry.removesuffix(".sql") for entry in os.listdir(FOLDER) if entry.count(".") == 1)
    return [name for noun in nouns for name in _load(noun)]


# ---- Folding ----

APART = str.maketrans(dict.fromkeys(r"""!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~""", " "))
"""What SQLite's index takes for the end of a word; PostgreSQL's parser would keep `src/app.py` as one."""


def fold(text: str) -> str:
    """Without accents and capitals, as SQLite's own index has it."""
    if not text.isascii():
        from unicodedata import combining, normalize

        text = "".join(character for character in normalize("NFKD", text) if not combining(character))
    return text.translate(APART).lower()
