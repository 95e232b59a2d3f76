"""Answers that come late: what was decided counts wherever the reader is by then, and about what was on screen."""

from __future__ import annotations

import pytest

from foureyes.app.results.review import NOT_VIEWED
from foureyes.errors import Conflict
from foureyes.ui.tui import review_session as review
from foureyes.ui.tui.comments import Comment
from foureyes.ui.tui.screens.batch import BatchPage
from foureyes.ui.tui.screens.new_task import NewTaskPage
from foureyes.ui.tui.screens.redo import RedoPage
from foureyes.ui.tui.screens.task import TaskPage

from tests.ui.tui.stage import ALICE, BOB, Player, Seat, held, play

NOTE = Comment(path="src/add_login.py", line=2, quote="    return 1", text="why 1?", weight="note")


def again(seat: Seat, task: str) -> None:
    """Another attempt, while somebody looks at the one before."""
    seat.app.feedback.redo(BOB, task, "once more")
    seat.work(task, {"src/add_login.py": "def add_login():\n    return 2\n"})
    seat.app.checks.run(BOB, task)


def test_what_is_sent_back_is_the_change_that_was_on_screen_D7(seat: Seat) -> None:
    task = seat.deliver("Add login")

    async def story(at: Player) -> None:
        await at.hit("r")
        assert at.app._watch is not None
        at.app._watch.pause()  # nobody has told the reader yet
        again(seat, task)
        await at.hit("r", *"no")
        assert "iteration 2 was submitted in the meantime" in await at.press("ctrl+s")

    play(seat.sit(), story)
    assert seat.status(task) == "reviewing"
    seen = seat.app.lists.show(BOB, task).attempts[0].diff_id
    for verb in (seat.app.feedback.redo, seat.app.feedback.reject):
        with pytest.raises(Conflict):
            verb(BOB, task, "no", seen=seen, viewed=NOT_VIEWED)


def test_a_batch_approves_what_was_in_the_preview_or_nothing_D7(seat: Seat) -> None:
    tasks = [seat.deliver("Add login"), seat.deliver("Add logout")]

    async def story(at: Player) -> str:
        at.app.clock = lambda: at.app.time  # type: ignore[attr-defined]
        at.app.time = 100.0  # type: ignore[attr-defined]
        await at.hit("r", "a")
        page = at.app.screen
        assert isinstance(page, BatchPage)
        page.rows.go(tasks[0])
        await at.settle()
        at.app.time += 1.0  # type: ignore[attr-defined]
        page.hunks.measure()
        page.rows.go(tasks[1])
        await at.hit("space")
        again(seat, tasks[0])
        page._away = True
        page.back_again()
        await at.settle()
        row = {row.row.task: row for row in page.list}
        assert not row[tasks[0]].ticked
        assert not row[tasks[0]].seen
        assert not row[tasks[1]].ticked  # by hand, so it stays
        page.rows.go(tasks[0])
        await at.settle()
        assert page._changes[tasks[0]].attempt == 2
        at.app.time += 1.0  # type: ignore[attr-defined]
        page.hunks.measure()
        await at.hit("space")
        return await at.press("enter")

    assert "1 approved" in play(seat.sit(), story)
    (approval,) = seat.app.lists.show(BOB, tasks[0]).approvals
    latest = seat.app.lists.show(BOB, tasks[0]).attempts[-1]
    assert approval.seen == latest.seen
    first = seat.app.lists.show(BOB, tasks[0]).attempts[0].diff_id
    (answer,) = seat.app.decisions.approve_many(BOB, [(tasks[1], None)], seen={tasks[1]: first})
    assert isinstance(answer, Conflict)


