"""The target's own state in the merge queue: what is red there is nobody's fault who waits (Q3)."""

from __future__ import annotations

from foureyes.core.nouns.check import Ran

from tests.stage.gated import LINT, answers, approved, configure, merge
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


def test_what_ends_in_another_way_than_on_the_target_is_not_the_targets_own_D5_Q3(world: GitWorld) -> None:
    task = approved(world, by=CODEX)
    configure(world, LINT.replace("ruff check .", "sh lint.sh"))
    answers(world, "lint", Ran(exit_code=2), Ran(exit_code=1))
    assert merge(world) == {task: "checks"}
    assert world.status(task) == "open"
