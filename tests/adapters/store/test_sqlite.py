"""SQLite: settings that are really in force, and clear words for every file that is not a sound store."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import apsw
import pytest

from foureyes.adapters.store.connection import sql
from foureyes.adapters.store.sqlite import (
    APPLICATION_ID,
    BUSY_MILLISECONDS,
    SqliteEngine,
    check_library_version,
    in_our_words,
)
from foureyes.adapters.store.store import Store
from foureyes.adapters.store.store_files import create_store, open_store
from foureyes.errors import FoureyesError, StoreBusy, StoreProblem
from foureyes.ui.steps import steps_text

from tests.adapters.store.shop import append, full_on_disk, security
from tests.engines import NOW
from tests.stage.checkout import PROJECT

NOBODY = 65534


def test_the_settings_are_in_force_read_back_from_a_second_connection(tmp_path: Path) -> None:
    first = create_store(str(tmp_path), PROJECT, NOW)
    second = SqliteEngine(str(tmp_path / "store.db"))
    for engine in (first.engine, second):
        assert isinstance(engine, SqliteEngine)
        found = {
            name: engine.connection.pragma(name)
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
        assert found == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": BUSY_MILLISECONDS}
    raw = apsw.Connection(str(tmp_path / "store.db"))
    assert (raw.pragma("journal_mode"), raw.pragma("application_id")) == ("wal", APPLICATION_ID)
    for each in (first, second, raw):
        each.close()


def test_a_statement_that_is_asked_with_another_value_is_not_planned_anew(tmp_path: Path) -> None:
    """SQLite asks who may do what when it plans a statement, and only then."""
    store, planned = create_store(str(tmp_path), PROJECT, NOW), [0]
    assert isinstance(store.engine, SqliteEngine)

    def allow(*_: object) -> int:
        planned[0] += 1
        return apsw.SQLITE_OK

    store.engine.connection.authorizer = allow
    statement = sql("attempt.of_task")
    store.engine.fetch(statement, {"task": "fe-1"})
    assert planned[0] > 0
    planned[0] = 0
    store.engine.fetch(statement, {"task": "fe-2"})
    assert planned == [0]
    store.close()


def test_a_setting_that_is_not_taken_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from foureyes.adapters.store import sqlite

    create_store(str(tmp_path), PROJECT, NOW).close()
    monkeypatch.setattr(sqlite, "SETTINGS", (("synchronous", "OFF", 2),))
    with pytest.raises(StoreProblem, match="synchronous"):
        SqliteEngine(str(tmp_path / "store.db"))


@pytest.mark.parametrize("version", ["3.7.0", "3.45.1", "3.51.2", "3.51.0.9", "2.99.99"])
def test_an_old_sqlite_is_refused(version: str) -> None:
    with pytest.raises(StoreProblem, match="too old") as caught:
        check_library_version(version)
    assert version in caught.value.message
    assert caught.value.next_step


@pytest.mark.parametrize("version", ["3.51.3", "3.51.10", "3.52.0", "4.0.0", apsw.sqlite_lib_version()])
def test_a_new_sqlite_is_fine(version: str) -> None:
    check_library_version(version)


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.suffix != ".lock"}


def refused(folder: Path) -> StoreProblem:
    """Opening the store is refused and touches nothing."""
    before = bytes_of(folder)
    with pytest.raises(StoreProblem) as caught:
        open_store(str(folder), NOW)
    after = bytes_of(folder)
    assert after["store.db"] == before["store.db"]
    assert set(after) <= set(before) | {"store.db-wal", "store.db-shm"}
    assert caught.value.next_step
    assert not any(word in steps_text(caught.value.next_step) for word in ("rm ", "delete", "init"))
    return caught.value


@pytest.mark.parametrize(
    "content", [b"", b"not a database at all", b"SQLite format 3\0", os.urandom(8192), b"\0" * 4096]
)
def test_garbage_is_refused_and_not_touched(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "store.db").write_bytes(content)
    refused(tmp_path)


def test_another_programs_database_is_refused_and_not_touched(tmp_path: Path) -> None:
    other = apsw.Connection(str(tmp_path / "store.db"))
    other.execute("CREATE TABLE browser_history (url TEXT)")
    other.execute("INSERT INTO browser_history VALUES ('x')")
    other.close()
    assert "not a Foureyes store" in refused(tmp_path).message


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.9])
def test_a_truncated_store_is_refused_or_found_damaged_and_not_touched(tmp_path: Path, share: float) -> None:
    full_on_disk(tmp_path)
    path = tmp_path / "store.db"
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    before = path.read_bytes()
    with pytest.raises(StoreProblem) as caught:
        append(open_store(str(tmp_path), NOW), security())
    assert caught.value.next_step
    assert path.read_bytes() == before


def test_a_missing_store_is_said_so_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreProblem, match="missing") as caught:
        open_store(str(tmp_path), NOW)
    assert "restore" in steps_text(caught.value.next_step)
    assert list(tmp_path.iterdir()) == []


def test_a_directory_in_the_stores_place_is_a_clear_problem(tmp_path: Path) -> None:
    (tmp_path / "store.db").mkdir()
    with pytest.raises(StoreProblem):
        open_store(str(tmp_path), NOW)


def test_an_exception_inside_a_transaction_leaves_no_trace_G4(tmp_path: Path) -> None:
    store = create_store(str(tmp_path), PROJECT, NOW)

    def interrupted() -> None:
        with store.write() as tx:
            tx.append("ses-1", NOW, [("", security())])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert store.engine.fetch("SELECT count(*) FROM journal", {})[1] == [(0,)]
    assert append(store, security()) == [1]
    store.close()


def test_a_reader_sees_one_state_while_another_writes(tmp_path: Path) -> None:
    one, two = create_store(str(tmp_path), PROJECT, NOW), open_store(str(tmp_path), NOW)
    with one.read():
        before = one.engine.fetch("SELECT count(*) FROM journal", {})
        append(two, security(), security())
        assert one.engine.fetch("SELECT count(*) FROM journal", {}) == before
    assert one.engine.fetch("SELECT count(*) FROM journal", {})[1] == [(2,)]
    one.close()
    two.close()


def test_two_connections_continue_one_chain_J1(tmp_path: Path) -> None:
    one, two = create_store(str(tmp_path), PROJECT, NOW), open_store(str(tmp_path), NOW)
    seqs = [seq for _ in range(5) for store in (one, two) for seq in append(store, security())]
    assert seqs == list(range(1, 11))
    assert one.audit().findings == ()
    one.close()
    two.close()


def test_a_busy_database_is_said_in_our_words(tmp_path: Path) -> None:
    store = create_store(str(tmp_path), PROJECT, NOW)
    assert isinstance(store.engine, SqliteEngine)
    store.engine.connection.set_busy_timeout(0)
    foreign = apsw.Connection(str(tmp_path / "store.db"))
    foreign.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy, match="busy"):
        append(store, security())
    foreign.execute("ROLLBACK")
    assert append(store, security()) == [1]
    foreign.close()
    store.close()


def test_a_full_disk_loses_nothing_G4(tmp_path: Path) -> None:
    store = create_store(str(tmp_path), PROJECT, NOW)
    append(store, security())
    assert isinstance(store.engine, SqliteEngine)
    pages = store.engine.connection.pragma("page_count")
    store.engine.connection.pragma("max_page_count", pages)
    with pytest.raises(StoreProblem, match="disk is full"):
        append(store, *[security("x" * 5000) for _ in range(1000)])
    store.engine.connection.pragma("max_page_count", 1_000_000)
    append(store, security())
    assert store.audit().findings == ()
    store.close()


# Somebody else's rights


@pytest.fixture
def shared() -> Iterator[Path]:
    """A directory outside of pytest's private one."""
    path = Path(tempfile.mkdtemp(prefix="foureyes-test-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


def as_another(task: Callable[[], object]) -> str:
    """What happens to somebody without rights: by another uid when this is root, for whom modes mean nothing."""

    def outcome() -> str:
        try:
            return str(task())
        except FoureyesError as problem:
            return f"{type(problem).__name__}: {problem.message}"
        except BaseException as problem:
            return f"crash: {problem!r}"

    if os.geteuid() != 0:
        return outcome()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        os.write(writing, outcome().encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(child, 0)
    return said


@pytest.mark.parametrize(
    ("folder", "file", "wrong"),
    [(0o555, 0o444, "{}/ and store.db are"), (0o555, 0o666, "{}/ is"), (0o777, 0o444, "store.db is")],
)
def test_a_store_that_is_not_ones_own_is_a_clear_problem_and_not_touched(
    shared: Path, folder: int, file: int, wrong: str
) -> None:
    full_on_disk(shared)
    for path in shared.iterdir():
        path.chmod(file if path.name.startswith("store.db") else 0o666)
    shared.chmod(folder)
    before = (shared / "store.db").read_bytes()
    said = as_another(lambda: append(open_store(str(shared), NOW), security()))
    assert said.startswith(f"StoreProblem: {wrong.format(shared.name)} read-only for you"), said
    assert (shared / "store.db").read_bytes() == before
    shared.chmod(0o755)


@pytest.mark.parametrize(("folder", "file"), [(0o555, 0o444), (0o555, 0o666), (0o777, 0o444)])
def test_who_cannot_write_reads_and_leaves_nothing_behind(shared: Path, folder: int, file: int) -> None:
    full_on_disk(shared)
    (shared / "store.db").chmod(file)
    shared.chmod(folder)
    before = sorted(shared.iterdir())
    assert int(as_another(lambda: rows_in(open_store(str(shared), NOW)))) > 0
    assert sorted(shared.iterdir()) == before
    shared.chmod(0o755)


def rows_in(store: Store) -> int:
    with store.read():
        return int(store.engine.fetch("SELECT count(*) FROM journal", {})[1][0][0] or 0)


def test_beside_a_live_log_who_cannot_write_reads_the_newest_rows(shared: Path) -> None:
    live = create_store(str(shared), PROJECT, NOW)
    append(live, security())
    assert (shared / "store.db-wal").stat().st_size > 0
    for path in shared.iterdir():
        path.chmod(0o444)
    shared.chmod(0o555)
    assert as_another(lambda: rows_in(open_store(str(shared), NOW))) == "1"
    shared.chmod(0o755)
    live.close()


def test_who_cannot_write_is_told_when_somebody_wrote_meanwhile_and_then_reads_that(shared: Path) -> None:
    create_store(str(shared), PROJECT, NOW).close()
    shared.chmod(0o555)

    def read_twice() -> str:
        store = open_store(str(shared), NOW)
        assert rows_in(store) == 0
        try:
            with store.read():
                ask.set()
                assert written.wait(60)
        except StoreBusy as busy:
            return f"{busy.message} then {rows_in(store)}"
        return "nothing was said"

    def write() -> None:
        ask.wait(60)
        shared.chmod(0o755)
        store = open_store(str(shared), NOW)
        append(store, security())
        store.close()
        shared.chmod(0o555)
        written.set()

    ask, written = multiprocessing.Event(), multiprocessing.Event()
    writer = threading.Thread(target=write)
    writer.start()
    said = as_another(read_twice)
    writer.join()
    shared.chmod(0o755)
    assert said == "the store was written while it was read here. then 1"


def test_a_log_that_was_left_without_its_index_is_never_left_out_by_who_cannot_write(shared: Path) -> None:
    live = create_store(str(shared), PROJECT, NOW)
    append(live, security())
    for name in ("store.db", "store.db-wal"):
        shutil.copy(shared / name, shared / f"left-{name}")
    live.close()
    for name in ("store.db", "store.db-wal"):
        (shared / f"left-{name}").replace(shared / name)
    shared.chmod(0o555)
    said = as_another(lambda: rows_in(open_store(str(shared), NOW)))
    assert said.startswith("StoreProblem: the store has an unmerged log, which needs write access"), said
    shared.chmod(0o755)
    assert rows_in(open_store(str(shared), NOW)) == 1


def test_an_open_store_whose_files_became_read_only_is_a_clear_problem(shared: Path) -> None:
    full_on_disk(shared)
    (shared / "store.lock").chmod(0o444)
    shared.chmod(0o555)

    def try_to_lock() -> None:
        from foureyes.adapters.store.write_lock import WriterLock

        with WriterLock(str(shared / "store.lock")):
            pass

    assert as_another(try_to_lock).startswith("StoreProblem: the store cannot be written")
    shared.chmod(0o755)


def test_reading_a_full_disk_says_that_it_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    about = os.statvfs(tmp_path)
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_bavail=1, f_frsize=4096))
    path = str(tmp_path / "store.db")
    assert "the disk is full" in str(in_our_words(apsw.IOError("disk I/O error"), path))
    monkeypatch.setattr(os, "statvfs", lambda _: about)
    assert "disk I/O error" in str(in_our_words(apsw.IOError("disk I/O error"), path))
