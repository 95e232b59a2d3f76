"""The review summary, with real tasks, real checks and real git: five tasks, four checks, two
auto-approvable (M8).

Four rows wait because of their mode or their checks. Row 4 is `auto`, all green, and waits all the same: what the gate
may approve by itself it approves when it is submitted and when its checks end (M4), and at that moment a person held
the task (D3). The hold was lifted since; nothing stands against it any more, and nothing has asked the gate again. So
it is in the summary: pending, and approvable in one go. (A person who puts `review:auto` on after the checks leads
to the same.)
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.stage.checkout import copied
from tests.stage.commands import Cast, Stage
from tests.stage.shop import MARKS, Shop, with_pipeline

pytestmark = pytest.mark.scenario

CHECKS = ("tests", "typecheck", "lint", "knip")


class Row(NamedTuple):
    """A line of the summary, and what the agent submits for it."""

    title: str
    marks: str
    mode: str
    files: dict[str, str]
    label: str = ""


TABLE = (
    Row("Add user auth", "✓✓✓✓", "per-task", {"src/auth.py": "def sign_in(): ...\n"}, "review:per-task"),
    Row("Fix login bug", "✓✓✓✓", "batch", {"src/login.py": "def login(): ...\n"}, "review:batch"),
    Row("Rate limiting", "✓✓✗✓", "batch", {"src/limit.py": "LIMIT = 1000  # MESSY\n"}),
    Row("Update API", "✓✓✓✓", "auto-approve", {"src/api.py": "VERSION = 2\n"}, "review:auto"),
    Row(
        "OAuth integration",
        "✗✗✗✗",
        "batch",
        {"src/oauth.py": "UNTYPED = MESSY = UNUSED = 1\n", "src/prices.py": "# gross\n"},
    ),
)
BY_RISK = ["Add user auth", "Rate limiting", "OAuth integration", "Fix login bug", "Update API"]
"""H1: per-task first, then what is red, then the rest; within that by priority and age."""


@pytest.fixture(scope="module")
def five(tmp_path_factory: pytest.TempPathFactory, template: Path, cast: Cast) -> Path:
    """The five tasks of the summary, planned by a person, made by an agent, checked by a service. Copy it, never use
    it.
    """
    shop = with_pipeline(Stage(copied(template, tmp_path_factory.mktemp("five") / "shop"), cast))
    for row in TABLE:
        is_auto = row.mode == "auto-approve"
        label = ("-l", row.label) if row.label and not is_auto else ()
        task = shop.create(cast.alice, *label, title=row.title)
        shop.done(cast.claude, "start", task)
        shop.commit(f"fe/{task}", row.files)
        shop.submit(cast.alice if "✗" in row.marks else cast.claude, task)
        report = shop.checked(cast.job, task, rc=0 if "✗" not in row.marks else 6)
        assert report["status"] == "reviewing", report
        if is_auto:
            shop.done(cast.alice, "label", "add", task, row.label)
    return shop.repo


@pytest.fixture
def shop(five: Path, tmp_path: Path, cast: Cast) -> Shop:
    """A copy of the repository with the five."""
    return Shop(copied(five, tmp_path / "shop"), cast)


def test_the_review_summary_is_what_fe_queue_prints(shop: Shop) -> None:
    said = shop.run(shop.cast.alice, "queue").out
    head = said.splitlines()[0]
    assert re.fullmatch(r"5 tasks wait in review +auto-approvable 2 · need attention 3 · you can approve now 3", head)
    assert f"checks left to right: {' '.join(CHECKS)} " in said
    printed = re.findall(r"^ +(\d) (\S+) +P2  (.+?) {2,}\+\d+ -\d+ +([✓✗!·]+) +(\S+) +it 1", said, re.MULTILINE)
    assert [int(number) for number, *_ in printed] == [1, 2, 3, 4, 5]
    assert {title: (marks, mode) for _, _, title, marks, mode in printed} == {
        row.title: (row.marks, row.mode) for row in TABLE
    }
    assert [title for _, _, title, _, _ in printed] == BY_RISK
    assert said.splitlines()[-1].endswith("fe approve --all-auto")


def test_auto_approvable_is_2_by_M8_and_every_other_row_says_why_it_is_not(shop: Shop) -> None:
    rows = shop.queue()
    assert {title: "".join(MARKS[row["checks"][name]] for name in CHECKS) for title, row in rows.items()} == {
        row.title: row.marks for row in TABLE
    }
    assert {title for title, row in rows.items() if row["auto_approvable"]} == {"Fix login bug", "Update API"}
    why = {
        title: [reason["message"] for reason in row["auto_reasons"]]
        for title, row in rows.items()
        if not row["auto_approvable"]
    }
    assert why["Add user auth"] == ["label review:per-task, so the mode is per-task"]
    assert [re.sub(r" on tree \w+", "", text) for text in why["Rate limiting"]] == [
        "the required check lint failed (exit code 1)"
    ]
    assert [text.split()[3] for text in why["OAuth integration"]] == list(CHECKS)
    assert {title: row["risk"]["class"] for title, row in rows.items() if row["risk"]["class"] == "high"} == {
        "Rate limiting": "high", "OAuth integration": "high",
    }  # fmt: skip


def test_all_auto_lists_first_and_a_no_changes_nothing(shop: Shop) -> None:
    before = shop.head()
    asked = shop.run(shop.cast.alice, "approve", "--all-auto", tty=True, input="n\n")
    assert asked.out.startswith("2 tasks would be approved: ")
    assert ("Fix login bug" in asked.out, "Update API" in asked.out, "Add user auth" in asked.out) == (
        True,
        True,
        False,
    )
    shop.no(shop.cast.alice, "approve", "--all-auto", rc=2)
    assert shop.head() == before
    assert list(shop.queue()) == BY_RISK


def test_the_gate_itself_approves_row_4_when_it_is_asked_again(shop: Shop) -> None:
    task = shop.queue()["Update API"]["task"]
    report = shop.checked(shop.cast.job, task)
    assert (report["status"], [row["reused"] for row in report["checks"]]) == ("approved", [True] * 4)
    (approval,) = shop.show(task)["approvals"]
    assert (approval["rule"], approval["grade"]) == ("M4", "rule")
    assert "Update API" not in shop.queue()
