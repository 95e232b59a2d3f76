"""What both engines promise: all or nothing, one state per read, one writer at a time, bytes in order, words in
ours.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foureyes.adapters.store.connection import MANY_LOOKS, sql, structs
from foureyes.adapters.store.replay import compare_tables
from foureyes.adapters.store.sqlite import SqliteEngine
from foureyes.adapters.store.store import Store
from foureyes.core.events import TaskCreated
from foureyes.core.events.note import Logged
from foureyes.core.events.project import ProjectCreated
from foureyes.errors import BadInput, FoureyesError, StoreBusy, StoreProblem
from foureyes.ui.steps import steps_text

from tests import engines
from tests.adapters.store.shop import append, security
from tests.engines import NOW
from tests.stage.checkout import PROJECT
from tests.stage.night import plays
from tests.stage.people import BOB
from tests.stage.world import DeskWorld

texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)
few = settings(
    max_examples=plays("random values through the engines"), deadline=None, suppress_health_check=list(HealthCheck)
)


def rows(store: Store) -> Any:
    return store.engine.fetch("SELECT count(*) FROM journal", {})[1][0][0]


@pytest.mark.parametrize("problem", [KeyboardInterrupt, ValueError, StoreProblem("no")], ids=str)
def test_whatever_goes_wrong_inside_a_transaction_leaves_no_trace_G4(place: engines.Place, problem: Any) -> None:
    store = place.create()
    append(store, security("before"))

    def interrupted() -> None:
        with store.write() as tx:
            tx.append("ses-1", NOW, [("", security("lost"))])
            raise problem

    with pytest.raises(BaseException):  # noqa: B017 - it is the one above
        interrupted()
    assert rows(store) == 1
    assert rows(place.open()) == 1
    assert "lost" not in (place.folder / "security_events.jsonl").read_text()
    assert append(store, security()) == [2]
    assert store.audit().findings == ()


def test_a_failing_statement_takes_the_whole_transaction_with_it_G4(place: engines.Place) -> None:
    store = place.create()
    append(store, ProjectCreated(name="p", prefix="fe", target="main"))

    def twice() -> None:
        with store.write() as tx:
            tx.append("ses-1", NOW, [("fe-1", TaskCreated(title="one"))])
            tx.append("ses-1", NOW, [("fe-1", TaskCreated(title="one again"))])

    with pytest.raises(engines.INTEGRITY):
        twice()
    assert rows(store) == 1
    append(store, TaskCreated(title="one"), task="fe-1")
    assert store.audit().findings == ()


def test_a_reader_sees_one_state_from_its_first_look_to_its_last(place: engines.Place) -> None:
    one, two = place.create(), place.open()
    with one.read():
        assert rows(one) == 0
        append(two, security(), security())
        assert rows(one) == 0
    assert rows(one) == 2


def test_a_writer_sees_what_the_one_before_it_wrote_J1(place: engines.Place) -> None:
    one, two = place.create(), place.open()
    seqs = [seq for _ in range(5) for store in (one, two) for seq in append(store, security())]
    assert seqs == list(range(1, 11))
    assert one.audit().findings == ()


def test_a_transaction_inside_of_another_is_an_error_and_commits_nothing_early_G4(place: engines.Place) -> None:
    """An inner commit would save half of what the outer one is doing."""
    store = place.create()

    def nested() -> None:
        with store.engine.transaction(write=True):
            store.engine.run("project.count", {"name": "outer", "n": 1})
            with store.engine.transaction(write=True):
                store.engine.run("project.count", {"name": "inner", "n": 1})

    with pytest.raises(Exception, match="transaction"):
        nested()
    assert place.open().engine.fetch("SELECT name FROM counters", {})[1] == []


def test_a_read_cannot_write_on_a_server_and_leaves_nothing_on_either(place: engines.Place) -> None:
    store = place.create()
    try:
        with store.engine.transaction(write=False):
            store.engine.run("project.count", {"name": "sneaked in", "n": 1})
    except StoreProblem:
        assert place.on == "postgres"
    assert place.open().engine.fetch("SELECT name FROM counters", {})[1] == []


def test_writers_in_threads_make_one_chain_J1(place: engines.Place) -> None:
    place.create()
    stores = [place.open() for _ in range(4)]
    threads = [
        threading.Thread(target=lambda each=store: [append(each, security()) for _ in range(10)]) for store in stores
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert rows(stores[0]) == 40
    assert [row[0] for row in stores[0].engine.fetch("SELECT seq FROM journal ORDER BY seq", {})[1]] == list(
        range(1, 41)
    )


def test_a_stream_is_all_rows_in_order(full: DeskWorld) -> None:
    with full.store.read():
        streamed = list(full.store.engine.stream("SELECT seq, hash FROM journal ORDER BY seq"))
    assert streamed == full.sql("SELECT seq, hash FROM journal ORDER BY seq")
    assert len(streamed) > 20


def test_a_per_cent_sign_in_a_statement_is_one(full: DeskWorld) -> None:
    engine = full.store.engine
    assert engine.fetch("SELECT 'a%b', '%%', count(*) FROM tasks WHERE id LIKE '%e-%'", {})[1][0][:2] == ("a%b", "%%")
    with full.store.read():
        assert list(engine.stream("SELECT 'a%b', '%%'")) == [("a%b", "%%")]


def test_tables_and_problems_are_told_alike(on: str) -> None:
    engine = engines.database(on)
    ours = {name for name in engine.tables() if not name.startswith(("task_text_", "sqlite_"))}
    assert {"journal", "head", "tasks", "task_text", "migrations", "counters"} <= ours
    other = engines.database(next(name for name in engines.NAMES if name != on))
    assert ours == {name for name in other.tables() if not name.startswith(("task_text_", "sqlite_"))}
    assert engine.problems() == []


# ----------------------------------------------------------------------------------------------------- order and text


def sorted_ids(on: str, ids: list[str]) -> list[object]:
    engine = engines.database(on)
    with engine.transaction(write=True):
        for each in ids:
            engine.run("project.set_setting", {"name": each, "value": "v", "session": "s", "at": NOW})
    return [row[0] for row in engine.fetch("SELECT name FROM settings ORDER BY name", {})[1]]


@few
@given(st.lists(texts, unique=True, max_size=8))
def test_texts_sort_by_their_bytes_on_both_engines(names: list[str]) -> None:
    with engines.tidied():
        by_bytes = sorted(names, key=lambda name: name.encode())
        assert sorted_ids("sqlite", names) == sorted_ids("postgres", names) == by_bytes


def test_every_text_column_on_a_server_compares_by_bytes() -> None:
    engine = engines.database("postgres")
    found = engine.fetch(
        "SELECT table_name || '.' || column_name AS name, collation_name FROM information_schema.columns"
        " WHERE table_schema = current_schema() AND data_type = 'text'",
        {},
    )[1]
    assert len(found) > 50
    assert {collation for _, collation in found} == {"C"}


def test_ids_are_found_by_their_beginnings_by_range(desk: DeskWorld) -> None:
    ids = ["fe-a", "fe-a0", "fe-aZ", "fe-az", "fe-b", "FE-a", "fe-ä"]
    for each in ids:
        append(desk.store, TaskCreated(title="x"), task=each)
    found = desk.store.engine.fetch(sql("task.with_prefix"), {"low": "fe-a", "high": "fe-b"})[1]
    assert [row[0] for row in found] == ["fe-a", "fe-a0", "fe-aZ", "fe-az"]


@few
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40))
def test_any_text_is_stored_as_it_was_said(text: str) -> None:
    with engines.tidied():
        for on in engines.NAMES:
            store = engines.new_store(PROJECT, on)
            append(store, Logged(text=text), task="fe-1")
            assert store.engine.fetch("SELECT text FROM logs", {})[1] == [(text,)]


def outcome(world: DeskWorld, call: Callable[[], object]) -> str:
    """Taken, or refused in our words and without a trace; anything else is a defect."""
    before = world.rows()
    try:
        call()
    except FoureyesError as problem:
        return type(problem).__name__ if world.rows() == before else "half done"
    except Exception as problem:
        return f"{world.store.engine.name}: {problem!r}"[:200]
    return "taken"


def outcomes(call: Callable[[DeskWorld], object]) -> set[str]:
    """What the same call does on each engine."""
    worlds = [DeskWorld(store=engines.new_store(PROJECT, on)) for on in engines.NAMES]
    return {outcome(world, partial(call, world)) for world in worlds}


@pytest.mark.parametrize("text", ["nul \0 inside", "\0"])
def test_a_nul_character_is_taken_or_refused_alike(text: str) -> None:
    """A server's text cannot hold one."""
    calls: list[Callable[[DeskWorld], object]] = [
        lambda world: world.app.notes.log(BOB, world.create(), text),
        lambda world: world.create(description=text),
        lambda world: world.create(title=f"a{text}"),
        lambda world: world.create(labels=[f"a{text}"]),
        lambda world: world.create(key=f"a{text}"),
        lambda world: world.app.stops.block(BOB, world.create(), f"a{text}"),
    ]
    for call in calls:
        assert len(found := outcomes(call)) == 1, found


