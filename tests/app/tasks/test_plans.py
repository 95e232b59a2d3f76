"""Plans (M7): all tasks of a file or none, in the order of what they wait for; the modes are the importer's (M6)."""

from __future__ import annotations

import msgspec
import pytest

from foureyes.core.nouns.session import Actor
from foureyes.errors import BadInput, NotFound

from tests.stage.gated import LINT, check, configure
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, asserted
from tests.stage.planned import PLAN, import_
from tests.stage.world import DeskWorld


def submitted_task(desk: DeskWorld, task: str, actor: Actor = CLAUDE) -> str:
    desk.start(actor, task)
    desk.repo.commit(f"fe/{task}", sessions=[actor.session])
    return desk.submit(actor, task).mode


def test_every_section_is_a_task_with_what_it_says_M7(desk: DeskWorld) -> None:
    found = import_(desk, PLAN, group="shop")
    assert list(found) == ["Refactor utils", "Add sign-in"], "after what it waits for"
    task = desk.task(found["Add sign-in"])
    assert (task.labels, task.priority, task.type, task.group) == (
        ["review:per-task", "security"],
        1,
        "feature",
        "shop",
    )
    assert (task.acceptance, task.planned) == ("- signs in\n- signs out", "")
    assert task.description == "With refresh tokens.\n\n```\n## Task: not one, it is in a fence\n```"
    assert [link.id for link in desk.show(task.id).depends_on] == [found["Refactor utils"]]
    assert (desk.task(found["Refactor utils"]).planned, desk.ids_of()) == (
        "auto-approve",
        [*reversed(list(found.values()))],
    )


def test_a_dependency_is_a_title_in_any_case_or_the_id_of_a_task_that_exists_M7(desk: DeskWorld) -> None:
    there = desk.create(title="exists")
    found = import_(desk, f"## Task: One\n## Task: Two\nDepends on: ONE, {there}\n")
    assert {link.id for link in desk.show(found["Two"]).depends_on} == {there, found["One"]}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nothing here\n", 'no section "## Task: …"'),
        ("## Task: A\n## Task:\n", "plan.md:2"),
        ("## Task: A\n## Task: a\n", "plan.md:2 has the title 'a'"),
        ("## Task: A\nPriority: P9\n", "plan.md:2"),
        ("## Task: A\nType: wish\n", "type 'wish'"),
        ("## Task: A\n## Task: B\nDepends on: C\n", "plan.md:2 depends on 'C'"),
        ("## Task: A\nDepends on: B\n## Task: B\nDepends on: A\n", "in a circle: A, B"),
        ("## Task: A\nDepends on: A\n", "in a circle: A"),
        ("## Task: A\n## Task: B\nLabels: " + "x" * 200 + "\n", "plan.md:3"),
        ("## Task: A\0\n", ""),
        ("".join(f"## Task: t{n}\n" for n in range(1001)), "at most 1000"),
    ],
    ids=[
        "empty",
        "no title",
        "twice",
        "priority",
        "type",
        "unknown",
        "circle",
        "itself",
        "label",
        "control",
        "too many",
    ],
)
def test_what_is_wrong_names_its_line_and_nothing_is_taken_M7_G4(desk: DeskWorld, text: str, words: str) -> None:
    with desk.refused(error=BadInput) as caught:
        import_(desk, text)
    assert words in caught[0].message
    assert desk.ids_of() == []


def test_without_a_review_label_it_is_planned_as_automatic_and_goes_through_on_green_M7_M4(desk: DeskWorld) -> None:
    configure(desk, LINT)
    task = import_(desk, "## Task: A\nLabels: api\n")["A"]
    assert submitted_task(desk, task) == "auto-approve"
    assert check(desk, task).status == "approved"
    assert "planned as auto-approve" in desk.show(task).approvals[0].reason


def test_a_label_rule_wins_over_the_plan_M1(desk: DeskWorld) -> None:
    task = import_(desk, "## Task: A\nLabels: security\n")["A"]
    assert submitted_task(desk, task) == "per-task"


@pytest.mark.parametrize(
    ("importer", "maker", "mode"), [(CLAUDE, CLAUDE, "batch"), (CLAUDE, CODEX, "auto-approve"), (CI, CLAUDE, "batch")]
)
def test_the_modes_of_a_plan_are_its_importers_M6_M7(desk: DeskWorld, importer: Actor, maker: Actor, mode: str) -> None:
    task = import_(desk, "## Task: A\n", importer)["A"]
    assert submitted_task(desk, task, maker) == mode


def test_who_accepts_a_plan_makes_its_modes_their_own_M7(desk: DeskWorld) -> None:
    found = import_(desk, "## Task: A\n## Task: B\n## Task: C\nLabels: review:batch\n", CLAUDE)
    accepted = desk.app.plans.accept(ALICE, [])
    assert {row.task for row in accepted} == set(found.values())
    assert submitted_task(desk, found["A"], CLAUDE) == "auto-approve"


def test_a_person_who_accepted_and_then_makes_the_work_does_not_count_M6(desk: DeskWorld) -> None:
    task = import_(desk, "## Task: A\n", CLAUDE)["A"]
    desk.app.plans.accept(ALICE, [task])
    assert submitted_task(desk, task, ALICE) == "batch"


