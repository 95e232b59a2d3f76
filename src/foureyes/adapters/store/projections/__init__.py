"""What each event does to the tables: one function per kind (J2). Replaying the journal uses the same functions."""

from __future__ import annotations

from collections.abc import Callable

from foureyes.adapters.store.engine import Engine, plain
from foureyes.adapters.store.journal import Row
from foureyes.adapters.store.projections import attempts, findings, gate, records, sessions, tasks
from foureyes.core.events import Event

Projection = Callable[[Engine, Row, Event], None]

PROJECTIONS: dict[str, Projection] = {}
for _room in (sessions, tasks, attempts, records, gate, findings):
    PROJECTIONS.update(_room.PROJECTIONS)


def apply(db: Engine, row: Row, event: Event) -> None:
    """Bring the tables from the state before this row to the state after it."""
    PROJECTIONS[row.kind](db, row, event)
    db.run("session.seen", plain({"id": row.session, "at": row.at, "seq": row.seq}))
