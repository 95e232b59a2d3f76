"""Plans in Markdown: fields below the heading, comments ignored, and nothing that matters for review is lost (M7)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from foureyes.core.documents.plan import PlanTask, read_plan
from foureyes.errors import BadInput, FoureyesError

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
`Labels: in code are words`

## Notes
Not part of any task.

## Task: Write the docs
"""
SOURCE = """\
## Task: Add authentication
Labels: review:per-task  <!-- Agent marked this as needing review -->

## Task: Fix typo in README
Labels: review:skip  <!-- Trivial, no review needed -->

## Task: Refactor utils
Labels: review:batch  <!-- Default, user will review in batch -->
"""


def only(text: str) -> PlanTask:
    (task,) = read_plan(text, "plan.md")
    return task


def refusal_of(text: str) -> str:
    with pytest.raises(BadInput) as caught:
        read_plan(text, "plan.md")
    assert caught.value.next_step, "an error says what to do (G2)"
    reasons = [reason.message for reason in caught.value.reasons]
    return reasons[0] if reasons else caught.value.message


def test_plan_of_the_source_document_is_read_M7() -> None:
    assert [(task.title, task.labels) for task in read_plan(SOURCE)] == [
        ("Add authentication", ("review:per-task",)),
        ("Fix typo in README", ("review:skip",)),
        ("Refactor utils", ("review:batch",)),
    ]


def test_plan_has_a_section_per_task_in_its_order_M7() -> None:
    utils, login, docs = read_plan(PLAN, "plan.md")
    assert utils == PlanTask(at="plan.md:5", title="Refactor utils", labels=("trivial",), type="chore")
    assert login == PlanTask(
        at="plan.md:9", title="Add authentication", labels=("review:per-task", "security"), priority=1,
        depends_on=("Refactor utils", "fe-7k2"),
        acceptance="sign-in works with an expired token\n- and without one\n- and says so",
        description="Sign in with **refresh tokens**.\n\n### Details\n`Labels: in code are words`",
    )  # fmt: skip
    assert docs == PlanTask(at="plan.md:25", title="Write the docs")


@pytest.mark.parametrize(
    "text",
    [
        "## Task: a\nLabels: x, y", "# TASK : a\nlabel: x ,y", "###### task: a #\n\n**Labels:** `x`,y",
        "## Task:a\r\nLabels: x, y\r\n", "### **Task 3: a**\nLabels:\n- x\n- y\n", "\ufeff## Task: a\nLabels: [x, #y]",
        "## Task: a\n<!-- b -->\nPriority: P2\n\nLabels: x, none, y",
    ],
)  # fmt: skip
def test_fields_stand_below_the_heading_M7(text: str) -> None:
    task = only(text)
    assert (task.title, task.labels) == ("a", ("x", "y"))


REFUSED = {
    "no title": "## Task:",
    "only a comment for a title": "## Task: <!-- later -->",
    "a title that is too long": f"## Task: {'x' * 501}",
    "a task without a colon": "## Task S9",
    "a task without a blank": "##Task: b",
    "a task without a heading": "**Task 4: b**",
    "a task in a quote": "> ## Task: b",
    "a task in a list": "- ## Task: b",
    "a task in HTML": "<details>\n## Task: b\n</details>",
    "an underlined task": "Task: b\n---",
    "a priority": "Priority: urgent",
    "a type": "Type: story",
    "a mode": "Mode: never",
    "a long label": "Labels: " + "x" * 65,
    "labels without a comma": "Labels: security api",
    "an unknown mode": "Labels: security, review:nonsense",
    "a mode cut in two": "Labels: review: per-task",
    "a mode without its colon": "Labels: review-per-task",
    "a bare mode": "Labels: per-task",
    "two modes": "Mode: per-task\nLabels: review:auto",
    "two priorities": "Priority: P1\nPriority: P2",
    "an unknown field": "Labels: x\nOwner: bob",
    "text without a blank line": "Labels: x\nwords",
    "a near miss": "Lables: docs",
    "another near miss": "Dependes on: S10",
    "another name": "Blocked by: S10",
    "below the text": "Text.\n\nLabels: security",
    "below text without a blank": "Text.\nMode: skip",
    "a list": "- Labels: security",
    "a heading": "#### Labels\n- security",
    "a table": "| Labels | security |",
    "a quote": "> Labels: security",
    "HTML": "<div>\nLabels: security\n</div>",
    "behind a comment": "<!-- a --> Labels: security",
    "a definition": "[x]: /y\nLabels: security",
    "indented code": "Text.\n\n    Labels: security",
    "a picture": "🏷️ Labels: security",
    "brackets": "(Labels: security)",
    "JSON": '"labels": ["security"]',
    "a mode under another name": "Flags: review:per-task",
    "a mode in the text": "Review it as review:per-task, please.",
    "in the acceptance": "Acceptance:\n  - works\n  - Labels: security",
    "a fence without an end": "```\nwords",
    "a comment without an end": "<!-- words\n## Task: b",
}


