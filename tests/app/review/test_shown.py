"""Looking: what a face tells of a look is counted against the attempt, and stays with the decision."""

from __future__ import annotations

from typing import Any

import pytest

from foureyes.app.results.review import ApprovalOutcome, ViewReport
from foureyes.core.nouns.decision import ALL, LONGEST, Viewing
from foureyes.core.rules.four_eyes import Declaration
from foureyes.errors import FoureyesError, GitProblem, StaleState

from tests.stage.checkout import CODE
from tests.stage.gated import configure
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX
from tests.stage.world import DeskWorld, GitWorld, World

ELSEWHERE = "0123456789abcdef"


def hunks_of(world: World, task: str) -> tuple[str, ...]:
    return tuple(hunk.id for file in world.app.attempts.changes(task).files for hunk in file.hunks)


def seen(world: World, task: str) -> str:
    return world.show(task).attempts[-1].diff_id


def look_at(world: World, task: str) -> Viewing:
    """How the latest approval on record was made."""
    return world.show(task).approvals[-1].viewed


def two_hunks(world: GitWorld, **fields: Any) -> str:
    """A task whose change has two hunks in one file."""
    world.checkout.switch("main")
    world.checkout.commit("long.py", CODE)
    task = world.create(**fields)
    changed = CODE.replace("line 3\n", "line three\n").replace("line 33\n", "line thirty-three\n")
    world.work(CLAUDE, task, name="long.py", text=changed)
    world.submit(CLAUDE, task)
    return task


def test_hunks_that_were_shown_are_counted_and_kept_with_the_approval_H4_H5(world: GitWorld) -> None:
    task = two_hunks(world)
    first, second = hunks_of(world, task)
    look = ViewReport("tui", shown=(second, second, ELSEWHERE), pager=True, seconds=40)
    world.app.decisions.approve(BOB, task, seen=seen(world, task), viewed=look)
    assert look_at(world, task) == Viewing(face="tui", hunks=2, shown=1, shown_ids=second, pager=True, seconds=40)
    assert first != second


def test_a_mark_by_hand_is_kept_as_one_and_all_of_them_in_one_word_H4(world: GitWorld) -> None:
    task = two_hunks(world)
    first, second = hunks_of(world, task)
    world.app.decisions.approve(BOB, task, viewed=ViewReport("web", shown=(first,), marked=(first, second)))
    assert look_at(world, task) == Viewing(face="web", hunks=2, shown=1, marked=1, shown_ids=first, marked_ids=second)
    world.app.decisions.withdraw(BOB, task)
    world.app.decisions.approve(BOB, task, viewed=ViewReport("tui", shown=(second, first)))
    assert look_at(world, task).shown_ids == ALL


def test_the_command_line_measures_nothing_whatever_it_tells_H4(desk: DeskWorld) -> None:
    task, silent = desk.submitted_task(), desk.submitted_task()
    desk.app.decisions.approve(BOB, task, viewed=ViewReport("cli", shown=hunks_of(desk, task)))
    assert look_at(desk, task) == Viewing(face="cli")
    desk.approve(BOB, silent)
    assert look_at(desk, silent) == Viewing()


def test_time_in_focus_is_never_absurd_H5(desk: DeskWorld) -> None:
    for told, kept in ((-5, 0), (10**12, LONGEST)):
        task = desk.submitted_task()
        desk.app.decisions.approve(BOB, task, viewed=ViewReport("cli", seconds=told))
        assert look_at(desk, task).seconds == kept


def test_files_that_are_excluded_from_coverage_are_not_waited_for_H4(world: GitWorld) -> None:
    task = world.work(CLAUDE, world.create(), name="uv.lock", text="x\n")
    world.checkout.commit("package-lock.json", "{}\n", session=CLAUDE)
    world.submit(CLAUDE, task)
    view = world.app.attempts.changes(task)
    assert [(file.path, file.folded, file.counts) for file in view.files] == [
        ("package-lock.json", True, True),
        ("uv.lock", True, False),
    ]
    world.app.decisions.approve(BOB, task, viewed=ViewReport("tui", shown=(view.files[1].hunks[0].id,)))
    assert (look_at(world, task).hunks, look_at(world, task).shown) == (1, 0)
    assert view.hunks == 1


def test_a_hunk_that_was_seen_in_an_earlier_attempt_counts_where_it_is_the_same_H4(world: GitWorld) -> None:
    task = two_hunks(world)
    before = hunks_of(world, task)
    world.app.feedback.redo(ALICE, task, "once more", viewed=ViewReport("tui", shown=before))
    world.start(CLAUDE, task)
    again = CODE.replace("line 3\n", "line three\n").replace("line 33\n", "line 3 * 11\n")
    world.checkout.commit("long.py", "above\n" * 20 + again, session=CLAUDE)
    world.submit(CLAUDE, task)
    world.app.decisions.approve(BOB, task, viewed=ViewReport("tui", shown=before))
    now = hunks_of(world, task)
    assert look_at(world, task).shown == len(set(before) & set(now)) < look_at(world, task).hunks  # type: ignore[operator]


