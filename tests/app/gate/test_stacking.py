"""What a hand-in finds inside of it, and what becomes of those that stand on it (A7)."""

from __future__ import annotations

from foureyes.core.events.decision import StackFound
from foureyes.core.nouns.session import Actor

from tests.stage.people import ALICE, BOB, CLAUDE, CODEX
from tests.stage.world import DeskWorld


def commit(desk: DeskWorld, task: str, *, onto: str = "") -> None:
    """A commit on a task's branch, which begins on another task's."""
    branches = desk.repo.branches
    if onto:
        branches.setdefault(f"refs/heads/fe/{task}", list(branches[f"refs/heads/fe/{onto}"]))
    desk.repo.commit(f"fe/{task}")


def hand_in(desk: DeskWorld, actor: Actor = CLAUDE, *, onto: str = "", **fields: object) -> str:
    task = desk.started(actor, **fields)
    commit(desk, task, onto=onto)
    desk.submit(actor, task)
    return task


def below(desk: DeskWorld, task: str) -> list[tuple[str, str, str]]:
    return [(row.task, row.how, row.standing) for row in desk.show(task).stack]


def test_a_hand_in_says_what_is_inside_and_the_page_draws_it_both_ways_A7(desk: DeskWorld) -> None:
    one = hand_in(desk)
    two = hand_in(desk, CODEX, onto=one)
    three = hand_in(desk, onto=two)
    assert below(desk, three) == [(two, "whole", "in review"), (one, "whole", "in review")]
    assert [row.task for row in desk.show(one).above] == sorted([two, three], key=desk.ids_of().index)
    assert [row.task for row in desk.app.queue.view(BOB).rows if row.stack] != []


def test_the_hold_of_a_task_inside_holds_what_stands_on_it_A7_D3(desk: DeskWorld) -> None:
    one = hand_in(desk)
    two = hand_in(desk, onto=one)
    desk.app.stops.hold(ALICE, one, "wait for legal")
    with desk.refused("D3"):
        desk.approve(BOB, two)


def test_two_on_the_same_task_do_not_wait_for_each_other_A7(desk: DeskWorld) -> None:
    one = hand_in(desk)
    hand_in(desk, CODEX, onto=one)
    assert below(desk, hand_in(desk, onto=one)) == [(one, "whole", "in review")]


def test_a_branch_that_goes_on_elsewhere_belongs_to_who_stands_on_it_A7(desk: DeskWorld) -> None:
    one = hand_in(desk)
    two = hand_in(desk, CODEX, onto=one)
    desk.app.feedback.redo(BOB, one, "once more")
    desk.start(CLAUDE, one)
    commit(desk, one)
    desk.submit(CLAUDE, one)
    assert below(desk, one) == []
    with desk.refused("A7"):
        desk.approve(BOB, two)


def test_who_works_on_a_branch_inside_has_made_a_part_of_it_A7_P2(desk: DeskWorld) -> None:
    one = desk.started(CODEX)
    commit(desk, one)
    two = hand_in(desk, CLAUDE, onto=one)
    assert below(desk, two) == [(one, "branch", "in progress")]
    with desk.refused("P2"):
        desk.approve(CODEX, two)


def test_a_task_that_is_handed_in_later_is_found_then_and_on_record_A7(desk: DeskWorld) -> None:
    one = desk.started(CODEX)
    commit(desk, one)
    two = hand_in(desk, CLAUDE, onto=one)
    desk.submit(CODEX, one, branch=f"fe/{one}")
    assert below(desk, two) == [(one, "whole", "in review")]
    assert below(desk, one) == []
    assert StackFound.__name__ in desk.kinds(two)


def test_a_task_that_is_over_counts_for_nothing_A7(desk: DeskWorld) -> None:
    one = desk.started(CODEX)
    commit(desk, one)
    two = hand_in(desk, CLAUDE, onto=one)
    desk.app.closing.close(BOB, one, reason="not needed")
    desk.approve(BOB, two)
    assert "A7" not in desk.app.merges.all()[0].why