@pytest.mark.parametrize("case", REFUSED)
def test_line_that_could_lose_strictness_is_refused_with_its_number_M7_M2(case: str) -> None:
    body = REFUSED[case]
    places = tuple(f"plan.md:{number} " for number in range(1, body.count("\n") + 5))
    assert refusal_of(f"## Task: a\n\n{body}\n").startswith(places)


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("Priorty: 1", "Priority"), ("Review: skip", "Mode"), ("Lables: x", "Labels"), ("**Depend on:** S1", "Depends on"),
        ("Tpye: bug", "Type"), ("Acceptence: it works", "Acceptance"), ("Depends: S1", "Depends on"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("above", ["", "\n", "Key: k\n", "Key: k\n\n"])
def test_misspelt_field_below_the_heading_is_quoted_M7(above: str, line: str, meant: str) -> None:
    refusal = refusal_of(f"## Task: a\n{above}{line}\n")
    assert refusal.startswith(f"plan.md:{above.count(chr(10)) + 2} ")
    name = line.strip("*").partition(":")[0]
    assert f"no field {name!r}. Did you mean {meant}?" in refusal
    assert repr(line) in refusal


def test_field_with_a_problem_is_named_by_its_own_line_M7() -> None:
    assert refusal_of("\n\n## Task: a\nType: chore\nPriority: P9\n").startswith("plan.md:5 priority 'P9'")


@pytest.mark.parametrize(
    "text",
    [
        "Labels are shown in the list.", "Labels, as before, are shown", "Mode of the file stays", "(see the labels)",
        "- Review it twice - or more", "Depends on how long it takes", "The labels: red, green", "Tables: users, orders",
        "`Labels: x` is such a line", "Note: this is text\nand more", "```\n## Task: b\nLabels: x\n# c\n```\nafter",
        "~~~\n```\n~~~", "Use `review:skip` here", "> quoted\n\n1. a\n   - b", "a <b>c</b> [d](e) &amp; __init__",
        "Description: two words", "Details: see below", "Context: the old parser", "Goal: be fast", "Title: none",
        "Text first.\nPriorty: is a word", "Todo: tests", "Steps: one, two", "https://example.org: a page",
    ],
)  # fmt: skip
def test_other_text_is_the_description_as_it_is_M7(text: str) -> None:
    task = only(f"## Task: a\n{text}\n")
    assert (task.labels, task.mode, task.description) == ((), "", text)


@pytest.mark.parametrize(
    ("body", "description"),
    [
        ("a <!-- b --> c <!-- d\ne --> f", "a  c \n f"),
        ("<!--\n## Task: b\nLabels: x\n-->\nwords", "words"),
        ("<!-- b -->\n\nwords", "words"),
        ("`<!--` and `-->`", "`<!--` and `-->`"),
        ("```\n<!-- b -->\n```", "```\n<!-- b -->\n```"),
    ],
)
def test_comments_are_ignored_outside_of_code_M7(body: str, description: str) -> None:
    assert only(f"## Task: a\nMode: auto\n\n{body}\n").description == description


def test_line_numbers_stay_right_behind_comments_M7() -> None:
    old = "<!-- the old plan\n## Notes\nLabels: x\n-->\n"
    found = read_plan(f"{old}## Task: a <!-- first -->\nLabels: <!-- y --> z\n\n<!-- b -->\nwords\n\n## Task: c\n", "p")
    assert [(task.at, task.title, task.labels, task.description) for task in found] == [
        ("p:5", "a", ("z",), "words"),
        ("p:11", "c", (), ""),
    ]


@pytest.mark.parametrize("text", ["", "words", "## Tasks\n- a\n", "```\n## Task: a\n```\n", "<!-- ## Task: a -->\n"])
def test_file_without_a_task_is_refused_with_the_form_of_one_M7(text: str) -> None:
    assert 'no section "## Task: …"' in refusal_of(text)


@pytest.mark.parametrize(
    "text", ["## Task: a\x1b[2J\n", "## Task: a\n\x00", "## Task: a\n\u0085", "## Task: a\n\udcff"]
)
def test_control_characters_are_refused_M7(text: str) -> None:
    refusal_of(text)


PIECES = [
    "\n## Task: {}\n", "\n### **Task: {}**\n", "\n```\n", "\n~~~\n", "\n````\n", "<!--", "-->", "`", "\\", "\n\n",
    " a ", "\nLabels: x\n", "\n- ", "\n> ", "\n    ", "\n<div>\n", "**", "|", "Mode: skip", "Lables: ", "#",
]  # fmt: skip


@quick
@given(st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=14).map("".join)))
def test_any_text_is_tasks_or_a_clear_refusal_G1(text: str) -> None:
    found, refusal = [], None
    try:
        found = read_plan(text, "plan.md")
    except FoureyesError as problem:
        refusal = problem
    assert bool(found) != (isinstance(refusal, BadInput) and bool(refusal.message and refusal.next_step))
    assert all(task.title and task.planned in ("", "auto-approve", "per-task", "batch", "skip") for task in found)


@quick
@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_no_heading_of_a_task_is_lost_without_a_refusal_M7(pieces: list[str]) -> None:
    text = "".join(piece.replace("{}", f"t{number}") for number, piece in enumerate(pieces))
    try:
        found = {task.title for task in read_plan(text)}
    except BadInput:
        return
    shown = [token.content for token in MarkdownIt().parse(text) if token.type == "inline" and "Task:" in token.content]
    assert {content.strip("# *").removeprefix("Task: ") for content in shown} <= found
