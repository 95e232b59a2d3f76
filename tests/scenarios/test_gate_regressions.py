"""What broke between submission and decision in the systems before us, each tried on the real command line.

Checks (29, 30, 48, 49), modes (50, 52, 75), feedback (57), counts (58), hints (44, 64), the store (67). What broke on
the way to the target branch is in `test_merge_regressions.py`.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from foureyes.core.nouns.check import RED_BEFORE
from foureyes.steps import Steps, fe
from foureyes.ui.steps import steps_text

from tests.stage.checkout import AT_ONCE
from tests.stage.commands import DESTRUCTIVE, Stage, SubmissionTime
from tests.stage.processes import Caller
from tests.stage.shop import TESTS, Shop, commit_in, with_pipeline

pytestmark = pytest.mark.scenario

RUFF = Path(sys.executable).parent / "ruff"
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


def test_a_linter_that_finds_something_failed_with_its_findings_and_one_that_breaks_is_no_pass(
    stage: Stage,
) -> None:
    sarif = 'check --no-cache --isolated --output-format sarif --output-file "$FOUREYES_REPORT"'
    shop = Shop(stage.repo, stage.cast)
    shop.configure(
        checks(("lint", f"{RUFF} {sarif} src", "sarif"), ("broken", f"{RUFF} {sarif} --no-such-option src", "sarif"))
    )
    task = shop.create(shop.cast.alice)
    shop.done(shop.cast.claude, "start", task)
    shop.commit(f"fe/{task}", {"src/code.py": "import os\n\nVALUE = 1\n"})
    work = shop.submit(shop.cast.alice, task)
    lint, broken = shop.checked(shop.cast.job, work.task, rc=6)["checks"]
    assert (lint["outcome"], len(lint["failing"])) == ("failed", 1)
    assert lint["failing"][0].startswith("F401 src/code.py:1 ")
    assert broken["outcome"] == "crashed"
    refused = shop.may_not_approve(shop.cast.alice, work, rules=["D5", "D5"])
    assert ("required check lint failed" in refused.text, "required check broken crashed" in refused.text) == (
        True,
        True,
    )
    assert "".join(shop.run(shop.cast.alice, "queue").out.split("+3 -0")[1].split()[0]) == "✗!"


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


def test_checks_see_the_attempts_tree_and_never_anybodys_checkout(shop: Shop) -> None:
    untidy = {"src/untracked.py": "UNTYPED MESSY UNUSED\n", "src/prices.py": "# gross\n"}
    for name, text in untidy.items():
        (shop.repo / name).write_text(text)
    fine, bad = (
        submitted_task(shop, CODE, "review:auto"),
        submitted_task(shop, {"src/bad.py": "MESSY\n"}, "review:auto"),
    )
    assert shop.checked(shop.cast.job, fine.task)["status"] == "approved"
    assert shop.checked(shop.cast.job, bad.task, rc=6)["status"] == "open"
    assert {name: (shop.repo / name).read_text() for name in untidy} == untidy
    assert sorted(shop.git("status", "--porcelain").split()) == sorted(["??", "src/untracked.py", "M", "src/prices.py"])


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


def test_zero_checks_and_zero_tests_approve_nothing(stage: Stage) -> None:
    shop = Shop(stage.repo, stage.cast)
    first = submitted_task(shop, CODE, "review:auto")
    (row,) = shop.queue().values()
    assert (row["mode"], row["auto_approvable"]) == ("auto-approve", False)
    assert "no check is configured, and nothing is approved automatically without one" in [
        reason["message"] for reason in row["auto_reasons"]
    ]
    shop.no(shop.cast.job, "check", "run", first.task, rc=3)
    shop.configure(AT_ONCE + TESTS, {"tests/run.sh": "echo '<testsuite/>' > $FOUREYES_REPORT\n"})
    second = submitted_task(shop, {"src/other.py": "x\n"}, "review:auto")
    (only,) = shop.checked(shop.cast.job, second.task, rc=6)["checks"]
    assert (only["outcome"], only["summary"]) == ("failed", f"the report contains no tests. {RED_BEFORE}")
    assert "M4" not in [
        approval["rule"] for task in (first.task, second.task) for approval in shop.show(task)["approvals"]
    ]


# Modes


def test_a_label_rule_that_bars_auto_approval_holds_whatever_the_mode_says(shop: Shop) -> None:
    work = submitted_task(shop, CODE, "review:auto", "security")
    report = shop.checked(shop.cast.job, work.task)
    assert report["status"] == "reviewing"
    assert [(reason["rule"], reason["message"]) for reason in report["reasons"]] == [
        ("M3", "label security forbids approval without a reviewer (auto_approve = false)")
    ]
    assert not next(iter(shop.queue().values()))["auto_approvable"]
    shop.may_not_approve(shop.cast.gemini, work, "-m", "read it", rules=["P6"])
    assert shop.approve(shop.cast.alice, work)["status"] == "approved"


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


def test_an_attempt_that_edits_the_gates_settings_is_judged_by_the_old_ones_and_by_a_person(
    shop: Shop,
) -> None:
    cast = shop.cast
    loose = (shop.repo / "foureyes.toml").read_text().split("[[checks]]")[
        0
    ] + '[[checks]]\nname = "tests"\nrun = "true"\n'
    work = submitted_task(shop, {"foureyes.toml": loose, "src/bad.py": "MESSY\n"}, "review:skip")
    report = shop.checked(cast.job, work.task, rc=6)
    assert (report["mode"], report["status"]) == ("per-task", "open")
    assert [row["outcome"] for row in report["checks"]] == ["passed", "passed", "failed", "passed"]
    shop.may_not_approve(cast.gemini, work, "-m", "fine", rules=["D1", "D5", "P6"])
    shop.may_not_approve(cast.alice, work, rules=["D1", "D5"])
    tidy = shop.deliver(cast.claude, work.task, {"src/bad.py": "fine\n"})
    assert len(shop.checked(cast.job, work.task)["checks"]) == 4
    shop.may_not_approve(cast.gemini, tidy, "-m", "fine", rules=["P6"])
    shop.approve(cast.alice, tidy)
    assert shop.merge() == {work.task: "merged"}
    assert [row["check"] for row in shop.done(cast.alice, "check", "show", work.task)["checks"]] == ["tests"]


def test_an_attempt_that_takes_a_test_away_is_not_green_and_only_a_persons_word_lets_it_go(
    shop: Shop,
) -> None:
    cast = shop.cast
    task = shop.create(cast.alice, "-l", "review:auto")
    place = Path(shop.done(cast.claude, "start", task, "--worktree")["worktree"])
    (place / "tests/test_prices.sh").unlink()
    commit_in(shop, place, {"tests/test_new.sh": "true\n", **CODE})
    shop.done(cast.claude, "submit", task, cwd=place)
    report = shop.checked(cast.job, task, rc=6)
    assert (report["checks"][0]["outcome"], report["checks"][0]["gone"]) == ("failed", ["shop::test_prices"])
    assert report["status"] == "reviewing", "a person is asked at once"
    commit_in(shop, place, {"src/more.py": "x\n"})
    work = shop.submit(cast.claude, task)
    shop.checked(cast.job, task, rc=6)
    shop.may_not_approve(cast.gemini, work, "-m", "the test was of no use", rules=["D5"])
    shop.may_not_approve(cast.alice, work, rules=["D5"])
    assert shop.approve(cast.alice, work, "-m", "prices are tested elsewhere")["status"] == "approved"
    (event,) = shop.lines(cast.alice, "security")
    assert (event["kind"], event["task"], event["reason"]) == ("tests_gone", task, "prices are tested elsewhere")
    assert shop.merge() == {task: "merged"}


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


def test_lines_are_counted_and_not_read_from_a_graph(shop: Shop) -> None:
    cast, task = shop.cast, shop.create(shop.cast.alice, title="Long")
    place = Path(shop.done(cast.claude, "start", task, "--worktree")["worktree"])
    deep = "src/" + "/".join(["a_rather_long_name_of_a_directory"] * 4) + "/file => {other}.py"
    shop.git("mv", "app.py", "renamed.py", cwd=place)
    (place / "blob.bin").write_bytes(bytes(range(256)) * 4)
    commit_in(
        shop, place, {deep: "".join(f"line {number}\n" for number in range(1234)), "README.md": "# Shop\n+++\n---\n"}
    )
    shop.done(cast.claude, "submit", task, cwd=place)
    (row,) = shop.queue().values()
    assert (row["files"], row["added"], row["removed"]) == (4, 1236, 0)
    files = {changed["path"]: changed for changed in shop.show(task)["attempts"][0]["files"]}
    assert (files[deep]["added"], files["renamed.py"]["old_path"], files["blob.bin"]["added"]) == (1234, "app.py", None)
    assert re.search(rf" {task} .* \+1236 -0 ", shop.run(cast.alice, "queue").out)


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


def test_a_worktree_that_start_made_has_no_store_of_its_own(shop: Shop) -> None:
    cast = shop.cast
    places = {}
    for who in (cast.claude, cast.codex):
        task = shop.create(cast.alice)
        places[task] = Path(shop.done(who, "start", task, "--worktree")["worktree"])
        commit_in(shop, places[task], {f"src/{task[3:]}.py": "x\n"})
        shop.done(who, "submit", task, cwd=places[task])
    one, two = places
    assert not any((place / ".foureyes").exists() for place in places.values())
    assert {row["task"] for row in shop.lines(cast.claude, "queue", cwd=places[one] / "src")} == {one, two}
    shop.checked(cast.job, two, cwd=places[one])
    assert shop.done(cast.alice, "approve", two, cwd=places[one])["status"] == "approved"
    assert shop.merge(cwd=places[two]) == {two: "merged"}
    assert list(shop.repo.rglob("store.db")) == [shop.folder / "store.db"]