@pytest.mark.parametrize("number", [100_000, 2**31 - 1, 2**31, 2**40, 2**63])
def test_a_number_too_large_for_one_engine_is_taken_or_refused_alike(number: int) -> None:
    found = outcomes(lambda world: world.create(estimate_minutes=number))
    assert found in ({"taken"}, {"BadInput"})


@pytest.mark.parametrize("length", [2_000, 3_000, 20_000])
def test_a_long_label_or_key_is_taken_or_refused_alike(length: int) -> None:
    """A server's index takes no more than about 2,700 bytes."""
    word = "".join(chr(97 + n * 7919 % 26) + str(n % 997) for n in range(length))[:length]
    for found in (outcomes(lambda world: world.create(labels=[word])), outcomes(lambda world: world.create(key=word))):
        assert found in ({"taken"}, {"BadInput"})


LONG = {
    "one long word": "x" * 1_000_000,
    "many words": "word " * 200_000,
    "many different words": " ".join(f"w{n}" for n in range(140_000)),
}


@pytest.mark.parametrize("shape", LONG)
def test_a_description_of_a_megabyte_is_taken_or_refused_alike(shape: str) -> None:
    found = outcomes(lambda world: world.create(description=LONG[shape]))
    assert found in ({"taken"}, {"BadInput"})


