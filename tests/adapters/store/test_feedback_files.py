"""The mirror files of feedback (F2): written in one step, never read back; what is not ours is set aside and said."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from foureyes.adapters.store.feedback_files import DECIDING, FeedbackFiles
from foureyes.app.context import refuse_verb
from foureyes.app.ports import Tx
from foureyes.app.project import audit
from foureyes.app.results.journal import Discrepancy
from foureyes.app.review.prompts import history_of
from foureyes.core.events.decision import RedoRequested
from foureyes.core.events.project import SecurityRecorded
from foureyes.core.nouns.decision import mirror
from foureyes.errors import Reason, Refused
from foureyes.steps import NO_STEP

from tests.adapters.store.shop import fill, on_disk
from tests.stage.people import ALICE, BOB, CLAUDE
from tests.stage.ports import KeptFiles
from tests.stage.world import DeskWorld

TASK = "fe-7k2"
FIRST = b'{"taskId": "fe-7k2", "history": [{"iteration": 1}]}\n'
SECOND = b'{"taskId": "fe-7k2", "history": [{"iteration": 1}, {"iteration": 2}]}\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "feedback"


def write(folder: str, task: str, document: bytes) -> str:
    """Write a file; what there is to say about it."""
    return FeedbackFiles(os.path.dirname(folder)).put(task, document).note


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

    monkeypatch.setattr(f"foureyes.adapters.store.feedback_files.os.{broken}", full)
    said = write(str(folder), TASK, SECOND)
    monkeypatch.undo()
    assert said == f".foureyes/feedback/{TASK}.json could not be written: No space left on device. The store has it"
    assert (folder / f"{TASK}.json").read_bytes() == FIRST


def test_what_a_failed_write_left_is_tidied_away_or_overwritten_by_the_next_F2(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("foureyes.adapters.store.feedback_files.os.replace", full)
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
def test_what_is_there_and_not_ours_is_kept_under_another_name_and_said(folder: Path, content: bytes) -> None:
    folder.mkdir()
    (folder / f"{TASK}.json").write_bytes(content)
    said = write(str(folder), TASK, FIRST)
    assert (
        said
        == f".foureyes/feedback/{TASK}.json was unreadable. It was kept as {TASK}.json.bad-1 and written again from the store"
    )
    assert (folder / f"{TASK}.json.bad-1").read_bytes() == content
    assert json.loads((folder / f"{TASK}.json").read_bytes())["taskId"] == TASK


def test_a_second_one_does_not_overwrite_the_first(folder: Path) -> None:
    folder.mkdir()
    for content in (b"first", b"second"):
        (folder / f"{TASK}.json").write_bytes(content)
        write(str(folder), TASK, FIRST)
    assert [(folder / f"{TASK}.json.bad-{n}").read_bytes() for n in (1, 2)] == [b"first", b"second"]


def test_a_link_to_elsewhere_is_not_written_through(folder: Path, tmp_path: Path) -> None:
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


# When they are written


def decided(world: DeskWorld) -> dict[str, bytes]:
    """What the file of each task should say now."""
    tasks = [row[0] for row in world.sql("SELECT id FROM tasks")]
    with world.store.read() as tx:
        histories = {task: history_of(tx, task) for task in tasks}
    return {task: mirror(task, history) for task, history in histories.items() if history}


class Compared(KeptFiles):
    """After every single write the files say what the store says."""

    def __init__(self, world: DeskWorld) -> None:
        super().__init__()
        self.world = world
        self.writes = 0

    def follow(self, tx: Tx, decided_: Collection[str], started: Collection[str]) -> list[str]:
        notes = super().follow(tx, decided_, started)
        self.writes += 1
        assert self.documents == decided(self.world)
        return notes


def test_every_decision_of_every_kind_is_in_its_file_after_the_write_that_made_it_F2() -> None:
    world = DeskWorld()
    files = Compared(world)
    world.store.feedback = files
    fill(world)
    assert files.writes > 50
    assert {row.kind for row in world.app.audit.log(limit=10_000)} >= DECIDING, "every kind was there"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[DeskWorld]:
    world = on_disk(tmp_path)
    yield world
    world.app.close()


def owed(folder: Path) -> list[str]:
    return files(folder / "feedback.owed")


def sent_back(world: DeskWorld, folder: Path) -> str:
    """A task that was sent back by somebody who was killed between the commit and its file."""
    world.store.feedback = FeedbackFiles(str(folder))
    task = world.submitted_task()
    world.app.feedback.redo(BOB, task, "again")
    path = folder / "feedback" / f"{task}.json"
    assert (json.loads(path.read_bytes())["taskId"], owed(folder)) == (task, [])
    path.unlink()
    (folder / "feedback.owed" / task).touch()
    return task


def test_what_a_killed_process_owed_is_written_by_the_next_write_of_anything_F2(
    place: DeskWorld, tmp_path: Path
) -> None:
    task = sent_back(place, tmp_path)
    place.create(title="something else")
    assert (files(tmp_path / "feedback"), owed(tmp_path)) == ([f"{task}.json"], [])


def test_also_by_a_write_that_is_refused_F2(place: DeskWorld, tmp_path: Path) -> None:
    waits = place.submitted_task()
    task = sent_back(place, tmp_path)
    with place.refused("T1"):
        place.start(CLAUDE, waits)
    assert (files(tmp_path / "feedback"), owed(tmp_path)) == ([f"{task}.json"], [])


def test_what_somebody_is_still_about_to_write_is_left_to_them_F2(place: DeskWorld, tmp_path: Path) -> None:
    task = sent_back(place, tmp_path)
    other = FeedbackFiles(str(tmp_path))
    other.owe([task])
    place.create()
    assert (files(tmp_path / "feedback"), owed(tmp_path)) == ([], [task])
    with place.store.read() as tx:
        assert other.bring(tx, task) == ""
    assert (files(tmp_path / "feedback"), owed(tmp_path)) == ([f"{task}.json"], [])


def test_a_file_that_cannot_be_written_stays_owed_until_it_can_F2(place: DeskWorld, tmp_path: Path) -> None:
    task = sent_back(place, tmp_path)
    (tmp_path / "feedback").rename(tmp_path / "before")
    (tmp_path / "feedback").write_text("a file")
    place.create()
    assert owed(tmp_path) == [task]
    (tmp_path / "feedback").unlink()
    place.create()
    assert (files(tmp_path / "feedback"), owed(tmp_path)) == ([f"{task}.json"], [])


@pytest.mark.parametrize("kind", ["nobody's task", "pipe", "link", "directory"])
def test_what_else_lies_among_the_markers_stops_nothing_and_leads_nowhere_F2(
    place: DeskWorld, tmp_path: Path, kind: str
) -> None:
    sent_back(place, tmp_path)
    odd = tmp_path / "feedback.owed" / "odd"
    if kind == "pipe":
        os.mkfifo(odd)
    elif kind == "link":
        odd.symlink_to(tmp_path / "elsewhere")
    elif kind == "directory":
        odd.mkdir()
    else:
        odd.touch()
    place.create()
    assert [name for name in files(tmp_path / "feedback") if "odd" in name] == []
    assert not (tmp_path / "elsewhere").exists()


def test_a_decision_that_comes_to_nothing_leaves_no_file_F2(place: DeskWorld, tmp_path: Path) -> None:
    place.store.feedback = FeedbackFiles(str(tmp_path))
    task = place.submitted_task()

    def think_better_of_it() -> None:
        with place.app.context.writing(BOB, "log") as work:
            work.record(task, RedoRequested(iteration=1, feedback="again"))
            refuse_verb("nothing was sent back.", Reason("T2", "no"))

    with pytest.raises(Refused):
        think_better_of_it()
    place.create()
    assert not (tmp_path / "feedback").exists()


def test_who_takes_a_task_up_finds_its_file_again_F2(place: DeskWorld, tmp_path: Path) -> None:
    task = sent_back(place, tmp_path)
    place.create()
    (tmp_path / "feedback" / f"{task}.json").unlink()
    place.start(CLAUDE, task)
    assert files(tmp_path / "feedback") == [f"{task}.json"]


# What others put where markers lie: nothing of theirs is opened, removed, waited for, or stops a write.


def victims(folder: Path) -> Path:
    folder.mkdir()
    for name in ("fe-1", "fe-2", "store.db", "notes"):
        (folder / name).write_text("")
    return folder


def test_a_link_in_place_of_the_markers_leads_nowhere_F2(desk: DeskWorld, tmp_path: Path) -> None:
    theirs = victims(tmp_path / "theirs")
    project = tmp_path / "project"
    project.mkdir()
    (project / "feedback.owed").symlink_to(theirs)
    with desk.app.context.store.read() as tx:
        FeedbackFiles(str(project)).bring_owed(tx)
    FeedbackFiles(str(project)).owe(["fe-3"])
    assert files(theirs) == ["fe-1", "fe-2", "notes", "store.db"]


def test_what_is_no_marker_stays_and_stops_nobody_F2(desk: DeskWorld, tmp_path: Path) -> None:
    owed = tmp_path / "feedback.owed"
    owed.mkdir()
    (owed / "fe-full").write_text("something of theirs")
    (owed / "fe-link").symlink_to("/etc/hostname")
    os.mkfifo(owed / "fe-pipe")
    (owed / "fe-folder").mkdir()
    (owed / os.fsdecode(b"\xff")).write_text("")
    (owed / "no task").write_text("")
    before = files(owed)
    with desk.app.context.store.read() as tx:
        FeedbackFiles(str(tmp_path)).bring_owed(tx)
    FeedbackFiles(str(tmp_path)).owe(["fe-pipe"])
    assert files(owed) == before


def test_a_marker_of_a_write_that_came_to_nothing_is_struck_off_F2(desk: DeskWorld, tmp_path: Path) -> None:
    (tmp_path / "feedback.owed").mkdir()
    (tmp_path / "feedback.owed" / "fe-none").write_text("")
    with desk.app.context.store.read() as tx:
        FeedbackFiles(str(tmp_path)).bring_owed(tx)
    assert files(tmp_path / "feedback.owed") == []


def test_a_file_larger_than_any_of_ours_is_set_aside_unread_F2(folder: Path) -> None:
    folder.mkdir()
    with open(folder / f"{TASK}.json", "wb") as file:
        file.truncate(8 << 40)
    assert "kept as" in write(str(folder), TASK, FIRST)
    assert (folder / f"{TASK}.json").read_bytes() == FIRST


def test_a_link_in_place_of_the_folder_is_not_written_through_F2(tmp_path: Path) -> None:
    theirs = victims(tmp_path / "theirs")
    (tmp_path / "feedback").symlink_to(theirs)
    assert "could not be written" in write(str(tmp_path / "feedback"), TASK, FIRST)
    assert files(theirs) == ["fe-1", "fe-2", "notes", "store.db"]


def test_what_a_store_that_was_put_back_does_not_know_is_set_aside_F2(place: DeskWorld, tmp_path: Path) -> None:
    place.store.feedback = FeedbackFiles(str(tmp_path))
    task = place.submitted_task()
    place.app.feedback.redo(BOB, task, "again")
    write(str(tmp_path / "feedback"), TASK, FIRST)
    assert [each.task for each in place.app.audit.verify().findings] == [TASK]
    assert place.app.audit.verify().next == NO_STEP, "nobody put anything back: somebody may have changed the journal"
    with place.app.context.writing(ALICE, "store restore") as work:
        work.record("", SecurityRecorded(kind="restore", rule="J2", reason="of Monday"))
    assert place.app.audit.verify().next.steps[0].argv[:3] == ("fe", "store", "adopt")
    (note,) = place.app.projects.adopt(ALICE, "of Monday").notes
    assert note.endswith(
        f"{TASK}.json contains decisions that are not in the journal. It was kept as {TASK}.json.bad-1"
    )
    assert (tmp_path / "feedback" / f"{TASK}.json.bad-1").read_bytes() == FIRST
    assert place.app.audit.verify().findings == ()


def test_files_are_not_set_aside_while_anything_else_is_wrong_with_some_task_F2_J2(
    place: DeskWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.store.feedback = FeedbackFiles(str(tmp_path))
    task = place.submitted_task()
    write(str(tmp_path / "feedback"), TASK, FIRST)
    with place.app.context.writing(ALICE, "store restore") as work:
        work.record("", SecurityRecorded(kind="restore", rule="J2", reason="of Monday"))
    assert place.app.audit.verify().next.steps[0].argv[:3] == ("fe", "store", "adopt")
    forged = Discrepancy("integrity", "row 9: it says that it was signed", 9, task)
    monkeypatch.setattr(audit, "_without_signature", lambda *_: [forged])
    assert place.app.audit.verify().next == NO_STEP
