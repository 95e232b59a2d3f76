"""A lock that shows that a runner is connected (J4): free at once when it is not, never where that cannot be told."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from foureyes.adapters.store.connection import Database
from foureyes.adapters.store.liveness_lock import GRACE_SECONDS, PostgresBeacon, dark
from foureyes.adapters.store.postgres import PostgresEngine
from foureyes.errors import StoreProblem

from tests import engines
from tests.stage.fork import Child

NAME = "runner 0123"


def test_a_beacon_is_dark_when_nobody_holds_it_and_sqlite_has_none_J4(place: engines.Place) -> None:
    mine, other = place.create(), place.open()
    beacon = mine.beacon(NAME)
    if not isinstance(mine.engine, PostgresEngine):
        assert (beacon, bool(other.dark([NAME]))) == (None, False), "of what has no locks nothing is said"
    else:
        assert beacon is not None
        nobodys = frozenset({"runner 4567", "runner ß"})
        assert (beacon.is_lit(), other.dark([NAME, *nobodys])) == (True, nobodys)
        with other.write():
            assert not other.dark([NAME]), "also inside of a transaction, and it is not the writers' lock"
        beacon.close()
        wait_until_free(mine.engine)
        assert (beacon.is_lit(), beacon.fileno(), bool(other.dark([NAME]))) == (False, -1, True)
        beacon.light()
        assert not other.dark([NAME])
        beacon.close()
    mine.close()
    other.close()


@pytest.fixture
def server(tmp_path: Path) -> PostgresEngine:
    engine = engines.Place("postgres", tmp_path / "folder").create().engine
    assert isinstance(engine, PostgresEngine)
    return engine


def wait_until_free(engine: Database) -> None:
    """The server hears of an end at once, and takes a moment to end what belonged to it."""
    while not dark(engine, [NAME]):
        os.sched_yield()


def test_who_is_killed_holds_nothing_any_more_J4(server: PostgresEngine) -> None:
    def die() -> None:
        lit = PostgresBeacon(PostgresEngine(server.url, server.project), NAME)
        lit.light()
        os.kill(os.getpid(), signal.SIGKILL)

    assert Child(die).ended().signal == signal.SIGKILL
    wait_until_free(server)


def test_who_was_cut_off_knows_it_and_is_heard_of_by_its_descriptor_J4(server: PostgresEngine) -> None:
    beacon = PostgresBeacon(server, NAME)
    beacon.light()
    twin = PostgresBeacon(server, NAME)
    with pytest.raises(StoreProblem, match="not free yet"):
        twin.light()
    server.fetch("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2", {})
    wait_until_free(server)
    assert not beacon.is_lit()
    beacon.light()
    assert beacon.is_lit()
    beacon.close()


def test_after_a_lost_connection_nothing_is_said_of_others_for_a_while_J4(
    server: PostgresEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server was away for everybody: they come back as well."""
    assert dark(server, [NAME])
    server.connection.close()
    with server.transaction(write=False):
        assert not dark(server, [NAME])
    server.rejoined -= GRACE_SECONDS
    assert dark(server, [NAME])


def test_behind_a_pool_there_is_none_J4(server: PostgresEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pool has a session of its own for whoever comes next: its number is another one."""
    from foureyes.adapters.store import liveness_lock

    monkeypatch.setattr(liveness_lock, "LOCK", liveness_lock.LOCK.replace("pg_backend_pid()", "pg_backend_pid() + 1"))
    assert liveness_lock.beacon_of(server, NAME) is None
    wait_until_free(server)
