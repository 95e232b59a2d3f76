"""Drafts: what a person has begun to say survives, is only theirs, and is written by one instance at a time."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from foureyes.app.results.draft import MOST_BYTES, MOST_COMMENTS, CommentDraft, Draft, NewTaskDraft, Position, RedoDraft
from foureyes.app.review.drafts import Drafts
from foureyes.errors import BadInput, Conflict, NotFound

from tests.stage.people import ALICE, BOB, CLAUDE
from tests.stage.world import DeskWorld


@pytest.fixture(autouse=True)
def _files(desk: DeskWorld, tmp_path: Path) -> None:
    desk.outside.folder = str(tmp_path)


def second(desk: DeskWorld) -> Drafts:
    """The drafts of another instance of the program."""

    class Elsewhere:
        drafts = desk.outside.drafts()
        store, find_id, now = desk.app.context.store, desk.app.context.find_id, desk.app.context.now

    return Drafts(Elsewhere())  # type: ignore[arg-type]


def begun(task: str) -> Draft:
    return Draft(
        task=task,
        attempt=2,
        diff_id="sha256:1",
        redo=RedoDraft(quick_issues=("Tests incomplete",), text="more", option="checkpoint", checkpoint="before"),
        reject="not wanted",
        comments=(CommentDraft(path="a.py", line=3, side="old", quote="x = 1", text="why?", severity="HIGH", fix="y"),),
        seen={"0123456789abcdef": "shown", "fedcba9876543210": "pager"},
    )


def test_a_draft_is_kept_as_it_is_and_only_for_its_owner(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    with desk.unchanged():
        kept = desk.app.drafts.save(BOB, begun(task))
        loaded = desk.app.drafts.load(BOB, task)
    assert (loaded.draft, loaded.there, loaded.note) == (kept, True, "")
    assert kept.updated_at
    assert kept.has_words
    empty = desk.app.drafts.load(ALICE, task)
    assert (empty.draft, empty.there, empty.draft.has_words) == (Draft(task=task), False, False)
    assert (desk.app.drafts.listed(BOB), desk.app.drafts.listed(ALICE)) == ([task], [])


def test_a_draft_that_was_sent_is_forgotten(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    desk.app.drafts.save(CLAUDE, begun(task))
    assert (desk.app.drafts.drop(CLAUDE, task), desk.app.drafts.drop(CLAUDE, task)) == (True, False)
    assert not desk.app.drafts.load(CLAUDE, task).there


def test_a_second_instance_reads_and_does_not_write_until_the_first_lets_go(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    other = second(desk)
    kept = desk.app.drafts.save(BOB, begun(task))
    held = other.take(BOB, task)
    assert not held
    assert held.pid > 0
    assert other.load(BOB, task).draft == kept
    with pytest.raises(Conflict, match="open elsewhere"):
        other.save(BOB, Draft(task=task, reject="mine"))
    assert not other.drop(BOB, task)
    assert desk.app.drafts.load(BOB, task).draft == kept
    desk.app.drafts.release(BOB, task)
    assert other.take(BOB, task)
    assert other.save(BOB, Draft(task=task, reject="mine")).reject == "mine"


@pytest.mark.parametrize("garbage", [b"", b"{", b"\xff\xfe", b"[]", b'{"task": "fe-other"}', b'{"task": 3}'])
def test_garbage_is_kept_aside_and_said_never_lost_silently(desk: DeskWorld, garbage: bytes) -> None:
    task = desk.submitted_task()
    desk.app.drafts.save(BOB, begun(task))
    path = next(Path(desk.outside.folder).rglob(f"{task}.json"))
    path.write_bytes(garbage)
    loaded = desk.app.drafts.load(BOB, task)
    assert (loaded.there, loaded.draft) == (False, Draft(task=task))
    assert f"{task}.json.bad-1" in loaded.note
    assert path.with_name(f"{task}.json.bad-1").read_bytes() == garbage
    desk.app.drafts.save(BOB, begun(task))
    assert desk.app.drafts.load(BOB, task).there


def test_where_somebody_was_is_kept_and_is_no_draft(desk: DeskWorld) -> None:
    assert not desk.app.drafts.position(BOB).there
    here = Position(screen="summary", task="fe-1", order="risk", tasks=("fe-1", "fe-2"), decided={"fe-2": "approved"})
    kept = desk.app.drafts.save_position(BOB, here)
    assert desk.app.drafts.position(BOB).position == kept
    assert (kept.tasks, kept.decided, desk.app.drafts.listed(BOB)) == (here.tasks, here.decided, [])
    next(Path(desk.outside.folder).rglob("position.json")).write_text("?")
    assert "position.json.bad-1" in desk.app.drafts.position(BOB).note


def test_a_draft_is_about_a_task_that_exists(desk: DeskWorld) -> None:
    with pytest.raises(NotFound):
        desk.app.drafts.load(BOB, "fe-nothing")


def test_a_task_that_is_not_planned_yet_is_kept_is_no_draft_about_a_task_and_leaves_no_file(desk: DeskWorld) -> None:
    drafts, other = desk.app.drafts, second(desk)
    half = NewTaskDraft(title="Add lim", description="a\nb")
    drafts.save_new_task(ALICE, half)
    assert drafts.new_task(ALICE).draft == half
    assert drafts.listed(ALICE) == []
    assert not drafts.new_task(BOB).draft.has_words
    assert not other.new_task(ALICE).held
    with pytest.raises(Conflict):
        other.save_new_task(ALICE, NewTaskDraft(title="mine"))
    drafts.release_new_task(ALICE)
    assert other.new_task(ALICE).held
    other.save_new_task(ALICE, NewTaskDraft())
    assert not other.new_task(ALICE).draft.has_words


ESCAPE = "\x1b[5;29Hgreet\x9b2J\x07"


def files_of(desk: DeskWorld) -> Path:
    """The folder of the one person who has drafts."""
    desk.app.drafts.save_position(BOB, Position())
    return next(Path(desk.outside.folder).rglob("position.json")).parent


def has_control(value: object) -> bool:
    text = msgspec.json.decode(msgspec.json.encode(value))
    rest = str(text).replace("\n", "")
    return any(ord(character) < 32 or 0x7F <= ord(character) < 0xA0 for character in rest)


def test_control_characters_in_a_file_are_signs_when_it_is_read_and_that_is_said(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    comment = CommentDraft(path="a.py", line=1, quote="x", text=f"a{ESCAPE}", fix=ESCAPE)
    redo = RedoDraft(quick_issues=(ESCAPE,), text=f"one\n{ESCAPE}", option="checkpoint", checkpoint=ESCAPE)
    draft = Draft(task=task, redo=redo, reject=ESCAPE, comments=(comment,), seen={ESCAPE: "shown"})
    new, here = NewTaskDraft(title=ESCAPE, acceptance=ESCAPE), Position(task=ESCAPE, filter=ESCAPE, tasks=(ESCAPE,))
    for name, document in ((task, draft), ("newtask", new), ("position", here)):
        (files_of(desk) / f"{name}.json").write_bytes(msgspec.json.encode(document))
    read = (desk.app.drafts.position(BOB), desk.app.drafts.load(BOB, task), desk.app.drafts.new_task(BOB))
    assert not [file for file in read if has_control(file)]
    assert all("control characters" in file.note for file in read)
    assert read[1].draft.redo.text == "one\n␛[5;29Hgreet⟨U+009B⟩2J␇"


def test_what_a_comment_is_found_again_by_is_read_as_it_was_kept(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    comment = CommentDraft(path="odd\x1b.py", line=1, quote="a\x0cb", text="why?")
    desk.app.drafts.save(BOB, Draft(task=task, comments=(comment,)))
    loaded = desk.app.drafts.load(BOB, task)
    assert (loaded.draft.comments, loaded.note) == ((comment,), "")


def test_too_many_comments_and_too_large_a_file_are_set_aside_and_never_written(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    many = (CommentDraft(path="a.py", line=1, text="x"),) * (MOST_COMMENTS + 1)
    large = Draft(task=task, reject="x" * MOST_BYTES)
    for number, draft in enumerate((Draft(task=task, comments=many), large), 1):
        with pytest.raises(BadInput):
            desk.app.drafts.save(BOB, draft)
        (files_of(desk) / f"{task}.json").write_bytes(msgspec.json.encode(draft))
        loaded = desk.app.drafts.load(BOB, task)
        assert not loaded.there
        assert f"{task}.json.bad-{number}" in loaded.note


def test_what_was_seen_gives_way_where_a_draft_would_be_too_large(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    seen = Draft(task=task, reject="no", seen={f"{number:064x}": "shown" for number in range(5000)})
    kept = desk.app.drafts.save(BOB, seen)
    assert (kept.reject, kept.seen, desk.app.drafts.load(BOB, task).draft) == ("no", {}, kept)
    here = Position(screen="task", task=task, tasks=tuple(f"fe-{number:08}" for number in range(40_000)))
    desk.app.drafts.save_position(BOB, here)
    assert desk.app.drafts.position(BOB).position.task == task


@pytest.mark.parametrize("line", ["-1", "1e400", "1" * 5000, "10000000000"])
def test_a_number_of_a_line_is_one(desk: DeskWorld, line: str) -> None:
    task = desk.submitted_task()
    document = f'{{"task": "{task}", "comments": [{{"path": "a", "line": {line}}}]}}'
    (files_of(desk) / f"{task}.json").write_text(document)
    loaded = desk.app.drafts.load(BOB, task)
    assert not loaded.there
    assert "could not be read" in loaded.note


def make_link(path: Path) -> None:
    path.symlink_to("/etc/passwd")


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, make_link])
def test_what_is_no_file_in_a_drafts_place_is_no_draft_and_that_is_said(
    desk: DeskWorld, make: Callable[[Path], None]
) -> None:
    task, drafts, folder = desk.submitted_task(), desk.app.drafts, files_of(desk)
    (folder / "position.json").unlink()
    for name in (task, "position", "newtask"):
        make(folder / f"{name}.json")
        make(folder / f"{name}.lock")
    assert f"{task}.json.bad-1" in drafts.load(BOB, task).note
    assert "position.json.bad-1" in drafts.position(BOB).note
    new = drafts.new_task(BOB)
    assert "newtask.json.bad-1" in new.note
    for held in (new.held, drafts.take(BOB, task)):
        assert not held
        assert "a draft could not be taken" in held.note


def test_a_file_in_the_place_of_the_folder_is_no_drafts_with_a_note(desk: DeskWorld) -> None:
    task, drafts, folder = desk.submitted_task(), desk.app.drafts, files_of(desk)
    shutil.rmtree(folder)
    folder.write_text("not a folder")
    notes = [drafts.load(BOB, task).note, drafts.position(BOB).note, drafts.new_task(BOB).note]
    notes += [file.note for file in drafts.begun(BOB)] + [drafts.take(BOB, task).note]
    assert notes == ["a draft could not be read: it is a file, not a directory."] * 4 + [
        "a draft could not be taken: it is a file, not a directory."
    ]


def test_junk_among_the_drafts_has_a_note_and_hides_none_of_them(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    kept = desk.app.drafts.save(BOB, begun(task))
    (files_of(desk) / "a\x1b[2J.json").write_text("?")
    (files_of(desk) / "zzz.json").write_text("?")
    first, *rest = desk.app.drafts.begun(BOB, task)
    assert first.draft == kept
    assert [file.note for file in rest] == [
        "a␛[2J.json is a draft about a task that does not exist here",
        "zzz.json is a draft about a task that does not exist here",
    ]
