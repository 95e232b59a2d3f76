"""The diff page: read with one key, seen hunks measured, comments, comparisons, and decisions from it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping

import pytest

from foureyes.core.nouns.finding import ReportedFinding
from foureyes.ui.tui import review_session as review
from foureyes.ui.tui.keys import bound
from foureyes.ui.tui.screens import sheet
from foureyes.ui.tui.screens.diff import DiffPage
from foureyes.ui.tui.screens.sheet import Sheet

from tests.ui.tui.stage import ALICE, BOB, CLAUDE, CODE, CODEX, LARGE, PATIENCE, Clock, Player, Seat, play

TWICE = CODE.replace("return 5\n", "return 55\n").replace("return 20\n", "return 2020  \n")
LOGIN = "".join(f"\tline {number}\n" for number in range(40))
FILES = {"src/steps.py": TWICE, "src/login.py": LOGIN, "go.sum": "locked\n" * 30}


async def open_diff(player: Player, *tasks: str) -> DiffPage:
    """The diff of the first of some tasks."""
    app = player.app
    app.clock = Clock()
    app.go(review.step(review.look(review.start(app.flow, tasks), tasks[0]), "diff"))
    await player.settle()
    page = app.screen
    assert isinstance(page, DiffPage)
    return page


async def read_slowly(player: Player, *keys: str) -> str:
    """Press keys, with a second to read before each."""
    screen = ""
    for key in keys:
        player.app.clock.now += 1.0  # type: ignore[attr-defined]
        screen = await player.press(key)
    return screen


def test_space_reads_on_counts_what_was_shown_and_approves_at_the_end_H4(seat: Seat) -> None:
    task = seat.deliver(files=FILES)

    async def story(player: Player) -> None:
        page = await open_diff(player, task)
        assert "src/login.py (1/3)" in player.screen
        assert "it 1 vs base" in player.screen
        assert "unseen 4/4" in player.screen
        assert "    1 + →   line 0" in player.screen  # tabs of a changed line can be seen
        await player.hit("space", "space")
        assert "unseen 4/4" in player.screen  # too fast to have read anything
        await player.hit("home")
        screen = ""
        for _ in range(12):
            if "folded files" not in screen:
                screen = await read_slowly(player, "space")
        assert "the end: 1 of 4 hunks are in folded files" in screen
        assert "unseen 1/4" in screen
        assert "return 2020··" in screen  # so can blanks at its end
        assert "generated or a lock file: 1 hunk, 30 changed lines" in screen
        screen = await read_slowly(player, "end", "enter", "space", "space", "space")
        assert "unseen 0/4" in screen
        assert "all 4 hunks seen · A approve  R redo  X reject" in screen
        assert page.looking.unseen == 0
        screen = await player.press("a")
        assert not isinstance(player.app.screen, DiffPage)

    play(seat.sit(), story)
    assert seat.status(task) == "approved"
    look = seat.app.lists.show(BOB, task).approvals[0].viewed
    assert look.face == "tui"
    assert look.words == "4/4 hunks shown"
    assert look.seconds == 9  # one before each key of a slow reader


def test_comments_are_drafts_that_a_redo_sends_and_that_hold_an_approval_up_D2(seat: Seat) -> None:
    task = seat.deliver(files={"src/steps.py": TWICE})

    async def story(player: Player) -> None:
        page = await open_diff(player, task)
        await player.hit("]", "down", "down", "down", "down", "c", *"why 5?", "tab", "3", "enter")
        assert "┃ you: why 5?" in player.screen
        assert "HIGH, draft, not sent" in player.screen
        assert "R redo (1 comment)" in player.screen
        assert page.looking.comments[0].place == "src/steps.py:22"
        screen = await player.press("a")
        assert "your own comment blocks this (D2): lower it to a note, or R" in screen
        assert seat.status(task) == "reviewing"
        await player.hit("down", "enter", "tab", "1", "enter")  # the comment under the cursor is changed
        assert page.looking.comments[0].weight == "note"
        await player.hit("end", "up", "up", "v", "up", "c", *"both", "tab", "tab", *"mend them", "enter")
        assert page.looking.comments[1].last == page.looking.comments[1].line + 1
        assert page.looking.comments[1].fix == "mend them"
        assert seat.app.drafts.load(ALICE, task).draft.comments[1].text == "both"
        await player.hit("r", "ctrl+s")
        assert not isinstance(player.app.screen, DiffPage)

    play(seat.sit(), story)
    assert seat.status(task) == "open"
    findings = seat.app.findings.listed(task)
    assert [(each.title, each.severity, each.location.line) for each in findings][:1] == [("why 5?", "LOW", 22)]
    assert findings[1].fix == "mend them"


def test_the_screen_stays_while_the_change_moves_until_f5_compares(seat: Seat) -> None:
    task = seat.deliver(files={"src/steps.py": TWICE})

    async def story(player: Player) -> None:
        page = await open_diff(player, task)
        await player.hit("]", "down", "down", "down", "down", "down", "c", *"keep me", "enter")
        await player.hit("end", "up", "up", "up", "c", *"lose me", "enter")
        assert [comment.quote for comment in page.looking.comments] == ["    return 55", "    return 2020  "]
        seat.app.feedback.redo(BOB, task, "again")
        once = CODE.replace("return 0\n", "return 100\n").replace("return 5\n", "return 55\n")
        seat.work(task, {"src/steps.py": once})
        page.changed(0)
        screen = await player.settle()
        assert "MOVED    iteration 2 was submitted" in screen
        assert "You see iteration 1. F5 compare 1→2" in " ".join(screen.split())
        assert "return 2020" in screen
        for key in ("a", "r", "x"):
            screen = await player.press(key)
            assert isinstance(player.app.screen, DiffPage)
        assert seat.status(task) == "reviewing"
        screen = await player.press("f5")
        assert "MOVED" not in screen
        assert "it 2 vs it 1" in screen
        assert "what changed since you looked" in screen
        assert "return 100" in screen
        assert [comment.lost for comment in page.looking.comments] == [False, True]
        screen = await player.press("end")
        assert "not at a line of this change" in screen
        assert "you: lose me (was src/steps.py:82)" in screen
        screen = await player.press("i")
        assert "it 2 vs base" in screen
        screen = await player.press("i")
        assert "it 2 vs it 1" in screen

    play(seat.sit(), story)


def test_wide_screens_have_the_files_beside_and_the_sides_beside_each_other(seat: Seat) -> None:
    files = {**FILES, "img.bin": "\0\1\2", "src/long.py": "x = '" + "y" * 200 + "end'\n"}
    task = seat.deliver(files=files)
    seat.app.findings.add(
        CODEX, task, ReportedFinding(severity="HIGH", title="Five", path="src/steps.py", line=22, why="bad")
    )
    other = seat.deliver("Another thing")

    async def story(player: Player) -> None:
        page = await open_diff(player, task, other)
        screen = player.screen
        assert "○ src/login.py" in screen
        assert "binary, 0 bytes → 3 bytes" in screen
        screen = await player.press("s", ".")
        assert "▲ TL-" in screen
        assert "1▲" in screen
        left, right = next(line for line in screen.splitlines() if "return 55" in line).rsplit("│", 1)
        assert "22 -     return 5" in left
        assert "22 +     return 55" in right
        screen = await player.press("s", "tab", "home", "down")
        assert "src/login.py (2/5)" in screen
        await player.hit("enter", "m")
        assert page.looking.unseen_in(page.reading_now.change.files[1]) == 0
        assert page.looking.marked
        assert "●" in player.screen
        screen = await player.press("/", *"2020")
        assert "return 2020··" in screen
        await player.hit("escape")
        screen = await player.press("/", *"zzz")
        await player.hit("escape", "}", "{", "[")
        page.canvas.go(page.reading_now.rows.search("yyy")[0])
        assert "end'" not in player.screen
        for _ in range(20):
            page.press("right")
        await player.settle()
        assert "end'" in player.screen
        await player.hit("left")
        screen = await player.press("z")
        assert "10 lines around each change" in screen
        screen = await player.press("d")
        assert "no pager" in screen
        screen = await player.press("w")
        assert f"WHY {task}" in screen
        await player.hit("escape")
        screen = await player.press("n")
        assert f"DIFF {other}" in screen
        screen = await player.press("n")
        assert "last of 2" in screen
        screen = await player.press("p")
        assert f"DIFF {task}" in screen

    play(seat.sit(), story, LARGE)


def test_a_note_without_code_is_shown_in_full_and_a_change_that_git_lost_is_a_sentence(seat: Seat) -> None:
    task = seat.create("Decide")
    seat.app.claims.start(CLAUDE, task)
    seat.app.attempts.submit(CLAUDE, task, no_code=True, message="We stay with the old limit.\nSee the minutes.")
    lost = seat.deliver("Lost")

    async def story(player: Player) -> None:
        await open_diff(player, task)
        assert "No code: submitted as a note." in player.screen
        assert "See the minutes." in player.screen
        await player.hit("escape")
        for place in (seat.root / ".git" / "objects").glob("??"):
            shutil.rmtree(place)
        await open_diff(player, lost)
        assert f"DIFF {lost}" in player.screen
        screen = await player.press("a")
        assert "nothing is shown here that could be approved" in screen

    play(seat.sit(), story)
    assert seat.status(lost) == "reviewing"


def test_a_high_risk_that_was_not_read_asks_once_and_the_answer_is_on_record_D8_H5(seat: Seat) -> None:
    task = seat.deliver(files={"src/steps.py": TWICE}, labels=["security"])
    other = seat.deliver("Another thing")

    async def story(player: Player) -> None:
        await player.hit("r")
        await open_diff(player, task, other)
        screen = await player.press("a")
        assert "2 of 2 hunks not shown (steps.py). A approve anyway · Space read them · Esc" in screen
        assert seat.status(task) == "reviewing"
        screen = await player.press("escape")
        assert isinstance(player.app.screen, DiffPage)
        screen = await player.press("a", "a", "a")  # a key that is held answers nothing
        assert "A approve anyway · Space read them · Esc · A was ignored: pause a moment" in " ".join(screen.split())
        assert seat.status(task) == "reviewing"
        await read_slowly(player, "a")

    play(seat.sit(), story)
    look = seat.app.lists.show(BOB, task).approvals[0].viewed
    assert look.confirmed
    assert look.unseen  # one of two may have been on screen while the question was read


def test_a_comment_that_was_sent_is_not_half_written_because_its_sheet_goes_slowly(seat: Seat) -> None:
    task = seat.deliver(files={"src/steps.py": TWICE})

    async def story(player: Player) -> None:
        page = await open_diff(player, task)
        await player.hit("down", "down", "c", *"whole")
        sheet = player.app.screen
        assert isinstance(sheet, Sheet)
        send = sheet._done

        def send_and_look(given: Mapping[str, str]) -> None:
            send(given)
            sheet.tell_typed()  # as its clock does while it is still there

        sheet._done = send_and_look
        await player.hit("enter")
        assert [each.text for each in page.looking.comments] == ["whole"]
        assert page.looking.half == {}

    play(seat.sit(), story)


def test_a_comment_that_is_half_written_is_there_again_and_is_not_sent(seat: Seat) -> None:
    task = seat.deliver(files={"src/steps.py": TWICE})

    async def story(player: Player) -> None:
        page = await open_diff(player, task)
        screen = await player.press("down", "down", "down", "c", *"half a", "tab", "3", "escape")
        assert "draft about src/steps.py:" in screen
        assert page.looking.comments == []
        await player.hit("down", "c", *"else", "enter", "up")
        screen = await player.press("c")
        assert "half a" in screen
        assert "(*) HIGH, blocks" in screen
        await player.hit("end", *" word", "enter")
        assert [(each.text, each.weight) for each in page.looking.comments] == [
            ("else", "note"), ("half a word", "HIGH"),
        ]  # fmt: skip
        await player.hit("escape")
        assert page.looking.half == {}

    play(seat.sit(), story)


def test_a_comment_that_is_half_written_survives_the_end_of_the_app_and_is_read_before_it_is_sent(
    seat: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sheet, "PAUSE_SECONDS", 0.05)
    task = seat.deliver(files={"src/steps.py": TWICE})

    async def first(player: Player) -> None:
        await open_diff(player, task)
        await player.hit("down", "down", "down", "c", *"half a", "tab", "3")
        for _ in range(PATIENCE):
            if any(half.severity == "HIGH" for half in seat.app.drafts.load(ALICE, task).draft.half):
                return
            await player.pilot.pause(0.05)

    async def second(player: Player) -> None:
        page = await open_diff(player, task)
        assert "half written: a comment on src/steps.py:" in player.screen
        screen = await player.press("down", "down", "down", "c")
        assert "half a" in screen
        assert "kept from an earlier session: read it before you send it" in screen
        assert "(*) HIGH, blocks" in screen
        assert page.looking.comments == []
        await player.hit("end", *" word", "enter")
        assert [(each.text, each.weight) for each in page.looking.comments] == [("half a word", "HIGH")]

    for story in (first, second):
        play(seat.sit(), story)
    draft = seat.app.drafts.load(ALICE, task).draft
    assert (draft.half, draft.comments[0].text) == ((), "half a word")


def test_a_draft_that_another_window_has_open_is_not_written_and_stops_no_comment(seat: Seat) -> None:
    task = seat.deliver(files={"src/steps.py": TWICE})

    async def story(player: Player) -> None:
        page = await open_diff(player, task)
        assert seat.app.drafts.take(ALICE, task)
        await player.hit("]", "down", "c")
        assert "draft not saved: process" in player.screen
        await player.hit(*"mine", "enter")
        assert "┃ you: mine" in player.screen
        assert not seat.app.drafts.load(ALICE, task).there
        seat.app.drafts.release(ALICE, task)
        assert "not kept" not in await player.press("down", "c")
        await player.hit("end", *", too", "enter")
        assert [comment.text for comment in page.looking.comments] == ["mine, too"]
        assert seat.app.drafts.load(ALICE, task).draft.comments[0].text == "mine, too"

    play(seat.sit(), story)


def test_a_resize_keeps_the_line_and_what_comes_back_after_a_finding_too(seat: Seat) -> None:
    task = seat.deliver(files=FILES)
    seat.app.findings.add(
        CODEX, task, ReportedFinding(severity="HIGH", title="Five", path="src/steps.py", line=22, why="bad")
    )

    async def story(player: Player) -> None:
        await open_diff(player, task)
        screen = await player.press(".")
        assert "►     ▲ TL-" in screen
        for size in ((120, 40), (60, 16), (80, 24)):
            await player.pilot.resize_terminal(*size)
            screen = await player.settle()
            assert "►     ▲ TL-" in screen
        assert "══ FILES" not in screen
        await player.hit("enter", "escape")
        assert "►     ▲ TL-" in player.screen
        screen = await player.press("t")
        assert "══ FILES" in screen
        assert "►○ src/steps.py" in screen
        screen = await player.press("tab")
        assert "FILES" not in screen

    play(seat.sit(), story)


KEPT_OUT = {"ctrl+q", "ctrl+p", "a", "r", "x", "escape"}
"""They leave the page; each has a test of its own."""


def test_every_key_does_something_sensible_where_there_is_no_code(seat: Seat) -> None:
    note = seat.create("Decide")
    seat.app.claims.start(CLAUDE, note)
    seat.app.attempts.submit(CLAUDE, note, no_code=True, message="We stay.")
    planned = seat.create("Planned only")

    async def story(player: Player) -> None:
        for task in (note, planned):
            page = await open_diff(player, task)
            for key, row in bound("diff"):
                if key in KEPT_OUT:
                    continue
                screen = await player.press(key)
                assert "broke" not in screen, (task, key)
                if player.app.screen is not page:
                    await player.hit("escape")
                assert player.app.screen is page, (task, key, row.action)
            player.app.go(review.IDLE)

    play(seat.sit(), story)


def test_a_task_that_is_edited_under_the_diff_is_not_approved_until_f5_T6(seat: Seat) -> None:
    task = seat.deliver(files={"src/steps.py": TWICE})

    async def story(player: Player) -> None:
        page = await open_diff(player, task)
        seat.app.tasks.edit(BOB, task, title="Delete the archive", description="all of it")
        page.changed(0)
        screen = await player.settle()
        assert "CHANGED  something about this task is new.  F5 takes it in" in screen
        await player.hit("a")
        assert seat.status(task) == "reviewing"
        screen = await player.press("escape", "f5")
        assert "CHANGED" not in screen
        assert player.app.last_command == f"fe approve {task} --seen {page.reading_now.whole.seen}"
        await read_slowly(player, "a")

    play(seat.sit(), story)
    assert seat.status(task) == "approved"


def test_a_wide_line_that_flies_by_in_a_burst_is_not_seen_H4(seat: Seat) -> None:
    task = seat.deliver(files={"src/wide.py": "x = '" + "y" * 120 + " evil() " + "y" * 120 + " end'\nz = 1\n"})

    async def story(player: Player) -> None:
        page = await open_diff(player, task)
        await read_slowly(player, "right")
        await player.burst(*["right"] * 29)
        assert " end'" in await read_slowly(player, "right")
        await read_slowly(player, "left", "down")
        assert page.looking.unseen == 1, "the middle was never there to be read"
        for _ in range(32):
            await read_slowly(player, "left")
        assert page.painter is not None
        assert page.painter.shift == 0
        assert page.looking.unseen == 0

    play(seat.sit(), story)


def test_c_and_v_on_a_heading_are_about_the_first_line_below_it(seat: Seat) -> None:
    task = seat.deliver(files={"src/steps.py": TWICE, "go.sum": "locked\n" * 30})

    async def story(player: Player) -> None:
        page = await open_diff(player, task)
        assert page.canvas.at == 0
        screen = await player.press("c")  # the diff opens at the heading of its first file
        assert "COMMENT src/steps.py:19" in screen
        await player.hit(*"why?", "enter")
        assert page.looking.comments[0].place == "src/steps.py:19"
        await player.hit("]", "v")
        assert page.range_from is not None
        assert page.reading_now.rows.code_at(page.range_from) is not None
        await player.hit("escape", "end")  # a folded file has no line that a comment could be about
        assert "put the cursor on one" in await player.press("c")

    play(seat.sit(), story)


def test_a_range_is_marked_in_the_code_though_the_keys_were_in_the_files(seat: Seat) -> None:
    task = seat.deliver(files={"src/steps.py": TWICE, "src/login.py": LOGIN})

    async def story(player: Player) -> None:
        page = await open_diff(player, task)
        await player.hit("t", "v", "down")
        assert page.canvas.has_focus
        await player.hit("c", *"both", "enter")
        (comment,) = page.looking.comments
        assert comment.last == comment.line + 1

    play(seat.sit(), story, LARGE)


def test_a_search_ends_with_enter_and_stays_where_it_found_something(seat: Seat) -> None:
    task = seat.deliver(files={"src/steps.py": TWICE})

    async def story(player: Player) -> None:
        page = await open_diff(player, task)
        assert "text to find here" in await player.press("/")
        await player.hit(*"2020", "enter")
        assert player.app.screen is page
        found = page.canvas.at
        assert "2020" in player.screen
        await player.hit("down")  # a key of the diff again
        assert page.canvas.at == found + 1

    play(seat.sit(), story)


def test_scrolled_to_the_side_nothing_counts_whose_beginning_was_never_shown_H4(seat: Seat) -> None:
    task = seat.deliver(files={"src/short.py": "".join(f"z = {number}\n" for number in range(60))})

    async def story(player: Player) -> None:
        page = await open_diff(player, task)
        await player.hit(*["right"] * 8)
        for _ in range(8):
            await read_slowly(player, "pagedown")
        assert page.looking.unseen == 1

    play(seat.sit(), story)


def test_z_shows_more_lines_around_and_what_was_seen_stays_seen_H4(seat: Seat) -> None:
    task = seat.deliver(files={"src/steps.py": TWICE})

    async def story(player: Player) -> None:
        page = await open_diff(player, task)
        await player.hit("]")
        assert "def step_3" not in player.screen
        before = [place.hunk.id for place in page.reading_now.change.places]
        screen = await player.press("z")
        assert "10 lines around each change" in screen
        assert "def step_3" in screen
        assert [place.hunk.id for place in page.reading_now.change.places] == before
        await read_slowly(player, "home", "space", "space", "space", "space")
        assert page.looking.unseen == 0
        screen = await player.press("z", "z")
        assert "3 lines around each change" in screen
        assert "def step_3" not in screen
        assert "unseen 0/2" in screen

    play(seat.sit(), story)


def test_hidden_white_space_is_said_and_recorded_so_H4(seat: Seat) -> None:
    moved = CODE.replace("    return 5\n", "        return 5\n").replace("    return 20\n", "  return 21\n")
    task = seat.deliver(files={"src/steps.py": moved.replace("    return 19\n", "  return 19\n")})

    async def story(player: Player) -> None:
        page = await open_diff(player, task)
        assert "unseen 2/2" in player.screen
        assert "return 5" in player.screen
        page.do_whitespace()
        screen = await player.settle()
        assert "WHITESPACE HIDDEN (1 hunks)" in screen
        assert "whitespace is hidden: the record says so" in screen
        assert "step_5" not in screen
        assert "-     return 20" in screen
        assert "-     return 19" not in screen
        await read_slowly(player, "space", "space")
        assert "unseen 2/2" in player.screen
        assert len(page.looking.spaceless) == 1
        page.do_whitespace()
        assert "WHITESPACE" not in await player.settle()
        await player.hit("a", "a")

    play(seat.sit(BOB), story)
    look = seat.app.lists.show(BOB, task).approvals[0].viewed
    assert (look.hunks, look.shown, look.spaceless) == (2, 0, 1)
    assert look.words == "0/2 hunks shown, 1 with whitespace hidden"
