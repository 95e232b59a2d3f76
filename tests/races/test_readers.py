"""A slow reader: it sees one state from its first read to its last, and writers do not wait for it."""

from __future__ import annotations

from contextlib import suppress

import pytest

from foureyes.adapters.store import postgres
from foureyes.adapters.store.exceptions_file import Mirror
from foureyes.adapters.store.sqlite import SqliteEngine
from foureyes.adapters.store.write_lock import WriterLock
from foureyes.errors import StoreBusy

from tests.races.crowd import founded, opened, sound
from tests.stage.fork import Child, Signal
from tests.stage.people import CLAUDE
from tests.stage.places import Place, dump_of

WRITES = 60


def test_a_slow_reader_sees_one_state_while_others_write_and_the_journal_of_the_file_is_taken_in(
    place: Place,
) -> None:
    desk = founded(place)
    task = desk.create()
    desk.close()
    reading, written = Signal(), Signal()

    def read() -> tuple[bool, bool]:
        store = place.open()
        with store.read():
            before = dump_of(store)
            reading.give()
            written.await_()
            same = dump_of(store) == before
        with store.read():
            later = dump_of(store) != before
        store.close()
        return same, later

    reader = Child(read)
    reading.await_()
    with opened(place, desk.script) as app:
        for number in range(WRITES):
            app.notes.log(CLAUDE, task, f"line {number}")
            if number % 10 == 0:
                checkpoint(place)
    written.give()
    assert reader.result() == (True, True)
    checkpoint(place)
    assert [row.kind for row in sound(place)].count("Logged") == WRITES
    reading.close()
    written.close()


def checkpoint(place: Place) -> None:
    """What SQLite does by itself every thousand pages; on PostgreSQL, what the server does by itself."""
    store = place.open()
    if isinstance(store.engine, SqliteEngine):
        store.engine.connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        store.engine.connection.execute("PRAGMA busy_timeout = 1")
        store.engine.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    else:
        store.engine.script(["CHECKPOINT", "VACUUM journal, logs"])  # not the other stores of the server, too
    store.close()


def test_an_audit_during_writes_is_of_one_state_J2(place: Place) -> None:
    """Chain, replay and tables are read in one transaction; the mirror may be ahead of it."""
    desk = founded(place)
    task = desk.create()
    desk.close()
    started = Signal()

    def write() -> None:
        with opened(place, desk.script) as app:
            for number in range(WRITES):
                app.notes.log(CLAUDE, task, f"line {number}")
                if number == 5:
                    started.give()

    writer = Child(write)
    started.await_()
    store = place.open()
    for _ in range(5):
        report = store.audit()
        assert report.findings == ()
    store.close()
    writer.result()
    started.close()
    sound(place)


def test_an_audit_that_began_before_an_exception_was_written_does_not_call_its_line_forged_J2_P8(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = founded(place)
    task = desk.submitted_task(CLAUDE, creator=CLAUDE)
    desk.close()
    looking = Signal()

    def close() -> None:
        monkeypatch.setattr(WriterLock.__init__, "__defaults__", (0.3,))
        monkeypatch.setattr(postgres, "LOCK_TIMEOUT", "300ms")
        looking.await_()
        with opened(place, desk.script) as app, suppress(StoreBusy):
            app.closing.close(CLAUDE, task, exception="wrong repository")

    writer = Child(close)
    lines = Mirror.lines

    def meanwhile(mirror: Mirror, expected: int = 0) -> list[bytes]:
        looking.give()
        writer.result()
        return lines(mirror, expected)

    store = place.open()
    monkeypatch.setattr(Mirror, "lines", meanwhile)
    report = store.audit()
    store.close()
    looking.close()
    assert report.findings == ()
