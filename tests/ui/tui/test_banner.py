"""Banners: what became of a change while it was looked at is a kind, said in words, and reversed on screen."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from rich.style import Style

from foureyes.config.own_settings import THEMES
from foureyes.ui.tui.banner import STALE, banner_of, rebased, stale_of
from foureyes.ui.tui.marks import PALETTES
from foureyes.ui.tui.screens.diff import DiffPage
from foureyes.ui.tui.screens.redo import RedoPage
from foureyes.ui.tui.screens.refusal import RefusalPage
from foureyes.ui.tui.screens.task import TaskPage

from tests.ui.tui.stage import ALICE, BOB, Player, Seat, play


def go_on(seat: Seat, task: str) -> None:
    """A commit on the task's branch that is not submitted."""
    seat.checkout.git("switch", "-q", f"fe/{task}")
    seat.checkout.write("src/more.py", "MORE = 1\n")
    seat.checkout.git("add", "-A")
    seat.checkout.git("commit", "-q", "-m", "more")
    seat.checkout.git("switch", "-q", "main")


def test_a_change_that_still_waits_has_no_banner_and_each_end_has_its_kind(seat: Seat) -> None:
    task = seat.deliver("Add login")
    detail = seat.app.lists.show(ALICE, task)
    seen = detail.attempts[-1]
    assert banner_of(detail, seen.n) is None
    assert not rebased(detail, seen.n)
    again = replace(detail, attempts=[seen, replace(seen, n=2, relation="trivial_rebase")])
    assert rebased(again, seen.n).startswith("REBASED")
    assert banner_of(again, seen.n) is None
    alike = replace(detail, attempts=[seen, replace(seen, n=2, relation="rework")])
    assert not rebased(alike, seen.n), "the same diff id alone is not the same change (A3)"
    go_on(seat, task)
    stale = seat.app.lists.show(ALICE, task)
    assert banner_of(stale, seen.n) is STALE is stale_of(stale)
    seat.app.feedback.redo(BOB, task, "once more")
    decided = banner_of(seat.app.lists.show(ALICE, task), seen.n)
    assert decided is not None
    assert (decided.kind, "redo" in decided.words) == ("decided", True)
    seat.work(task, {"src/add_login.py": "def add_login():\n    return 2\n"})
    moved = banner_of(seat.app.lists.show(ALICE, task), seen.n)
    assert moved is not None
    assert (moved.kind, moved.keys) == ("moved", "F5 compare 1→2")


@pytest.mark.parametrize("opened", ["before", "after"])
def test_a_stale_branch_is_said_reversed_and_R_asks_to_submit_again_D4(seat: Seat, opened: str) -> None:
    task = seat.deliver("Add login")

    async def story(at: Player) -> None:
        if opened == "before":
            go_on(seat, task)
        await at.hit("r")
        if opened == "after":
            go_on(seat, task)
            seat.app.notes.log(BOB, task, "look here")
            await at.until("STALE")
        page = at.app.screen
        assert isinstance(page, TaskPage)
        assert page.banner is STALE
        assert "STALE    the branch has commits that were not submitted (D4)" in at.screen
        (span,) = [span for span in page.top._shown.spans if "STALE" in page.top._shown.plain[span.start : span.end]]
        assert span.style == PALETTES["default"]["banner"]
        if opened == "before":
            await at.hit("a")
            assert isinstance(at.app.screen, RefusalPage)
            await at.hit("escape")
        await at.hit("f5", "d")
        assert isinstance(at.app.screen, DiffPage)
        assert "STALE" in at.screen
        await at.hit("r")
        assert isinstance(at.app.screen, RedoPage)
        await at.hit(*"submit", "ctrl+s")

    play(seat.sit(), story)
    assert [row.text for row in seat.app.lists.show(BOB, task).feedback] == ["submit"]


def test_a_banner_is_reversed_in_every_theme() -> None:
    for theme in THEMES:
        style: Style = PALETTES[theme]["banner"]
        assert style.reverse or style.bgcolor is not None
