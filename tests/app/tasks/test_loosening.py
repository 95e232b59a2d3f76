"""What loosens how a task is looked at (M6): a person's word counts, where a key exists only signed; and can be said
again.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from foureyes.app.facts import facts_of
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.modes import mode_of
from foureyes.core.words.ids import TaskId

from tests.stage.people import ALICE, BOB, CLAUDE, CODEX, agent
from tests.stage.ports import DeskKeys
from tests.stage.world import DeskWorld

GEMINI = agent("gemini")


def mode(desk: DeskWorld, task: str) -> str:
    """The mode of a task, as the gate sees it."""
    with desk.store.read() as tx:
        return mode_of(facts_of(desk.app.context, tx, TaskId(task)), desk.app.context.gate_policy(tx)).mode


def test_a_person_makes_a_label_theirs_that_a_maker_put_on_M6(desk: DeskWorld) -> None:
    task = desk.submitted_task(CLAUDE)
    desk.app.tasks.add_label(CLAUDE, task, ["review:skip"])
    assert mode(desk, task) == "batch"
    desk.app.tasks.add_label(BOB, task, ["review:skip"])
    assert mode(desk, task) == "skip"
    with desk.unchanged():
        desk.app.tasks.add_label(BOB, task, ["review:skip"])


def test_a_person_confirms_that_a_label_is_off_that_a_maker_took_off_M6(desk: DeskWorld) -> None:
    task = desk.submitted_task(CLAUDE, labels=["security"])
    seen = desk.show(task).attempts[-1].diff_id
    desk.app.tasks.remove_label(CLAUDE, task, ["security"])
    desk.app.tasks.remove_label(BOB, task, ["security"])
    assert desk.app.decisions.approve(CODEX, task, seen=seen).rule == "P7"


LOOSENED: dict[str, Callable[[DeskWorld, Actor], str]] = {
    "a label at creation": lambda desk, who: desk.submitted_task(CLAUDE, creator=who, labels=["review:auto"]),
    "a label later": lambda desk, who: labelled(desk, who, "review:auto"),
    "skip": lambda desk, who: labelled(desk, who, "Review:Skip"),
    "a plan": lambda desk, who: planned(desk, who),
    "an accepted plan": lambda desk, who: accepted(desk, who),
}


def labelled(desk: DeskWorld, who: Actor, label: str) -> str:
    task = desk.submitted_task(CLAUDE)
    desk.app.tasks.add_label(who, task, [label])
    return task


def planned(desk: DeskWorld, who: Actor) -> str:
    (row,) = desk.app.plans.import_(who, "## Task: pay\n", again=True)
    return worked_on(desk, row.task)


def accepted(desk: DeskWorld, who: Actor) -> str:
    (row,) = desk.app.plans.import_(CLAUDE, "## Task: pay\n", again=True)
    desk.app.plans.accept(who, [row.task])
    return worked_on(desk, row.task)


def worked_on(desk: DeskWorld, task: str) -> str:
    desk.start(CLAUDE, task)
    desk.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])
    desk.submit(CLAUDE, task)
    return task


@pytest.mark.parametrize("how", LOOSENED)
def test_where_a_key_exists_a_persons_loosening_counts_only_signed_M6_I9(desk: DeskWorld, how: str) -> None:
    desk.app.keys.new(ALICE)
    alices, nobodys = desk.keys, DeskKeys()
    desk.keys = desk.app.context.keys = nobodys
    assert mode(desk, LOOSENED[how](desk, BOB)) == "batch", "anybody can look like a person"
    desk.keys = desk.app.context.keys = alices
    signed = len(alices.signed)
    assert mode(desk, LOOSENED[how](desk, ALICE)) in ("auto-approve", "skip")
    assert len(alices.signed) == signed + 1, "one command asks once"
    assert desk.app.audit.verify().findings == ()


def test_minor_and_an_acceptance_count_only_signed_and_are_signed_again_M6_P10_I9(desk: DeskWorld) -> None:
    task = desk.submitted_task(CLAUDE, labels=["review:auto"], creator=GEMINI)
    desk.app.keys.new(ALICE)
    alices = desk.keys
    desk.keys = desk.app.context.keys = DeskKeys()
    notes = desk.app.tasks.edit(BOB, task, minor=True, acceptance="less").notes
    assert any("M6" in note for note in notes)
    assert mode(desk, task) == "batch"
    with desk.refused("P2"):
        desk.app.decisions.approve(CLAUDE, task, seen=desk.show(task).attempts[-1].diff_id)
    desk.keys = desk.app.context.keys = alices
    desk.app.tasks.edit(ALICE, task, minor=True, acceptance="a little less")
    assert mode(desk, task) == "auto-approve"
    assert desk.app.decisions.approve(CLAUDE, task, seen=desk.show(task).attempts[-1].diff_id).rule == "P1"


def test_what_tightens_is_nobodys_to_sign_M6(desk: DeskWorld) -> None:
    desk.app.keys.new(ALICE)
    desk.app.tasks.add_label(ALICE, desk.submitted_task(CLAUDE), ["security", "review:per-task", "ux"])
    assert desk.keys.signed == []


def test_human_proof_key_without_a_key_lets_nobody_loosen_M6_I9(desk: DeskWorld) -> None:
    task = desk.submitted_task(CLAUDE, labels=["review:auto"], creator=ALICE)
    assert mode(desk, task) == "auto-approve"
    desk.app.policy.set(ALICE, "review.human_proof", "key")
    assert mode(desk, task) == "batch"
