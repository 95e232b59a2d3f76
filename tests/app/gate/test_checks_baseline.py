"""D5: what a tool finds on the target, too, is not a finding of the task. The target is looked at once for each of its
trees, and only where something was found; where that cannot be done, nothing is dropped.
"""

from __future__ import annotations

import pytest

from foureyes.core.nouns.check import Ran, ToolFinding

from tests.stage.checkout import AT_ONCE
from tests.stage.gated import (
    AUTO,
    TESTS,
    answers,
    check,
    configure,
    deliver,
    merge_rows,
    report_of,
    row_of,
    words,
)
from tests.stage.looped import findings
from tests.stage.people import BOB, CI, CLAUDE, CODEX
from tests.stage.world import GitWorld

KEPT = '\n[review]\ndefault_mode = "per-task"\n' + AT_ONCE
SCAN = '\n[[checks]]\nname = "scan"\nrun = "scan"\nreport = "sarif"\n'
CRASH = Ran(exit_code=None, problem="no such program")
NO_REPORT = Ran(exit_code=1, problem="no report was written")


def scan(*found: str) -> Ran:
    """What a tool reports; each as `path:line`."""
    places = [each.split(":") for each in found]
    rows = tuple(ToolFinding("R1", "error", path, int(line), "eval is dangerous") for path, line in places)
    return Ran(exit_code=1 if found else 0, findings=rows)


def open_places(world: GitWorld, task: str) -> list[str]:
    rows = findings(world, task).values()
    return [f"{row.location.path}:{row.location.line}" for row in rows if row.state == "open"]


def test_what_the_target_has_is_no_finding_and_keeps_nothing_from_being_approved_D5_L8(world: GitWorld) -> None:
    configure(world, KEPT + SCAN)
    answers(world, "scan", scan("old.py:9", "dir/b.py:2"), scan("old.py:3", "dir/b.py:2"))
    task = deliver(world)
    report = check(world, task)
    row = row_of(report, "scan")
    assert (row.outcome, row.failing, report.is_green) == ("passed", (), True)
    assert row.summary == "2 errors, all of which the target also has"
    assert open_places(world, task) == []
    world.approve(BOB, task)
    assert merge_rows(world)[task].outcome == "merged"


def test_what_the_change_adds_is_a_finding_and_only_that_D5_L8(world: GitWorld) -> None:
    configure(world, SCAN)
    answers(world, "scan", scan("old.py:9", "old.py:30", "new.py:1"), scan("old.py:3"))
    task = deliver(world, labels=AUTO)
    row = row_of(check(world, task), "scan")
    assert (row.outcome, row.summary) == ("failed", "2 errors, plus 1 error that the target also has")
    assert sorted(open_places(world, task)) == ["new.py:1", "old.py:30"]
    assert "new.py:1" in words(world, task)
    assert "old.py:9" not in words(world, task)
    assert world.status(task) == "open", "it is sent back for these"


@pytest.mark.parametrize(
    ("there", "is_red"),
    [(scan("old.py:3", "old.py:9"), False), (CRASH, True), (NO_REPORT, True)],
    ids=["known", "crashed", "no report"],
)
def test_what_is_known_on_the_target_does_not_make_it_red_X4_E6(world: GitWorld, there: Ran, is_red: bool) -> None:
    configure(world, SCAN)
    world.outside.runner.answers["scan"] = there
    (row,) = world.app.checks.run_target(CI)
    assert (row.outcome == "passed", row.summary == "2 known errors") == (not is_red, not is_red)
    assert world.app.validation.validate(BOB).complete is not is_red
    assert any(each.kind == "target" for each in world.app.attention.view(BOB).rows) is is_red


def test_the_target_is_looked_at_once_and_only_where_something_was_found_D5(world: GitWorld) -> None:
    configure(world, KEPT + SCAN)
    ran = world.outside.runner.ran
    world.outside.runner.answers["scan"] = scan()
    first, second, third = deliver(world), deliver(world), deliver(world)
    check(world, first)
    assert len(ran) == 1, "what finds nothing is compared with nothing"
    world.outside.runner.answers["scan"] = scan("old.py:3")
    check(world, second)
    assert len(ran) == 3
    check(world, third)
    assert len(ran) == 4, "shared by all that begin there"
    check(world, third, again=True)
    assert len(ran) == 5, "again is about the attempt, not about the target"


@pytest.mark.parametrize(
    "there", [CRASH, Ran(exit_code=1, problem="no report was written")], ids=["crash", "no report"]
)
def test_without_a_baseline_everything_stays_and_says_so_until_there_is_one_D5_G1(world: GitWorld, there: Ran) -> None:
    configure(world, KEPT + SCAN)
    answers(world, "scan", scan("old.py:3"), there, scan("old.py:3"))
    task = deliver(world)
    row = row_of(check(world, task), "scan")
    assert row.outcome == "failed"
    assert row.summary.startswith("1 error, not compared with the target: ")
    (one,) = findings(world, task).values()
    assert (one.state, "It is not known whether the target fails too" in one.problem) == ("open", True)
    with world.refused("D5"):
        world.approve(BOB, task)
    if there is CRASH:
        assert row_of(check(world, task), "scan").outcome == "passed", (
            "what broke is back in the merge queue when somebody asks"
        )
        assert open_places(world, task) == []


def test_a_baseline_that_the_makers_themselves_ran_does_not_count_D5(world: GitWorld) -> None:
    configure(world, KEPT + SCAN)
    world.outside.runner.answers["scan"] = scan("old.py:3")
    task = deliver(world)
    assert row_of(check(world, task, CLAUDE), "scan").claimed
    ran = world.outside.runner.ran
    assert len(ran) == 2
    row = row_of(check(world, task, CI), "scan")
    assert (len(ran), row.outcome, row.claimed) == (4, "passed", False), "both run again where it counts"
    other = deliver(world)
    check(world, other, CODEX)
    with world.refused("D5"):
        world.approve(CODEX, other, reason="green")


def test_the_merge_result_is_seen_against_the_tip_D5_Q2(world: GitWorld) -> None:
    configure(world, KEPT + SCAN)
    world.outside.runner.answers["scan"] = scan("old.py:3")
    task = deliver(world)
    check(world, task)
    world.approve(BOB, task, reason="read it")
    world.checkout.commit("fixed.py", "x\n")
    answers(world, "scan", scan("old.py:3"), scan())  # the tip has fixed it, and the merge brings it back
    assert merge_rows(world)[task].outcome == "checks"


def test_tests_are_compared_by_name_D5(world: GitWorld) -> None:
    configure(world, KEPT + TESTS)
    answers(world, "tests", report_of(["t::a"], ["t::red"]))
    task = deliver(world)
    row = row_of(check(world, task), "tests")
    assert (row.outcome, row.summary) == ("passed", "1/2 passed, all of which also fail on the target")
    answers(world, "tests", report_of(["t::a"], ["t::red", "t::new"]))
    assert row_of(check(world, task, again=True), "tests").failing == ("t::new",)
    assert [one.rule for one in findings(world, task).values() if one.state == "open"] == ["t::new"]
