"""What broke between submission and decision in the systems before us, each tried on the real command line.

Checks (29, 30, 48, 49), modes (50, 52, 75), feedback (57), counts (58), hints (44, 64), the store (67). What broke on
the way to the target branch is in `test_merge_regressions.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foureyes.steps import Steps, fe
from foureyes.ui.steps import steps_text

from tests.stage.checkout import AT_ONCE
from tests.stage.commands import DESTRUCTIVE, Stage, SubmissionTime
from tests.stage.processes import Caller
from tests.stage.shop import TESTS, Shop, with_pipeline

pytestmark = pytest.mark.scenario

CODE = {"src/code.py": "VALUE = 1\n"}


@pytest.fixture
def shop(stage: Stage) -> Shop:
    """A project with four checks; an approval settles at once."""
    return with_pipeline(stage)


def checks(*rows: tuple[str, str, str]) -> str:
    """Settings with these checks: name, command, report."""
    parts = [{"name": name, "run": run, "report": report} for name, run, report in rows]
    return AT_ONCE + "".join(
        "\n[[checks]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in part.items()) for part in parts
    )


def submitted_task(shop: Shop, files: dict[str, str], *labels: str) -> SubmissionTime:
    """A task with labels that a person planned, and claude's work for it."""
    task = shop.create(shop.cast.alice, *(part for label in labels for part in ("-l", label)))
    return shop.deliver(shop.cast.claude, task, files)


# Checks


def test_a_scan_that_was_not_made_or_left_no_report_is_not_a_clean_one(stage: Stage) -> None:
    shop = Shop(stage.repo, stage.cast)
    shop.configure(checks(("scan", "true", "sarif"), ("missing", "/no/such/scanner .", "none")))
    work = submitted_task(shop, CODE, "review:auto")
    assert {row["check"]: row["outcome"] for row in shop.done(shop.cast.alice, "check", "show", work.task)["checks"]} == {
        "scan": "not_run", "missing": "not_run",
    }  # fmt: skip
    shop.may_not_approve(shop.cast.gemini, work, rules=["D5", "D5"])
    report = shop.checked(shop.cast.job, work.task, rc=6)
    assert ([row["outcome"] for row in report["checks"]], report["status"]) == (["crashed", "crashed"], "reviewing")
    shop.may_not_approve(shop.cast.alice, work, rules=["D5", "D5"])


def test_what_a_check_writes_is_gone_with_its_checkout(stage: Stage) -> None:
    shop = Shop(stage.repo, stage.cast)
    shop.configure(
        checks(("writes", "echo changed > README.md; touch made.txt; pwd; git rev-parse 2>&1 || true", "none"))
    )
    work = submitted_task(shop, CODE)
    shop.checked(shop.cast.alice, work.task, rc=6)  # unsound: no pass rests on files that nobody committed
    said = shop.done(shop.cast.alice, "check", "show", work.task)["checks"][0]["output"]
    assert not Path(said.splitlines()[0]).exists()
    assert str(shop.repo) not in said
    assert "not a git repository" in said
    assert shop.git("status", "--porcelain") == ""


# Modes


@pytest.mark.parametrize(
    ("labels", "mode"),
    [
        (("trivial", "payments"), "per-task"),
        (("payments", "trivial"), "per-task"),
        (("review:skip", "review:batch"), "batch"),
        (("review:batch", "review:skip"), "batch"),
        (("review:auto", "payments"), "auto-approve"),
    ],
)
def test_of_several_labels_the_strictest_counts_and_not_the_first(
    stage: Stage, labels: tuple[str, ...], mode: str
) -> None:
    shop = with_pipeline(stage, AT_ONCE + '[review.label_rules.payments]\nmode = "per-task"\n' + TESTS)
    work = submitted_task(shop, CODE, *labels)
    (row,) = shop.queue().values()
    assert (row["task"], row["mode"]) == (work.task, mode)


# Feedback, counts, hints, the store


def test_a_corrupt_feedback_file_is_set_aside_and_said_and_nothing_is_lost(shop: Shop) -> None:
    work = submitted_task(shop, CODE)
    shop.done(shop.cast.alice, "redo", work.task, "-m", "first")
    file = shop.folder / "feedback" / f"{work.task}.json"
    shop.deliver(shop.cast.claude, work.task, {"src/code.py": "VALUE = 2\n"})
    file.write_text('{"taskId": "' + work.task)
    said = shop.done(shop.cast.alice, "redo", work.task, "-m", "second")
    assert f"{work.task}.json.bad-1" in " ".join(said["notes"])
    assert (file.parent / f"{work.task}.json.bad-1").read_text() == '{"taskId": "' + work.task
    history = json.loads(file.read_text())["history"]
    assert [(entry["iteration"], entry["customFeedback"]) for entry in history] == [(1, "first"), (2, "second")]
    shop.verify()


