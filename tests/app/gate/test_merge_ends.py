"""How a merge ends without one (Q3): P and D no longer hold, somebody decided meanwhile, the lease is another's."""

from __future__ import annotations

import pytest

from tests.stage.checkout import AT_ONCE
from tests.stage.gated import AUTO, LINT, approved, check, configure, deliver, merge, merge_rows
from tests.stage.people import ALICE, BOB, CODEX
from tests.stage.world import GitWorld

STRICT = '\n[review]\npolicy = "strict"\n'


def void(world: GitWorld, task: str) -> str:
    """The approval ends at the merge and the target stays; why."""
    target = world.checkout.head("main")
    row = merge_rows(world)[task]
    assert (row.outcome, world.status(task), world.checkout.head("main")) == ("void", "reviewing", target)
    (*_, approval) = world.show(task).approvals
    assert (approval.state, approval.ended_why.startswith("void: ")) == ("ended", True)
    assert any(log.type == "void" for log in world.show(task).logs)
    return row.message


def test_a_branch_that_moved_on_T_void_D4(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = approved(world)
    world.checkout.switch(f"fe/{task}")
    world.checkout.commit("more.py")
    world.checkout.switch("main")
    assert "D4" in void(world, task)


def test_a_branch_that_is_gone_T_void_D4(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = approved(world)
    world.checkout.git("branch", "-q", "-D", f"fe/{task}")
    assert "is gone" in void(world, task)


def test_a_label_that_wants_a_person_ends_an_agents_approval_and_not_a_persons_T_void_P6(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    by_agent = approved(world, by=CODEX)
    world.app.tasks.add_label(ALICE, by_agent, ["security"])
    assert "P6" in void(world, by_agent)
    by_person = approved(world, by=BOB)
    world.app.tasks.add_label(ALICE, by_person, ["security"])
    assert merge(world) == {by_person: "merged"}


def test_a_label_that_wants_eyes_ends_what_a_rule_approved_T_void_M4(world: GitWorld) -> None:
    configure(world, LINT)
    task = deliver(world, labels=AUTO)
    assert check(world, task).status == "approved"
    world.app.tasks.add_label(CODEX, task, ["review:per-task"])
    assert "per-task" in void(world, task)
    assert world.app.queue.view(BOB).count == 1


def test_a_policy_that_became_stricter_ends_what_it_would_refuse_T_void_P12(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = deliver(world, task=world.create(CODEX))
    world.approve(CODEX, task, reason="I asked for it")
    configure(world, AT_ONCE + STRICT)
    assert "P3" in void(world, task)


def test_reviews_that_are_required_now_end_an_agents_approval_T_void_D6(world: GitWorld) -> None:
    task = approved(world, by=CODEX)
    configure(world, "[review]\nreviews = 1\n")
    assert "D6" in void(world, task)


def test_what_a_rule_approved_is_void_when_its_checks_are_others_now_T_void_M4(world: GitWorld) -> None:
    configure(world, LINT)
    task = deliver(world, labels=AUTO)
    check(world, task)
    configure(world, LINT.replace("ruff", "ruff2"))
    assert "has not run" in void(world, task)


def test_what_happens_while_it_is_checked_counts_too_T_void_Q2(world: GitWorld) -> None:
    configure(world, LINT)
    task = deliver(world)
    check(world, task)
    world.approve(CODEX, task, reason="fine")
    world.checkout.commit("other.py")

    def meanwhile() -> None:
        world.app.tasks.add_label(ALICE, task, ["security"])

    world.outside.runner.during = meanwhile
    assert "P6" in void(world, task)


@pytest.mark.parametrize("decision", ["redo", "edit", "drop"])
def test_what_is_decided_while_it_is_checked_ends_this_merge_and_no_other_Q3(world: GitWorld, decision: str) -> None:
    configure(world, AT_ONCE + LINT)
    task, other = deliver(world), deliver(world)
    for one in (task, other):
        check(world, one)
        world.approve(BOB, one)
    world.checkout.commit("other.py")

    def meanwhile() -> None:
        world.outside.runner.during = None
        match decision:
            case "redo":
                world.app.feedback.redo(ALICE, task, "wait, no")
            case "drop":
                world.app.feedback.redo(ALICE, task, "wait, no")
            case _:
                world.app.tasks.edit(ALICE, task, title="something else")

    world.outside.runner.during = meanwhile
    found = merge(world)
    assert (found[other], world.status(other)) == ("merged", "closed")
    assert world.status(task) == ("reviewing" if decision == "edit" else "open")
    assert not [item for item in world.app.merges.all() if item.state == "merging"]
