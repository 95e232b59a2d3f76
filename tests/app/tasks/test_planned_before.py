"""M7: the same plan again makes nothing twice."""

from __future__ import annotations

from tests.stage.people import ALICE, CLAUDE
from tests.stage.planned import PLAN, import_
from tests.stage.world import DeskWorld


def test_the_same_plan_again_makes_nothing_twice_and_says_what_differs_M7(desk: DeskWorld) -> None:
    first = import_(desk, PLAN)
    login = first["Add sign-in"]
    assert {row.state for row in desk.app.plans.import_(ALICE, PLAN, "plan.md")} == {"known"}
    desk.app.tasks.edit(ALICE, login, priority=3)
    desk.app.tasks.remove_label(ALICE, login, ["security"])
    more = PLAN.replace("## Notes", "## Task: Write it down\nDepends on: Add sign-in\n\n## Notes")
    rows = {row.title: row for row in desk.app.plans.import_(CLAUDE, more, "plan.md")}
    assert [row.state for row in rows.values()] == ["known", "differs", "new"]
    assert rows["Add sign-in"].notes == ("it lacks the label security", "its priority is P3, not P1")
    assert rows["Write it down"].depends_on == (login,)
    assert desk.task(login).labels == ["review:per-task"], "what is there is never changed (T7)"
    assert len(desk.ids_of()) == 3


def test_a_cancelled_task_is_known_a_deleted_one_is_not_and_again_makes_all_M7(desk: DeskWorld) -> None:
    found = import_(desk, "## Task: A\n## Task: B\n")
    desk.app.closing.cancel(ALICE, found["A"])
    desk.app.closing.delete(ALICE, found["B"])
    rows = desk.app.plans.import_(ALICE, "## Task: A\n## Task: B\n")
    assert [(row.state, row.status) for row in rows] == [("known", "closed"), ("new", "open")]
    assert {row.state for row in desk.app.plans.import_(ALICE, "## Task: A\n## Task: B\n", again=True)} == {"new"}


def test_a_key_stands_for_a_task_whatever_its_title_M7(desk: DeskWorld) -> None:
    first = import_(desk, "## Task: A\nKey: deps-11\n")["A"]
    (row,) = desk.app.plans.import_(ALICE, "## Task: Another title\nKey: `deps-11`\n")
    assert (row.task, row.state, row.notes) == (first, "differs", ("other words: title",))
    assert import_(desk, "## Task: A\nKey: deps-12\n")["A"] != first
