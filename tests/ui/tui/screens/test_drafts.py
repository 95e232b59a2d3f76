"""The page of drafts: what was begun about work that others decided meanwhile can be read, and discarded."""

from __future__ import annotations

from foureyes.app.results.draft import CommentDraft, Draft, RedoDraft
from foureyes.ui.tui.actions import Actions
from foureyes.ui.tui.screens.drafts import DraftsPage

from tests.ui.tui.stage import ALICE, BOB, Clock, Player, Seat, play


def left_behind(seat: Seat, title: str = "Add login") -> str:
    """A task that somebody has words about, and that another one decided."""
    task = seat.deliver(title, checked=False)
    note = CommentDraft(path="src/login.py", line=1, quote="def login():", text="why so?")
    seat.app.drafts.save(ALICE, Draft(task=task, redo=RedoDraft(text="the \x1b[31mlimit"), comments=(note,)))
    seat.app.drafts.release(ALICE, task)
    seat.app.feedback.reject(BOB, task, "not wanted")
    return task


def test_a_draft_about_what_others_decided_is_named_read_and_discarded(seat: Seat) -> None:
    task = left_behind(seat)

    async def story(at: Player) -> None:
        at.app.clock = clock = Clock()
        assert f"your draft about {task} was not sent" in " ".join((await at.until("your draft")).split())
        screen = await at.press("left", "left", "enter")
        assert "R your draft" in screen
        screen = await at.press("r")
        assert isinstance(at.app.screen, DraftsPage)
        for words in ("DRAFTS (1)", "redo, 1 comment", "blocked: cannot be sent", "the ␛[31mlimit", "why so?",
                      "src/login.py:1"):  # fmt: skip
            assert words in screen, words
        for _ in range(5):  # a key that is held down answers nothing
            clock.now += 0.03
            assert "Delete again" in await at.press("delete")
        assert seat.app.drafts.load(ALICE, task).draft.redo.text
        clock.now += 1.0
        assert f"the draft about {task} is gone" in await at.press("delete")
        assert "You have begun nothing" in at.screen
        assert "your draft" not in await at.press("escape")

    play(seat.sit(), story)
    assert not seat.app.drafts.load(ALICE, task).there


def test_the_palette_of_the_board_opens_the_drafts(seat: Seat) -> None:
    left_behind(seat)

    async def story(at: Player) -> None:
        (act,) = [act for name, act, _ in Actions(at.app.screen)._all() if name.startswith("your drafts")]
        act()
        assert "DRAFTS (1)" in await at.settle()
        assert "TASK" in await at.press("enter")

    play(seat.sit(), story)
