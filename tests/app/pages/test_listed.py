"""Lists as people read them: who, mode and what a task waits for stand beside it before work begins (M, E2)."""

from __future__ import annotations

from foureyes.app.views.task_list import ListQuery
from foureyes.steps import by, fe

from tests.stage.people import ALICE, BOB, CI, CLAUDE
from tests.stage.world import DeskWorld


def test_a_row_says_who_has_it_its_mode_and_what_it_waits_for_M1(desk: DeskWorld) -> None:
    plain = desk.create(title="plain")
    strict = desk.create(title="strict", labels=["security"], depends_on=[plain])
    mine = desk.create(title="mine")
    desk.start(CLAUDE, mine)
    over = desk.create(title="over")
    desk.app.closing.cancel(ALICE, over)
    rows = {row.id: row for row in desk.app.lists.listed(ListQuery())}
    assert (rows[plain].who, rows[plain].mode, rows[plain].waits) == ("", "batch", ())
    assert (rows[strict].mode, rows[strict].waits) == ("per-task", (plain,))
    assert rows[mine].who.startswith("claude")
    assert (rows[over].mode, rows[over].waits) == ("", ())


def test_show_and_create_of_an_open_task_say_the_mode_and_why_M3(desk: DeskWorld) -> None:
    made = desk.app.tasks.create(ALICE, "Strict", labels=["security"])
    assert made.mode == "per-task"
    assert [reason.rule for reason in made.mode_reasons] == ["M3"]
    seen = desk.app.lists.show(ALICE, made.task)
    assert (seen.mode, seen.mode_reasons) == (made.mode, made.mode_reasons)


def test_a_person_is_not_led_to_start_what_they_planned_and_learns_what_starting_means_P2(desk: DeskWorld) -> None:
    planned = desk.app.tasks.create(ALICE, "By a person")
    assert planned.next == fe("ready") == desk.app.tasks.create(CI, "By a service").next
    assert desk.app.tasks.create(CLAUDE, "By an agent").next.steps[0].argv[:2] == ("fe", "start")
    start = fe("start", planned.task)
    assert desk.app.lists.show(ALICE, planned.task).next == by("other", start, "an agent runs: ")
    assert desk.app.lists.show(CLAUDE, planned.task).next == start
    (note,) = desk.app.claims.start(BOB, planned.task).notes
    assert "(P2)" in note
    assert desk.app.claims.start(CLAUDE, desk.create()).notes == ()