def test_redo_and_reject_keep_how_the_work_was_looked_at_H5(desk: DeskWorld) -> None:
    back, no = desk.submitted_task(), desk.submitted_task()
    desk.app.feedback.redo(BOB, back, "again", viewed=ViewReport("tui", shown=hunks_of(desk, back), seconds=9))
    desk.app.feedback.reject(BOB, no, "never", viewed=ViewReport("tui", marked=hunks_of(desk, no)))
    assert desk.show(back).feedback[0].viewed == Viewing(face="tui", hunks=1, shown=1, shown_ids=ALL, seconds=9)
    assert desk.show(no).feedback[0].viewed == Viewing(face="tui", hunks=1, marked=1, marked_ids=ALL)


def test_each_of_a_batch_is_kept_with_its_own_look_H2_H5(desk: DeskWorld) -> None:
    tasks = [desk.submitted_task() for _ in range(3)]
    looks = {tasks[0]: ViewReport("tui", shown=hunks_of(desk, tasks[0])), tasks[1]: ViewReport("tui")}
    chosen = [(task, None) for task in tasks]
    answers = list(desk.app.decisions.approve_many(BOB, chosen, viewed=ViewReport("cli"), each_viewed=looks))
    assert all(isinstance(answer, ApprovalOutcome) for answer in answers)
    kept = [desk.show(task).approvals[0] for task in tasks]
    assert [(row.batch, row.viewed.words) for row in kept] == [
        ("1 of 3", "1/1 hunk shown"),
        ("2 of 3", "0/1 hunk shown"),
        ("3 of 3", "not measured"),
    ]


def test_a_recorded_approval_keeps_its_look_P11_H5(desk: DeskWorld) -> None:
    desk.app.policy.set(ALICE, "review.policy", "delegated")
    task = desk.submitted_task(creator=BOB)
    shown = hunks_of(desk, task)
    desk.app.decisions.approve(
        CODEX,
        task,
        seen=seen(desk, task),
        declaration=Declaration(record_only=True),
        viewed=ViewReport("tui", shown=shown),
    )
    assert look_at(desk, task).shown == 1


def test_where_git_cannot_say_which_hunks_there_are_nothing_is_known_G1_H4(
    desk: DeskWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = desk.submitted_task()
    shown = hunks_of(desk, task)

    def gone(*_: object) -> None:
        raise GitProblem("an object is missing")

    monkeypatch.setattr(desk.repo, "file_diffs", gone)
    desk.app.feedback.redo(BOB, task, "again", viewed=ViewReport("tui", shown=shown))
    assert desk.show(task).feedback[0].viewed == Viewing(face="tui")


@pytest.mark.parametrize("unseen", ["note", "ask", "refuse"])
def test_hunks_that_were_never_shown_are_noted_asked_about_or_refused_D8(world: GitWorld, unseen: str) -> None:
    configure(world, f'[review.label_rules]\npayments = {{ unseen = "{unseen}" }}\n')
    task = two_hunks(world, labels=["payments"])
    first, second = hunks_of(world, task)
    named, half = seen(world, task), ViewReport("tui", shown=(first,))
    preview = world.show(task).you
    assert preview is not None
    assert (preview.may_approve, preview.unseen, preview.asks_unseen) == (True, unseen, unseen == "ask")
    if unseen == "note":
        assert world.app.decisions.approve(BOB, task, seen=named, viewed=half).changed
        assert look_at(world, task).words == "1/2 hunks shown"
        return
    with world.refused("D8") as caught:
        world.app.decisions.approve(BOB, task, seen=named, viewed=half)
    assert (
        caught[0].reasons[0].message
        == "1 hunk was never on your screen, and label payments requires you to view every hunk"
    )
    said_yes = ViewReport("tui", shown=(first,), confirmed=True)
    if unseen == "refuse":
        with world.refused("D8"):
            world.app.decisions.approve(BOB, task, seen=named, viewed=said_yes)
        said_yes = ViewReport("tui", shown=(first, second))
    assert world.app.decisions.approve(BOB, task, seen=named, viewed=said_yes).changed
    assert look_at(world, task).confirmed == (unseen == "ask")


def test_ids_of_another_change_do_not_pass_D8_G6(world: GitWorld) -> None:
    configure(world, '[review.label_rules]\npayments = { unseen = "refuse" }\n')
    task = two_hunks(world, labels=["payments"])
    with world.refused("D8") as caught:
        world.app.decisions.approve(
            BOB, task, viewed=ViewReport("tui", shown=(ELSEWHERE, "x", ""), marked=hunks_of(world, task))
        )
    assert caught[0].reasons[0].message.startswith("2 hunks were never on your screen")


def test_a_task_that_moved_since_it_was_looked_at_is_refused_in_a_batch_T6(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    version = desk.task(task).version
    look = ViewReport("tui", shown=hunks_of(desk, task))
    desk.app.notes.log(CLAUDE, task, "one more thing")
    desk.app.tasks.add_label(ALICE, task, ["late"])
    (answer,) = desk.app.decisions.approve_many(BOB, [(task, version)], each_viewed={task: look})
    assert isinstance(answer, FoureyesError)
    assert isinstance(answer, StaleState)