# ------------------------------------------------------------------------------------------------------- text search


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Über die Brücke", "uber"), ("ПРИВЕТ мир", "привет"), ("ΑΛΦΑ", "αλφα"), ("rotate-token", "rotate"),
        ("src/app.py", "app"), ("o'clock", "o'clock"), ("100% done", "100%"), ("a\\b", "a\\b"), ("日本語 テスト", "日本語"),
        ("fix & run", "fix & run"),
    ],
)  # fmt: skip
def test_text_is_found_alike_on_both_engines(desk: DeskWorld, title: str, text: str) -> None:
    task = desk.create(title=title)
    desk.create(title="something else")
    assert desk.ids_of(text=text) == [task]


@few
@given(st.text(max_size=20))
def test_nothing_that_is_typed_into_a_search_is_an_error_of_the_database(text: str) -> None:
    with engines.tidied():
        for on in engines.NAMES:
            world = DeskWorld(store=engines.new_store(PROJECT, on))
            with suppress(BadInput):  # control characters
                world.ids_of(text=text)


def test_an_edited_search_index_is_found_on_both_J2(full: DeskWorld) -> None:
    """What is hidden from a search is hidden from whoever searches."""
    hide = "UPDATE task_text SET title = 'hidden' WHERE rowid = 1"
    full.sql(
        hide
        if full.store.engine.name == "sqlite"
        else "UPDATE task_text SET words = to_tsvector('hidden') WHERE rowid = 1"
    )
    assert any("search index" in finding.message for finding in full.store.audit().findings)


def test_a_search_index_that_was_edited_consistently_is_found_on_both_J2(full: DeskWorld) -> None:
    """Also what the index itself says about its text may have been edited."""
    columns = full.store.engine.fetch("SELECT * FROM task_text LIMIT 1", {})[0]
    if "folded" in columns:
        full.sql("UPDATE task_text SET folded = 'hidden', words = to_tsvector('simple', 'hidden') WHERE rowid = 1")
    else:
        full.sql("UPDATE task_text SET title = 'hidden', description = '', acceptance = '' WHERE rowid = 1")
    assert any("search index" in finding.message for finding in full.store.audit().findings)


def test_a_deleted_search_row_is_found_on_both_J2(full: DeskWorld) -> None:
    full.sql("DELETE FROM task_text WHERE rowid = 2")
    assert any("search index" in finding.message for finding in full.store.audit().findings)


# ------------------------------------------------------------------------------------------------------------ backup


def test_a_backup_is_a_sqlite_store_of_the_same_journal(full: DeskWorld, tmp_path: Path) -> None:
    full.store.backup(str(tmp_path / "backup.db"))
    copy = engines.kept(SqliteEngine(str(tmp_path / "backup.db")))
    with full.store.read():
        assert compare_tables(full.store.engine, copy) == []
    assert copy.fetch("SELECT seq, hash FROM head", {}) == full.store.engine.fetch("SELECT seq, hash FROM head", {})
    assert Store(copy, PROJECT).audit().findings == ()


def test_a_busy_store_is_said_so_and_nothing_is_changed(place: engines.Place, monkeypatch: pytest.MonkeyPatch) -> None:
    from foureyes.adapters.store import postgres, write_lock

    monkeypatch.setattr(postgres, "LOCK_TIMEOUT", "50ms")
    monkeypatch.setattr(write_lock.WriterLock.__init__, "__defaults__", (0.05,))
    one, two = place.create(), place.open()
    with one.write() as tx:
        tx.append("ses-1", NOW, [("", security())])
        with pytest.raises(StoreBusy, match="busy") as caught:
            append(two, security())
        assert "Nothing was changed" in caught.value.message
        assert steps_text(caught.value.next_step).startswith("try again")
    assert append(two, security()) == [2]


class Named(msgspec.Struct, frozen=True):
    """A row with a list in it."""

    id: str
    names: list[str] = msgspec.field(default_factory=list)


@pytest.mark.parametrize("before", [0, 1, MANY_LOOKS + 1])
def test_a_list_is_read_as_one_however_often_rows_without_one_were_read_before(before: int) -> None:
    class Row(Named, frozen=True):
        """A type of its own: what is known of a type stays."""

    for _ in range(before):
        assert structs(Row, ["id"], [("[a text",)] if before == 1 else [("a text",)])[0].names == []
    assert structs(Row, ["id", "names"], [("{a text", '["a", "b"]')]) == [Row("{a text", ["a", "b"])]
