"""Many processes over one store: each opens its own, as every command does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

from foureyes.adapters.clock import RandomIds
from foureyes.adapters.store.store import Store
from foureyes.app.application import Application
from foureyes.app.context import Context
from foureyes.app.git_ports import Repo
from foureyes.app.ports import Clock, OwnKeys, WriteTx
from foureyes.app.results.journal import JournalRow
from foureyes.core.nouns.session import Actor
from foureyes.errors import StoreBusy

from tests.stage.fork import Gate
from tests.stage.people import agent
from tests.stage.places import Desk, Place, RealOutside
from tests.stage.ports import FixedClock
from tests.stage.scripted_git import ScriptedWorkshop

T = TypeVar("T")


def worker(number: int) -> Actor:
    """An agent process of its own."""
    return agent("worker", number)


@contextmanager
def opened(place: Place, repo: Repo, clock: Clock | None = None, keys: OwnKeys | None = None) -> Iterator[Application]:
    """One process's Application. Ids are random here: that of another process must not be repeated."""
    app = application(place.open(), repo, clock, keys)
    try:
        yield app
    finally:
        app.close()


def application(store: Store, repo: Repo, clock: Clock | None = None, keys: OwnKeys | None = None) -> Application:
    """An Application over a store that is open already."""
    ring = (lambda: keys) if keys else None
    outside = RealOutside(ScriptedWorkshop)
    return Application(Context(store, lambda: repo, clock or FixedClock(), RandomIds(), {}, ring, outside))


def wait_before_writing(app: Application, gate: Gate) -> None:
    """All reads come before the gate, the first write after it: whoever goes second knows only what was there
    before.
    """
    write = app.context.store.write

    def late(*, anywhere: bool = False) -> AbstractContextManager[WriteTx]:
        setattr(app.context.store, "write", write)  # noqa: B010
        gate.wait()
        return write(anywhere=anywhere)

    setattr(app.context.store, "write", late)  # noqa: B010


def patiently(call: Callable[[], T]) -> T:
    """Try again as often as the store is busy: on a machine with more to do, a queue of many is longer than the wait of
    one, and whoever is told so has changed nothing.
    """
    while True:
        try:
            return call()
        except StoreBusy:
            continue


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
