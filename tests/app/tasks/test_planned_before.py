"""M7: the same plan again makes nothing twice."""

from __future__ import annotations

from foureyes.ui.steps import steps_text

from tests.stage.people import ALICE, CLAUDE
from tests.stage.planned import PLAN, import_
from tests.stage.world import DeskWorld


def test_the_same_plan_again_makes_nothing_twice_and_says_what_differs_M7(desk: DeskWorld) -> None:
    first = import_(desk, PLAN)
    login = first["Add sign-in"]
    assert {row.state for row in desk.app.plans.import_(ALICE, PLAN, "plan.md")} == {"known"}
    desk.app.tasks.edit(ALICE, login, priority=3)
    more = PLAN.replace("## Notes", "## Task: Write it down\nDepends on: Add sign-in\n\n## Notes")
    rows = {row.title: row for row in desk.app.plans.import_(CLAUDE, more, "plan.md")}
    assert [row.state for row in rows.values()] == ["known", "differs", "new"]
    assert rows["Add sign-in"].notes == ("its priority is P3, not P1",)
    assert rows["Write it down"].depends_on == (login,)
    assert desk.task(login).priority == 3, "what is there is never changed (T7)"
    assert len(desk.ids_of()) == 3


def test_a_dropped_task_is_not_known_and_again_makes_all_M7(desk: DeskWorld) -> None:
    found = import_(desk, "## Task: A\n## Task: B\n")
    desk.app.closing.cancel(ALICE, found["A"])
    desk.app.closing.delete(ALICE, found["B"])
    rows = desk.app.plans.import_(ALICE, "## Task: A\n## Task: B\n")
    assert [(row.state, row.status) for row in rows] == [("new", "open"), ("new", "open")]
    assert {row.state for row in desk.app.plans.import_(ALICE, "## Task: A\n## Task: B\n", again=True)} == {"new"}


def test_a_key_stands_for_a_task_whatever_its_title_M7(desk: DeskWorld) -> None:
    first = import_(desk, "## Task: A\nKey: deps-11\n")["A"]
    (row,) = desk.app.plans.import_(ALICE, "## Task: Another title\nKey: `deps-11`\n")
    assert (row.task, row.state, row.notes) == (first, "differs", ("different text: title",))
    assert import_(desk, "## Task: A\nKey: deps-12\n")["A"] != first


SECURE = "## Task: Rotate the payment keys\nLabels: security\n\n## Task: Pay\nDepends on: Rotate the payment keys\n"


def test_a_task_that_an_agent_dropped_does_not_take_the_place_of_a_planned_one_M7(desk: DeskWorld) -> None:
    squatter = desk.create(CLAUDE, "rotate the PAYMENT keys", labels=["review:auto"])
    desk.app.closing.cancel(CLAUDE, squatter)
    rotate, pay = desk.app.plans.import_(ALICE, SECURE)
    assert (rotate.state, rotate.labels, pay.depends_on) == ("new", ("security",), (rotate.task,))
    assert not desk.task(pay.task).ready


def test_a_section_that_asks_for_more_than_the_task_in_its_place_has_is_refused_M7(desk: DeskWorld) -> None:
    squatter = desk.create(CLAUDE, "rotate the PAYMENT keys", labels=["review:auto"])
    pay = desk.create(CLAUDE, "Pay")
    for ask in (desk.app.plans.import_, desk.app.plans.preview):
        with desk.refused("M7") as refused:
            ask(ALICE, SECURE, "plan.md")
        said = [
            (reason.message.split(" already exists for it and ")[1], steps_text(reason.next))
            for reason in refused[0].reasons
        ]
        assert said == [
            ("does not have the label security", f"fe label {squatter} security"),
            (f"does not depend on {squatter}", f"fe dep {pay} {squatter}"),
        ]
    with desk.refused("M7"):
        desk.app.plans.import_(ALICE, "## Task: Pay\nMode: per-task\n")
    assert [row.state for row in desk.app.plans.import_(ALICE, SECURE, again=True)] == ["new", "new"]


def test_a_key_of_a_task_that_was_dropped_is_refused_M7(desk: DeskWorld) -> None:
    squatter = desk.app.tasks.create(CLAUDE, "A", key="deps-11").task
    desk.app.closing.cancel(CLAUDE, squatter)
    with desk.refused("M7"):
        desk.app.plans.import_(ALICE, "## Task: A\nKey: deps-11\n")
