"""Coming back: the place in a review, and what was begun to be said, outlive the app."""

from __future__ import annotations

import pytest

from foureyes.app.results.draft import Draft, Position, RedoDraft
from foureyes.ui.tui import review_session as review
from foureyes.ui.tui.resume_position import position_of, resume, welcome

from tests.ui.tui.stage import ALICE, BOB, Player, Seat, play

TASKS = ("fe-1", "fe-2", "fe-3")
SUMMARY = review.start(review.IDLE, TASKS)
SECOND = review.step(SUMMARY, "open", at=1)


@pytest.mark.parametrize(
    "left",
    [
        SUMMARY,
        SECOND,
        review.step(SECOND, "diff"),
        review.start(review.IDLE, ("fe-2",)),
    ],
)
def test_who_comes_back_stands_where_they_left(left: review.Flow) -> None:
    begun = review.start(review.IDLE, tuple(row.task for row in left.rows))
    back = resume(begun, position_of(left, "age", ""))
    assert (back.place, back.task, back.form) == (left.place, left.task, left.form)


@pytest.mark.parametrize("form", ["redo", "reject"])
def test_who_left_in_a_form_comes_back_to_the_task_and_never_into_the_form(form: review.FlowForm) -> None:
    for left in (SECOND, review.step(SECOND, "diff"), review.start(review.IDLE, ("fe-2",))):
        position = position_of(review.write(left, form), "age", "")
        begun = review.start(review.IDLE, tuple(row.task for row in left.rows))
        back = resume(begun, position)
        assert (back.place, back.task) == ("single" if len(left.rows) == 1 else "task", "fe-2")


def test_a_task_that_left_the_queue_is_not_looked_for() -> None:
    position = position_of(SECOND, "risk", "")
    assert resume(review.start(review.IDLE, ("fe-1", "fe-3")), position).place == "summary"


def test_the_welcome_says_where_and_what_was_begun() -> None:
    position = Position(screen="task", task="fe-2", tasks=TASKS)
    redo = Draft(task="fe-2", redo=RedoDraft(text="the limit"))
    assert welcome(position, [redo]) == "Welcome back: 2/3 in review, draft redo for fe-2.  R continues"
    assert welcome(Position(screen="summary", tasks=TASKS), []) == "Welcome back: 3 in review.  R continues"
    rejected = Draft(task="fe-9", reject="no")
    assert welcome(Position(), [rejected, redo]) == "Welcome back: draft reject for fe-9, 1 more draft.  R continues"
    assert welcome(Position(order="age"), []) == ""


def test_place_order_and_draft_are_back_in_a_new_app(seat: Seat) -> None:
    tasks = [seat.deliver(title) for title in ("Add login", "Add logout", "Add search")]
    seen: list[str] = []

    async def first(player: Player) -> None:
        await player.hit("r", "o", "o", "2")
        await player.hit("r", "t", "h", "e", "space", "l", "i", "m", "i", "t")
        seen.append(player.app.flow.task)
        await player.pilot.press("ctrl+q")

    async def second(player: Player) -> None:
        welcome_line = f"Welcome back: 2/3 in review, draft redo for {seen[0]}.  R continues"
        assert welcome_line in await player.until("Welcome back")
        assert "draft redo kept: R opens it" in await player.press("r")
        screen = await player.press("r")
        assert "REDO WITH FEEDBACK" in screen
        assert "kept from an earlier session" in screen
        assert "the limit" in screen
        assert (player.app.flow.task, player.app.order) == (seen[0], "priority")
        await player.hit("escape", "escape", "escape")
        assert player.app.flow.place == "idle"

    async def third(player: Player) -> None:
        assert f"Welcome back: draft redo for {seen[0]}.  R continues" in await player.until("Welcome back")

    for story in (first, second, third):
        play(seat.sit(), story)
    assert {seat.status(task) for task in tasks} == {"reviewing"}
    position = seat.app.drafts.position(ALICE).position
    assert (position.screen, position.order, position.tasks) == ("", "priority", ())


def test_a_draft_about_what_others_decided_is_kept_and_named_apart(seat: Seat) -> None:
    task = seat.deliver("Add login")
    seat.app.drafts.save(ALICE, Draft(task=task, redo=RedoDraft(text="the limit")))
    seat.app.decisions.approve(BOB, task)

    async def story(player: Player) -> str:
        return player.screen

    assert "Welcome back" not in play(seat.sit(), story)
    assert seat.app.drafts.load(ALICE, task).draft.redo.text == "the limit"
    seat.app.decisions.withdraw(BOB, task)
    assert f"draft redo for {task}" in play(seat.sit(), story)
