"""Changes as structure: which commits are compared, what is folded, and what did not change since an attempt."""

from __future__ import annotations

import pytest

from foureyes.errors import NotFound

from tests.stage.checkout import CODE
from tests.stage.people import ALICE, CLAUDE
from tests.stage.world import DeskWorld, GitWorld


def again(world: GitWorld, task: str, **files: str) -> None:
    """Send the task back, and submit files for it."""
    world.app.feedback.redo(ALICE, task, text="once more")
    world.start(CLAUDE, task)
    for name, text in files.items():
        world.checkout.commit(name.replace("_", "."), text, session=CLAUDE)
    world.submit(CLAUDE, task)


def test_the_change_is_the_one_that_a_decision_names_A2_D7(world: GitWorld) -> None:
    task = world.submitted_task(text="one\ntwo\n")
    view = world.app.attempts.changes(task)
    attempt = world.show(task).attempts[-1]
    assert (view.task, view.attempt, view.diff_id) == (task, 1, attempt.diff_id)
    assert (view.base, view.head, view.since) == (attempt.base, attempt.head, None)
    (file,) = view.files
    assert [line.text for line in file.hunks[0].lines] == ["one", "two"]
    assert (file.status, file.added, view.hunks) == ("A", 2, 1)


def test_an_attempt_is_compared_with_another_and_what_stayed_is_named(world: GitWorld) -> None:
    task = world.work(CLAUDE, world.create(), text=CODE)
    world.checkout.commit("other.py", "other\n", session=CLAUDE)
    world.submit(CLAUDE, task)
    first = world.app.attempts.changes(task)
    again(world, task, work_py=CODE.replace("line 5\n", "line five\n"))
    since = world.app.attempts.changes(task, since=1)
    assert [file.path for file in since.files] == ["work.py"]
    assert [(line.kind, line.text) for line in since.files[0].hunks[0].lines if line.kind != "context"] == [
        ("removed", "line 5"),
        ("added", "line five"),
    ]
    assert (since.base, since.since, since.unchanged) == (first.head, 1, ("other.py",))
    whole = world.app.attempts.changes(task)
    assert (whole.attempt, whole.diff_id, whole.unchanged) == (2, since.diff_id, ())
    ids = [{file.path: file.hunks[0].id for file in view.files} for view in (first, whole)]
    assert ids[0]["other.py"] == ids[1]["other.py"]
    assert ids[0]["work.py"] != ids[1]["work.py"]
    assert world.app.attempts.changes(task, attempt=1) == first


def test_what_the_target_brought_is_not_new_in_an_attempt_that_stands_on_it(world: GitWorld) -> None:
    world.checkout.commit("shared.py", CODE)
    world.checkout.commit("work.py", CODE)
    task = world.work(CLAUDE, world.create(), text=CODE.replace("line 5\n", "line five\n"))
    world.submit(CLAUDE, task)
    branch = world.checkout.git("branch", "--show-current")
    world.checkout.git("switch", "-q", "main")
    world.checkout.commit("shared.py", CODE.upper())
    world.checkout.commit("work.py", CODE.replace("line 30\n", "line thirty\n"))
    world.checkout.commit("late.py", CODE)
    world.app.feedback.redo(ALICE, task, text="once more")
    world.checkout.git("switch", "-q", branch)
    world.start(CLAUDE, task)
    world.checkout.git("rebase", "-q", "main")
    mine = CODE.replace("line 5\n", "line five\n").replace("line 30\n", "line thirty\n")
    world.checkout.commit("work.py", mine.replace("line 15\n", "line fifteen\n"), session=CLAUDE)
    world.checkout.commit("late.py", CODE.replace("line 1\n", "line one\n"), session=CLAUDE)
    world.submit(CLAUDE, task)
    for around in (3, 10):
        since = world.app.attempts.changes(task, since=1, context=around)
        files = [(file.path, file.status, file.added, file.removed) for file in since.files]
        assert files == [("late.py", "M", 1, 1), ("work.py", "M", 1, 1)]
        assert [line.text for line in since.files[1].hunks[0].lines if line.kind == "added"] == ["line fifteen"]
    whole = world.app.attempts.changes(task)
    hunks = [(file.path, len(file.hunks)) for file in whole.files]
    assert hunks == [("late.py", 1), ("work.py", 2)], "a decision is about all of it"


def test_what_tools_write_is_folded_at_the_end(world: GitWorld) -> None:
    task = world.work(CLAUDE, world.create(), name="a/package-lock.json", text="{}\n")
    world.checkout.commit("a/uv.lock", "x\n", session=CLAUDE)
    world.checkout.commit("z.py", "x\n", session=CLAUDE)
    world.submit(CLAUDE, task)
    files = world.app.attempts.changes(task).files
    assert [(file.path, file.folded) for file in files] == [
        ("z.py", False),
        ("a/package-lock.json", True),
        ("a/uv.lock", True),
    ]


def test_a_file_that_was_moved_among_those_that_nobody_looks_at_is_to_be_seen_H4(world: GitWorld) -> None:
    world.checkout.commit("auth.py", CODE)
    world.checkout.commit("old.lock", CODE.upper())
    task = world.work(CLAUDE, world.create(), name="note.txt", text="a note\n")
    world.checkout.git("mv", "auth.py", "docs.lock")
    world.checkout.git("mv", "old.lock", "new.lock")
    world.checkout.commit("note.txt", "two notes\n", session=CLAUDE)
    world.submit(CLAUDE, task)
    view = world.app.attempts.changes(task)
    assert {file.path: (file.old_path, file.folded, file.counts) for file in view.files} == {
        "docs.lock": ("auth.py", False, True),
        "new.lock": ("old.lock", True, False),
        "note.txt": ("", False, True),
    }


def test_there_is_no_change_where_nothing_was_handed_in(desk: DeskWorld) -> None:
    task = desk.create()
    with pytest.raises(NotFound, match="nothing was submitted"):
        desk.app.attempts.changes(task)
    task = desk.submitted_task(lines=3)
    assert desk.app.attempts.changes(task).files[0].added == 3
    with pytest.raises(NotFound, match="it has 1"):
        desk.app.attempts.changes(task, attempt=2)
    with pytest.raises(NotFound, match="it has 1"):
        desk.app.attempts.changes(task, since=7)
