"""What a red check means: an exit code, a program that is missing, what is kept of what it printed (D5)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.stage.checkout import AT_ONCE
from tests.stage.commands import Stage, SubmissionTime
from tests.stage.shop import Shop

pytestmark = pytest.mark.scenario

FINE = {"src/code.py": "VALUE = 1\n"}
NOT_INSTALLED = "`no-such-types` is not installed here: install it, or remove the check from foureyes.toml"


def shop_with(stage: Stage, *commands: str) -> Shop:
    """A project with these checks, called c0, c1, …"""
    shop = Shop(stage.repo, stage.cast)
    rows = [f'\n[[checks]]\nname = "c{n}"\nrun = {json.dumps(run)}\n' for n, run in enumerate(commands)]
    shop.configure(AT_ONCE + "".join(rows))
    return shop


def submitted(shop: Shop, files: dict[str, str], *labels: str) -> SubmissionTime:
    """A task of a person, and claude's work for it."""
    task = shop.create(shop.cast.alice, *(part for label in labels for part in ("-l", label)))
    return shop.deliver(shop.cast.claude, task, files)


def outcomes(report: Any) -> list[tuple[str, str]]:
    return [(row["outcome"], row["summary"]) for row in report["checks"]]


def test_an_exit_code_above_128_is_a_failure_and_only_a_signal_is_one_D5(stage: Stage) -> None:
    shop = shop_with(stage, "test ! -f src/code.py || exit 195", "test ! -f src/code.py || kill -KILL $$")
    work = submitted(shop, FINE)
    assert outcomes(shop.checked(shop.cast.job, work.task, rc=6)) == [
        ("failed", "exit code 195"), ("crashed", "ended by signal 9"),
    ]  # fmt: skip


def test_what_ends_as_if_it_was_killed_is_run_once_more_before_it_is_red_D5(stage: Stage, tmp_path: Path) -> None:
    once, always = tmp_path / "once", tmp_path / "always"
    shop = shop_with(
        stage,
        f"test ! -f src/code.py || test -f {once} || {{ touch {once}; exit 137; }}",
        f"test ! -f src/code.py || {{ echo run >> {always}; exit 143; }}",
    )
    work = submitted(shop, FINE)
    assert outcomes(shop.checked(shop.cast.job, work.task, rc=6)) == [
        ("passed", "exit code 0"), ("failed", "exit code 143"),
    ]  # fmt: skip
    assert always.read_text() == "run\n" * 2


def test_a_missing_program_is_named_with_what_to_do_and_is_no_round_D5_L13(stage: Stage) -> None:
    shop = shop_with(stage, "no-such-types src", "npm run types")
    package = json.dumps({"name": "shop", "scripts": {"types": "no-such-types src"}})
    work = submitted(shop, {"package.json": package}, "review:auto")
    report = shop.checked(shop.cast.job, work.task, rc=6)
    assert outcomes(report) == [("crashed", NOT_INSTALLED)] * 2
    assert (report["status"], report["sent_back"]) == ("reviewing", False)
    refused = shop.may_not_approve(shop.cast.gemini, work, rules=["D5", "D5"])
    assert NOT_INSTALLED in refused.text
    assert shop.done(shop.cast.alice, "loop", work.task)["no_progress"] == 0
    assert shop.lines(shop.cast.alice, "finding", "list", work.task) == []


def test_the_beginning_and_the_end_of_what_a_check_printed_are_kept_and_the_cut_is_said_D5(stage: Stage) -> None:
    middle = "for n in $(seq 9999); do echo a line of the middle, number $n; done"
    shop = shop_with(stage, f"echo the beginning; {middle}; echo 12 passing, 3 failing; exit 3")
    work = submitted(shop, FINE)
    shop.checked(shop.cast.job, work.task, rc=6)
    printed = shop.run(shop.cast.alice, "check", "show", work.task).out
    kept = printed[printed.index("the beginning") :].splitlines()
    assert "12 passing, 3 failing" in kept
    (cut,) = [line for line in kept if "left out of the middle" in line]
    assert kept.index("the beginning") < kept.index(cut) < kept.index("12 passing, 3 failing")


def test_a_crashed_check_is_tried_again_by_the_next_bare_run_of_a_person_and_later_by_a_service_D5(
    stage: Stage, tmp_path: Path
) -> None:
    fixed = tmp_path / "fixed"
    shop = shop_with(stage, f"test -f {fixed} || exit 127")
    work = submitted(shop, FINE)
    shop.checked(shop.cast.job, work.task, rc=6)
    fixed.touch()
    later = shop.run(shop.cast.job, "check", "run")
    assert (later.rc, "It runs again at" in later.out) == (6, True)
    typed = shop.run(shop.cast.alice, "check", "run")
    assert (typed.rc, f"{work.task}  attempt 1" in typed.out) == (0, True)


CANNOT_TELL = "It is red on the target too, and Foureyes cannot tell whether this change made it worse"


def test_what_is_red_on_the_target_as_well_is_a_persons_to_accept_D5(stage: Stage) -> None:
    shop = shop_with(stage, "test -f src/code.py && exit 120; exit 1")
    work = submitted(shop, FINE, "review:auto")
    report = shop.checked(shop.cast.job, work.task, rc=6)
    assert outcomes(report) == [("failed", f"exit code 120. {CANNOT_TELL}")]
    assert (report["status"], report["sent_back"]) == ("reviewing", False)
    shop.may_not_approve(shop.cast.gemini, work, "-m", "fine", rules=["D5"])
    refused = shop.may_not_approve(shop.cast.alice, work, rules=["D5"])
    assert any(f"fe approve {work.task} -m" in hint for hint in refused.hints), refused.hints
    said = shop.run(shop.cast.alice, "approve", work.task, "--seen", work.seen, "-m", "red since the new compiler").out
    assert "  this accepts c0, which is red on main too (D5)" in said.splitlines()
    (row,) = shop.lines(shop.cast.alice, "security")
    assert (row["kind"], row["rule"], row["reason"]) == ("check_accepted", "D5", "red since the new compiler")
    assert shop.merge() == {work.task: "merged"}