def test_taking_back_in_a_batch_waits_for_the_store_and_the_row_can_be_ticked_again(seat: Seat) -> None:
    tasks = [seat.deliver("Add login"), seat.deliver("Add logout")]

    async def story(at: Player) -> None:
        at.app.clock = lambda: at.app.time  # type: ignore[attr-defined]
        at.app.time = 100.0  # type: ignore[attr-defined]
        await at.hit("r", "a")
        at.app.time += 1.0  # type: ignore[attr-defined]
        await at.hit("enter")
        page, task = at.app.screen, at.app.flow.undo
        assert isinstance(page, BatchPage)
        with held(at.app):
            await at.burst("u")
            assert all(row.done for row in page.list)
        await at.settle()
        rows = {row.row.task: row for row in page.list}
        assert set(rows) == set(tasks)
        assert (rows[task].done, rows[task].ticked) == ("", False)
        page.rows.go(task)
        at.app.time += 1.0  # type: ignore[attr-defined]
        assert "2 approved" in await at.press("space", "enter")

    play(seat.sit(), story)
    assert [seat.status(task) for task in tasks] == ["approved"] * 2


def test_an_approval_counts_though_its_page_was_left_before_the_answer(seat: Seat) -> None:
    first, second = seat.deliver("Add login"), seat.deliver("Add logout")

    async def story(at: Player) -> None:
        await at.hit("r")
        at.app.go(review.look(at.app.flow, first))
        await at.settle()
        with held(at.app):
            await at.burst("a", "escape")
        await at.settle()
        assert at.app.flow.undo == first
        assert f"{first} approved" in at.screen
        assert (at.app.desk.pending, at.app.waiting.since, at.app.deciding) == (0, None, 0)
        at.app.go(review.look(at.app.flow, second))
        await at.settle()

    play(seat.sit(), story)
    assert (seat.status(first), seat.status(second)) == ("approved", "reviewing")


def test_who_went_on_meanwhile_is_not_thrown_past_what_they_opened(seat: Seat) -> None:
    tasks = [seat.deliver(f"Add part {n}") for n in range(3)]

    async def story(at: Player) -> tuple[str, str]:
        await at.hit("r")
        at.app.go(review.look(at.app.flow, at.app.flow.rows[0].task))
        await at.settle()
        with held(at.app):
            await at.burst("a", "n", "a")
        await at.settle()
        assert isinstance(at.app.screen, TaskPage)
        return at.app.screen.task_id, at.app.flow.rows[1].task

    here, second = play(seat.sit(), story)
    assert here == second
    assert sorted(seat.status(task) for task in tasks) == ["approved", "reviewing", "reviewing"]


def test_words_that_were_sent_are_no_draft_though_the_form_was_left(seat: Seat) -> None:
    task = seat.deliver("Add login")

    async def story(at: Player) -> None:
        await at.hit("r", "r", *"no")
        assert isinstance(at.app.screen, RedoPage)
        with held(at.app):
            await at.burst("ctrl+s", "ctrl+s", "escape")
        await at.settle()
        assert at.app.looks.of(task).redo.text == ""
        assert "is open again with your feedback" in at.screen

    play(seat.sit(), story)
    assert [row.text for row in seat.app.lists.show(BOB, task).feedback] == ["no"]
    assert not any(seat.app.drafts.load(ALICE, name).draft.has_words for name in seat.app.drafts.listed(ALICE))


def test_a_new_task_is_made_once_however_often_it_is_sent(seat: Seat) -> None:
    async def story(at: Player) -> None:
        await at.hit("n", *"One")
        assert isinstance(at.app.screen, NewTaskPage)
        with held(at.app):
            await at.burst("ctrl+s", "ctrl+s", "escape")
        await at.settle()
        assert not at.app.new_task.has_words

    play(seat.sit(), story)
    assert [row.title for row in seat.rows("open")] == ["One"]


def test_a_comment_that_was_not_sent_with_the_approval_stays(seat: Seat) -> None:
    task = seat.deliver("Add login")
    other = Comment(path="src/add_login.py", line=1, quote="def add_login():", text="edited", weight="note")

    async def story(at: Player) -> list[Comment]:
        await at.hit("r")
        looking = at.app.looks.of(task)
        looking.comments[:] = [NOTE]
        kept = looking.comments
        with held(at.app):
            await at.burst("a")
            kept.append(other)  # written while the approval is under way
        await at.settle()
        return list(at.app.looks.of(task).comments)

    left = play(seat.sit(), story)
    assert seat.status(task) == "approved"
    assert [row.title for row in seat.app.lists.show(BOB, task).findings] == ["why 1?"]
    assert left == [other]
    assert len(seat.app.drafts.load(ALICE, task).draft.comments) == 1
