"""Many writers at once: no "locked" reaches anybody, nothing is lost, nobody is left out (G4)."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import Any

import pytest

from foureyes.adapters.store.exceptions_file import Mirror
from foureyes.adapters.store.write_lock import WriterLock
from foureyes.app.results.task_list import ListQuery
from foureyes.errors import StaleState, StoreBusy

from tests.races.crowd import founded, opened, sound, worker
from tests.stage.fork import Child, Gate, Signal, swarm
from tests.stage.night import plays
from tests.stage.people import ALICE, CLAUDE, CODEX
from tests.stage.places import Place

WRITERS = 32
LINES = plays("lines that each of 32 writes")


def test_32_writing_processes_lose_nothing_and_nobody_hears_of_a_lock_G4_J1(place: Place) -> None:
    desk = founded(place)
    shared = desk.create()
    desk.close()

    def write(number: int, gate: Gate) -> int:
        with opened(place, desk.script) as app:
            gate.wait()
            for line in range(LINES):
                app.notes.log(worker(number), shared, f"{number}: {line}")
                app.tasks.create(worker(number), f"{number}: {line}")
        return LINES

    assert swarm(WRITERS, write) == [LINES] * WRITERS
    rows = sound(place)
    kinds = Counter((row.kind, row.session) for row in rows)
    for number in range(WRITERS):
        session = f"ses-worker{number}"
        assert (kinds["Logged", session], kinds["TaskCreated", session], kinds["SessionStarted", session]) == (
            LINES,
            LINES,
            1,
        )
    with opened(place, desk.script) as app:
        assert len(app.lists.page(ListQuery(limit=1000))) == WRITERS * LINES + 1
        assert Counter(row.title for row in app.lists.page(ListQuery(limit=1000))).most_common(1)[0][1] == 1


def test_lines_of_one_writer_stay_in_its_order_J1(place: Place) -> None:
    desk = founded(place)
    shared = desk.create()
    desk.close()

    def write(number: int, gate: Gate) -> None:
        with opened(place, desk.script) as app:
            gate.wait()
            for line in range(LINES):
                app.notes.log(worker(number), shared, f"{line}")

    swarm(8, write)
    for number in range(8):
        said = [row.payload for row in sound(place) if row.kind == "Logged" and row.session == f"ses-worker{number}"]
        assert said == sorted(said)


def test_processes_that_write_exceptions_at_once_leave_a_mirror_with_every_line_once_P8(place: Place) -> None:
    desk = founded(place)
    made = {number: desk.submitted_task(worker(number), creator=worker(number)) for number in range(16)}
    desk.close()

    def close(number: int, gate: Gate) -> None:
        with opened(place, desk.script) as app:
            gate.wait()
            app.closing.close(worker(number), made[number], exception=f"wrong repository {number}")

    swarm(len(made), close)
    rows = sound(place)
    lines = place.mirror().splitlines()
    assert len(lines) == len([row for row in rows if row.kind == "SecurityRecorded"]) == len(made)


def test_of_many_edits_that_saw_the_same_version_exactly_one_is_written_T6(place: Place) -> None:
    desk = founded(place)
    task = desk.create()
    version = desk.app.lists.show(ALICE, task).task.version
    desk.close()

    def edit(number: int, gate: Gate) -> str:
        with opened(place, desk.script) as app:
            gate.wait()
            try:
                app.tasks.edit(worker(number), task, title=f"title of {number}", if_version=version)
                return ""
            except StaleState as stale:
                return f"{stale.exit_code} {stale.message}"

    said = swarm(16, edit)
    assert said.count("") == 1
    winner = said.index("")
    (row,) = [row for row in sound(place) if row.kind == "TaskEdited"]
    assert row.session == f"ses-worker{winner}"
    with opened(place, desk.script) as app:
        assert app.lists.show(ALICE, task).task.title == f"title of {winner}"
        name = {session.id: session.name for session in app.sessions.list()}[row.session]
    assert all(words.startswith("4 ") and f"{name} TaskEdited at {row.at}" in words for words in said if words)


def test_of_two_creates_under_one_key_one_makes_the_task(place: Place) -> None:
    desk = founded(place)

    def create(number: int, gate: Gate) -> tuple[str, bool]:
        with opened(place, desk.script) as app:
            gate.wait()
            made = app.tasks.create(CLAUDE, "once", key="only-once")
            return made.task, made.changed

    said = swarm(8, create)
    assert len({task for task, _ in said}) == 1
    assert sum(changed for _, changed in said) == 1
    assert [row.kind for row in sound(place)].count("TaskCreated") == 1


def test_a_line_of_the_mirror_is_written_once_though_another_writes_between_looking_and_appending_P8(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = founded(place)
    ours = desk.submitted_task(CLAUDE, creator=CLAUDE)
    theirs = desk.submitted_task(CODEX, creator=CODEX)
    desk.close()
    append = Mirror._append
    looking = Signal()

    def close_theirs() -> None:
        monkeypatch.setattr(WriterLock.__init__, "__defaults__", (0.3,))
        looking.await_()
        with opened(place, desk.script) as app, suppress(StoreBusy):
            app.closing.close(CODEX, theirs, exception="theirs")

    other = Child(close_theirs)

    def append_late(mirror: Mirror, *args: Any) -> Any:
        monkeypatch.setattr(Mirror, "_append", append)
        looking.give()
        other.result()
        return append(mirror, *args)

    monkeypatch.setattr(Mirror, "_append", append_late)
    with opened(place, desk.script) as app:
        app.closing.close(CLAUDE, ours, exception="ours")
        app.closing.close(CODEX, theirs, exception="theirs")
    looking.close()
    sound(place)
