"""Projects logs and handoffs, which affect no decision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from foureyes.adapters.store.connection import Engine, plain
from foureyes.adapters.store.projections.steps import log

if TYPE_CHECKING:
    from foureyes.adapters.store.journal import Row
    from foureyes.core import events as e


def logged(db: Engine, row: Row, event: e.Logged) -> None:
    log(db, row, event.type, event.text)


def handed_off(db: Engine, row: Row, event: e.HandedOff) -> None:
    values: dict[str, object] = {name: getattr(event, name) for name in ("done", "remaining", "decisions", "uncertain")}
    db.run(
        "record.insert_handoff",
        plain(values | {"seq": row.seq, "task": row.task, "session": row.session, "at": row.at}),
    )


PROJECTIONS: dict[str, Any] = {
    "Logged": logged,
    "HandedOff": handed_off,
}
