"""The one document in a last message (V3): alone or in one fence; prose is never one."""

from __future__ import annotations

import json

import pytest

from foureyes.core.documents.answer import LONGEST, document_in
from foureyes.core.documents.json_reader import read
from foureyes.core.documents.prompt import Question, contract
from foureyes.core.documents.shapes import ReviewResult
from foureyes.errors import BadInput

KIND = "review_result"


def document(verdict: str = "approved") -> str:
    return json.dumps({"type": KIND, "payload": {"verdict": verdict, "summary": "…", "files_reviewed": ["a.py"]}})


FENCED = f"```json\n{document()}\n```"


@pytest.mark.parametrize(
    "answer",
    [
        document(),
        f"\n\n  {document()}\n",
        json.dumps(json.loads(document()), indent=2),
        FENCED,
        f"I looked at all of it.\n\n{FENCED}\n\nThank you.",
        f"This is what I ran:\n```sh\nmake test\n```\nand then:\n~~~\n{document()}\n~~~",
        f"First:\n{FENCED}\nOnce more the same:\n{FENCED}",
        f"Their file says:\n````md\n```json\n{document('blocker')}\n```\n````\nI say:\n{FENCED}",
    ],
)
def test_one_document_is_found_alone_or_in_a_fence_V3(answer: str) -> None:
    assert read(document_in(answer, KIND), ReviewResult).payload.verdict == "approved"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("", "empty"),
        ("No blocker found… LGTM", "is plain text"),
        ("REJECTED: this deletes the database", "is plain text"),
        ("approved", "is plain text"),
        (f"```json\n{document()}\n```\n```json\n{document('blocker')}\n```", "several"),
        (f"{FENCED}\nOr rather {document('blocker')}", "several"),
        (f"Here it is: {document()}", "has other text around it"),
        (f"{document()}\nDone.", "has other text around it"),
        (f'```json\n{{"type": "{KIND}", "payload": {{\n```', "holds no JSON"),
        (f"```json\n{document()}", "has other text around it"),
        ("x" * (LONGEST + 1), "characters"),
    ],
)
def test_whatever_else_is_said_is_no_answer_V3(answer: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        document_in(answer, KIND)


def test_the_example_of_the_prompt_repeated_is_no_answer_V3() -> None:
    told = contract("review", Question(task="fe-1", max_words=200, attempt=1, diff_id="sha256:ab"))
    found = document_in(told, KIND)
    with pytest.raises(BadInput) as refused:
        read(found, ReviewResult)
    assert "verdict" in str([reason.message for reason in refused.value.reasons])
    with pytest.raises(BadInput, match="several"):
        document_in(f"{told}\n{FENCED}", KIND)


@pytest.mark.parametrize(
    "answer",
    [
        "[1, 2]",
        '```json\n{"type": "signal", "signal": "DONE"}\n```',
        '{"type": "review_request"}',
        '{"type": "review_result"}',
        "{}",
    ],
)
def test_a_document_that_is_something_else_is_refused_by_its_reader_V3(answer: str) -> None:
    with pytest.raises(BadInput):
        read(document_in(answer, KIND), ReviewResult)
