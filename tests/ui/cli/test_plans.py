"""`fe plan import|accept|export`: what they print, what they answer as JSON, how they exit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.stage.commands import Cast
from tests.ui.cli.counter import Counter, counter

PLAN = "# Plan\n\n## Task: Pay\nLabels: review:per-task\nDepends on: Add login\n\n## Task: Add login\nPriority: P1\n"


@pytest.fixture
def shop(template: Path, tmp_path: Path, cast: Cast) -> Counter:
    shop = counter(template, tmp_path, cast, "")
    (shop.repo / "plan.md").write_text(PLAN)
    return shop


def test_import_lists_what_it_planned_and_accept_makes_it_a_persons(shop: Counter) -> None:
    assert [line.split() for line in shop.text(shop.cast.claude, "plan", "import", "plan.md").splitlines()] == [
        ["ID", "MODE", "WAITS", "FOR", "TITLE"],
        ["T1", "auto-approve", "Add", "login"],
        ["T2", "per-task", "T1", "Pay"],
        ["planned", "2", "tasks"],
        "next: fe list --ready a person confirms the modes: fe plan accept".split(),
    ]
    assert shop.text(shop.cast.alice, "plan", "accept") == "T1  auto-approve\nyou confirmed the modes of 1 task\n"


def test_import_by_a_person_says_what_merges_without_a_reviewer_M7(shop: Counter) -> None:
    (shop.repo / "plan.md").write_text(
        PLAN + "\n## Task: Rename\nLabels: review:skip\n\n## Task: Words\nLabels: docs\n"
    )
    merges = "3 tasks will merge without a reviewer once checks pass"
    dry = shop.text(shop.cast.alice, "plan", "import", "plan.md", "--dry-run").splitlines()
    assert dry[-3:] == ["would plan 4 tasks", merges, "next: fe plan import plan.md"]
    made = shop.text(shop.cast.alice, "plan", "import", "plan.md").splitlines()
    assert made[-3:] == ["planned 4 tasks", merges, "next: fe list --ready"]
    assert "will merge" not in shop.text(shop.cast.alice, "plan", "import", "plan.md"), "nothing is new"


def test_accept_covers_the_review_labels_of_an_agents_plan_M7(shop: Counter) -> None:
    """The label of the plan, not one that an agent puts on later."""
    text = "## Task: A\nLabels: review:skip\n## Task: B\nLabels: review:skip\n## Task: C\n"
    rows = shop.lines(shop.cast.claude, "plan", "import", "-", input=text)
    late = shop.create(shop.cast.alice)
    shop.done(shop.cast.claude, "label", "add", late, "review:skip")
    for _ in range(2):
        accepted = shop.text(shop.cast.alice, "plan", "accept")
        assert accepted == "T1  skip\nT2  skip\nT3  auto-approve\nyou confirmed the modes of 3 tasks\n"
    work = shop.deliver(shop.cast.codex, rows[0]["task"], {"src/a.py": "a = 1\n"})
    assert shop.status(work.task) == "approved", "a person said skip"
    assert shop.no(shop.cast.alice, "plan", "accept", late).rules == ("M7",)


def test_mode_before_submission_says_its_condition_M3(shop: Counter) -> None:
    created = shop.text(shop.cast.alice, "create", "Words", "-l", "docs")
    assert "  review  skip if only documents change, else batch (label docs is skip; project default)" in (
        created.splitlines()
    )
    assert "skip if only documents change, else batch: " in shop.text(shop.cast.alice, "show", shop.tasks()[0])
    assert " skip or batch " in shop.text(shop.cast.alice, "list")
    assert " skip or batch " in shop.text(shop.cast.alice, "sprint", "plan", "--hours", "8")
    planned = shop.text(
        shop.cast.claude, "plan", "import", "-", input="## Task: More words\nLabels: docs\nMode: batch\n"
    )
    assert "T2  skip or batch " in planned


def test_json_of_import_accept_and_export(shop: Counter) -> None:
    rows = shop.lines(shop.cast.claude, "plan", "import", "plan.md", "--group", "shop")
    assert [(row["title"], row["mode"], row["labels"]) for row in rows] == [
        ("Add login", "auto-approve", []), ("Pay", "per-task", ["review:per-task"]),
    ]  # fmt: skip
    assert rows[1]["depends_on"] == [rows[0]["task"]]
    assert shop.show(rows[0]["task"])["task"]["group"] == "shop"
    (accepted,) = shop.lines(shop.cast.alice, "plan", "accept")
    assert accepted == {"task": rows[0]["task"], "mode": "auto-approve", "planned": "auto-approve"}
    plan = shop.done(shop.cast.job, "plan", "export")
    assert plan == json.loads(shop.run(shop.cast.job, "plan", "export").out)
    assert plan["tasks"][1]["depends_on"] == [rows[0]["task"]]


def test_stdin_is_a_file_too_and_an_export_can_be_imported(shop: Counter) -> None:
    shop.done(shop.cast.alice, "create", "Ship it", "-p", "0", "-a", "it ships")
    text = shop.run(shop.cast.alice, "plan", "export").out
    assert json.loads(text)["tasks"][0]["title"] == "Ship it"
    (row,) = shop.lines(shop.cast.job, "plan", "import", "-", input=text)
    task = shop.show(row["task"])["task"]
    assert (task["title"], task["priority"], task["acceptance"]) == ("Ship it", 0, "it ships")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot be read"),
        (b"\xff\xfe", "is not valid UTF-8"),
        (b"x" * 2_000_001, "is larger than"),
        (b"no tasks", 'has no section "## Task: …"'),
        (b"## Task: A\nDepends on: B\n## Task: B\nDepends on: A\n", "in a circle"),
        (b"## Task: A\n## Task: B\nPriority: 9\n", "bad.md:2"),
    ],
    ids=["no file", "not text", "too large", "no task", "circle", "priority"],
)
def test_what_is_no_plan_is_2_and_makes_nothing(shop: Counter, content: bytes | None, words: str) -> None:
    if content is not None:
        (shop.repo / "bad.md").write_bytes(content)
    assert words in shop.no(shop.cast.claude, "plan", "import", "bad.md", rc=2).message
    assert shop.tasks() == []


def test_a_directory_is_no_plan(shop: Counter) -> None:
    assert "cannot be read" in shop.no(shop.cast.claude, "plan", "import", ".", rc=2).message


def test_accept_is_for_people_and_for_what_a_plan_made_M7(shop: Counter) -> None:
    task = shop.create(shop.cast.alice)
    assert shop.no(shop.cast.claude, "plan", "accept", task).rules == ("M7",)
    assert shop.no(shop.cast.job, "plan", "accept").rules == ("M7",)
    assert shop.no(shop.cast.alice, "plan", "accept", task).rules == ("M7",)
    assert shop.no(shop.cast.alice, "plan", "accept", rc=3).message == "no open task has a planned mode."


def test_problems_of_a_plan_have_one_header_M7(shop: Counter) -> None:
    (shop.repo / "plan.md").write_text("## Task: a\nPriorty: 1\n\n## Task: b\nType: story\n")
    said = shop.run(shop.cast.alice, "plan", "import", "plan.md").err
    assert said.splitlines()[0] == "fe: nothing of plan.md was planned. 2 reasons:"


def test_a_plan_is_tried_first_and_a_second_time_says_what_is_there_M7(shop: Counter) -> None:
    tried = shop.run(shop.cast.claude, "plan", "import", "plan.md", "--dry-run").out.splitlines()
    assert [line.split() for line in tried[:3]] == [
        ["ID", "MODE", "WAITS", "FOR", "TITLE"],
        ["-", "auto-approve", "Add", "login"],
        ["-", "per-task", "Add", "login", "Pay"],
    ]
    assert tried[3:] == ["would plan 2 tasks", "next: fe plan import plan.md"]
    grouped = shop.text(shop.cast.claude, "plan", "import", "plan.md", "--dry-run", "--group", "shop", "--again")
    assert grouped.endswith("next: fe plan import plan.md --group shop --again\n")
    assert shop.tasks() == []
    shop.lines(shop.cast.claude, "plan", "import", "plan.md")
    (shop.repo / "plan.md").write_text(PLAN.replace("Priority: P1", "Priority: P0"))
    again = shop.run(shop.cast.claude, "plan", "import", "plan.md").out
    assert "planned 0 tasks, 2 already exist, 1 of them different from the plan and left unchanged" in again
    assert "its priority is P1, not P0" in again
    assert len(shop.tasks()) == 2
