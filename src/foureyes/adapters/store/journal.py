"""The hash chain (J1): what a row's hash covers, and how a chain is checked without any table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import msgspec

from foureyes.adapters.store.engine import sql
from foureyes.app.views.journal import JournalRow
from foureyes.core.events import WHERE, Event, kind_of
from foureyes.core.words.digest import sha256
from foureyes.errors import VerificationFailed
from foureyes.steps import prose

if TYPE_CHECKING:
    from foureyes.adapters.store.engine import Database, SqlValue

DOMAIN = b"foureyes-journal-1\n"
"""Separates these hashes from every other use of sha256, and names the form of what is hashed."""


class Row(JournalRow, frozen=True):
    """One journal row, and the event in it."""

    def event(self) -> Event:
        """The event this row records. A kind or field this version does not know is an error, never skipped (G1)."""
        if self.kind not in WHERE:
            raise VerificationFailed(
                f"journal row {self.seq} is of the unknown kind {self.kind}; it was written by a newer version.",
                next_step=prose("use the version of Foureyes that wrote this store"),
            )
        try:
            return msgspec.json.decode(self.payload, type=kind_of(self.kind))
        except msgspec.DecodeError as problem:
            raise VerificationFailed(f"journal row {self.seq} ({self.kind}) cannot be read: {problem}") from problem


def hash_of(prev: str, seq: int, at: str, project: str, task: str, session: str, kind: str, payload: str) -> str:
    """sha256 over the domain tag, the previous hash and the canonical JSON array of the columns."""
    columns = msgspec.json.encode((seq, at, project, task, session, kind, payload))
    return sha256(DOMAIN + prev.encode() + b"\n" + columns).hexdigest()


def next_row(prev: str, seq: int, at: str, project: str, task: str, session: str, event: Event) -> Row:
    """The row that continues a chain with this event."""
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
    """A place where the chain does not hold."""

    seq: int
    message: str


def breaks(rows: Iterable[Row], *, start: str = "", after: int = 0) -> Iterator[Broken]:
    """Every place where rows are missing, added or changed; goes on after each, so that all are named."""
    prev, last = start, after
    for row in rows:
        if row.seq != last + 1:
            missing = (
                f"row {last + 1} is missing" if row.seq == last + 2 else f"rows {last + 1} to {row.seq - 1} are missing"
            )
            yield Broken(last + 1, f"{missing} before row {row.seq}")
        elif row.prev != prev:
            yield Broken(
                row.seq, f"row {row.seq} does not continue row {last}: it was put in or the row before was rewritten"
            )
        if hash_of(row.prev, row.seq, row.at, row.project, row.task, row.session, row.kind, row.payload) != row.hash:
            yield Broken(
                row.seq,
                f"row {row.seq} ({row.kind}{' of ' + row.task if row.task else ''}) was changed after it was written",
            )
        prev, last = row.hash, row.seq


def journal_rows(engine: Database) -> Iterator[Row]:
    """The journal from the first row on, one by one. A row that is no text any more is shown as unreadable, never
    skipped.
    """
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
    """A row of the right types; what somebody made of another type becomes text that no hash fits."""
    seq, *texts = values
    return Row(seq if isinstance(seq, int) else -1, *[text if isinstance(text, str) else repr(text) for text in texts])


def journal_length(engine: Database) -> int:
    """How many rows the journal has."""
    return int(engine.fetch(sql("journal.count"), {})[1][0][0] or 0)
