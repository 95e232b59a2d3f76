"""A journal written on one engine is the same journal on the other: rows, heads, tables, and an export anybody can
check.
"""

from __future__ import annotations

import hashlib
import json

import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from foureyes.adapters.store.connection import Database, SqlValue
from foureyes.adapters.store.replay import TABLES, compare_tables, copy_journal
from foureyes.adapters.store.store import Store
from foureyes.errors import StoreProblem, VerificationFailed

from tests import engines
from tests.adapters.store.shop import append, full_world, security
from tests.app.test_replay import RandomVerbs
from tests.stage.checkout import PROJECT
from tests.stage.night import plays
from tests.stage.people import ALICE
from tests.stage.world import DeskWorld


def other(on: str) -> str:
    return next(name for name in engines.NAMES if name != on)


def everything(engine: Database) -> dict[str, list[tuple[SqlValue, ...]]]:
    """All rows of all tables that both engines have in the same form."""
    keys = {**TABLES, "journal": "seq", "head": "one"}
    return {table: engine.fetch(f"SELECT * FROM {table} ORDER BY {key}", {})[1] for table, key in keys.items()}


def same_on_the_other_engine(store: Store) -> Store:
    """Copy there, look, and leave the copy."""
    copy = engines.new_store(store.project, other(store.engine.name))
    length = len(everything(store.engine)["journal"])
    assert copy_journal(store.engine, copy.engine, length) == length
    assert everything(copy.engine) == everything(store.engine)
    assert copy.audit().findings == ()
    return copy


def verifies_with_the_standard_library(lines: list[str]) -> bool:
    """J1, as anybody can check it: nothing of Foureyes is used here."""
    prev = ""
    for number, line in enumerate(lines, 1):
        row = json.loads(line)
        columns = [row[name] for name in ("seq", "at", "project", "task", "session", "kind", "payload")]
        text = json.dumps(columns, ensure_ascii=False, separators=(",", ":"))
        digest = hashlib.sha256(b"foureyes-journal-1\n" + prev.encode() + b"\n" + text.encode()).hexdigest()
        if (row["seq"], row["prev"], row["hash"]) != (number, prev, digest):
            return False
        prev = digest
    return True


def exported(world: DeskWorld) -> list[str]:
    return [msgspec.json.encode(row).decode() for row in world.app.audit.export()]


def test_a_rich_journal_is_the_same_there_and_back_J2(full: DeskWorld) -> None:
    there = same_on_the_other_engine(full.store)
    back = same_on_the_other_engine(there)
    assert everything(back.engine) == everything(full.store.engine)


def test_the_same_verbs_write_the_same_journal_on_both_engines_J1() -> None:
    worlds = [full_world(on) for on in engines.NAMES]  # filled on each by the verbs
    one, two = (everything(world.store.engine) for world in worlds)
    assert one == two


def test_an_export_verifies_with_the_standard_library_only_J1(full: DeskWorld) -> None:
    lines = exported(full)
    assert len(lines) == full.rows()
    assert verifies_with_the_standard_library(lines)
    assert not verifies_with_the_standard_library([*lines[:3], *lines[4:]])
    assert not verifies_with_the_standard_library([line.replace("a task", "another") for line in lines])


def test_a_store_that_has_a_journal_is_not_copied_into(full: DeskWorld) -> None:
    copy = engines.new_store(PROJECT, other(full.store.engine.name))
    append(copy, security())
    before = everything(copy.engine)
    with pytest.raises(StoreProblem, match="already"):
        copy_journal(full.store.engine, copy.engine, 0)
    assert everything(copy.engine) == before


