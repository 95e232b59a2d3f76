"""Plans as JSON, the names of their tasks, and their order (M7)."""

from __future__ import annotations

import json

import msgspec
import pytest

from foureyes.core.documents.plan import MOST_TASKS, PlanTask, in_order, read_plan
from foureyes.errors import BadInput


def refusal_of(text: str) -> BadInput:
    with pytest.raises(BadInput) as caught:
        read_plan(text, "plan")
    assert caught.value.next_step, "an error says what to do (G2)"
    return caught.value


def test_json_plan_has_a_row_per_task_M7() -> None:
    rows = [
        {"title": "Refactor utils", "labels": ["trivial"], "type": "chore", "mode": "auto"},
        {
            "title": "Sign in", "id": "2", "key": "login", "labels": ["review:per-task"], "priority": "P1",
            "depends_on": ["Refactor utils"], "acceptance": "it works\n", "description": "## Task: only text\nLabels: x",
        },
    ]  # fmt: skip
    utils, login = read_plan(json.dumps({"tasks": rows}), "plan.json")
    assert utils == PlanTask(
        at="plan.json: task 1", title="Refactor utils", labels=("trivial",), type="chore", mode="auto-approve"
    )
    assert login == PlanTask(
        at="plan.json: task 2", title="Sign in", ref="2", key="login", labels=("review:per-task",), priority=1,
        depends_on=("Refactor utils",), acceptance="it works", description="## Task: only text\nLabels: x",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"tasks": [\n{"title": "a",]}', "line 2, column 15"),
        ('{"tasks": [{"title": "a", "label": ["x"]}]}', "tasks[0].label: unknown field. Did you mean labels?"),
        ('{"tasks": [{"title": "a", "labels": "x"}]}', 'tasks[0].labels: "x" is not a list'),
        ('{"tasks": [{}]}', "tasks[0].title: missing"),
        ('{"tasks": [{"title": "a"}, {"title": "b", "priority": 9}]}', "plan: task 2 priority '9'"),
        (
            '{"tasks": [{"title": "a", "labels": ["review:nonsense"]}]}',
            "plan: task 1 review:nonsense is not a review mode",
        ),
        ('{"tasks": [{"title": "a", "mode": "never"}]}', "plan: task 1 mode 'never'"),
        ('{"tasks": [{"title": "a\\u0007"}]}', "control character"),
        ('{"tasks": [{"title": "a", "title": "b"}]}', "given more than once"),
        ('{"tasks": []}', "has no section"),
    ],
)
def test_wrong_row_of_json_is_refused_with_its_place_M7(text: str, words: str) -> None:
    assert words in refusal_of(text).message


def test_all_problems_are_reported_together_M7() -> None:
    problem = refusal_of("## Task: a\nLables: x\nLabels: y\n## Task b\n## Task: c\nPriority: P9\n")
    assert [reason.message.split()[0] for reason in problem.reasons] == ["plan:2", "plan:4", "plan:6"]


def test_plan_has_at_most_a_thousand_tasks_M7() -> None:
    lines = "".join(f"## Task: {number}\n" for number in range(MOST_TASKS + 1))
    assert str(MOST_TASKS) in refusal_of(lines).message
    assert len(read_plan(lines.replace(f"## Task: {MOST_TASKS}\n", ""))) == MOST_TASKS


def test_tasks_that_cannot_be_told_apart_are_refused_M7() -> None:
    assert refusal_of("## Task: Same\n\n## Task: same\n").message.startswith("plan:3 has the title")
    assert refusal_of("## Task 1: a\n## Task 1: b\n").message.startswith("plan:2 has the number 1")
    assert refusal_of("## Task: a\nKey: k\n## Task: b\nKey: k\n").message.startswith("plan:3 has the key k")
    assert [task.ref for task in read_plan("## Task 1: a\n## Task 2: A\n")] == ["1", "2"]


@pytest.mark.parametrize("called", ["2", "#2", "task 2", "Task 2: B or c", "`B or c`", "b OR c"])
def test_dependency_names_a_number_or_a_title_M7(called: str) -> None:
    planned = read_plan(f"## Task 1: A\nDepends on: {called}\n## Task 2: B or c\n")
    assert [task.title for task in in_order(planned)] == ["B or c", "A"]


def test_ambiguous_dependency_and_circle_are_refused_M7() -> None:
    with pytest.raises(BadInput, match="several tasks have that title"):
        in_order(read_plan("## Task 1: A\n## Task 2: a\n## Task: B\nDepends on: A\n"))
    with pytest.raises(BadInput, match="in a circle: A, B"):
        in_order(read_plan("## Task 1: A\nDepends on: 2\n## Task 2: B\nDepends on: 1\n"))


@pytest.mark.parametrize(
    ("values", "planned"),
    [
        ({}, "auto-approve"), ({"mode": "batch"}, "batch"), ({"mode": "review:per-task"}, "per-task"),
        ({"mode": "default"}, ""), ({"mode": "none"}, "auto-approve"), ({"labels": ["security"]}, "auto-approve"),
        ({"labels": ["review:batch"]}, ""),
    ],
)  # fmt: skip
def test_task_is_planned_as_auto_approve_unless_it_says_otherwise_M7(values: dict[str, object], planned: str) -> None:
    (task,) = read_plan(msgspec.json.encode({"tasks": [{"title": "a"} | values]}).decode())
    assert task.planned == planned
