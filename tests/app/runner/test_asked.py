"""What reviews want of a runner, by bounded questions (V4, V9)."""

from __future__ import annotations

import pytest

from foureyes.app.runner import due_work
from foureyes.core.nouns.run import Run, RunId
from foureyes.core.words.ids import TaskId

from tests.stage.cycled import PEERS, two_concerns
from tests.stage.gated import configure
from tests.stage.people import ALICE, CI, CLAUDE
from tests.stage.world import DeskWorld


def test_an_author_who_clarifies_is_waited_for_however_many_others_do_V9(
    desk: DeskWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(due_work, "MOST_OF_A_KIND", 1)
    tasks = [two_concerns(desk) for _ in range(3)]
    runs = [
        Run(
            id=RunId(f"run-{n}"),
            task=TaskId(task),
            profile="claude",
            role="implement",
            purpose="clarify",
            state="running",
            cycle=f"c-{n}",
        )
        for n, task in enumerate(tasks, start=1)
    ]
    with desk.store.read() as tx:
        assert due_work.no_longer_awaited(tx, runs)[0] == set()
    for point in ("p1", "p2"):
        desk.app.cycles.clarify(CLAUDE, "c-2", point, "it is there")
    with desk.store.read() as tx:
        assert due_work.no_longer_awaited(tx, runs)[0] == {"run-2"}


def test_cycles_in_which_nobody_can_be_asked_keep_no_deadline_waiting_V8_V9(
    desk: DeskWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(due_work, "MOST_OF_A_KIND", 2)
    for _ in range(2):
        desk.app.cycles.request(ALICE, desk.submitted_task())
    two_concerns(desk)
    configure(desk, "")
    desk.clock.wait(31 * 60)
    with desk.store.read() as tx:
        assert due_work.to_decide(desk.app.context, tx) == ("c-3", "c-1"), "first what somebody waits for"
    configure(desk, PEERS)
    with desk.store.read() as tx:
        assert due_work.to_decide(desk.app.context, tx) == ("c-3", "c-1")


def test_a_cycle_is_looked_at_again_when_a_cooldown_ends_and_by_hand_too_V4(desk: DeskWorld) -> None:
    configure(desk, PEERS.replace("ask = 2", "ask = 1"))
    runner = desk.app.runs.begin(ALICE, agents=1).actor
    for name in ("codex", "gemini"):
        desk.app.runs.cool(runner, name, until=desk.app.context.later(600), error="quota", error_text="limit")
    desk.submitted_task()
    assert desk.app.cycles.show("c-1").requested == ()
    with desk.store.read() as tx:
        assert due_work.to_decide(desk.app.context, tx) == ()
        assert due_work.waits_for_cooled(desk.app.context, tx), "the runner waits for that"
    desk.clock.wait(601)
    with desk.store.read() as tx:
        assert due_work.to_decide(desk.app.context, tx) == ("c-1",)
        assert not due_work.waits_for_cooled(desk.app.context, tx)
    desk.app.cycles.decide(CI)
    assert [row.reviewer for row in desk.app.cycles.show("c-1").requested] == ["codex"]


def test_nobody_waits_for_the_cooldown_of_who_made_the_work_V4(desk: DeskWorld) -> None:
    configure(desk, PEERS.replace('"codex", "gemini"', '"claude", "codex"'))
    runner = desk.app.runs.begin(ALICE, agents=1).actor
    desk.app.runs.cool(runner, "claude", until=desk.app.context.later(600), error="quota", error_text="limit")
    desk.app.cycles.request(ALICE, desk.submitted_task())
    with desk.store.read() as tx:
        assert not due_work.waits_for_cooled(desk.app.context, tx)
