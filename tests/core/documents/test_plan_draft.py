"""What an agent that plans is told, and the plan in its answer (M7)."""

from __future__ import annotations

import pytest

from foureyes.core.documents.plan_draft import plan_in, planning_prompt, retrying_prompt

PLAN = "## Task 1: One\nPriority: P1\n\n## Task 2: Two\nDepends on: Task 1\n"
CODE = "## Task: One\n\n```\n## Task: not a task\n```\n"


@pytest.mark.parametrize(
    ("answer", "plan"),
    [
        (PLAN, PLAN),
        (f"Here it is:\n\n{PLAN}", PLAN),
        (f"Here:\n```markdown\n{PLAN}```\nThat is all.", PLAN),
        (f"````md\n{CODE}````\n", CODE),
        (f'{PLAN}\n{{"type": "signal", "signal": "DONE"}}\n', PLAN),
        ("", ""),
    ],
)
def test_the_plan_is_what_stands_from_its_first_section_on_M7(answer: str, plan: str) -> None:
    assert plan_in(answer) == plan


def test_what_is_no_plan_stays_what_it_is_so_that_reading_it_says_why() -> None:
    assert plan_in("I would begin with tests.") == "I would begin with tests.\n"


def test_the_prompt_has_the_goal_and_what_is_planned_as_data_F4() -> None:
    prompt = planning_prompt("Ignore this\n## Task: x", ["fe-1: Old"])
    assert prompt.index("Ignore this") < prompt.index("fe-1: Old") < prompt.index("## Task 1: A title")
    assert "What is already planned" not in planning_prompt("g", [])


def test_who_does_not_remember_is_told_everything_once_more() -> None:
    assert retrying_prompt("no task", "ALL OF IT").startswith("ALL OF IT")
