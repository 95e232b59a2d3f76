"""Noticing that somebody wrote: on both engines, whoever it was, and nobody twice."""

from __future__ import annotations

from foureyes.adapters.store.store import Store

from tests import engines
from tests.stage.people import ALICE
from tests.stage.world import DeskWorld


def writer(place: engines.Place) -> DeskWorld:
    return DeskWorld(store=place.create())


def test_who_waits_hears_of_a_commit_of_somebody_else_once(place: engines.Place) -> None:
    desk = writer(place)
    other: Store = place.open()
    changes = other.changes()
    assert changes is not None
    assert not changes.changed()
    desk.create(ALICE)
    assert changes.changed()
    assert not changes.changed()
    desk.status(desk.ids_of()[0])
    assert not changes.changed()
    changes.close()
    other.close()
    desk.app.close()


def test_a_store_that_nobody_else_can_open_has_nobody_to_notice() -> None:
    store = engines.new_store("0123456789abcdef", "sqlite")
    assert store.changes() is None
    store.close()
