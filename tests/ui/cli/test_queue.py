"""`fe queue`, and `fe approve` for several: what they print, what they answer as JSON, how they exit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.stage.commands import Cast
from tests.ui.cli.counter import KNIP, LINT, RED, Counter, counter, keys

NEW = "a new agent: only 0 of its attempts were decided so far"
ROW = """n task title priority attempt diff_id mode mode_reasons risk auto_approvable auto_reasons checks claimed files added removed held
blocks version submitted_at age_seconds you"""


@pytest.fixture
def shop(template: Path, tmp_path: Path, cast: Cast) -> Counter:
    return counter(template, tmp_path, cast, LINT + KNIP)


def test_an_empty_queue_says_what_to_do_next(shop: Counter) -> None:
    assert shop.text(shop.cast.alice, "queue") == "no tasks are waiting for review\nnext: fe list --ready\n"
    assert shop.lines(shop.cast.alice, "queue") == []


def test_groups_reasons_marks_and_the_next_step(shop: Counter) -> None:
    shop.good(title="Fix typo", path="tests/test_a.py")
    red = shop.work_by_a_person(RED)
    shop.checked(shop.cast.job, red, rc=6)
    shop.work({"src/b.py": "b\n"}, "review:per-task", title="Pay")
    lines = [" ".join(line.split()) for line in shop.text(shop.cast.alice, "queue").splitlines()]
    assert lines == [
        "3 tasks wait in review auto-approvable 1 · need attention 2 · you can approve now 1",
        "waits on purpose",
        "1 T3 P2 Pay +1 -0 ·· per-task it 1 AGE",
        f"code changed, no test changed; required check lint not run; {NEW}",
        "look closely",
        "2 T2 P2 Add login +1 -0 ✗✓ batch it 1 AGE",
        f"lint failed; code changed, no test changed; {NEW}",
        "look",
        "3 T1 P2 Fix typo +1 -0 ✓✓ batch it 1 AGE auto",
        NEW,
        "checks left to right: lint knip (✓ passed ✗ failed ! broke · not run ? claimed)",
        "next: fe show T1 --diff fe approve --all-auto",
    ]


def test_an_attempt_whose_branch_moved_is_marked_D4(shop: Counter) -> None:
    shop.good(title="Fix typo")
    (branch,) = [name for name in shop.git("branch", "--format=%(refname:short)").split() if name != "main"]
    shop.commit(branch, {"src/more.py": "more\n"}, onto=branch)
    assert "STALE: its branch moved after the submission (D4)" in shop.text(shop.cast.alice, "queue")


def test_limit_cuts_and_says_so(shop: Counter) -> None:
    for n in range(3):
        shop.work({f"src/{n}.py": "x\n"})
    lines = shop.text(shop.cast.alice, "queue", "--limit", "1").splitlines()
    assert "2 more: --limit 3" in lines
    assert len(shop.lines(shop.cast.alice, "queue", "--limit", "2")) == 2
    assert shop.run(shop.cast.alice, "queue", "--limit", "0").rc == 2


def test_json_has_risk_as_class_and_reasons(shop: Counter) -> None:
    shop.good()
    (row,) = shop.lines(shop.cast.alice, "queue")
    assert keys(row, ROW) == set()
    assert row["risk"] == {
        "class": "medium",
        "reasons": [
            {"rule": "H1", "message": "code changed, no test changed", "next": ""},
            {"rule": "H1", "message": NEW, "next": ""},
        ],
    }
    assert (row["checks"], row["auto_approvable"], row["you"]["may_approve"]) == (
        {"lint": "passed", "knip": "passed"},
        True,
        True,
    )


def test_an_agent_and_a_service_may_look_and_looking_writes_nothing(shop: Counter) -> None:
    shop.work()
    before = shop.head()
    assert [len(shop.lines(who, "queue")) for who in (shop.cast.claude, shop.cast.job)] == [1, 1]
    assert shop.head() == before


# Several at once


def test_all_auto_without_a_terminal_only_lists_and_is_2(shop: Counter) -> None:
    task = shop.good()
    said = shop.text(shop.cast.alice, "approve", "--all-auto", rc=2)
    assert said.startswith("1 task would be approved: T1\n  T1  +1 -0  medium  Add login\n")
    assert said.endswith("fe: nothing was done.\n  next: fe approve --all-auto --yes\n")
    assert shop.status(task) == "reviewing"


def test_all_auto_with_yes_is_a_decision_each(shop: Counter) -> None:
    tasks = [shop.good(path=f"src/{n}.py", title=f"Task {n}") for n in range(2)]
    large = shop.work({"src/large.py": "x\n" * 500}, title="Large")
    shop.checked(shop.cast.job, large)
    done = shop.run(shop.cast.alice, "approve", "--all-auto", "--yes", "-m", "routine")
    assert (done.rc, "high risk, not in a batch: T3" in shop.named(done.err)) == (0, True)
    said = [line.split(":")[0] for line in shop.named(done.out).splitlines() if line.startswith("approved")]
    assert said == ["approved T1", "approved T2"]
    assert [shop.show(task)["approvals"][0]["batch"] for task in tasks] == ["1 of 2", "2 of 2"]
    assert shop.status(large) == "reviewing"


def test_all_auto_with_nothing_to_approve_is_0_and_says_so(shop: Counter) -> None:
    shop.work()
    done = shop.run(shop.cast.alice, "approve", "--all-auto", "--yes")
    assert (done.rc, done.out, done.err.splitlines()[0]) == (0, "", "nothing can be approved automatically")


def test_all_auto_is_for_people_D7(shop: Counter) -> None:
    shop.good()
    assert "D7" in shop.no(shop.cast.codex, "approve", "--all-auto", "--yes").rules


def test_several_by_name_and_a_refused_one_changes_nothing_about_the_others_H2(shop: Counter) -> None:
    good, unchecked = shop.good(), shop.work({"src/b.py": "b\n"})
    done = shop.run(shop.cast.alice, "approve", unchecked, good, "--json")
    first, second = [json.loads(line) for line in done.out.splitlines()]
    assert (done.rc, first["error"]["reasons"][0]["rule"], second["approved"]) == (1, "D5", good)
    assert (shop.status(good), shop.status(unchecked)) == ("approved", "reviewing")


@pytest.mark.parametrize(
    "words",
    [
        ["T1", "T2", "--seen", "12345678"],
        ["T1", "T2", "--break-glass", "x"],
        ["T1", "--all-auto"],
        ["--yes"],
        [],
        ["T1", "--yes"],
    ],
    ids=["seen", "glass", "both", "yes alone", "nothing", "yes"],
)
def test_several_take_a_reason_and_nothing_else_and_one_is_needed(shop: Counter, words: list[str]) -> None:
    assert shop.run(shop.cast.alice, "approve", *words).rc == 2


def test_a_batch_has_an_end_H2(template: Path, tmp_path: Path, cast: Cast) -> None:
    shop = counter(template, tmp_path, cast)
    names = [f"fe-{number:03}" for number in range(51)]
    assert "51 tasks are too many for one batch" in shop.no(cast.alice, "approve", *names, rc=2).message