TAMPERED = {
    "a payload": "UPDATE journal SET payload = replace(payload, 'many words', 'few words')",
    "a payload that cannot be read": "UPDATE journal SET payload = '{' WHERE seq = 3",
    "a kind": "UPDATE journal SET kind = 'Invented' WHERE seq = 3",
    "a hash": "UPDATE journal SET hash = 'x' WHERE seq = 3",
    "the hash before": "UPDATE journal SET prev = 'x' WHERE seq = 3",
    "a session": "UPDATE journal SET session = 'ses-other' WHERE seq = 3",
    "a row of a table": "UPDATE tasks SET title = 'a third' WHERE n = 1",
    "a row that is gone": "DELETE FROM journal WHERE seq = 3",
    "the end of the chain": "UPDATE head SET seq = seq + 1",
    "the hash of the end": "UPDATE head SET hash = 'x'",
}


@pytest.mark.parametrize("what", TAMPERED)
def test_what_was_tampered_with_is_not_copied_and_the_copy_stays_empty_J2(full: DeskWorld, what: str) -> None:
    """Otherwise a move would wash it clean: the copy's head is computed again."""
    copy = engines.new_store(PROJECT, other(full.store.engine.name))
    full.sql(TAMPERED[what])
    assert full.store.audit().findings != ()
    with pytest.raises(VerificationFailed):
        copy_journal(full.store.engine, copy.engine, 0)
    assert everything(copy.engine)["journal"] == []
    assert append(copy, security()) == [1]


def test_rows_cut_off_the_end_together_with_what_they_did_are_not_copied_J2(desk: DeskWorld) -> None:
    """The tables say what the shorter journal says: only the head remembers."""
    desk.create()
    rows = desk.rows()
    before = desk.sql("SELECT last_seen_at, last_seq FROM sessions WHERE id = 'ses-alice'")[0]
    desk.app.projects.note_restore(ALICE, "x", "y")
    last = desk.rows()
    desk.sql("DELETE FROM journal WHERE seq > ?", rows)
    desk.sql("DELETE FROM security WHERE seq > ?", rows)
    desk.sql("UPDATE sessions SET last_seen_at = ?, last_seq = ? WHERE id = 'ses-alice'", *before)
    assert last > rows
    copy = engines.new_store(PROJECT, other(desk.store.engine.name))
    with pytest.raises(VerificationFailed):
        copy_journal(desk.store.engine, copy.engine, 0)
    assert everything(copy.engine)["journal"] == []


def test_progress_is_told_on_the_way() -> None:
    desk = DeskWorld()
    said: list[tuple[int, int]] = []
    for _ in range(21):
        append(desk.store, *[security() for _ in range(500)])
    copy = engines.new_store(PROJECT, "sqlite")
    count = copy_journal(desk.store.engine, copy.engine, desk.rows(), lambda done, total: said.append((done, total)))
    assert (10_000, count) in said


# ------------------------------------------------------------------------------------------ random verbs, on a server


class OnPostgres(RandomVerbs):
    """The same project in the same hands, on PostgreSQL; at the end its journal goes to SQLite and back."""

    def __init__(self) -> None:
        with engines.worlds_on("postgres"):
            super().__init__()

    def teardown(self) -> None:
        with engines.tidied():
            same_on_the_other_engine(same_on_the_other_engine(self.world.store))
            assert verifies_with_the_standard_library(exported(self.world))
        super().teardown()


class OnSqlite(RandomVerbs):
    """And the other way round."""

    def teardown(self) -> None:
        with engines.tidied():
            same_on_the_other_engine(same_on_the_other_engine(self.world.store))
        super().teardown()


@pytest.mark.parametrize("machine", [OnPostgres, OnSqlite], ids=["postgres", "sqlite"])
def test_random_verbs_on_one_engine_replay_on_the_other_J2(machine: type[RandomVerbs]) -> None:
    """tests/app/test_replay.py has many more examples on SQLite; few show what engines do differently."""
    some = settings(
        max_examples=plays("random verbs, copied to the other engine"),
        stateful_step_count=40,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=some)


def test_nothing_is_left_of_a_table_that_only_one_engine_compares() -> None:
    one, two = engines.database("sqlite"), engines.database("postgres")
    with two.transaction(write=False):
        assert compare_tables(one, two) == []
