"""M7, M2: lines of a plan are read as they are meant, or refused with their number."""

from __future__ import annotations

import pytest

from tests.core.documents.plans import refusal_of, section_of

MEANT: dict[str, tuple[str, tuple[str, ...]]] = {
    "backticks": ("Labels: `security`, `review:per-task`", ("security", "review:per-task")),
    "brackets": ("Labels: [security, review:per-task]", ("security", "review:per-task")),
    "bold values": ("**Labels:** **security**; _api_", ("security", "api")),
    "bold in whole": ("**Labels: security**", ("security",)),
    "singular, other case": ("LABEL: Security", ("Security",)),
    "below the text": ("It signs in.\n\n- **Labels:** `security`, api", ("security", "api")),
    "a list": ("Labels:\n\n- `security`\n- api", ("security", "api")),
    "a heading": ("#### Labels\n* security\n* api", ("security", "api")),
    "twice": ("Labels: security\nText.\nLabels: api", ("security", "api")),
    "on two lines": ("Labels: security,\n  api", ("security", "api")),
    "tags": ("Tags: #security", ("security",)),
    "none": ("Labels: none", ()),
    "full-width signs": ("Labels：security，api", ("security", "api")),
}


@pytest.mark.parametrize("case", MEANT)
def test_labels_are_read_however_they_are_decorated_and_wherever_they_stand_M7(case: str) -> None:
    body, labels = MEANT[case]
    assert section_of(f"## Task: a\n{body}\n").labels == labels


REFUSED = {
    "a near miss": "Lables: docs",
    "another": "Dependes on: S10",
    "a heading without a colon": "## Task S9",
    "a heading without a blank": "##Task: b",
    "no heading": "**Task 4: b**",
    "a table": "| Labels | security |",
    "a quote": "> Labels: security",
    "no colon": "**Labels** security",
    "a dash": "Labels - security",
    "a picture": "🏷️ Labels: security",
    "a name of a picture": ":label: Labels: security",
    "an arrow": "→ Labels: security",
    "another bullet": "• Labels: security",
    "brackets": "(Labels: security)",
    "quotes": "'Labels': security",
    "curly quotes": "“Labels”: security",
    "JSON": '"labels": ["security"]',
    "no sign": "Label security",
    "no sign, several": "- Labels security, api",
    "no sign, a mode": "Mode per-task",
    "no sign, a task": "Depends on Task 1",
    "a tag": "<details>Labels: security</details>",
    "a bold tag": "<b>Labels</b> security",
    "a heading with a value": "### Labels: security",
    "adorned and mistyped": "→ Lables: security",
    "tags, adorned": "→ Tags: security",
    "behind another name": "Metadata: Labels: security",
    "two on a line": "Priority: P1, Labels: security",
    "an unknown mode": "Labels: security, review:nonsense",
    "a mode cut in two": "Labels: review: per-task",
    "a mode without its colon": "Labels: review-per-task",
    "a bare mode": "Labels: per-task",
    "a mode under another name": "Flags: review:per-task",
    "a mode in words": "Review: by Bob",
    "a mode in the text": "Review it as review:per-task, please.",
    "a sentence": "Text.\nLabels: in the list are words",
    "skip below the text": "Text.\nLabels: review:skip",
    "skip as a mode below the text": "Text.\nMode: skip",
    "two modes": "Mode: per-task\nLabels: review:auto",
    "two priorities": "Priority: P1\nPriority: P2",
    "nothing behind": "Labels:\nsecurity",
    "in the acceptance": "Acceptance:\n  - works\n  - Labels: security",
    "in no task": "## Step 2\nLabels: security",
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_could_lose_its_strictness_is_refused_with_its_line_M7_M2(case: str) -> None:
    body = REFUSED[case]
    lines = refusal_of(f"## Task: a\n{body}\n").message
    assert lines.startswith(tuple(f"plan.md:{1 + number} " for number in range(body.count("\n") + 2)))


@pytest.mark.parametrize(
    "text",
    [
        "Labels are shown in the list.", "Labels, as before, are shown", "Label each row with its name",
        "(see the labels)", "Mode of the file stays", "- Review it twice - or more",
        '"Labels" are words', "Depends on how long it takes",
        "The labels: red, green", '- \\Labels: x', "Tags were lost",
    ],
)  # fmt: skip
def test_a_sentence_that_begins_with_the_name_of_a_field_is_text_M7(text: str) -> None:
    found = section_of(f"## Task: a\n{text}\n")
    assert (found.labels, found.description) == ((), text)


def test_everything_that_is_wrong_is_said_at_once_M7() -> None:
    problem = refusal_of("## Task: a\nLables: x\n## Task b\n## Task: c\nPriority: P9\n")
    assert [reason.message.split()[0] for reason in problem.reasons] == ["plan.md:2", "plan.md:3", "plan.md:5"]
