"""Applies each event to the tables, with one function per kind. A replay of the journal uses the same functions. (J2)

The events of `core.events.task` are projected in `projections.task`, and so on. Each module is loaded with its first
event, because a command writes few kinds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module

from foureyes.adapters.store.connection import Engine, plain
from foureyes.adapters.store.journal import Row
from foureyes.core.events import WHERE, Event

Projection = Callable[[Engine, Row, Event], None]


@cache
def projection(kind: str) -> Projection:
    """Return the function for a kind of event."""
    function: Projection = import_module(f"{__name__}.{WHERE[kind]}").PROJECTIONS[kind]
    return function


def apply(db: Engine, row: Row, event: Event) -> None:
    """Update the tables from the state before this row to the state after it."""
    projection(row.kind)(db, row, event)
    db.run("session.seen", plain({"id": row.session, "at": row.at, "seq": row.seq}))
