"""M7: tasks of a plan after those they wait for, whatever they call each other."""

from __future__ import annotations

import pytest

from foureyes.core.documents.plan_file import read_plan
from foureyes.core.documents.plan_order import in_order
from foureyes.errors import BadInput


@pytest.mark.parametrize("called", ["2", "#2", "task 2", "Task 2: B, or c", "`B, or c`", "b, OR c"])
def test_a_task_is_called_by_its_number_or_its_title_M7(called: str) -> None:
    planned = read_plan(f"## Task 1: A\nDepends on: {called}\n## Task 2: B, or c\n")
    expected = ["B, or c", "A"]
    assert [task.title for task in in_order(planned, "plan.md")] == expected


def test_a_title_that_two_tasks_have_is_no_name_and_a_circle_is_none_either_M7() -> None:
    with pytest.raises(BadInput, match="several tasks are called so"):
        in_order(read_plan("## Task 1: A\n## Task 2: a\n## Task: B\nDepends on: A\n"), "plan.md")
    with pytest.raises(BadInput, match="in a circle: A, B"):
        in_order(read_plan("## Task 1: A\nDepends on: 2\n## Task 2: B\nDepends on: 1\n"), "plan.md")
