"""Taking approvals back: one after the other, the newest first, and never another task than the one that is named."""

from __future__ import annotations

from tests.ui.tui.stage import ALICE, Clock, Player, Seat, play, small_work


def small(seat: Seat, name: str) -> str:
    """A task that can be approved in one go."""
    return seat.deliver(f"Add {name}", small_work(name))


def test_a_whole_batch_is_taken_back_one_after_the_other_but_not_by_a_key_that_is_held(seat: Seat) -> None:
    tasks = [small(seat, name) for name in ("one", "two", "three")]

    async def story(at: Player) -> None:
        at.app.clock = clock = Clock()
        await at.hit("r", "a")
        clock.now += 1.0
        await at.hit("enter")
        assert [seat.status(task) for task in tasks] == ["approved"] * 3
        newest, before, oldest = reversed(at.app.flow.approved)
        clock.now += 1.0
        assert f"{newest} is back in review · U takes {before} back, too" in await at.press("u")
        assert "U was ignored: pause a moment" in await at.press("u")
        assert [seat.status(task) for task in (newest, before, oldest)] == ["reviewing", "approved", "approved"]
        clock.now += 1.0
        await at.hit("u")
        clock.now += 1.0
        assert f"{oldest} is back in review" in await at.press("u")
        assert at.app.last_decision == f"{oldest} taken back"
        clock.now += 1.0
        assert "nothing to take back here" in await at.press("u")

    play(seat.sit(), story)
    assert [seat.status(task) for task in tasks] == ["reviewing"] * 3


def test_what_was_approved_a_moment_ago_is_taken_back_at_once(seat: Seat) -> None:
    tasks = [small(seat, name) for name in ("one", "two")]

    async def story(at: Player) -> None:
        at.app.clock = clock = Clock()
        await at.hit("r", "enter", "a")
        (approved,) = at.app.flow.approved
        assert at.app.pages[-1].task_id != approved
        clock.now += 1.0
        assert f"{approved} is back in review" in await at.press("u")

    play(seat.sit(), story)
    assert [seat.status(task) for task in tasks] == ["reviewing"] * 2


def test_words_that_were_kept_are_there_again_after_an_approval_was_taken_back(seat: Seat) -> None:
    task = small(seat, "one")

    async def story(at: Player) -> None:
        at.app.clock = clock = Clock()
        await at.hit("r", "r", *"the limit", "escape")
        clock.now += 1.0
        assert f"{task} approved" in await at.press("a")
        clock.now += 1.0
        await at.hit("u")
        assert seat.status(task) == "reviewing"
        await at.hit("r")
        clock.now += 1.0
        screen = await at.press("r")
        assert "REDO WITH FEEDBACK" in screen
        assert "the limit" in screen
        assert "kept from an earlier session" not in screen

    play(seat.sit(), story)
    assert seat.app.drafts.load(ALICE, task).draft.redo.text == "the limit"


def test_where_another_task_is_on_screen_it_is_named_and_asked_about_first(seat: Seat) -> None:
    tasks = [small(seat, name) for name in ("one", "two", "three")]

    async def story(at: Player) -> None:
        at.app.clock = clock = Clock()
        await at.hit("r", "enter", "a")
        (approved,) = at.app.flow.approved
        here = at.app.pages[-1].task_id
        assert here != approved
        clock.now += 1.0
        at.app.acted_at[approved] -= 120
        words = f"U again takes back {approved} (approved 2 min ago)"
        assert words in await at.press("u")
        assert seat.status(approved) == "approved"
        assert f"{words} · Esc · U was ignored: pause a moment" in " ".join((await at.press("u")).split())
        assert words not in await at.press("escape")
        assert at.app.pages[-1].task_id == here
        clock.now += 1.0
        await at.hit("u")
        clock.now += 1.0
        assert f"{approved} is back in review" in await at.press("u")

    play(seat.sit(), story)
    assert [seat.status(task) for task in tasks] == ["reviewing"] * 3


def test_an_approval_that_cannot_be_taken_back_any_more_does_not_stand_before_the_others(seat: Seat) -> None:
    first, second = small(seat, "one"), small(seat, "two")

    async def story(at: Player) -> None:
        at.app.clock = clock = Clock()
        await at.hit("r", "a")
        clock.now += 1.0
        await at.hit("enter")
        older, newest = at.app.flow.approved
        seat.app.feedback.redo(ALICE, newest, "once more")
        clock.now += 1.0
        screen = await at.press("u")
        assert newest in screen
        assert "T2" in screen
        clock.now += 1.0
        assert f"{older} is back in review" in await at.press("escape", "u")

    play(seat.sit(), story)
    assert sorted(seat.status(task) for task in (first, second)) == ["open", "reviewing"]
