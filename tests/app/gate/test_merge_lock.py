"""The lock that a merge holds while it is connected (J4)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foureyes.adapters.store.store import Store
from foureyes.app.gate.merger import MergeLock
from foureyes.app.ports import Beacon
from foureyes.errors import StoreProblem

from tests import engines


@pytest.fixture
def store(on_engine: str, tmp_path: Path) -> Store:
    return engines.Place(on_engine, tmp_path / "folder").create()


@pytest.mark.on("postgres")
def test_a_merge_has_one_lock_for_its_leases_and_another_after_it_was_cut_off_J4(store: Store) -> None:
    lock = MergeLock(store)
    first = lock.held()
    assert lock.held() == first
    cut = (
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND objid = "
    )
    store.engine.fetch(cut + "CAST(hashtext(:name)::bigint & 4294967295 AS oid)", {"name": first})
    second = lock.held()
    assert store.dark([first, second]) == {first}
    lock.close()
    while not store.dark([second]):
        os.sched_yield()
    lock.close()


@pytest.mark.on("sqlite")
def test_without_a_server_a_merge_has_no_lock_J4(store: Store) -> None:
    lock = MergeLock(store)
    assert (lock.held(), lock.held()) == ("", "")
    lock.close()


def test_a_lock_that_is_not_to_be_had_stops_no_merge_J4(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(_: str) -> Beacon | None:
        raise StoreProblem("the server takes no more connections.")

    monkeypatch.setattr(store, "beacon", away)
    assert MergeLock(store).held() == ""
