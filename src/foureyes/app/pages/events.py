"""Events: the journal as sentences, and the cheapest way to notice that it has grown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.pages.sentences import QUIET, kind_of_line, sentence
from foureyes.app.views.event import EventLine
from foureyes.app.views.journal import JournalHead
from foureyes.app.views.session import SessionView
from foureyes.core.events import kind_of

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx

END = 2**62


class PackedEvent(msgspec.Struct, frozen=True):
    """A row of the journal with its event, still packed."""

    seq: int
    at: str
    task: str
    session: str
    kind: str
    payload: str


class Events:
    """What happens, for whoever watches."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def head(self) -> int:
        """The number of the journal's last row: one statement, to be asked as often as one likes."""
        with self._context.store.read() as tx:
            row = tx.one("journal.head", JournalHead)
        return row.seq if row else 0

    def latest(self, limit: int = 50) -> list[EventLine]:
        """The latest events, the oldest of them first."""
        with self._context.store.read() as tx:
            return self._lines(tx, tx.all("journal.events", PackedEvent, before=END, quiet=QUIET, limit=limit)[::-1])

    def since(self, seq: int, limit: int = 200) -> list[EventLine]:
        """The events after a row, the oldest first; as many as asked for, and the rest from the last of them on."""
        with self._context.store.read() as tx:
            return self._lines(tx, tx.all("journal.events_since", PackedEvent, after=seq, quiet=QUIET, limit=limit))

    def _lines(self, tx: Tx, rows: Sequence[PackedEvent]) -> list[EventLine]:
        """Rows as sentences, with what people call each session."""
        sessions = sorted({row.session for row in rows})
        names = {row.id: row.name for row in tx.all("session.some", SessionView, ids=sessions)} if rows else {}
        names[str(self._context.gate.session)] = "the gate"
        return [_line(row, names.get(row.session, row.session)) for row in rows]


def _line(row: PackedEvent, who: str) -> EventLine:
    """One row; one that this version cannot read is said to be unreadable, and hides no other."""
    try:
        event = msgspec.json.decode(row.payload, type=kind_of(row.kind))
    except (KeyError, msgspec.DecodeError):
        text = f"{who} did something that this version cannot read ({row.kind}): fe audit verify"
        return EventLine(seq=row.seq, at=row.at, task=row.task, who=who, text=text, kind="security")
    text, kind = sentence(who, event), kind_of_line(event)
    return EventLine(seq=row.seq, at=row.at, task=row.task, who=who, text=text, kind=kind)
