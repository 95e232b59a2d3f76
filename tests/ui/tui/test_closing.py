"""The end of a review: the closing line, what came meanwhile, and one gentle word about what was not read."""

from __future__ import annotations

import pytest

from foureyes.app.results.review import NOT_VIEWED, ViewReport
from foureyes.ui.tui import closing
from foureyes.ui.tui.closing import HINT_AFTER, Unread
from foureyes.ui.tui.screens.task import TaskPage

from tests.ui.tui.stage import Player, Seat, play


def test_high_risk_that_was_approved_unread_is_said_once_and_only_then() -> None:
    unread = Unread()
    for number in range(HINT_AFTER):
        assert unread.hint() == ""
        unread.approved(f"fe-{number}", NOT_VIEWED, close=True)
        unread.approved(f"fe-r{number}", ViewReport(face="tui", shown=("a",)), close=True)
        unread.approved(f"fe-l{number}", NOT_VIEWED, close=False)
    unread.taken_back("fe-0")
    assert unread.hint() == ""
    unread.approved("fe-0", NOT_VIEWED, close=True)
    assert unread.hint() == "5 high-risk changes approved unread: fe-1, fe-2, fe-3, fe-4, fe-0"
    assert unread.hint() == ""


def test_who_came_meanwhile_stands_in_the_closing_line_and_R_begins_with_them(seat: Seat) -> None:
    seat.deliver("Add login")
    seat.deliver("Add logout")

    async def story(at: Player) -> None:
        await at.hit("r", "enter", "r", *"no", "ctrl+s")
        assert isinstance(at.app.screen, TaskPage)
        assert at.app._watch is not None
        at.app._watch.pause()
        seat.deliver("Add search")
        seat.deliver("Add paging")
        screen = await at.press("x", *"no", "ctrl+s")
        assert "2 decided in" in screen
        assert ": 1 redo, 1 rejected · 2 others wait [R] · Esc board" in " ".join(screen.split())
        await at.hit("r")
        assert {row.task for row in at.app.flow.rows} == {row.id for row in seat.rows("reviewing")}
        assert "REVIEW SUMMARY" in at.screen
        assert "R begins again when all is decided" in await at.press("r")

    play(seat.sit(), story)


def test_unread_approvals_of_high_risk_end_with_a_word_about_it(seat: Seat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closing, "HINT_AFTER", 2)
    for n in range(2):
        seat.deliver(f"Add part {n}", {f"poetry{n}.lock": "a = 1\n"})

    async def story(at: Player) -> str:
        at.app.clock = lambda: at.app.time  # type: ignore[attr-defined]
        at.app.time = 100.0  # type: ignore[attr-defined]
        await at.hit("r", "enter")
        while at.app.flow.left:  # where hunks are unseen the second press answers the question about them
            at.app.time += 10.0  # type: ignore[attr-defined]
            await at.hit("a")
        return at.screen

    screen = " ".join(play(seat.sit(), story).split())
    assert "2 decided" in screen
    assert "2 high-risk changes approved unread:" in screen
