"""Acceptance checks of the terminal app that need no real terminal."""

from __future__ import annotations

from foureyes.ui.tui.screens.batch import BatchPage
from foureyes.ui.tui.screens.summary import SummaryPage

from tests.ui.tui.stage import ALICE, BOB, CLAUDE, CODEX, Clock, Player, Seat, play, small_work

WORDS = "The limit is written in the code; see chapter 4."


def test_six_are_decided_with_keys_alone_and_the_counts_are_those_of_the_list(seat: Seat) -> None:
    tasks = [seat.deliver(f"Add part {number}") for number in range(6)]
    sent: list[str] = []

    async def story(at: Player) -> None:
        at.app.clock = clock = Clock()

        async def press(*keys: str) -> str:
            for key in keys:
                clock.now += 1.0
                await at.hit(key)
            return at.screen

        await press("r", "enter", "a")
        sent.append(at.app.flow.task)
        await press("r", "1", *WORDS, "ctrl+s", "x", *"not now", "ctrl+s")
        screen = await press("a", "a", "a")
        assert isinstance(at.app.screen, SummaryPage)
        assert "4 approved, 1 redo, 1 rejected · Esc board" in screen
        assert "6 decided · 0 left" in screen

    play(seat.sit(), story)
    counted = {status: len(seat.rows(status)) for status in ("approved", "open", "blocked", "reviewing")}
    assert counted == {"approved": 4, "open": 1, "blocked": 1, "reviewing": 0}
    assert len(tasks) == 6
    seat.app.claims.start(CLAUDE, sent[0])
    prompt = seat.app.prompts.text(CLAUDE, sent[0], "implement")
    assert f"> {WORDS}" in prompt
    assert "- Tests incomplete" in prompt


def colours(at: Player) -> set[tuple[int, ...]]:
    """The colours on screen that are no grey."""
    segments = [segment for strip in at.app.screen._compositor.render_strips() for segment in strip]
    styles = [segment.style for segment in segments if segment.style is not None]
    inks = [ink.get_truecolor() for style in styles for ink in (style.color, style.bgcolor) if ink is not None]
    return {tuple(ink) for ink in inks if len(set(ink)) > 1}


def routine(seat: Seat, number: int) -> str:
    return seat.deliver(f"Add part {number}", small_work(str(number)))


def test_of_twelve_eight_can_be_approved_in_one_go_but_no_risky_one_H2(seat: Seat) -> None:
    parts = [routine(seat, number) for number in range(7)]
    risky = seat.deliver("Move the deployment", {"Dockerfile": "FROM scratch\n", "tests/test_it.py": "y = 1\n"})
    others = [seat.deliver(f"Unchecked {number}", checked=False) for number in range(4)]

    async def story(at: Player) -> None:
        at.app.clock = clock = Clock()
        assert "Auto-approvable: 8    Need attention: 4" in await at.press("r")
        await at.hit("a")
        page = at.app.screen
        assert isinstance(page, BatchPage)
        assert [row.ticked for row in page.list if row.row.task == risky] == [False]
        clock.now += 1.0
        screen = await at.press("enter")
        assert "7 approved, 1 left (1 not ticked)" in " ".join(screen.split())

    play(seat.sit(), story)
    assert [seat.kinds(task).count("Approved") for task in parts] == [1] * 7
    assert {seat.status(task) for task in (risky, *others)} == {"reviewing"}


def test_without_colours_and_unicode_every_state_on_board_summary_and_diff_can_be_told_apart(seat: Seat) -> None:
    coloured = {"src/watched.py": "def watched():\n    return '\x1b[31m'\n"}
    watched = seat.deliver("Watched and \u202e turned", coloured, labels=["security"])
    red = seat.deliver("Red", {"src/red.py": "RED = 1\n"}, via=ALICE)
    unchecked = seat.deliver("Unchecked", checked=False)
    taken = seat.create("Taken")
    seat.app.claims.start(CODEX, taken)

    def line(screen: str, task: str) -> str:
        return next(line for line in screen.splitlines() if task in line)

    async def story(at: Player) -> None:
        board = at.screen
        summary = await at.press("r")
        for screen in (board, summary):
            assert "++" in line(screen, watched)
            assert "x+" in line(screen, red)
            assert "--" in line(screen, unchecked)
            assert "<U+202E>" in screen
        assert "P" in line(board, watched).split()[0]
        assert [line(board, task).split()[1] for task in (red, unchecked)] == ["!!", "!"]
        assert "!! LOOK CLOSELY (2)" in summary
        assert "! LOOK (1)" in summary
        diff = await at.press("d")
        assert "2 + " in diff
        for screen in (board, summary, diff):
            assert [line for line in screen.splitlines() if not line.isascii()] == []
        assert colours(at) == set()

    play(seat.sit(FOUREYES_ASCII="1", NO_COLOR="1"), story)
    assert seat.app.lists.show(BOB, watched).task.status == "reviewing"
