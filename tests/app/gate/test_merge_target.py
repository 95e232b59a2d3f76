"""The target's own state in the merge queue: what is red there is nobody's fault who waits (Q3)."""

from __future__ import annotations

from foureyes.core.nouns.check import Ran

from tests.stage.checkout import AT_ONCE
from tests.stage.gated import LINT, TESTS, answers, approved, configure, merge, report_of
from tests.stage.people import CODEX
from tests.stage.world import GitWorld


def test_what_is_red_on_the_target_itself_is_no_fault_of_who_waits_Q3(world: GitWorld) -> None:
    task = approved(world, by=CODEX)
    configure(world, LINT)
    answers(world, "lint", Ran(exit_code=1), Ran(exit_code=1))
    assert merge(world) == {task: "waiting"}
    assert world.status(task) == "approved"
    (item,) = world.app.merges.all()
    assert item.state == "waiting"


def test_known_red_tests_merge_and_new_ones_come_back_D5_Q3(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    known, more = approved(world, by=CODEX), approved(world, by=CODEX)
    configure(world, AT_ONCE + TESTS)
    red = report_of(["a"], ["red"])
    answers(world, "tests", red, red, report_of([], ["red", "a"]))
    assert merge(world) == {known: "merged", more: "checks"}
    assert world.status(more) == "open"
