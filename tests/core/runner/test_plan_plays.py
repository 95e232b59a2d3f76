"""Random plays of the plan: whatever ends how, nothing is lost, and no slot is overdrawn (S, E2, J4).

The world here is a model of what the verbs do: enough to see that the steps fit together. The verbs themselves are in
`tests/app/runner`.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from foureyes.core.nouns.run import Run, RunId, RunOutcome
from foureyes.core.runner.plan import plan, signal_of
from foureyes.core.runner.snapshot import Left, LiveState, PastRun, Slot, Snapshot, TaskState
from foureyes.core.runner.steps import (
    FinishRun,
    FreeClaim,
    Merge,
    RunChecks,
    RunStep,
    StartRun,
    Stick,
    StopRun,
    TakeOver,
    TidyRun,
)
from foureyes.core.words.ids import TaskId

PROFILES = {"claude": 2, "codex": 1, "gemini": 3}
OUTCOMES = [
    RunOutcome(ended=True, rc=0, signal="DONE"),
    RunOutcome(ended=True, rc=0, signal="NEEDS_REVIEW"),
    RunOutcome(ended=True, rc=0, conversation="c"),
    RunOutcome(ended=True, rc=0),
    RunOutcome(ended=True, rc=0, signal="BLOCKED"),
    RunOutcome(ended=True, rc=0, signal="FAILED", conversation="c"),
    RunOutcome(ended=False, rc=1, conversation="c"),
    RunOutcome(ended=False, rc=None, error="crash"),
    RunOutcome(ended=False, timed_out="idle"),
    RunOutcome(ended=False, rc=1, error="quota"),
    RunOutcome(ended=False, error="missing"),
    RunOutcome(ended=True, rc=0, error="refused", conversation="c"),
]


class World:
    """Tasks and runs, and what each step does to them."""

    def __init__(self, random: Random, tasks: int, agents: int) -> None:
        self.random = random
        self.agents = agents
        self.tasks = {
            f"t{n}": TaskState(id=TaskId(f"t{n}"), status="open", ready=True, profile="claude", n=n)
            for n in range(tasks)
        }
        self.runs: dict[str, LiveState] = {}
        self.cooled: set[str] = set()
        self.made = 0

    def look(self, **fields: Any) -> Snapshot:
        usual: dict[str, Any] = {
            "agents": self.agents,
            "host": "here",
            "tasks": tuple(self.tasks.values()),
            "runs": tuple(self.runs.values()),
            "slots": tuple(Slot(profile=name, slots=n, cooled=name in self.cooled) for name, n in PROFILES.items()),
            "order": tuple(PROFILES),
            "checks_due": tuple(task.id for task in self.tasks.values() if task.status == "reviewing"),
            "merges_due": tuple(task.id for task in self.tasks.values() if task.status == "approved"),
        }
        return Snapshot(**(usual | fields))

    def put(self, task: str, **fields: Any) -> None:
        self.tasks[task] = replace(self.tasks[task], **fields)

    def happen(self) -> None:
        """Something happens that nobody planned."""
        for name, live in list(self.runs.items()):
            if live.outcome is None and not live.lost and self.random.random() < 0.5:
                self.runs[name] = replace(live, outcome=self.random.choice(OUTCOMES))
        if self.random.random() < 0.1:  # kill -9 of the runner
            self.runs = {
                name: replace(live, mine=False, lost=True, outcome=None, left=None) for name, live in self.runs.items()
            }
        if self.random.random() < 0.2:
            self.cooled.discard(self.random.choice(list(PROFILES)))

    def perform(self, step: RunStep) -> None:
        if isinstance(step, StartRun):
            self.start(step)
        elif isinstance(step, StopRun):
            self.runs[step.run] = replace(self.runs[step.run], outcome=RunOutcome(ended=False, stopped=True))
        elif isinstance(step, TidyRun):
            left = Left(
                changed=self.random.random() < 0.8, problem="HEAD is elsewhere" if self.random.random() < 0.1 else ""
            )
            self.runs[step.run] = replace(self.runs[step.run], left=left)
        elif isinstance(step, TakeOver):
            self.end(step.run, "lost", RunOutcome(ended=False))
        elif isinstance(step, FinishRun):
            self.settle(step)
        elif isinstance(step, RunChecks):
            green = self.random.random() < 0.6
            self.put(step.task, status="approved" if green else "open", ready=not green, has_feedback=not green)
        elif isinstance(step, Merge):
            for name, task in self.tasks.items():
                if task.status == "approved":
                    self.put(name, status="closed", ready=False)
        elif isinstance(step, Stick):
            self.put(step.task, stopped="stuck")
        else:
            assert not isinstance(step, FreeClaim), "no run of this world leaves a claim"

    def start(self, step: StartRun) -> None:
        task = self.tasks[step.task]
        assert task.status == "open"
        assert task.ready
        assert not task.stopped
        self.made += 1
        run = Run(
            id=RunId(f"r{self.made}"), task=step.task, profile=step.profile, role="implement", purpose=step.purpose,
            state="running", host="here", resumes=step.resumes,
        )  # fmt: skip
        self.runs[run.id] = LiveState(run=run)
        self.put(step.task, status="in_progress", ready=False)

    def settle(self, step: FinishRun) -> None:
        live = self.runs[step.run]
        assert live.outcome is not None
        if step.then in ("submit_work", "needs_review"):
            self.runs.pop(step.run)
            self.put(step.task, status="reviewing", ready=False, past=(), has_feedback=False)
            return
        if step.then == "cool":
            self.cooled.add(live.run.profile)
        ending = {"stopped": "stopped", "retry": "failed", "cool": "failed", "send_back": "failed"}.get(
            step.then, "finished"
        )
        self.end(step.run, ending, live.outcome)
        if step.then == "blocked":
            self.put(step.task, status="blocked", ready=False)

    def end(self, name: str, ending: Any, outcome: RunOutcome) -> None:
        live = self.runs.pop(name)
        over = PastRun(
            profile=live.run.profile, ending=ending, error=outcome.error,
            signal=signal_of(replace(live, outcome=outcome)),
            conversation=outcome.conversation, resumed=bool(live.run.resumes),
        )  # fmt: skip
        task = self.tasks[live.run.task]
        self.put(task.id, status="open", ready=True, past=(*task.past, over))

    def check(self) -> None:
        """Nothing is lost: every task is where somebody can move it; no slot is overdrawn."""
        assert len(self.runs) <= self.agents
        for profile, used in Counter(live.run.profile for live in self.runs.values()).items():
            assert used <= PROFILES[profile]
        at_work = Counter(live.run.task for live in self.runs.values())
        assert all(n == 1 for n in at_work.values())
        for name, task in self.tasks.items():
            assert (task.status == "in_progress") == (name in at_work)
            assert task.status != "open" or task.ready


def play(seed: int, ticks: int) -> World:
    world = World(Random(seed), tasks=8, agents=1 + seed % 5)
    for _ in range(ticks):
        snapshot = world.look()
        steps = plan(snapshot)
        assert steps == plan(msgspec.json.decode(msgspec.json.encode(snapshot), type=Snapshot))
        for step in steps:
            world.perform(step)
            world.check()
        world.happen()
    return world


@given(st.integers(0, 1_000_000))
def test_whatever_ends_how_nothing_is_lost_and_no_slot_is_overdrawn(seed: int) -> None:
    play(seed, 60)


@pytest.mark.parametrize("seed", range(5))
def test_when_nothing_fails_any_more_everything_comes_to_an_end(seed: int) -> None:
    world = play(seed, 30)
    world.cooled.clear()
    for _ in range(200):
        steps = plan(world.look(until_idle=True))
        for step in steps:
            world.perform(step)
            world.check()
        world.runs = {
            name: live if live.lost or live.outcome else replace(live, outcome=OUTCOMES[0])
            for name, live in world.runs.items()
        }
    assert not world.runs
    assert {task.status for task in world.tasks.values() if not task.stopped} <= {"closed", "blocked"}


@pytest.mark.parametrize("stopping", ["finish", "now"])
def test_a_runner_that_is_to_end_comes_to_its_end_and_leaves_no_run(stopping: str) -> None:
    world = play(7, 25)
    for _ in range(50):
        steps = plan(world.look(stopping=stopping))
        for step in steps:
            world.perform(step)
        assert not any(isinstance(step, StartRun) for step in steps)
        for name, live in world.runs.items():
            if live.outcome is None and not live.lost:
                world.runs[name] = replace(live, outcome=OUTCOMES[0])
    assert not world.runs
    assert all(task.status != "in_progress" for task in world.tasks.values())
