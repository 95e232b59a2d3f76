"""What broke in the review screens of others, each tried here in the app that is used."""

from __future__ import annotations

from foureyes.ui.tui.screens.board import BoardPage
from foureyes.ui.tui.screens.redo import RedoPage
from foureyes.ui.tui.screens.refusal import RefusalPage
from foureyes.ui.tui.screens.summary import SummaryPage

from tests.ui.tui.stage import ALICE, BOB, CI, CLAUDE, Clock, Player, Seat, play


def test_a_person_who_is_refused_sees_every_reason_and_what_to_do(seat: Seat) -> None:
    task = seat.deliver("Add login", {"src/login.py": "RED = 1\n"}, actor=ALICE)

    async def story(at: Player) -> None:
        assert "[A] Why not?" in await at.press("r")
        screen = await at.press("a")
        assert isinstance(at.app.screen, RefusalPage)
        for words in ("NOT DONE: 2 reasons", "P2", "D5", "next  1", "Nothing was changed."):
            assert words in screen

    play(seat.sit(), story)
    assert seat.status(task) == "reviewing"
    assert "Approved" not in seat.kinds(task)


def test_a_redo_that_was_opened_can_be_sent(seat: Seat) -> None:
    task = seat.deliver("Add login", checked=False)

    async def story(at: Player) -> None:
        await at.hit("r", "r")
        assert isinstance(at.app.screen, RedoPage)
        await at.hit("1", "enter")
        assert isinstance(at.app.screen, BoardPage)

    play(seat.sit(), story)
    assert seat.status(task) == "open"
    seat.app.claims.start(CLAUDE, task)
    assert "- Tests incomplete" in seat.app.prompts.text(CLAUDE, task, "implement")


def test_after_the_last_one_of_the_list_and_the_last_one_of_all_no_empty_page_stays(seat: Seat) -> None:
    tasks = [seat.deliver(title) for title in ("Add login", "Add logout")]

    async def story(at: Player) -> None:
        at.app.clock = clock = Clock()
        await at.hit("r", "2", "a")
        assert "[1/2]" in at.screen, "the one that is left, though it stands before"
        clock.now += 1.0
        await at.hit("a")
        assert isinstance(at.app.screen, SummaryPage)
        assert ": 2 approved · Esc board" in at.screen
        await at.hit("enter")
        assert "U take it back" in at.screen
        assert "WHY YOU" in at.screen
        await at.hit("escape", "escape", "r")
        assert isinstance(at.app.screen, BoardPage)
        assert "Nothing waits for you" in at.screen

    play(seat.sit(), story)
    assert [seat.status(task) for task in tasks] == ["approved", "approved"]


def test_what_was_approved_by_the_rule_leaves_the_list_of_what_waits(seat: Seat) -> None:
    task = seat.deliver("Fix a typo", labels=["review:auto"], checked=False)
    others = [seat.deliver(title, checked=False) for title in ("Add login", "Add logout")]

    async def story(at: Player) -> None:
        assert "3 tasks" in await at.press("r")
        seat.app.checks.run(CI, task)
        assert seat.status(task) == "approved"
        at.app.look_around()
        assert "decided elsewhere" in await at.settle()
        await at.hit("f5", "escape")
        assert "Reviewing 2" in await at.settle()
        assert "2 tasks" in await at.press("r")
        assert task not in at.screen

    play(seat.sit(), story)
    assert {row.task for row in seat.app.queue.view(BOB).rows} == set(others)


def test_a_feedback_file_that_cannot_be_read_is_kept_and_said(seat: Seat) -> None:
    task = seat.deliver("Add login", checked=False)
    path = seat.root / ".foureyes" / "feedback" / f"{task}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text("{half a file")

    async def story(at: Player) -> None:
        screen = " ".join((await at.press("r", "r", "1", "enter")).split())
        assert f"{task}.json was unreadable. It was kept as {task}.json.bad-1" in screen

    play(seat.sit(), story)
    assert path.with_name(f"{task}.json.bad-1").read_text() == "{half a file"
    assert "Tests incomplete" in path.read_text()


def test_a_draft_that_cannot_be_read_is_kept_and_said(seat: Seat) -> None:
    task = seat.deliver("Add login", checked=False)

    async def write(at: Player) -> None:
        await at.hit("r", "r", *"half", "ctrl+q")

    async def read(at: Player) -> None:
        assert f"{task}.json.bad-1" in "".join((await at.settle()).split())

    play(seat.sit(), write)
    (path,) = (seat.root / ".foureyes").rglob(f"drafts/**/{task}.json")
    path.write_text("{half a file")
    play(seat.sit(), read)
    assert [each.read_text() for each in path.parent.glob(f"{task}.json.bad-*")] == ["{half a file"]


def test_r_p_and_a_mean_one_thing_each_where_the_reader_is(seat: Seat) -> None:
    tasks = [seat.deliver(title) for title in ("Add login", "Add logout")]

    async def story(at: Player) -> None:
        await at.hit("p", "a")
        assert isinstance(at.app.screen, BoardPage), "on the board neither does anything"
        await at.hit("r", "r", "p")
        assert isinstance(at.app.screen, SummaryPage), "R opened the review; in it neither R nor P does anything"
        await at.hit("2", "p")
        assert "[1/2]" in at.screen
        await at.hit("r", "x", *"Rpa")
        form = at.app.screen
        assert isinstance(form, RedoPage)
        assert form.text_part.text == "xRpa", "in a text they are letters"

    play(seat.sit(), story)
    assert [seat.status(task) for task in tasks] == ["reviewing", "reviewing"]
