"""Applies numbered, forward-only schema changes, each together with its record and after a backup."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from foureyes.core.words.digest import sha256
from foureyes.errors import StoreProblem
from foureyes.steps import blank, by, fe, prose

if TYPE_CHECKING:
    from foureyes.adapters.store.connection import Database

FOLDER = os.path.join(os.path.dirname(__file__), "migrations")
RECORD = (
    "CREATE TABLE IF NOT EXISTS migrations (n INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, "
    "applied_at TEXT NOT NULL)"
)
LATEST = 2
"""The highest migration number. A test compares it with the files, so that opening a store need not list them."""


class Migration(msgspec.Struct, frozen=True):
    """One file of `migrations/`."""

    n: int
    name: str
    text: str

    @property
    def checksum(self) -> str:
        return sha256(self.text.encode()).hexdigest()

    @property
    def statements(self) -> list[str]:
        """The statements, each ending with a semicolon at a line's end."""
        lines = [line for line in self.text.splitlines() if not line.strip().startswith("--")]
        parts = [part.strip().rstrip(";") for part in "\n".join(lines).split(";\n")]
        return [part for part in parts if part]


@cache
def migrations(engine: str) -> tuple[Migration, ...]:
    """Return the migrations for one engine in order. `0002_x.sqlite.sql` is for SQLite only."""
    scripts = []
    for entry in sorted(os.listdir(FOLDER)):
        stem, _, ending = entry.partition(".")
        if ending in ("sql", f"{engine}.sql"):
            with open(os.path.join(FOLDER, entry), encoding="utf-8") as file:
                scripts.append(Migration(int(stem[:4]), stem, file.read() + "\n"))
    return tuple(scripts)


def migrate(engine: Database, now: str, backup: Callable[[int], None] | None) -> int:
    """Migrate a store to the newest schema and return the number of steps. Raise StoreProblem for a newer store or a
    changed history."""
    at = engine.schema_version()
    if at == LATEST:
        return 0
    known = migrations(engine.name)
    if at > LATEST:
        raise StoreProblem(
            f"the store has schema {at}, but this version of Foureyes knows only {LATEST}. It was written by a newer "
            "one. It was not touched.",
            next_step=prose("upgrade foureyes"),
        )
    if at and backup is not None:
        backup(at)
    with engine.transaction(write=True):
        at = engine.schema_version()
        _refuse_unversioned(engine, at)
        engine.script([RECORD])
        check_history(engine, known)
        for step in known:
            if step.n > at:
                engine.script(step.statements)
                insert = "INSERT INTO migrations (n, name, checksum, applied_at) VALUES (:n, :name, :checksum, :now)"
                engine.fetch(insert, {"n": step.n, "name": step.name, "checksum": step.checksum, "now": now})
        engine.set_schema_version(LATEST)
    return LATEST - at


def _refuse_unversioned(engine: Database, at: int) -> None:
    """Raise StoreProblem for tables without a version, because part of the store is then missing. (J2)"""
    if not at and engine.tables() - {"migrations"}:
        raise StoreProblem(
            "the store has tables but no record of their version, so a part of it is missing. Nothing was changed.",
            next_step=by("person", fe("store", "restore", blank("FILE")), "its owner restores a backup: "),
        )


def check_history(engine: Database, known: tuple[Migration, ...]) -> None:
    """Raise StoreProblem if this version does not know an applied migration."""
    by_number = {step.n: step for step in known}
    for n, name, checksum in engine.fetch("SELECT n, name, checksum FROM migrations ORDER BY n", {})[1]:
        step = by_number.get(int(n or 0))
        if step is None or step.checksum != checksum:
            raise StoreProblem(
                f"migration {name} in the store is not the one this version knows. It was not touched.",
                next_step=fe("doctor"),
            )
