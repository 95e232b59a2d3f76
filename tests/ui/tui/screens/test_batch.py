"""Approving several from one list: ticks, a preview; one decision each."""

from __future__ import annotations

from foureyes.app.results.draft import Draft
from foureyes.app.results.review import QueueRow
from foureyes.app.results.task_list import Preview
from foureyes.core.rules.risk import Risk
from foureyes.ui.tui.screens.batch import BatchPage
from foureyes.ui.tui.text.batch import BatchRow, result_line

from tests.ui.tui.stage import BOB, Clock, Player, Seat, held, play, small_work


def page_of(at: Player) -> BatchPage:
    page = at.app.screen
    assert isinstance(page, BatchPage)
    return page


def a_row(**fields: object) -> BatchRow:
    row = QueueRow(
        task="fe-1", title="t", priority=2, attempt=1, diff_id="d", mode="batch", auto_approvable=True,
        risk=Risk("low"), you=Preview(may_approve=True, rule="P7"),
    )  # fmt: skip
    return BatchRow(row=row, number=1, **fields)  # type: ignore[arg-type]


def test_the_result_says_what_was_left_and_why() -> None:
    rows = [
        a_row(decided="approved", done="approved (P7)"),
        a_row(),
        a_row(refused=("D5  red",)),
    ]
    words = "1 approved, 2 left (1 refused, 1 not ticked) · U takes the last back"
    assert result_line(rows) == words


def test_what_the_filter_hides_is_left_and_that_is_said() -> None:
    rows = [a_row(decided="approved", done="approved (P7)"), a_row(ticked=True)]
    assert result_line(rows) == "1 approved, 1 left (1 not shown by the filter) · U takes the last back"


def test_what_is_not_read_yet_is_not_said_to_be_nothing(seat: Seat) -> None:
    for name in ("near", "away"):
        seat.deliver(f"Add {name}", small_work(name))

    async def story(at: Player) -> None:
        await at.hit("r")
        with held(at.app):
            await at.burst("a")
            page_of(at)
            assert "reading …" in at.screen
            assert "nothing can be approved automatically" not in at.screen
        assert "2 of 2 pending" in await at.settle()

    play(seat.sit(), story)


def test_only_what_the_filter_shows_is_approved_and_previewed_H2(seat: Seat) -> None:
    near, away = (seat.deliver(f"Add {n}", small_work(n)) for n in ("near", "away"))

    async def story(at: Player) -> None:
        at.app.clock = clock = Clock()
        await at.hit("r", "a")
        page_of(at).rows.go(near)
        clock.now += 1.0
        screen = await at.press("/", *"away", "enter")
        assert "1 of 2 shown" in screen
        assert "Enter approve 1" in screen
        assert f"preview of {away}" in screen
        assert page_of(at).words()["tasks"] == away
        assert "1 approved, 1 left (1 not shown by the filter)" in await at.press("enter")
        assert "Enter approve 1" in await at.press("escape")

    play(seat.sit(), story)
    assert [seat.status(task) for task in (near, away)] == ["reviewing", "approved"]


def test_enter_approves_what_is_ticked_one_decision_each_and_a_refusal_stays_on_its_row_H2(seat: Seat) -> None:
    tasks = [seat.deliver(f"Add part {n}", small_work(f"part{n}")) for n in range(3)]

    async def story(at: Player) -> None:
        at.app.clock = clock = Clock()
        await at.hit("r", "a")
        page = page_of(at)
        assert "3 of 3 pending · one decision each" in at.screen
        assert "Enter approve 3" in at.screen
        assert f"preview of {page.rows.at}" in at.screen
        assert "look at the list first" in await at.press("enter")  # A Enter, typed blind
        assert [seat.status(task) for task in tasks] == ["reviewing"] * 3
        clock.now += 1.0
        first = page.rows.at
        await at.hit("space")
        assert "Enter approve 2" in at.screen
        await at.hit("space", "down")
        clock.now += 1.0
        page.hunks.measure()
        assert page.selected().unseen == 0  # type: ignore[union-attr]
        assert "2/2" in await at.settle()
        moved = next(task for task in tasks if task not in (first, page.rows.at))
        seat.app.feedback.redo(BOB, moved, "once more")
        screen = await at.press("enter")
        assert "2 approved, 1 left (1 refused) · U takes the last back" in screen
        assert "changed since you read it" in screen
        last = at.app.flow.undo
        assert f"{last} is back in review" in await at.press("u")
        assert page_of(at) is page
        await at.hit("escape")
        assert "1 decided · 2 left" in at.screen

    play(seat.sit(), story)
    approvals = [row for task in tasks for row in seat.app.lists.show(BOB, task).approvals]
    assert [row.batch.endswith(" of 3") for row in approvals] == [True, True]
    assert max(row.viewed.shown or 0 for row in approvals) == 2
    assert {row.viewed.face for row in approvals} == {"tui"}


def test_high_risk_is_ticked_only_by_hand_H2(seat: Seat) -> None:
    tasks = [seat.deliver(f"Add part {n}", small_work(f"part{n}")) for n in range(5)]
    risky = seat.deliver("Move the deployment", {"Dockerfile": "FROM scratch\n"})

    async def story(at: Player) -> None:
        at.app.clock = clock = Clock()
        await at.hit("r", "a")
        page = page_of(at)
        assert {row.row.task: row.ticked for row in page.list} == {risky: False} | dict.fromkeys(tasks, True)
        assert "never ticked for you: Space ticks it" in at.screen
        clock.now += 1.0
        page.rows.go(risky)
        assert "Enter approve 6" in await at.press("space")
        await at.hit("/", *"deploy", "enter")
        assert "filter: deploy" in at.screen
        await at.hit("escape")
        assert "DIFF" in await at.press("d")
        await at.hit("escape")
        assert page_of(at) is page
        assert "REDO WITH FEEDBACK" in await at.press("r")
        await at.hit("1", "enter")
        assert page_of(at) is page
        assert "redo by you" in at.screen
        clock.now += 1.0
        assert "5 approved" in await at.press("enter")
        await at.hit("escape")

    play(seat.sit(), story)
    assert seat.status(risky) == "open"
    assert [seat.status(task) for task in tasks] == ["approved"] * 5


def test_every_row_says_how_much_of_it_was_seen_and_a_file_that_says_so_counts_for_nothing_H4(seat: Seat) -> None:
    tasks = [seat.deliver(f"Add part {n}", small_work(f"part{n}")) for n in range(2)]
    (file, _) = seat.app.attempts.changes(tasks[1]).files
    seat.app.drafts.save(BOB, Draft(task=tasks[1], attempt=1, seen={file.hunks[0].id: "shown"}))

    async def story(at: Player) -> None:
        at.app.clock = Clock()
        await at.hit("r", "a")
        assert {row.row.task: (row.seen, row.hunks) for row in page_of(at).list} == {
            tasks[0]: (0, 2),
            tasks[1]: (0, 2),
        }
        assert "0/2" in at.screen
        assert at.app.looks.of(tasks[1]).was_seen(file.hunks[0].id)
        await at.hit("/", *"seen:yes", "enter")
        assert page_of(at).rows.order == []

    play(seat.sit(BOB), story)
