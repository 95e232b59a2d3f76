"""The hash chain: what each row's hash covers, and the verification of a chain without any table. (J1)"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import msgspec

from foureyes.adapters.store.connection import sql
from foureyes.app.results.journal import JournalRow
from foureyes.core.events import WHERE, Event, kind_of
from foureyes.core.words.digest import sha256
from foureyes.errors import VerificationFailed
from foureyes.steps import prose

if TYPE_CHECKING:
    from foureyes.adapters.store.connection import Database, SqlValue

DOMAIN = b"foureyes-journal-1\n"
"""Separates these hashes from other uses of sha256 and names the format."""


class Row(JournalRow, frozen=True):
    """One journal row with its event."""

    def event(self) -> Event:
        """Return the event of this row. Raise VerificationFailed for an unknown kind or field. (G1)"""
        if self.kind not in WHERE:
            raise VerificationFailed(
                f"journal row {self.seq} has the unknown kind {self.kind}, so a newer version wrote it.",
                next_step=prose("use the version of Foureyes that wrote this store"),
            )
        try:
            return msgspec.json.decode(self.payload, type=kind_of(self.kind))
        except msgspec.DecodeError as problem:
            raise VerificationFailed(f"journal row {self.seq} ({self.kind}) cannot be read: {problem}") from problem


def hash_of(prev: str, seq: int, at: str, project: str, task: str, session: str, kind: str, payload: str) -> str:
    """Return the sha256 over the domain tag, the previous hash and the canonical JSON array of the columns."""
    columns = msgspec.json.encode((seq, at, project, task, session, kind, payload))
    return sha256(DOMAIN + prev.encode() + b"\n" + columns).hexdigest()


def next_row(prev: str, seq: int, at: str, project: str, task: str, session: str, event: Event) -> Row:
    """Return the row that appends this event to a chain."""
    kind = type(event).__name__
    payload = msgspec.json.encode(event).decode()
    return Row(
        seq,
        at,
        project,
        task,
        session,
        kind,
        payload,
        prev,
        hash_of(prev, seq, at, project, task, session, kind, payload),
    )


class Broken(msgspec.Struct, frozen=True):
    """A broken position in the chain."""

    seq: int
    message: str


def breaks(rows: Iterable[Row], *, start: str = "", after: int = 0) -> Iterator[Broken]:
    """Yield every position with missing, added or changed rows, continuing after each one."""
    prev, last = start, after
    for row in rows:
        if row.seq != last + 1:
            missing = (
                f"row {last + 1} is missing" if row.seq == last + 2 else f"rows {last + 1} to {row.seq - 1} are missing"
            )
            yield Broken(last + 1, f"{missing} before row {row.seq}")
        elif row.prev != prev:
            yield Broken(
                row.seq,
                f"row {row.seq} does not continue row {last}, so it was inserted or the row before was rewritten",
            )
        if hash_of(row.prev, row.seq, row.at, row.project, row.task, row.session, row.kind, row.payload) != row.hash:
            yield Broken(
                row.seq,
                f"row {row.seq} ({row.kind}{' of ' + row.task if row.task else ''}) was changed after it was written",
            )
        prev, last = row.hash, row.seq


def journal_rows(engine: Database) -> Iterator[Row]:
    """Yield the journal from the first row on. An undecodable row is returned as unreadable, never skipped."""
    after = 0
    try:
        for values in engine.stream(sql("journal.all")):
            row = _row(values)
            after = row.seq
            yield row
    except UnicodeDecodeError:
        for (seq,) in engine.fetch(sql("journal.numbers"), {"after": after})[1]:
            yield _read_alone(engine, int(seq or 0))


def _read_alone(engine: Database, seq: int) -> Row:
    try:
        return _row(engine.fetch(sql("journal.row"), {"seq": seq})[1][0])
    except UnicodeDecodeError:
        return Row(seq, "", "", "", "", "unreadable", "", "", "")


def _row(values: tuple[SqlValue, ...]) -> Row:
    """Return a row with the right types. A value of a wrong type becomes text that matches no hash."""
    seq, *texts = values
    return Row(seq if isinstance(seq, int) else -1, *[text if isinstance(text, str) else repr(text) for text in texts])


def journal_length(engine: Database) -> int:
    """Return the number of rows in the journal."""
    return int(engine.fetch(sql("journal.count"), {})[1][0][0] or 0)
