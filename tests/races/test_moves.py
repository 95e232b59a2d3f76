"""A store that is moved or replaced under somebody who has it open: nothing that was said to be written may be lost (G4)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foureyes.adapters.store.lock import WriterLock
from foureyes.adapters.store.opening import LOCK, restore_store
from foureyes.adapters.store.shared import move_to_file, move_to_server, open_shared
from foureyes.errors import StoreProblem

from tests.app.world import ALICE, CLAUDE
from tests.faults.fork import Child, Signal
from tests.faults.places import NOW, Desk, Place, ServerPlace
from tests.faults.server import Server
from tests.races.crowd import founded, opened, sound

LATER = "2026-03-01T13:00:00.000Z"


@pytest.fixture
def file(tmp_path: Path) -> Place:
    return Place(tmp_path / "file")


@pytest.fixture
def shared(tmp_path: Path, server: Server) -> ServerPlace:
    """A place on the server; the store is moved there by the test."""
    return ServerPlace(tmp_path / "shared", server)


def prepared(place: Place) -> tuple[Desk, str]:
    desk = founded(place)
    task = desk.create()
    desk.close()
    return desk, task


def test_who_had_the_file_open_during_a_restore_is_told_and_loses_nothing_G4(file: Place) -> None:
    desk, task = prepared(file)
    backup = file.root / "backup.db"
    with opened(file, desk.script) as app:
        app.projects.backup(str(backup))
    with opened(file, desk.script) as app:
        app.lists.show(ALICE, task)
        restore_store(str(file.folder), str(backup), LATER)
        check_told(app.notes.log, file, desk, task)
    sound(file)


def test_who_had_the_file_open_when_it_moved_to_a_server_is_told_and_loses_nothing_G4(file: Place, server: Server) -> None:
    desk, task = prepared(file)
    there = ServerPlace(file.root, server)
    there.project, there.schema = file.project, f"foureyes_{file.project}"
    with opened(file, desk.script) as app:
        app.lists.show(ALICE, task)
        move_to_server(str(file.folder), server.url, LATER, keep_url=True)
        check_told(app.notes.log, there, desk, task)
    sound(there)
    there.remove()


def test_who_waited_for_the_lock_while_the_file_moved_to_a_server_is_told_and_loses_nothing_G4(file: Place, server: Server) -> None:
    """`fe store copy` says: writers wait meanwhile. Here one does."""
    desk, task = prepared(file)
    there = ServerPlace(file.root, server)
    there.project, there.schema = file.project, f"foureyes_{file.project}"
    ready = Signal()

    def write() -> str:
        with opened(file, desk.script) as app:
            app.lists.show(ALICE, task)
            ready.give()
            try:
                app.notes.log(CLAUDE, task, "waited")
                return "written"
            except StoreProblem as problem:
                return problem.message

    with WriterLock(str(file.folder / LOCK)):
        writer = Child(write)
        ready.await_()
        without_lock(lambda: move_to_server(str(file.folder), server.url, LATER, keep_url=True))
    said = writer.result()
    kept = [row.payload for row in sound(there) if row.kind == "Logged"]
    assert (said == "written") == (len(kept) == 1), f"said {said!r}, and the store has {kept}"
    there.remove()
    ready.close()


def without_lock(work: object) -> None:
    """Run the move as the one who holds the lock already."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WriterLock, "__enter__", lambda self: self)
        patch.setattr(WriterLock, "__exit__", lambda self, *_: None)
        assert callable(work)
        work()


def test_who_had_the_server_open_when_the_store_moved_back_is_told_in_a_sentence_G4(file: Place, server: Server) -> None:
    desk, task = prepared(file)
    there = ServerPlace(file.root, server)
    there.project, there.schema = file.project, f"foureyes_{file.project}"
    move_to_server(str(file.folder), server.url, NOW, keep_url=True)
    with opened(there, desk.script) as app:
        app.lists.show(ALICE, task)
        move_to_file(str(file.folder), server.url, file.project, LATER)
        check_told(app.notes.log, file, desk, task)
    sound(file)
    there.remove()


def check_told(log: object, now: Place, desk: Desk, task: str) -> None:
    """The write is in the store as it is now, or refused with a sentence."""
    assert callable(log)
    try:
        log(CLAUDE, task, "late")
    except StoreProblem as problem:
        assert "Nothing was changed" in problem.message
        written = 0
    else:
        written = 1
    with opened(now, desk.script) as app:
        assert len(app.lists.show(ALICE, task).logs) == written, "it was said to be written, but the store does not have it"


def test_a_reader_that_keeps_the_old_file_open_does_not_spoil_the_one_that_comes_back_lesson_16(file: Place, server: Server) -> None:
    """What SQLite keeps beside the old file (-wal, -shm) must not meet the new file."""
    desk, task = prepared(file)
    reading, done = Signal(), Signal()

    def read() -> None:
        store = file.open()
        with store.read():
            store.engine.fetch("SELECT seq FROM head", {})
            reading.give()
            done.await_()
        os._exit(0)

    reader = Child(read)
    reading.await_()
    with opened(file, desk.script) as app:
        for number in range(30):
            app.notes.log(CLAUDE, task, f"line {number}")
    there = ServerPlace(file.root, server)
    there.project, there.schema = file.project, f"foureyes_{file.project}"
    move_to_server(str(file.folder), server.url, NOW, keep_url=True)
    with opened(there, desk.script) as app:
        for number in range(30):
            app.tasks.create(CLAUDE, f"on the server {number}")
    before = there.dump()
    move_to_file(str(file.folder), server.url, file.project, LATER)
    found = Child(lambda: (file.dump() == before, file.findings())).ended()
    done.give()
    os.waitpid(reader.pid, 0)
    os.close(reader._pipe)
    there.remove()
    assert found.error is None, found.error
    assert found.value == (True, [])


def test_the_file_that_is_kept_aside_has_every_row_G4(file: Place, server: Server) -> None:
    """Also when somebody else has it open, so that SQLite has not taken in its -wal."""
    desk, task = prepared(file)
    with opened(file, desk.script) as app:
        app.lists.show(ALICE, task)
        Child(lambda: _log(file, desk, task)).result()
        move_to_server(str(file.folder), server.url, NOW, keep_url=True)
        (kept,) = [name for name in os.listdir(file.folder) if ".moved-" in name and not name.endswith(("-wal", "-shm"))]
        rows = Child(lambda: rows_in(file.folder / kept)).result()
    shared = open_shared(str(file.folder), server.url, file.project, NOW)
    with shared.read():
        (count,) = shared.engine.fetch("SELECT count(*) FROM journal", {})[1]
    shared.close()
    server.sql(f'DROP SCHEMA "foureyes_{file.project}" CASCADE')
    assert rows == count[0]


def _log(place: Place, desk: Desk, task: str) -> None:
    with opened(place, desk.script) as app:
        app.notes.log(CLAUDE, task, "in the -wal")


def rows_in(path: Path) -> int:
    import apsw

    connection = apsw.Connection(str(path))
    ((count,),) = connection.execute("SELECT count(*) FROM journal").fetchall()
    connection.close()
    return int(str(count))