def test_what_was_accepted_counts_no_more_once_the_target_passes_D5(stage: Stage) -> None:
    shop = shop_with(stage, "! ls broken* 2>/dev/null")
    shop.configure("", {"broken": "x\n"})
    work = submitted(shop, {"broken2": "y\n"})
    shop.checked(shop.cast.job, work.task, rc=6)
    shop.approve(shop.cast.alice, work, "-m", "broken is being repaired")
    shop.git("rm", "-q", "broken")
    shop.git("commit", "-q", "-m", "repaired")
    assert shop.merge() == {work.task: "checks"}


CHECKED = "test ! -f src/code.py || ! grep BROKEN src/code.py"
BROKEN = {"src/code.py": "VALUE = 1  # BROKEN\n"}


@pytest.mark.parametrize("label", ["review:batch", "review:per-task", "review:auto"])
def test_a_check_red_by_the_change_sends_back_in_every_mode_T2_L13(stage: Stage, label: str) -> None:
    shop = shop_with(stage, CHECKED)
    work = submitted(shop, BROKEN, label)
    report = shop.checked(shop.cast.job, work.task, rc=6)
    assert (report["status"], report["sent_back"]) == ("open", True)
    context = shop.context(work.task)
    assert "Check c0 failed" in context
    assert "VALUE = 1  # BROKEN" in context, "the output is the feedback"
    assert shop.done(shop.cast.alice, "show", work.task)["feedback"][0]["source"] == "checks"


def test_a_finding_claimed_fixed_that_is_red_again_is_not_fixed_L8_L13(stage: Stage) -> None:
    shop = shop_with(stage, CHECKED)
    work = submitted(shop, BROKEN)
    shop.checked(shop.cast.job, work.task, rc=6)
    (finding,) = shop.lines(shop.cast.alice, "finding", "list", work.task)
    shop.done(shop.cast.claude, "start", work.task)
    shop.done(shop.cast.claude, "finding", "answer", finding["id"], "--fixed", "-m", "renamed it")
    shop.commit(f"fe/{work.task}", {"src/code.py": "PRICE = 1  # BROKEN\n"})
    shop.submit(shop.cast.claude, work.task)
    assert shop.lines(shop.cast.alice, "finding", "list", work.task)[0]["state"] == "claimed"
    assert shop.checked(shop.cast.job, work.task, rc=6)["status"] == "open"
    (row,) = shop.lines(shop.cast.alice, "finding", "list", work.task)
    assert (row["state"], row["ruling"], row["false_fixes"]) == ("open", "NOT_FIXED", 1)
    assert shop.done(shop.cast.alice, "loop", work.task)["no_progress"] == 1
    shop.verify()


RED_AS_WELL = "exit 1"
GONE = """\
{ echo '<testsuite name="s"><testcase classname="t" name="kept"/>'
  test -f src/code.py || echo '<testcase classname="t" name="removed"/>'
  echo '</testsuite>'; } > "$FOUREYES_REPORT"
"""


@pytest.mark.parametrize(
    ("check", "settings", "outcome"),
    [
        (RED_AS_WELL, "", "failed"),
        (CHECKED, "required = false\n", "failed"),
        (CHECKED + " || kill -KILL $$", "", "crashed"),
        (GONE, 'report = "junit"\n', "failed"),
    ],
    ids=["red on the target as well", "optional", "crashed", "a test is gone"],
)
def test_what_is_not_red_by_the_change_waits_for_a_person_T2(
    stage: Stage, check: str, settings: str, outcome: str
) -> None:
    shop = shop_with(stage)
    shop.configure(f'\n[[checks]]\nname = "c0"\nrun = {json.dumps(check)}\n{settings}')
    work = submitted(shop, BROKEN)
    report = json.loads(shop.run(shop.cast.job, "check", "run", work.task, "--json").out)
    assert [row["outcome"] for row in report["checks"]] == [outcome]
    assert (report["status"], report["sent_back"]) == ("reviewing", False)
    assert shop.done(shop.cast.alice, "loop", work.task)["no_progress"] == 0


def test_red_work_that_a_person_submitted_or_that_needs_no_checks_stays_in_review_T2(stage: Stage) -> None:
    shop = shop_with(stage, CHECKED)
    shop.configure("\n[minor]\nchecks = false\n")
    own = shop.deliver(shop.cast.alice, shop.create(shop.cast.alice), BROKEN).task
    task = shop.create(shop.cast.alice)
    shop.done(shop.cast.claude, "start", task)
    shop.commit(f"fe/{task}", {"src/code.py": "OTHER = 1  # BROKEN\n"})
    shop.submit(shop.cast.alice, task)
    minor = shop.create(shop.cast.alice, "--minor")
    shop.deliver(shop.cast.claude, minor, {"src/code.py": "THIRD = 1  # BROKEN\n"})
    for each in (own, task, minor):
        report = json.loads(shop.run(shop.cast.job, "check", "run", each, "--json").out)
        assert (report["checks"][0]["outcome"], report["status"]) == ("failed", "reviewing")
