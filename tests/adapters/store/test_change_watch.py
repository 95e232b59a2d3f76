"""Noticing that somebody wrote: on both engines, whoever it was, and nobody twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from select import select
from typing import Any

import psycopg
import pytest

from foureyes.adapters.store.store import Store

from tests import engines
from tests.stage.people import ALICE, CLAUDE
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
    if changes.fileno() >= 0:  # a server tells it when it comes to it
        assert select([changes.fileno()], [], [], 60)[0]
    assert changes.changed()
    assert not changes.changed()
    desk.status(desk.ids_of()[0])
    assert not changes.changed()
    changes.close()
    other.close()
    desk.app.close()


def test_what_was_told_is_read_and_own_rows_are_no_news(place: engines.Place) -> None:
    """A descriptor that stays readable would keep a runner from ever resting."""
    desk = writer(place)
    other: Store = place.open()
    mine, others = desk.store.changes(), other.changes()
    assert mine is not None
    assert others is not None
    for _ in range(3):
        desk.create(ALICE)
    if others.fileno() >= 0:  # told: SQLite is asked
        assert select([others.fileno()], [], [], 60)[0]
        assert others.changed()
        assert select([others.fileno(), mine.fileno()], [], [], 10)[0] == [mine.fileno()]
        assert not mine.changed()
        assert not select([others.fileno(), mine.fileno()], [], [], 0)[0]
    for each in (mine, others, other, desk.app):
        each.close()


def test_nobody_is_woken_for_a_line_in_the_log_or_a_lease_that_is_renewed(server: engines.Server) -> None:
    with engines.worlds_on("postgres"):
        desk = DeskWorld()
    task = desk.create(ALICE)
    runner = desk.app.runs.begin(ALICE, agents=1).actor
    said: list[str] = []
    with heard(said):
        desk.app.notes.log(CLAUDE, task, "half of it is done")
        desk.app.runs.renew(runner, [])
        assert [text for text in said if text.endswith("COMMIT")] == ["COMMIT", "COMMIT"]
        desk.app.stops.hold(ALICE, task, "wait")
        assert said[-1].startswith("NOTIFY")
    desk.app.close()


@contextmanager
def heard(said: list[str]) -> Iterator[None]:
    """What is said to the server."""
    original = psycopg.Connection.execute

    def execute(connection: Any, statement: Any, *args: Any, **options: Any) -> Any:
        said.append(str(statement))
        return original(connection, statement, *args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg.Connection, "execute", execute)
        yield


def test_a_store_that_nobody_else_can_open_has_nobody_to_notice() -> None:
    store = engines.new_store("0123456789abcdef", "sqlite")
    assert store.changes() is None
    store.close()
