"""Controls: who decided how a task is looked at, out of the journal (M6)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from foureyes.core.events import Event, kind_of
from foureyes.core.rules.facts import Control
from foureyes.core.words.ids import SessionId
from foureyes.errors import StoreProblem
from foureyes.steps import fe

if TYPE_CHECKING:
    from foureyes.app.ports import Tx


class EventRow(msgspec.Struct, frozen=True):
    """A journal row about a task, with its event."""

    seq: int
    task: str
    at: str
    session: str
    kind: str
    payload: str


class Bearing(msgspec.Struct, frozen=True):
    """What of a new task bears on how it is looked at."""

    labels: tuple[str, ...] = ()
    planned: str = ""
    minor: bool = False


def event_of(row: EventRow) -> Event:
    """A row that cannot be read is named, with its task."""
    try:
        event: Event = msgspec.json.decode(row.payload, type=kind_of(row.kind))
    except msgspec.DecodeError as problem:
        raise StoreProblem(
            f"journal row {row.seq} of {row.task} cannot be read: {problem}.",
            next_step=fe("audit", "verify"),
            task=row.task,
        ) from problem
    return event


def controls_of(tx: Tx, ids: Sequence[str]) -> dict[str, list[Control]]:
    """M6: who put which label on or off, planned a mode, marked it minor or changed the acceptance, and when."""
    controls: dict[str, list[Control]] = defaultdict(list)
    started: set[str] = set()
    for row in tx.all("journal.controls", EventRow, ids=list(ids)):
        if row.kind == "TaskStarted":
            started.add(row.task)
            continue
        if row.kind == "TaskCreated" and bears_on_nothing(row):
            continue
        begun = row.task in started
        for control in controls_in(event_of(row), SessionId(row.session)):
            controls[row.task].append(msgspec.structs.replace(control, after_start=begun) if begun else control)
    return controls


def bears_on_nothing(row: EventRow) -> bool:
    """Whether a task is new and plain, as most are: the events of tasks are loaded for the others."""
    try:
        return msgspec.json.decode(row.payload, type=Bearing) == Bearing()
    except msgspec.DecodeError:
        return False


def controls_in(event: Event, who: SessionId) -> Iterator[Control]:
    """What one event says about how its task is looked at."""
    from foureyes.core.events import LabelAdded, LabelRemoved, MinorSet, TaskCreated, TaskEdited

    match event:
        case TaskCreated():
            key = event.signed_by
            yield from (Control("label", who, label, key=key) for label in event.labels)
            yield from [Control("plan", who, key=key)] if event.planned else []
            yield from [Control("minor", who, key=key)] if event.minor else []
        case LabelAdded():
            yield Control("label", who, event.label, late=True, key=event.signed_by)
        case LabelRemoved():
            yield Control("off", who, event.label, late=True, key=event.signed_by)
        case MinorSet():
            yield Control("minor", who, late=True, key=event.signed_by)
        case TaskEdited() if event.acceptance is not None:
            yield Control("acceptance", who, late=True, key=event.signed_by)
        case _ if type(event).__name__ == "PlanAccepted":
            # by its name: the events of the gate are loaded where there are any
            yield Control("plan", who, late=True, key=getattr(event, "signed_by", ""))
