"""What a decision rests on is read once per transaction, and never carried over a write or into the next one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from foureyes.adapters.store.store import Writing
from foureyes.app.application import Application
from foureyes.app.context import Context, project_in
from foureyes.app.facts import facts_of
from foureyes.core.events.project import SettingChanged
from foureyes.core.nouns.session import Actor
from foureyes.core.words.ids import TaskId

from tests.stage.checkout import AT_ONCE
from tests.stage.counting import READS, counting
from tests.stage.gated import configure, deliver
from tests.stage.looped import review
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, GEMINI
from tests.stage.world import DeskWorld, GitWorld

ONE_BEFORE_ONE_WITHIN = {"facts": 2, "policy": 2, "settings": 2}
"""A decision looks once before the transaction (for git, and for the person who signs) and once under the lock."""
IS_THERE_A_REMOTE = Counter({"settings": 2})
"""Q6: asked before the first item: what is sent there, and which branch is the target."""


def afresh(world: DeskWorld | GitWorld) -> Application:
    """The Application of a process that has read nothing yet."""
    before = world.app.context
    context = Context(
        world.store,
        lambda: before.repo,
        world.clock,
        world.ids,
        world.environ,
        keys=lambda: world.keys,
        outside=world.outside,
    )
    return Application(context)


@pytest.mark.parametrize("who", [CODEX, BOB], ids=["agent", "person"])
def test_an_approval_reads_its_facts_twice_and_its_rules_twice(world: GitWorld, who: Actor) -> None:
    configure(world, AT_ONCE)
    task = deliver(world, {"code.py": "mine\n"})
    seen, app = world.show(task).attempts[-1].diff_id, afresh(world)
    with counting() as reads:
        assert app.decisions.approve(who, task, seen=seen).status == "approved"
    assert reads <= Counter(ONE_BEFORE_ONE_WITHIN), reads


def test_an_approval_with_a_key_and_reviews_reads_no_more(desk: DeskWorld) -> None:
    desk.app.keys.new(ALICE)
    desk.app.policy.set(ALICE, "review.human_proof", "key")
    task = desk.submitted_task()
    review(desk, task, by=GEMINI)
    seen, app = desk.show(task).attempts[-1].diff_id, afresh(desk)
    with counting() as reads:
        assert app.decisions.approve(ALICE, task, seen=seen).changed
    assert reads <= Counter(ONE_BEFORE_ONE_WITHIN), reads


@pytest.mark.parametrize("who", [CODEX, BOB], ids=["agent", "person"])
@pytest.mark.parametrize("verb", ["redo", "reject", "close", "withdraw", "unblock"])
def test_other_decisions_read_no_more_than_an_approval(desk: DeskWorld, verb: str, who: Actor) -> None:
    task = desk.submitted_task()
    if verb == "withdraw":
        desk.approve(who, task)
    if verb == "unblock":
        desk.app.feedback.reject(who, task, "no")
    app = afresh(desk)
    acts: dict[str, Callable[[], object]] = {
        "redo": lambda: app.feedback.redo(who, task, "again"),
        "reject": lambda: app.feedback.reject(who, task, "no"),
        "close": lambda: app.closing.close(who, task, exception="done elsewhere"),
        "withdraw": lambda: app.decisions.withdraw(who, task),
        "unblock": lambda: app.stops.unblock(who, task),
    }
    with counting() as reads:
        acts[verb]()
    assert reads["facts"] <= 2, reads
    assert reads["policy"] <= 2, reads


@pytest.mark.parametrize("who", [CI, BOB], ids=["service", "person"])
def test_a_merge_reads_facts_and_rules_with_its_lease_and_with_its_move_Q1_Q2(world: GitWorld, who: Actor) -> None:
    configure(world, AT_ONCE)
    task = deliver(world, {"code.py": "mine\n"})
    world.approve(BOB, task)
    app = afresh(world)
    with counting() as reads:
        assert [row.outcome for row in app.merges.process(who)] == ["merged"]
    assert reads <= Counter(ONE_BEFORE_ONE_WITHIN) + IS_THERE_A_REMOTE, reads


def test_each_further_item_of_the_queue_costs_as_much_and_no_more_Q1(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    for _ in range(3):
        world.approve(BOB, deliver(world))
    app = afresh(world)
    with counting() as reads:
        assert [row.outcome for row in app.merges.process(CI)] == ["merged"] * 3
    assert reads <= Counter({"facts": 6, "settings": 6, "policy": 6}) + IS_THERE_A_REMOTE, reads


def test_a_hand_in_reads_facts_and_rules_before_and_within_its_one_write_A1(desk: DeskWorld) -> None:
    task = desk.create()
    desk.start(CLAUDE, task)
    desk.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])
    app = afresh(desk)
    with counting({**READS, "writes": Writing.__init__}) as reads:
        assert app.attempts.submit(CLAUDE, task).status == "reviewing"
    assert reads <= Counter({"facts": 2, "settings": 2, "policy": 2, "writes": 1}), reads


@pytest.mark.parametrize("verb", ["start", "next"])
def test_a_claim_reads_its_project_once_before_and_once_within_K1_P12_Q6(desk: DeskWorld, verb: str) -> None:
    """What this clone knows of the target, what the store lacks of it and what a remote is asked are one look."""
    desk.app.policy.set(ALICE, "review.policy", "strict")
    task, app = desk.create(), afresh(desk)
    with counting({"project": project_in, "settings": Context.layers}) as reads:
        done = app.claims.start(CLAUDE, task) if verb == "start" else app.claims.next(CLAUDE)
    assert done.task == task
    assert reads <= Counter({"project": 2, "settings": 1}), reads


def test_rules_and_facts_are_read_once_in_a_transaction(desk: DeskWorld) -> None:
    desk.app.policy.set(ALICE, "review.policy", "strict")
    task = TaskId(desk.submitted_task())
    context = afresh(desk).context
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
    with desk.app.context.writing(ALICE, "config set") as work:
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
