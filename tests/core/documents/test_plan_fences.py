"""M7: code and comments of a plan lose no task in silence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from foureyes.core.documents.plan_file import read_plan
from foureyes.errors import BadInput

from tests.core.documents.plans import refusal_of, section_of
from tests.core.samples import quick


def test_code_that_shows_a_comment_is_text_and_loses_no_task_M7() -> None:
    code = "```html\n<!-- begin\n```"
    found = read_plan(f"## Task: a\n{code}\n## Task: b\nLabels: security\n\nIt ends with `-->`.\n## Task: c\n")
    assert [(task.title, task.labels) for task in found] == [("a", ()), ("b", ("security",)), ("c", ())]
    assert found[0].description == code


def test_code_within_a_line_begins_no_fence_M7() -> None:
    assert [task.title for task in read_plan("## Task: a\n```b``` is text\n## Task: c\n```\n```\n")] == ["a", "c"]


@pytest.mark.parametrize("text", ["`<!--`", "``a ` <!-- b``", r"\<!--", "so\n```\n<!-- b -->\n\\<!--\n```\n"])
def test_a_comment_in_backticks_or_behind_a_backslash_is_text_M7(text: str) -> None:
    found = section_of(f"## Task: a\nIt writes {text} first.\nLabels: security\n")
    assert (found.labels, found.description) == (("security",), f"It writes {text} first.".replace("s \\<", "s <"))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a <!-- b --> c <!-- d\ne --> f", "a  c \n f"),
        ("<!--> a <!---> b", "a  b"),
        ("<!-- ` --> a `<!-- b", "a `"),
        ("<!--\n```\n--> a", "a"),
        ("<!--\n\nLabels: x\n--> a", "a"),
    ],
)
def test_a_comment_is_what_markdown_takes_for_one_M7(text: str, left: str) -> None:
    closed = text if text.count("`") != 2 else f"{text} -->"
    found = section_of(f"## Task: a\nMode: auto\nDescription:\n{closed}\n")
    assert (found.labels, found.description) == ((), left)


@pytest.mark.parametrize(
    "body",
    [
        "<!-- b",
        "<!--\n## Task: b\n## Task: c\n-->",
        "<!--\n### **Task 2: b**\n-->",
        "Begin with <!-- there.\n\nLabels: security\n\nEnd with --> here.",
        "Begin with <!-- there.\nLabels: security\n--> here.",
    ],
)
def test_a_comment_that_never_ends_or_takes_more_than_was_meant_is_refused_with_its_line_M7(body: str) -> None:
    assert refusal_of(f"## Task: a\n{body}\n").message.startswith("plan.md:2 a comment begins")


PIECES = [
    "\n## Task: {}\n", "\n### **Task: {}**\n", "\n```\n", "\n~~~\n", "\n````\n",
    "<!--", "-->", "`", "``", "\\", "\n\n", " a ", "\nLabels: x\n",
]  # fmt: skip


@quick
@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_no_task_that_markdown_shows_as_a_heading_goes_missing_without_a_refusal_M7(pieces: list[str]) -> None:
    text = "".join(piece.format(f"t{number}") for number, piece in enumerate(pieces))
    try:
        found = {task.title for task in read_plan(text)}
    except BadInput:
        return
    shown = [token.content for token in MarkdownIt().parse(text) if token.type == "inline" and "Task:" in token.content]
    assert {content.strip("# *").removeprefix("Task: ") for content in shown} <= found
