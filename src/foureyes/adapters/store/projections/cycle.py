"""Projects review cycles: the requested reviewers, their answers, and the decision with its rule. (V)

`leave_cycles` in `steps` handles a target that moves on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from foureyes.adapters.store.connection import Engine, plain
from foureyes.adapters.store.projections.steps import log
from foureyes.errors import StaleState
from foureyes.steps import fe

if TYPE_CHECKING:
    from foureyes.adapters.store.journal import Row
    from foureyes.core import events as e


def _values(event: Any, *names: str) -> dict[str, object]:
    return {name: getattr(event, name) for name in names or event.__struct_fields__}


def _of(row: Row) -> dict[str, object]:
    return {"seq": row.seq, "task": row.task, "session": row.session, "at": row.at}


def _change(db: Engine, row: Row, statement: str, values: dict[str, object]) -> None:
    """Update a cycle. Raise StaleState if it is not in the state that the event requires. (G1)"""
    if db.change(statement, plain(values)) != 1:
        raise StaleState(
            f"the cycle {values['cycle']} is not where {row.kind} says.", next_step=fe("review", "show"), task=row.task
        )


def cycle_opened(db: Engine, row: Row, event: e.CycleOpened) -> None:
    values = _values(event, "cycle", "trigger", "quorum", "seats", "wide", "reason", "follows")
    db.run("cycle.insert", plain(values | _of(row) | {"n": int(event.cycle.removeprefix("c-"))}))
    for target in event.targets:
        db.run("cycle.insert_target", plain(_values(target) | {"cycle": event.cycle, "seq": row.seq}))
    if row.task:
        log(db, row, "cycle", f"{event.cycle} {event.trigger}{f': {event.reason}' if event.reason else ''}")


def early_review_taken(db: Engine, row: Row, event: e.EarlyReviewTaken) -> None:
    db.run("cycle.insert_look", plain(_values(event) | _of(row)))


def review_asked(db: Engine, row: Row, event: e.ReviewAsked) -> None:
    values = _values(event) | {"task": row.task, "at": row.at, "seq": row.seq}
    db.run("cycle.ask", plain(values))


def review_not_given(db: Engine, row: Row, event: e.ReviewNotGiven) -> None:
    _change(db, row, "cycle.not_given", _values(event) | {"task": row.task, "at": row.at, "seq": row.seq})


def clarification_asked(db: Engine, row: Row, event: e.ClarificationAsked) -> None:
    _change(db, row, "cycle.clarify", _values(event, "cycle", "until", "requested") | {"seq": row.seq})
    for point in event.points:
        db.run("cycle.insert_point", plain(_values(point) | {"cycle": event.cycle, "seq": row.seq}))


def clarification_answered(db: Engine, row: Row, event: e.ClarificationAnswered) -> None:
    values = _values(event) | {"session": row.session, "at": row.at, "seq": row.seq}
    _change(db, row, "cycle.answer_point", values)


def cycle_decided(db: Engine, row: Row, event: e.CycleDecided) -> None:
    _change(db, row, "cycle.decide", _values(event) | {"at": row.at, "seq": row.seq})
    if row.task:
        log(db, row, "cycle", f"{event.cycle} {event.rule}: {'; '.join(event.reasons)}")


def cycle_ended(db: Engine, row: Row, event: e.CycleEnded) -> None:
    _change(db, row, "cycle.end", _values(event) | {"at": row.at, "seq": row.seq})


PROJECTIONS: dict[str, Any] = {
    "CycleOpened": cycle_opened,
    "EarlyReviewTaken": early_review_taken,
    "ReviewAsked": review_asked,
    "ReviewNotGiven": review_not_given,
    "ClarificationAsked": clarification_asked,
    "ClarificationAnswered": clarification_answered,
    "CycleDecided": cycle_decided,
    "CycleEnded": cycle_ended,
}
