"""The mirror files of feedback (F2): written in one step, never read back; what is not ours is set aside and said
(lesson 57).
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from foureyes.adapters.feedback import write

TASK = "fe-7k2"
FIRST = b'{"taskId": "fe-7k2", "history": [{"iteration": 1}]}\n'
SECOND = b'{"taskId": "fe-7k2", "history": [{"iteration": 1}, {"iteration": 2}]}\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "feedback"


def files(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_the_folder_is_made_and_the_document_lies_there_byte_for_byte_F2(folder: Path) -> None:
    assert write(str(folder), TASK, FIRST) == ""
    assert ((folder / f"{TASK}.json").read_bytes(), files(folder)) == (FIRST, [f"{TASK}.json"])


def test_our_own_file_is_replaced_as_a_whole_F2(folder: Path) -> None:
    write(str(folder), TASK, SECOND)
    assert write(str(folder), TASK, FIRST) == ""
    assert ((folder / f"{TASK}.json").read_bytes(), files(folder)) == (FIRST, [f"{TASK}.json"])


def test_a_reader_sees_the_old_file_or_the_new_one_F2_G4(folder: Path) -> None:
    """Written beside its place and moved there: whoever has the old one open reads it to its end."""
    write(str(folder), TASK, FIRST)
    with open(folder / f"{TASK}.json", "rb") as reader:
        write(str(folder), TASK, SECOND)
        assert reader.read() == FIRST
    assert (folder / f"{TASK}.json").read_bytes() == SECOND


@pytest.mark.parametrize("broken", ["makedirs", "fsync", "replace"])
def test_a_disk_that_is_full_leaves_the_old_file_and_is_said_F2(
    folder: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    write(str(folder), TASK, FIRST)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(f"foureyes.adapters.feedback.os.{broken}", full)
    said = write(str(folder), TASK, SECOND)
    monkeypatch.undo()
    assert said == f".foureyes/feedback/{TASK}.json could not be written: No space left on device; the store has it"
    assert (folder / f"{TASK}.json").read_bytes() == FIRST


def test_what_a_failed_write_left_is_tidied_away_or_overwritten_by_the_next_F2(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("foureyes.adapters.feedback.os.replace", full)
        write(str(folder), TASK, FIRST)
    assert write(str(folder), TASK, SECOND) == ""
    assert files(folder) == [f"{TASK}.json"]


NOT_OURS = {
    "half a file": b'{"taskId": "fe-7k2", "history": [',
    "empty": b"",
    "not text": b"\xff\xfe\x00",
    "another shape": b'{"notes": "mine"}',
    "another task": b'{"taskId": "fe-9zz", "history": []}',
    "no list": b'{"taskId": "fe-7k2", "history": {}}',
    "a list": b"[]",
    "null": b"null",
    "deep": b'{"history": ' + b"[" * 100_000,
}


@pytest.mark.parametrize("content", NOT_OURS.values(), ids=NOT_OURS.keys())
def test_what_is_there_and_not_ours_is_kept_under_another_name_and_said_lesson_57(folder: Path, content: bytes) -> None:
    folder.mkdir()
    (folder / f"{TASK}.json").write_bytes(content)
    said = write(str(folder), TASK, FIRST)
    assert (
        said == f".foureyes/feedback/{TASK}.json was unreadable; kept as {TASK}.json.bad-1, written anew from the store"
    )
    assert (folder / f"{TASK}.json.bad-1").read_bytes() == content
    assert json.loads((folder / f"{TASK}.json").read_bytes())["taskId"] == TASK


def test_a_second_one_does_not_overwrite_the_first_lesson_57(folder: Path) -> None:
    folder.mkdir()
    for content in (b"first", b"second"):
        (folder / f"{TASK}.json").write_bytes(content)
        write(str(folder), TASK, FIRST)
    assert [(folder / f"{TASK}.json.bad-{n}").read_bytes() for n in (1, 2)] == [b"first", b"second"]


def test_a_link_to_elsewhere_is_not_written_through_lesson_57(folder: Path, tmp_path: Path) -> None:
    folder.mkdir()
    precious = tmp_path / "precious.json"
    precious.write_bytes(b"mine")
    (folder / f"{TASK}.json").symlink_to(precious)
    assert "kept as" in write(str(folder), TASK, FIRST)
    assert (precious.read_bytes(), (folder / f"{TASK}.json").read_bytes()) == (b"mine", FIRST)


def test_a_link_to_one_of_ours_is_set_aside_and_what_it_names_stays(folder: Path, tmp_path: Path) -> None:
    folder.mkdir()
    other = tmp_path / "other.json"
    other.write_bytes(FIRST)
    (folder / f"{TASK}.json").symlink_to(other)
    assert "kept as" in write(str(folder), TASK, SECOND)
    assert (other.read_bytes(), (folder / f"{TASK}.json").read_bytes()) == (FIRST, SECOND)


@pytest.mark.parametrize("kind", ["pipe", "dangling link", "endless"])
def test_a_pipe_or_a_link_to_nowhere_or_without_end_is_not_waited_for(folder: Path, kind: str) -> None:
    folder.mkdir()
    path = folder / f"{TASK}.json"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/nowhere" if kind == "dangling link" else "/dev/zero")
    assert "kept as" in write(str(folder), TASK, FIRST)
    assert path.read_bytes() == FIRST


def test_a_directory_in_its_place_is_set_aside_too(folder: Path) -> None:
    (folder / f"{TASK}.json").mkdir(parents=True)
    (folder / f"{TASK}.json" / "x").write_text("x")
    assert "kept as" in write(str(folder), TASK, FIRST)
    assert ((folder / f"{TASK}.json.bad-1" / "x").read_text(), (folder / f"{TASK}.json").read_bytes()) == ("x", FIRST)


def test_a_file_where_the_folder_should_be_is_said_and_nothing_is_touched(folder: Path) -> None:
    folder.write_text("a file")
    assert "could not be written" in write(str(folder), TASK, FIRST)
    assert folder.read_text() == "a file"
