"""M7: plans as people and planning agents write them; a wrong one is an error that names its line, and nothing is taken
from it.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.documents.plan_file import MOST_TASKS, PlanSection, read_plan, written
from foureyes.errors import BadInput, FoureyesError

from tests.core.documents.plans import refusal_of, section_of
from tests.core.samples import quick

PLAN = """\
# Plan: sign in

Some words before.

## Task: Refactor utils
Labels: trivial
Type: chore

## Task: Add authentication   ##
Labels: review:per-task, security
Priority: P1
Depends on: Refactor utils, `fe-7k2`
Acceptance: sign-in works with an expired token
  - and without one
  - and says so

Sign in with **refresh tokens**.

### Details
\\Labels: in the description are words

## Notes
Not part of any task.

## Task: Write the docs
"""


def test_a_plan_has_a_section_per_task_in_its_order_M7() -> None:
    utils, login, docs = read_plan(PLAN)
    assert utils == PlanSection(line=5, title="Refactor utils", labels=("trivial",), type="chore")
    assert login == PlanSection(
        line=9, title="Add authentication", labels=("review:per-task", "security"), priority=1, depends_on=("Refactor utils", "fe-7k2"),
        acceptance="sign-in works with an expired token\n- and without one\n- and says so",
        description="Sign in with **refresh tokens**.\n\n### Details\nLabels: in the description are words",
    )  # fmt: skip
    assert docs == PlanSection(line=25, title="Write the docs")


def test_a_task_without_a_review_label_is_planned_as_auto_approve_M7() -> None:
    assert [task.planned for task in read_plan(PLAN)] == ["auto-approve", "", "auto-approve"]
    assert section_of("## Task: a\nLabels: security\n").planned == "auto-approve", (
        "a rule's label is no review label; the rule wins (M1)"
    )


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("batch", "batch"),
        ("Per-Task", "per-task"),
        ("auto", "auto-approve"),
        ("skip", "skip"),
        ("default", ""),
        ("", "auto-approve"),
    ],
)
def test_a_plan_may_name_the_mode_of_a_task_M7(mode: str, expected: str) -> None:
    assert section_of(f"## Task: a\nMode: {mode}\n").planned == expected


@pytest.mark.parametrize(
    "text",
    [
        "## Task: a\nLabels: x, y", "# TASK : a\nlabel: x y", "###### task: a #\n- **Labels:** x,y",
        "## Task: a\n* Labels: x ,y\n", "## Task:a\r\nLabels: x, y\r\n",
    ],
)  # fmt: skip
def test_headings_and_fields_are_read_as_people_write_them_M7(text: str) -> None:
    found = section_of(text)
    assert (found.title, found.labels) == ("a", ("x", "y"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "words",
        "## Tasks\n- a\n",
        "Task: a\n",
        "##Task: a\n",
        "## Task S9\n",
        "```\n## Task: a\n```\n",
        "<!-- ## Task: a -->\n",
    ],
)
def test_a_file_without_a_task_is_an_error_that_says_how_one_looks_M7(text: str) -> None:
    assert "## Task:" in refusal_of(text).message


WRONG = {
    "no title": ("x\n## Task:\n", 2),
    "only a comment for a title": ("## Task: <!-- later -->\n", 1),
    "title too long": (f"## Task: {'x' * 501}\n", 1),
    "priority": ("\n\n## Task: a\nPriority: urgent\n", 4),
    "type": ("## Task: a\nType: story\n", 2),
    "mode": ("## Task: a\nMode: never\n", 2),
    "label": ("## Task: a\nLabels: " + "x" * 65, 2),
    "twice": ("## Task: Same\n\n## Task: same\n", 3),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_named_with_file_and_line_M7(case: str) -> None:
    text, line = WRONG[case]
    assert refusal_of(text).message.startswith(f"plan.md:{line} ")


@pytest.mark.parametrize(
    "text", ["## Task: a\x1b[2J\n", "## Task: a\n\x00", "## Task: a\n\u0085", "## Task: a\n\udcff"]
)
def test_characters_that_do_not_show_are_refused_M7(text: str) -> None:
    refusal_of(text)


def test_more_than_a_thousand_tasks_are_not_taken_at_once_M7() -> None:
    lines = "".join(f"## Task: {number}\n" for number in range(MOST_TASKS + 1))
    assert str(MOST_TASKS) in refusal_of(lines).message
    assert len(read_plan(lines.replace(f"## Task: {MOST_TASKS}\n", ""))) == MOST_TASKS


# Fences and comments


def test_headings_and_fields_in_a_code_fence_are_text_M7() -> None:
    found = section_of("## Task: a\n```\n## Task: b\nLabels: review:skip\n# c\n```\nafter\n")
    assert (found.labels, found.description) == ((), "```\n## Task: b\nLabels: review:skip\n# c\n```\nafter")


def test_a_fence_ends_with_the_sign_that_it_began_with_M7() -> None:
    for outer, inner in (("```", "~~~"), ("~~~", "```")):
        assert section_of(f"## Task: a\n{outer}\n{inner}\n## Task: b\n{inner}\n## Task: c\n{outer}\n").title == "a"
        assert [task.title for task in read_plan(f"## Task: a\n{outer}\n{inner}\n{outer}\n## Task: b\n")] == ["a", "b"]


def test_a_fence_that_is_never_closed_swallows_no_task_M7() -> None:
    assert refusal_of("## Task: a\n```\n## Task: b\n").message.startswith("plan.md:2 a code fence begins here")
    assert refusal_of("## Task: a\n```\nLabels: security\n").message.startswith("plan.md:2 a code fence begins here")
    assert section_of("## Task: a\n```\nwords\n").description == "```\nwords"
    assert section_of("## Task: a\n````md\n```\n## Task: b\n```\n````\n").title == "a"


def test_what_is_commented_out_is_not_there_and_line_numbers_stay_right_M7() -> None:
    old = "<!-- the old plan\n## Notes\nLabels: x\n-->\n"
    found = read_plan(f"{old}## Task: a <!-- first -->\nLabels: <!-- y --> z\n<!-- b -->\nwords\n\n## Task: c\n")
    assert [(task.line, task.title, task.labels, task.description) for task in found] == [
        (5, "a", ("z",), "words"),
        (10, "c", (), ""),
    ]


HEADINGS = [
    "## Task 2: b",
    "### **Task: b**",
    "## Task 2 - b",
    "## Task S9. b",
    "## 3. Task: b",
    "#### TASK fe-q4d : b",
]


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_heading_may_number_its_task_M7(heading: str) -> None:
    assert [task.title for task in read_plan(f"## Task: a\n{heading}\n")] == ["a", "b"]


def test_tasks_with_the_same_title_are_told_apart_by_their_numbers_M7() -> None:
    assert [task.ref for task in read_plan("## Task 1: a\n## Task 2: A\n")] == ["1", "2"]
    assert refusal_of("## Task 1: a\n## Task 1: b\n").message.startswith("plan.md:2 ")


# Whatever it holds

PIECES = [
    "#",
    " ",
    "\n",
    "Task:",
    "## Task: x",
    "```",
    "~~~",
    "<!--",
    "-->",
    "Labels: ",
    "Lables: ",
    "Mode: skip",
    "\n- ",
    "**",
    "|",
    "review:skip",
    "\\",
    "a",
    "- ",
]
NASTY = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


@quick
@given(st.one_of(st.text(max_size=200), NASTY))
def test_whatever_a_file_holds_is_tasks_or_a_clear_error_G1(text: str) -> None:
    try:
        found = read_plan(text, "plan.md")
    except FoureyesError as problem:
        found = []
        said = (isinstance(problem, BadInput), bool(problem.message), bool(problem.next_step))
        assert said == (True, True, True)
    assert all(task.title and task.planned in ("", "auto-approve", "per-task", "batch", "skip") for task in found)
    assert len({(task.ref.lower(), task.title.lower()) for task in found}) == len(found)


@quick
@given(NASTY)
def test_a_description_that_was_written_into_a_plan_comes_back_as_it_was_M7(description: str) -> None:
    (found,) = read_plan(f"## Task: a\nMode: batch\nDescription:\n{written(description)}\n")
    assert found.description == description.strip()
