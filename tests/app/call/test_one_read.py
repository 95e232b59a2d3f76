"""What a decision rests on is read once per transaction, and never carried over a write or into the next one."""

from __future__ import annotations

import pytest

from foureyes.app.call.facts import facts_of
from foureyes.core.events.project import SettingChanged
from foureyes.core.nouns.session import Actor
from foureyes.core.words.ids import TaskId

from tests.app.counting import counting
from tests.app.world import ALICE, BOB, CLAUDE, CODEX, DeskWorld


def test_rules_and_facts_are_read_once_in_a_transaction(desk: DeskWorld) -> None:
    task = TaskId(desk.handed_in())
    context = desk.app.context
    with counting() as reads, desk.store.read() as tx:
        policies = [context.policy(tx, actor) for actor in (CLAUDE, ALICE, CODEX)] + [context.gate_policy(tx)]
        facts = [facts_of(context, tx, task) for _ in range(3)]
    assert reads == {"facts": 1, "policy": 1, "settings": 1}
    assert len({id(policy) for policy in policies}) == len({id(one) for one in facts}) == 1


def test_what_was_read_does_not_outlive_its_transaction(desk: DeskWorld) -> None:
    with desk.store.read() as tx:
        assert desk.app.context.policy(tx, ALICE).name == "balanced"
    desk.app.policy.set(ALICE, "review.policy", "strict")
    with desk.store.read() as tx:
        assert desk.app.context.policy(tx, ALICE).name == "strict"


def test_a_setting_that_is_written_counts_in_the_same_transaction_P12(desk: DeskWorld) -> None:
    with desk.app.context.writing(ALICE, "policy set") as work:
        assert desk.app.context.policy(work.tx, ALICE).name == "balanced"
        work.record("", SettingChanged(name="review.policy", old=None, new="strict"))
        assert desk.app.context.policy(work.tx, ALICE).name == "strict"


def test_facts_are_read_again_after_a_write(desk: DeskWorld) -> None:
    from foureyes.core.events.task import TaskHeld

    task = TaskId(desk.create())
    with desk.app.context.writing(CLAUDE, "log") as work:
        assert facts_of(desk.app.context, work.tx, task).task.hold is None
        work.record(task, TaskHeld(reason="wait"))
        assert facts_of(desk.app.context, work.tx, task).task.hold == "wait"


@pytest.mark.parametrize(("actor", "name"), [(BOB, "trusted"), (CLAUDE, "balanced")], ids=["person", "agent"])
def test_a_variable_loosens_for_people_only_although_others_asked_before_P12(
    desk: DeskWorld, actor: Actor, name: str
) -> None:
    desk.environ["FOUREYES_REVIEW_POLICY"] = "trusted"
    with desk.store.read() as tx:
        assert desk.app.context.gate_policy(tx).name == "balanced"
        assert desk.app.context.policy(tx, actor).name == name
        assert desk.app.context.gate_policy(tx).name == "balanced"
