"""The form of a new task: what was typed outlives the app, however it ends, until it is planned."""

from __future__ import annotations

import stat

import pytest

from foureyes.app.results.draft import NewTaskDraft
from foureyes.app.review.drafts import NEW_TASK
from foureyes.ui.tui.screens import new_task
from foureyes.ui.tui.screens.form import PAUSE_SECONDS
from foureyes.ui.tui.screens.new_task import NewTaskPage

from tests.ui.tui.stage import ALICE, BOB, Clock, Player, Seat, held, play


def form_of(at: Player) -> NewTaskPage:
    page = at.app.screen
    assert isinstance(page, NewTaskPage)
    return page


def kept(seat: Seat) -> NewTaskDraft:
    return seat.app.drafts.new_task(ALICE, hold=False).draft


async def until_kept(at: Player, seat: Seat, draft: NewTaskDraft) -> None:
    for _ in range(400):
        await at.pilot.pause(0.05)
        if kept(seat) == draft:
            return
    raise AssertionError(kept(seat))


def test_what_was_typed_is_kept_after_a_pause_though_the_app_is_killed(
    seat: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(new_task, "PAUSE_SECONDS", 0.05)
    draft = NewTaskDraft(title="Add 2 limits", labels="docs", description="a\nb")

    async def story(at: Player) -> None:
        await at.hit("n", *"Add 2 limits", "tab", *"docs", "tab", "tab", "a", "enter", "b")
        await until_kept(at, seat, draft)

    play(seat.sit(), story)
    assert PAUSE_SECONDS < 1
    (file,) = (seat.root / ".foureyes" / "drafts").glob(f"*/{NEW_TASK}.json")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not kept_by(seat, BOB).has_words


def kept_by(seat: Seat, actor: object) -> NewTaskDraft:
    return seat.app.drafts.new_task(actor, hold=False).draft  # type: ignore[arg-type]


def test_it_comes_back_after_quitting_goes_on_at_its_end_and_is_gone_when_it_is_planned(seat: Seat) -> None:
    async def first(at: Player) -> None:
        await at.hit("n", *"Add lim")
        await at.pilot.press("ctrl+q")

    async def second(at: Player) -> None:
        assert "a new task is half written.  N continues" in at.screen
        await at.hit("n", *"its")
        assert form_of(at).values()["title"] == "Add limits"
        await at.hit("escape", "n", "tab", *"docs", "enter")
        assert not at.app.new_task.has_words
        await at.hit("n")
        assert set(form_of(at).values().values()) == {""}

    play(seat.sit(), first)
    assert kept(seat).title == "Add lim"
    play(seat.sit(), second)
    (task,) = seat.rows("open")
    assert (task.title, list(task.labels)) == ("Add limits", ["docs"])
    assert not kept(seat).has_words


def test_what_is_typed_while_the_draft_is_read_goes_on_at_its_end(seat: Seat) -> None:
    seat.app.drafts.save_new_task(ALICE, NewTaskDraft(title="Add lim"))
    seat.app.drafts.release_new_task(ALICE)

    async def story(at: Player) -> str:
        with held(at.app):
            await at.burst("n", *"its")
        await at.settle()
        return form_of(at).values()["title"]

    assert play(seat.sit(), story) == "Add limits"


def test_a_second_window_writes_a_task_of_its_own_and_leaves_the_draft_alone(seat: Seat) -> None:
    seat.app.drafts.save_new_task(ALICE, NewTaskDraft(title="Mine"))

    async def story(at: Player) -> None:
        screen = await at.press("n", *"Other")
        assert "has a new task open too" in screen
        await at.hit("escape", "n")
        assert form_of(at).values()["title"] == "Other"
        await at.hit("enter")

    play(seat.sit(), story)
    assert [row.title for row in seat.rows("open")] == ["Other"]
    assert kept(seat).title == "Mine"


def test_the_key_line_says_what_plans_from_where_the_keys_are_and_which_part_that_is(seat: Seat) -> None:
    async def story(at: Player) -> None:
        screen = await at.press("n")
        assert "Enter plan it" in screen
        assert "Enter or Ctrl+S plans it" in screen
        (here,) = [line for line in screen.splitlines() if "═" in line]
        assert here.startswith(" ══ Title ═")
        screen = await at.press("x", "tab", "tab", "tab", "enter")
        assert "Enter plan it" not in screen
        assert "Ctrl+S plan it" in screen
        assert "Enter begins a line" in screen
        (here,) = [line for line in screen.splitlines() if "═" in line]
        assert here.startswith(" ══ Description ═")
        assert "Enter plan it" in await at.press("shift+tab")
        await at.hit("tab", "ctrl+s")

    play(seat.sit(), story)
    assert [row.title for row in seat.rows("open")] == ["x"]


def test_a_draft_is_thrown_away_by_the_same_key_twice_and_by_no_other(seat: Seat) -> None:
    async def story(at: Player) -> None:
        at.app.clock = clock = Clock()
        assert "nothing to discard" in await at.press("n", "ctrl+t")
        assert "discard what you wrote" in await at.press(*"Fast", "ctrl+t")
        await at.hit("x")
        clock.now += 1.0
        assert "discard what you wrote" in await at.press("ctrl+t"), "who types on has answered no"
        clock.now += 1.0
        assert "the draft of a new task is gone" in await at.press("ctrl+t")
        assert "Fast" not in await at.press("n")
        assert not kept(seat).has_words

    play(seat.sit(), story)
