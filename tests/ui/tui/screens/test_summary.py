"""The review summary: a snapshot by risk whose numbers stay, whatever others do."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from foureyes.app.results.review import QueueRow, QueueView
from foureyes.app.results.task_list import Preview
from foureyes.core.rules.risk import Risk
from foureyes.errors import Reason
from foureyes.ui.tui import review_session as review
from foureyes.ui.tui.marks import FINE, PALETTES, PLAIN
from foureyes.ui.tui.screens.summary import SummaryPage
from foureyes.ui.tui.screens.text_page import TextPage
from foureyes.ui.tui.text.summary import RowOutcome, SummaryDrawing, header, ordered, summary_lines

from tests.ui.tui.stage import ALICE, BOB, LARGE, Clock, Player, Seat, play, small_work

ROW = QueueRow(
    task="fe-1", title="Add login", priority=1, attempt=2, diff_id="d1", mode="batch", auto_approvable=True,
    risk=Risk("medium", (Reason("H1", "code changed, no test changed"),)), checks={"tests": "passed", "lint": "failed"},
    added=278, removed=12, files=4, you=Preview(may_approve=True, rule="P7"), age_seconds=720, n=1, version=7,
    submitted_at="2026-01-02T00:00:00Z",
)  # fmt: skip


def looks(plain: bool = False) -> SummaryDrawing:
    return SummaryDrawing(
        marks=PLAIN if plain else FINE, palette=PALETTES["default"], checks=("tests", "lint"), id_width=5
    )


def painted(rows: list[QueueRow], width: int = 80, **options: Any) -> list[str]:
    given = {"grouped": True, "reasons": True, **options}
    return [line.paint(width).plain for line in summary_lines(rows, given.pop("happened", {}), looks(), **given)]


def test_a_row_says_checks_mode_iteration_size_and_age_and_drops_them_in_turn() -> None:
    heading, row, reasons = painted([ROW])
    assert heading == " ! LOOK (1)"
    assert reasons.strip() == "code changed, no test changed"
    assert row.split() == ["1", "fe-1", "Add", "login", "✓✗", "a", "batch", "2", "+278", "12m"]
    assert len(row) == 80
    assert header(looks(), 80).plain.index("Quality") == row.index("✓✗")
    assert header(looks(), 80).plain.index("It") + 2 == row.index(" 2 ") + 2
    assert painted([ROW], 75)[1].split()[-2:] == ["2", "12m"]
    assert painted([ROW], 66)[1].split()[-2:] == ["batch", "2"]
    assert painted([ROW], 60)[1].split()[-2:] == ["a", "2"]


def test_what_was_decided_stays_in_its_place_with_what_happened() -> None:
    other = replace(ROW, task="fe-2", n=2)
    lines = painted([ROW, other], happened={"fe-1": RowOutcome("approved 14:03", undo=True)}, reasons=False)
    assert lines[1].rstrip().endswith("approved 14:03 · U")
    assert "+278" in lines[2]


def test_those_that_wait_on_purpose_are_a_group_unless_all_of_them_are_looked_at_closely_anyway() -> None:
    high, low = Risk("high", (Reason("H1", "security label"),)), Risk("low")
    rows = [replace(ROW, n=1, mode="per-task", risk=high), replace(ROW, task="fe-2", n=2, risk=low)]
    assert [line for line in painted(rows, reasons=False) if "(" in line] == [" ‼ LOOK CLOSELY (1)", " · ROUTINE (1)"]
    rows = [replace(ROW, n=1, mode="per-task", risk=low), replace(ROW, task="fe-2", n=2, risk=high)]
    headings = [line for line in painted(rows, reasons=False) if "(" in line]
    assert headings == [" P WAIT ON PURPOSE (1): per task, or held", " ‼ LOOK CLOSELY (1)"]


def test_other_orders_keep_the_numbers() -> None:
    old = replace(ROW, task="fe-2", n=2, submitted_at="2026-01-01T00:00:00Z", priority=0, added=900)
    for order in ("age", "priority", "size"):
        assert [row.n for row in ordered([ROW, old], order)] == [2, 1]
    assert [row.n for row in ordered([ROW, old], "risk")] == [1, 2]


def test_the_keys_of_the_summary(seat: Seat) -> None:
    first = seat.deliver("Add login", labels=["security"])
    second = seat.deliver("Add colours", {"src/colours.py": "RED = 1\n"}, via=ALICE)
    third = seat.deliver("Sort the list", small_work("sort"))

    async def story(at: Player) -> None:
        screen = await at.press("r")
        for words in ("REVIEW SUMMARY", "3 tasks · by risk", "Auto-approvable: 1    Need attention: 2",
                      "‼ LOOK CLOSELY (2)", "security label", "tests failed", "Checks left to right: tests lint",
                      "0 decided · 3 left · oldest", "A approve auto-approvable (1)"):  # fmt: skip
            assert words in screen
        page = at.app.screen
        assert isinstance(page, SummaryPage)
        assert page.rows.at == first
        await at.hit("j", "down")
        assert page.rows.at == third
        assert f"WHY {third}" in await at.press("w")
        assert isinstance(at.app.screen, TextPage)
        assert "by age; the numbers stay" in await at.press("escape", "o")
        await at.hit("o", "o", "o")
        await at.hit("/", *"risk:h")
        assert "2 of 3 tasks" in at.screen
        assert "Sort the list" not in at.screen
        await at.hit("enter")
        assert "filter: risk:h" in at.screen
        await at.hit("/", *"zz", "enter")
        assert 'No task matches "zz". Esc clears the filter (3 tasks).' in at.screen
        screen = await at.press("escape")
        assert "REVIEW SUMMARY" in screen
        assert "3 tasks · by risk" in screen
        assert "FILTERS" in await at.press("f")
        assert "[2/3]" in await at.press("escape", "2")
        await at.hit("escape")
        assert page.rows.at == second
        assert "DIFF" in await at.press("d")
        assert "[2/3]" not in await at.press("escape")
        assert "there is no number 7" in await at.press("7")
        assert "[2/3]" in await at.press("enter")
        await at.hit("escape", "escape")
        assert "Reviewing 3" in at.screen

    play(seat.sit(), story)
    assert [seat.status(task) for task in (first, second, third)] == ["reviewing"] * 3


def test_what_others_do_is_counted_and_taken_in_by_a_key_without_moving_the_cursor(seat: Seat) -> None:
    tasks = [seat.deliver(f"Add part {number}", checked=False) for number in range(3)]

    async def story(at: Player) -> None:
        await at.hit("r", "down")
        page = at.app.screen
        assert isinstance(page, SummaryPage)
        here, rows = page.rows.at, [row.task for row in at.app.flow.rows]
        gone = next(task for task in tasks if task != here)
        seat.app.feedback.redo(BOB, gone, "not like this")
        new = seat.deliver("Add another", checked=False)
        at.app.look_around()
        screen = await at.settle()
        assert "1 new since you opened  [F5]" in screen
        assert "decided elsewhere" in screen
        assert new not in screen
        assert page.rows.at == here
        screen = await at.press("f5")
        assert new in screen
        assert page.rows.at == here
        assert [row.task for row in at.app.flow.rows] == [*rows, new]
        assert next(row.decided for row in at.app.flow.rows if row.task == gone) == "gone"

    play(seat.sit(), story)
    play(seat.sit(), lambda at: _wide(at), size=LARGE)


async def _wide(at: Player) -> None:
    """On a wide screen the task under the cursor stands on the right."""
    screen = await at.press("r")
    for words in ("WHY YOU", "CHANGES", "SIGNAL", "IF YOU APPROVE"):
        assert words in screen


def test_ten_thousand_rows_are_made_once_and_painted_when_they_are_on_screen(seat: Seat) -> None:
    rows = tuple(replace(ROW, task=f"fe-{number}", n=number, title=f"part {number}") for number in range(1, 10_001))
    view = QueueView(count=len(rows), auto_approvable=1, need_attention=0, checks=("tests", "lint"), rows=rows)

    async def story(at: Player) -> None:
        app = at.app
        app.seq = seat.app.events.head()  # nothing is new
        app.take_snapshot(view)
        app.go(review.start(app.flow, tuple(row.task for row in rows)))
        assert "10,000 tasks" in await at.settle()
        page = app.screen
        assert isinstance(page, SummaryPage)
        lines = page.rows.lines
        await at.hit("end")
        assert page.rows.at == "fe-10000"
        assert "10,000  fe-10000" in at.screen
        assert page.rows.lines is lines
        assert f"{page.rows.at}: code changed, no test changed" in at.screen
        await at.hit("/", *"4812", "enter")
        assert "1 of 10,000 tasks" in at.screen
        assert page.rows.at == "fe-4812"

    play(seat.sit(), story)


def test_the_review_goes_through_what_the_summary_shows_in_its_order(seat: Seat) -> None:
    large = {f"src/large{n}.py": "x = 1\n" * 9 for n in range(3)}
    first = seat.deliver("Add a part")
    other = seat.deliver("Add another", labels=["docs"])
    big = seat.deliver("Add a large part", large)

    async def story(at: Player) -> None:
        await at.hit("r", "o", "o", "o")  # by size: the largest first
        await at.hit("home", "enter")
        assert at.app.flow.task == big
        await at.hit("n")
        assert at.app.flow.task in (first, other)
        await at.hit("p")
        assert at.app.flow.task == big
        await at.hit("escape", "/", *"label:docs", "enter", "enter")
        assert at.app.flow.task == other
        assert "last of 1 · Esc summary" in await at.press("n")
        screen = await at.press("x", *"no", "ctrl+s")
        assert "REVIEW SUMMARY" in screen
        assert "what the filter shows is decided · 2 left · Esc clears the filter" in screen
        await at.hit("escape", "home", "enter", "x", *"no", "ctrl+s")
        assert at.app.flow.task == first

    play(seat.sit(), story)


def test_the_order_and_the_filter_hold_after_a_restart(seat: Seat) -> None:
    seat.deliver("Add a part")
    docs = [seat.deliver(f"Add docs {n}", labels=["docs"]) for n in range(2)]

    async def first(at: Player) -> None:
        await at.hit("r", "/", *"label:docs", "enter", "home", "enter")
        await at.pilot.press("ctrl+q")

    async def second(at: Player) -> list[str]:
        await at.hit("r")
        tasks = [at.app.flow.task]
        await at.hit("n")
        return [*tasks, at.app.flow.task]

    play(seat.sit(), first)
    assert sorted(play(seat.sit(), second)) == sorted(docs)


def test_the_numbers_are_of_what_still_waits_and_mine_leaves_out_what_is_decided(seat: Seat) -> None:
    tasks = [seat.deliver(f"Add part {n}", small_work(f"part{n}")) for n in range(3)]

    async def story(at: Player) -> None:
        at.app.clock = clock = Clock()
        assert "Auto-approvable: 3    Need attention: 0" in await at.press("r")
        await at.hit("enter", "a")
        (task,) = at.app.flow.approved
        screen = await at.press("escape")
        assert "Auto-approvable: 2    Need attention: 0" in screen
        assert "A approve auto-approvable (2)" in screen
        assert f"last: {task} approved" in screen
        await at.hit("/", *"mine", "enter")
        page = at.app.screen
        assert isinstance(page, SummaryPage)
        assert sorted(page.rows.order) == sorted(set(tasks) - {task})
        clock.now += 1.0
        screen = await at.press("u")
        assert f"last: {task} taken back" in screen
        assert "Auto-approvable: 3    Need attention: 0" in screen
        assert sorted(page.rows.order) == sorted(tasks)

    play(seat.sit(), story)


def test_without_a_match_nothing_is_previewed_and_a_word_that_is_no_filter_is_named(seat: Seat) -> None:
    for title in ("Add login", "Add logout"):
        seat.deliver(title)

    async def story(at: Player) -> None:
        assert "IF YOU APPROVE" in " ".join((await at.press("r")).split())
        screen = await at.press("/", *"foo:bar", "enter")
        assert 'No task matches "foo:bar". foo: is no filter (label:' in " ".join(screen.split())
        assert "IF YOU APPROVE" not in " ".join(screen.split())
        assert "IF YOU APPROVE" in " ".join((await at.press("escape")).split())

    play(seat.sit(), story, (160, 40))


def test_rows_above_nine_are_reached_by_their_number_and_the_key_line_says_how(seat: Seat) -> None:
    for number in range(11):
        seat.deliver(f"Add part {number}", checked=False)

    async def story(at: Player) -> None:
        assert "1-9 jump, /10 further" in await at.press("r")
        await at.hit("/", *"11", "enter", "enter")
        assert at.app.flow.at == 10

    play(seat.sit(), story)


def test_what_the_reader_cannot_approve_is_not_counted_as_theirs_P13(seat: Seat) -> None:
    """A person's own work is in the summary, and is nobody's to batch who made it."""
    seat.deliver("Add part 1", small_work("part1"))
    own = seat.deliver("Add part 2", small_work("part2"), actor=ALICE)
    assert seat.app.queue.view(ALICE).approvable == 1

    async def story(at: Player) -> None:
        screen = await at.press("r")
        assert "Auto-approvable: 1    Need attention: 1    You can approve now: 1" in screen
        assert "A approve auto-approvable (1)" in screen
        assert own in screen

    play(seat.sit(), story)