def follow(shop: Shop, who: Caller, said: str, steps: Steps) -> str:
    """Type a step that was just printed; what it prints."""
    assert steps_text(steps) in said, f"no {steps_text(steps)} in: {said}"
    (step,) = steps.steps
    result = shop.run(who, *[word if isinstance(word, str) else word.name for word in step.argv[1:]])
    assert result.rc == 0, f"{steps_text(steps)}: {result}"
    return result.out


def test_the_way_that_is_printed_is_wired_from_plan_to_merge(shop: Shop) -> None:
    """Every step is one that the step before printed; what came of it is looked at in git and in the store."""
    cast = shop.cast
    created = shop.run(cast.alice, "create", "Update API").out
    (task,) = shop.tasks()
    ready = follow(shop, cast.claude, created, fe("list", "--ready"))
    follow(shop, cast.claude, ready, fe("next"))
    shop.commit(f"fe/{task}", CODE)
    assert shop.status(task) == "in_progress"
    handed = shop.run(cast.claude, "submit", task, "--branch", f"fe/{task}").out
    assert "next: fe next" in handed
    follow(shop, cast.alice, shop.run(cast.alice, "approve", task).err, fe("check", "run", task))
    page = follow(shop, cast.alice, shop.run(cast.alice, "queue").out, fe("show", task, "--diff"))
    assert "+VALUE = 1" in page
    approve = fe("approve", task, "--seen", shop.show(task)["attempts"][0]["seen"])
    approved = follow(shop, cast.alice, page, approve)
    follow(shop, cast.alice, approved, fe("approve", "--withdraw", task))
    assert shop.status(task) == "reviewing"
    approved = follow(shop, cast.alice, page, approve)
    assert follow(shop, cast.alice, approved, fe("merge")).startswith(f"merged   {task}")
    assert (shop.on_main("src/code.py"), shop.show(task)["task"]["merge"]) == ("VALUE = 1", shop.tip())
    assert [kind for kind in shop.kinds(task) if kind != "CheckFinished"][-5:] == [
        "Approved", "ApprovalWithdrawn", "Approved", "MergeLeased", "TaskMerged",
    ]  # fmt: skip


def test_no_refusal_between_hand_in_and_merge_tells_anybody_to_destroy_something(shop: Shop, tmp_path: Path) -> None:
    cast, work = shop.cast, submitted_task(shop, CODE)
    place = Path(shop.done(cast.codex, "start", shop.create(cast.alice), "--worktree")["worktree"])
    shop.done(cast.codex, "checkpoint", "create", "half", cwd=place)
    (place / "dirt.txt").write_text("x\n")
    (tmp_path / "plan.md").write_text("## Task: One\nPriority: P9\n")
    commands: list[tuple[Caller, list[str], Path]] = [
        (cast.codex, ["checkpoint", "restore", "half"], place),
        (cast.codex, ["checkpoint", "create"], place),
        (cast.alice, ["checkpoint", "restore", "half"], shop.repo),
        (cast.alice, ["checkpoint", "restore", "nothing"], shop.repo),
        (cast.codex, ["submit", place.name], place),
        (cast.alice, ["redo", work.task], shop.repo),
        (cast.alice, ["redo", work.task, "--checkpoint", "nothing", "-m", "x"], shop.repo),
        (cast.claude, ["redo", work.task, "--fresh", "-m", "x"], shop.repo),
        (cast.alice, ["approve", work.task], shop.repo),
        (cast.alice, ["approve", "--all-auto", work.task], shop.repo),
        (cast.alice, ["check", "run", work.task, "--only", "nothing"], shop.repo),
        (cast.alice, ["plan", "import", str(tmp_path / "plan.md")], shop.repo),
        (cast.alice, ["plan", "accept"], shop.repo),
        (cast.alice, ["merge", "--retry", work.task], shop.repo),
    ]
    before = shop.head()
    for who, command, cwd in commands:
        result = who.fe(*command, cwd=cwd)
        assert result.rc != 0, command
        assert "next: " in result.err, (command, result.err)
        assert DESTRUCTIVE.search(result.err.replace("fe redo", "")) is None, (command, result.err)
    assert shop.head() == before
