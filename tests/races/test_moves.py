"""A store that is moved or replaced under somebody who has it open: nothing that was said to be written may be lost
(G4).
"""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from foureyes.adapters.store.shared_store import move_to_server
from foureyes.adapters.store.store_files import LOCK, restore_store
from foureyes.adapters.store.write_lock import WriterLock
from foureyes.errors import StoreProblem

from tests.races.crowd import founded, opened, sound
from tests.stage.fork import Child, Signal
from tests.stage.people import ALICE, CLAUDE
from tests.stage.places import Desk, Place, ServerPlace
from tests.stage.server import Server

LATER = "2026-03-01T13:00:00.000Z"
WRITTEN = "written"


class Late:
    """A process that has opened a store and read from it, and writes to it when it is told to."""

    def __init__(self, place: Place, desk: Desk, task: str) -> None:
        self._opened, self._go = Signal(), Signal()

        def live() -> str:
            with opened(place, desk.script) as app:
                app.lists.show(ALICE, task)
                self._opened.give()
                self._go.await_()
                try:
                    app.notes.log(CLAUDE, task, "late")
                except StoreProblem as problem:
                    return f"{problem.exit_code} {problem.message}"
                return WRITTEN

        self._child = Child(live)
        self._opened.await_()

    def go(self) -> None:
        self._go.give()

    def leave(self) -> None:
        """End it."""
        os.kill(self._child.pid, signal.SIGKILL)
        self._child.ended()
        self._opened.close()
        self._go.close()

    def said(self) -> str:
        try:
            return self._child.result()
        finally:
            self._opened.close()
            self._go.close()


@pytest.fixture
def file(tmp_path: Path) -> Place:
    return Place(tmp_path / "project")


@pytest.fixture
def shared(file: Place, server: Server) -> Iterator[ServerPlace]:
    """The same project, once it is on the server."""
    there = ServerPlace(file.root, server)
    there.project, there.schema = file.project, f"foureyes_{file.project}"
    yield there
    there.remove()


def prepared(place: Place) -> tuple[Desk, str]:
    desk = founded(place)
    task = desk.create()
    desk.close()
    return desk, task


def lines(place: Place) -> list[str]:
    return [row.payload for row in sound(place) if row.kind == "Logged"]


def check(said: str, place: Place) -> None:
    """What was said to be written is in the store as it is now; what is not was refused with a sentence."""
    found = lines(place)
    assert (said == WRITTEN) == (len(found) == 1), f"the writer was told {said!r}, and the store has {found}"
    assert said == WRITTEN or (said.startswith("5 ") and "Nothing was changed" in said)


def test_who_had_the_file_open_during_a_restore_is_told_and_loses_nothing_G4(file: Place) -> None:
    desk, task = prepared(file)
    backup = file.root / "backup.db"
    shutil.copyfile(file.folder / "store.db", backup)
    late = Late(file, desk, task)
    restore_store(str(file.folder), str(backup), LATER)
    late.go()
    check(late.said(), file)


def test_who_waited_for_the_lock_while_the_file_moved_to_a_server_is_told_and_loses_nothing_G4(
    file: Place, shared: ServerPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`fe store copy` says: writers wait meanwhile. Here one does."""
    desk, task = prepared(file)
    late = Late(file, desk, task)
    with WriterLock(str(file.folder / LOCK)), monkeypatch.context() as patch:
        late.go()
        patch.setattr(WriterLock, "__enter__", lambda self: self)
        patch.setattr(WriterLock, "__exit__", lambda self, *_: None)
        move_to_server(str(file.folder), shared.server.url, LATER, keep_url=True)
        patch.undo()
    check(late.said(), shared)


def _write(place: Place, desk: Desk, task: str) -> None:
    with opened(place, desk.script) as app:
        for number in range(30):
            app.tasks.create(CLAUDE, f"task {number}", description="words " * 50)


def test_what_a_restore_keeps_aside_has_every_row_G4(file: Place) -> None:
    desk, task = prepared(file)
    backup = file.root / "backup.db"
    shutil.copyfile(file.folder / "store.db", backup)
    late = Late(file, desk, task)
    Child(lambda: _write(file, desk, task)).result()
    rows = len(sound(file))
    kept = restore_store(str(file.folder), str(backup), LATER)
    found = rows_in(Path(kept))
    late.leave()
    assert found == rows


def rows_in(path: Path) -> int:
    """Read by another program."""
    connection = apsw.Connection(str(path))
    try:
        ((count,),) = connection.execute("SELECT count(*) FROM journal").fetchall()
    finally:
        connection.close()
    return int(str(count))
