"""Lists as people read them: who, mode and what a task waits for stand beside it before work begins (M, E2)."""

from __future__ import annotations

from foureyes.app.results.task_list import ListQuery
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
    assert (rows[plain].owner, rows[plain].mode, rows[plain].waits) == ("", "batch", ())
    assert (rows[strict].mode, rows[strict].waits) == ("per-task", (plain,))
    assert rows[mine].owner.startswith("claude")
    assert (rows[over].mode, rows[over].waits) == ("", ())


def test_a_list_says_of_every_task_the_mode_that_the_task_says_itself_M1(desk: DeskWorld) -> None:
    """Those about which nothing was said are not looked at one by one, and no other is taken for one of them."""
    tasks = desk.app.tasks
    ids = [desk.create(), desk.create(labels=["trivial"]), desk.create(CLAUDE, labels=["review:skip"])]
    ids += [row.task for row in desk.app.plans.import_(ALICE, "## Task: A planned one\n", "plan.md")]
    ids += [desk.submitted_task(), desk.submitted_task(minor=True)]
    taken_off = desk.create(labels=["review:per-task"])
    desk.start(CLAUDE, taken_off)
    tasks.remove_label(CLAUDE, taken_off, ["review:per-task"])
    eased = desk.create(labels=["trivial"])
    desk.start(CLAUDE, eased)
    tasks.edit(CLAUDE, eased, acceptance="less")
    listed = {row.id: row.mode for row in desk.app.lists.listed(ListQuery())}
    shown = {task: desk.app.lists.show(ALICE, task).mode for task in [*ids, taken_off, eased]}
    assert listed == {task: mode.replace(" if only documents change, else ", " or ") for task, mode in shown.items()}
    assert set(listed.values()) == {"batch", "per-task", "auto-approve", "skip or auto-approve"}
    assert listed[taken_off] == "per-task"


def test_where_something_is_set_a_list_says_what_comes_of_it_and_nothing_where_that_is_broken_P12() -> None:
    for value, mode in {"per-task": "per-task", "skip": "batch", "odd": ""}.items():
        desk = DeskWorld({"FOUREYES_REVIEW_DEFAULT_MODE": value})
        desk.create()
        assert [row.mode for row in desk.app.lists.listed(ListQuery())] == [mode]


def test_show_and_create_of_an_open_task_say_the_mode_and_why_M3(desk: DeskWorld) -> None:
    made = desk.app.tasks.create(ALICE, "Strict", labels=["security"])
    assert made.mode == "per-task"
    assert [reason.rule for reason in made.mode_reasons] == ["M3"]
    seen = desk.app.lists.show(ALICE, made.task)
    assert (seen.mode, seen.mode_reasons) == (made.mode, made.mode_reasons)


def test_a_person_is_not_led_to_start_what_they_planned_and_learns_what_starting_means_P2(desk: DeskWorld) -> None:
    planned = desk.app.tasks.create(ALICE, "By a person")
    assert planned.next == fe("list", "--ready") == desk.app.tasks.create(CI, "By a service").next
    assert desk.app.tasks.create(CLAUDE, "By an agent").next.steps[0].argv[:2] == ("fe", "start")
    start = fe("start", planned.task)
    assert desk.app.lists.show(ALICE, planned.task).next == by("other", start, "an agent runs: ")
    assert desk.app.lists.show(CLAUDE, planned.task).next == start
    (note,) = desk.app.claims.start(BOB, planned.task).notes
    assert "(P2)" in note
    assert desk.app.claims.start(CLAUDE, desk.create()).notes == ()
