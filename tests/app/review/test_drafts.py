"""Drafts: what a person has begun to say survives, is only theirs, and is written by one instance at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.app.review.drafts import Drafts
from foureyes.app.views.draft import CommentDraft, Draft, NewTaskDraft, Position, RedoDraft
from foureyes.errors import Conflict, NotFound

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
        looked=1,
    )


def test_a_draft_is_kept_as_it_is_and_only_for_its_owner(desk: DeskWorld) -> None:
    task = desk.handed_in()
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
    task = desk.handed_in()
    desk.app.drafts.save(CLAUDE, begun(task))
    assert (desk.app.drafts.drop(CLAUDE, task), desk.app.drafts.drop(CLAUDE, task)) == (True, False)
    assert not desk.app.drafts.load(CLAUDE, task).there


def test_a_second_instance_reads_and_does_not_write_until_the_first_lets_go(desk: DeskWorld) -> None:
    task = desk.handed_in()
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
    task = desk.handed_in()
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
