"""Many processes over one store: each opens its own, as every command does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from foureyes.adapters.clock import RandomIds
from foureyes.app.application import Application
from foureyes.app.context import Context
from foureyes.app.ports import Clock, JournalRow, Repo
from foureyes.core.session import Actor

from tests.app.world import FixedClock, agent
from tests.faults.places import Desk, Place


def worker(number: int) -> Actor:
    """An agent process of its own."""
    return agent("worker", number)


@contextmanager
def opened(place: Place, repo: Repo, clock: Clock | None = None) -> Iterator[Application]:
    """One process's Application. Ids are random here: that of another process must not be repeated."""
    app = Application(Context(place.open(), lambda: repo, clock or FixedClock(), RandomIds(), {}, str(place.folder)))
    try:
        yield app
    finally:
        app.close()


def founded(place: Place) -> Desk:
    """A desk whose project has been made and whose store nobody has open."""
    desk = Desk(place)
    desk.found()
    desk.close()
    return desk


def sound(place: Place) -> list[JournalRow]:
    """J1, J2: the audit finds nothing. The whole journal."""
    assert place.findings() == []
    with opened(place, Desk(place).script) as app:
        return list(app.audit.export())
