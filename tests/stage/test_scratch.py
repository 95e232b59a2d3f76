"""Tests keep their files in a folder of the run's own, in memory where that can be, and nothing of it stays."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.stage import scratch
from tests.stage.fork import Child

Taken = Callable[[Path], scratch.Place]


@pytest.fixture
def take(monkeypatch: pytest.MonkeyPatch) -> Iterator[Taken]:
    """Take places as a new run does; everything is as it was afterwards."""
    monkeypatch.setattr(tempfile, "tempdir", tempfile.tempdir)
    monkeypatch.setattr(scratch.Run, "folder", scratch.Run.folder)
    monkeypatch.setattr(scratch, "ROOM", 1)
    monkeypatch.setattr("atexit.register", lambda _: None)
    taken: list[scratch.Place] = []

    def take(memory: Path) -> scratch.Place:
        monkeypatch.delenv("TMPDIR")
        place = scratch.take_place(memory)
        assert place
        taken.append(place)
        return place

    yield take
    for place in taken:
        if place.folder.exists():
            place.leave()


def test_a_folder_with_room_in_which_programs_run_is_taken_and_left_without_trace(tmp_path: Path, take: Taken) -> None:
    place = take(tmp_path)
    assert Path(tempfile.gettempdir()) == Path(os.environ["TMPDIR"]) == scratch.Run.folder == place.folder
    assert place.folder.parent == tmp_path
    (place.folder / "room").mkdir()
    (place.folder / "file").touch()
    assert scratch.take_place(tmp_path) is None, "a child of the run has its place"
    place.leave()
    assert list(tmp_path.iterdir()) == []


def test_who_names_a_place_gets_a_folder_there(tmp_path: Path, take: Taken, monkeypatch: pytest.MonkeyPatch) -> None:
    take(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    place = scratch.take_place(Path("/nowhere"))
    assert place
    assert place.folder.parent == tmp_path
    place.leave()


@pytest.mark.parametrize("room", [1, 1 << 62])
def test_what_is_not_there_or_too_small_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, take: Taken, room: int
) -> None:
    monkeypatch.setattr(scratch, "ROOM", room)
    (tmp_path / "else").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "else"))
    assert take(tmp_path / "nothing" if room == 1 else tmp_path).folder.parent == tmp_path / "else"


def test_what_failed_stays_for_a_look_until_the_next_run(tmp_path: Path, take: Taken) -> None:
    place = take(tmp_path)
    kept, other = place.folder / "pytest-of-somebody" / "test_1", place.folder / "foureyes-git-1"
    kept.mkdir(parents=True)
    other.mkdir()
    place.has_failed = True
    place.leave()
    assert kept.exists()
    assert not other.exists()
    take(tmp_path)
    assert not place.folder.exists()


def test_a_run_that_goes_on_is_left_alone_also_by_its_own_children(tmp_path: Path, take: Taken) -> None:
    first = take(tmp_path)
    Child(first.leave).result()
    second = take(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted((first.folder, second.folder))


def test_of_a_run_that_was_killed_the_server_is_ended_and_nothing_else(tmp_path: Path, take: Taken) -> None:
    """What is called like its server, and is another program, goes on."""
    dead = tmp_path / f"{scratch.PREFIX}dead"
    hears = "signal.signal(signal.SIGQUIT, signal.SIG_DFL)"  # whoever started this run may ignore it
    script = [sys.executable, "-c", f"import signal; {hears}; print(1, flush=True); signal.pause()"]
    started = []
    for name, mine in (("pg", True), ("pg-of-another", False)):
        folder = dead / name
        folder.mkdir(parents=True)
        process = subprocess.Popen([*script, str(folder if mine else tmp_path)], stdout=subprocess.PIPE)
        started.append(process)
        assert process.stdout
        process.stdout.readline()
        (folder / "postmaster.pid").write_text(f"{process.pid}\n{folder}\n1\n5432\n{folder}\n\n 1 2\nready\n")
    take(tmp_path)
    server, other = started
    server.wait()
    assert other.poll() is None
    other.kill()
    for process in started:
        process.communicate()
    assert not dead.exists()