@pytest.mark.parametrize(("who", "rule"), [(CLAUDE, "M7"), (CI, "M7"), (asserted(ALICE), "I1")])
def test_only_people_accept_M7(desk: DeskWorld, who: Actor, rule: str) -> None:
    import_(desk, "## Task: A\n", CLAUDE)
    with desk.refused(rule):
        desk.app.plans.accept(who, [])


def test_accepting_what_no_plan_made_is_refused_as_a_whole_M7_G4(desk: DeskWorld) -> None:
    task, other = import_(desk, "## Task: A\n", CLAUDE)["A"], desk.create()
    with desk.refused("M7"):
        desk.app.plans.accept(BOB, [task, other])
    desk.app.plans.accept(BOB, [task])


def test_where_nothing_is_planned_there_is_nothing_to_accept_M7(desk: DeskWorld) -> None:
    desk.create()
    with desk.refused(error=NotFound):
        desk.app.plans.accept(BOB, [])


def test_a_typed_name_imports_nothing_and_a_service_may_I1_I5(desk: DeskWorld) -> None:
    with desk.refused("I1"):
        import_(desk, "## Task: A\n", asserted(ALICE))
    assert import_(desk, "## Task: A\n", CI)


@pytest.mark.parametrize("who", [ALICE, CLAUDE, CI])
def test_a_preview_has_the_modes_of_the_import_and_changes_nothing_M7(desk: DeskWorld, who: Actor) -> None:
    configure(desk, LINT)
    text = (
        "## Task 1: A\n## Task 2: B\nLabels: Security\nDepends on: 1\n"
        "## Task: C\nLabels: review:skip\n## Task: D\nMode: batch\n"
    )
    with desk.unchanged():
        shown = desk.app.plans.preview(who, text)
    assert ({row.task for row in shown}, shown[1].depends_on) == ({""}, ("A",))
    made = desk.app.plans.import_(who, text)
    assert [(row.title, row.mode) for row in shown] == [(row.title, row.mode) for row in made]
    assert [row.mode for row in desk.app.plans.accept(ALICE, [])][1:2] == [made[1].mode]


def test_accept_shows_the_mode_that_counts_not_the_planned_one_M7_M1(desk: DeskWorld) -> None:
    (row,) = desk.app.plans.import_(CLAUDE, "## Task: A\nLabels: security\n")
    (accepted,) = desk.app.plans.accept(ALICE, [])
    assert (accepted.mode, accepted.planned, row.mode) == ("per-task", "auto-approve", "per-task")


def test_a_preview_counts_on_the_key_that_will_sign_and_signs_nothing_M6_I9(desk: DeskWorld) -> None:
    desk.app.keys.new(ALICE)
    text = "## Task: A\nLabels: review:skip\n## Task: B\n"
    with desk.unchanged():
        shown = desk.app.plans.preview(ALICE, text)
    assert [row.mode for row in shown] == [row.mode for row in desk.app.plans.import_(ALICE, text)]
    assert [row.mode for row in shown] == ["skip", "auto-approve"]


def exported(desk: DeskWorld) -> str:
    return msgspec.json.encode(desk.app.plans.export()).decode()


def test_exported_plan_is_known_here_and_the_same_tasks_elsewhere_M7(desk: DeskWorld) -> None:
    found = import_(desk, PLAN)
    text = exported(desk)
    assert {row.state for row in desk.app.plans.import_(ALICE, text)} == {"known"}
    for row in desk.app.plans.import_(ALICE, text, again=True):
        new, old = desk.task(row.task), desk.task(found[row.title])
        assert new.id != old.id
        assert (new.labels, new.priority, new.type, new.acceptance, new.description) == (
            old.labels, old.priority, old.type, old.acceptance, old.description,
        )  # fmt: skip
        assert [link.title for link in desk.show(new.id).depends_on] == [
            link.title for link in desk.show(old.id).depends_on
        ]


def test_tasks_with_the_same_title_are_exported_by_their_ids_M7(desk: DeskWorld) -> None:
    one, other = desk.create(title="Fix it, now", priority=3), desk.create(title="fix it, NOW", priority=1)
    top = desk.create(title="Top", depends_on=[one], description="Labels: x\n## Task: <!--")
    text = exported(desk)
    rows = {row.task: row for row in desk.app.plans.import_(ALICE, text)}
    assert ({row.state for row in rows.values()}, set(rows)) == ({"known"}, {one, other, top})
    again = {desk.task(row.task).priority: row for row in desk.app.plans.import_(ALICE, text, again=True)}
    assert again[2].depends_on == (again[3].task,)
    assert desk.task(again[2].task).description == "Labels: x\n## Task: <!--"


def test_closed_dependency_is_not_exported_M7(desk: DeskWorld) -> None:
    assert desk.app.plans.export().tasks == ()
    done = desk.create(title="Done")
    desk.create(title="Next", depends_on=[done])
    desk.app.closing.cancel(ALICE, done)
    assert [row.depends_on for row in desk.app.plans.export().tasks] == [()]
