"""Run after run that ends somehow: nothing is left behind, and somebody can move every task (S, J4)."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from random import Random

import pytest
from msgspec.structs import replace

from foureyes.app.runner.loop import Runner
from foureyes.core.nouns.run import RunOutcome
from foureyes.core.runner.steps import Wait

from tests.stage.gated import AUTO, LINT
from tests.stage.night import plays
from tests.stage.people import ALICE
from tests.stage.playground import Playground
from tests.stage.playing import DONE, Play

AUTOMATIC = LINT + '\n[review]\ndefault_mode = "auto-approve"\n'
AT_ONCE = 4
BATCH = 12
"""So many tasks at a time: a runner looks at a page of them."""
ENDS: dict[str, list[Play]] = {
    "ok": [Play(), Play(outcome=replace(DONE, signal="NEEDS_REVIEW")), Play(dirty=True), Play(commits=0)],
    "blocked": [Play(outcome=replace(DONE, signal="BLOCKED"))],
    "failed": [Play(outcome=replace(DONE, signal="FAILED"))],
    "no signal": [Play(outcome=RunOutcome(ended=True, rc=0, conversation="c"))],
    "crash": [
        Play(outcome=RunOutcome(ended=False, rc=-9, error="crash", conversation="c")),
        Play(commits=0, outcome=RunOutcome(ended=True, rc=3)),
    ],
    "spawn failure": [Play(missing=True), Play(broken="no such interpreter"), Play(lost="the reaper was killed")],
    "timeout": [
        Play(outcome=RunOutcome(ended=False, timed_out="idle", error="timeout")),
        Play(outcome=RunOutcome(ended=False, timed_out="deadline", error="timeout")),
    ],
    "garbage": [
        Play(outcome=RunOutcome(ended=True, rc=0, final="\x00{not json \ud800")),
        Play(outcome=RunOutcome(ended=True, rc=0, error="refused", error_text="\x1b[2Jgarbage \ud800")),
    ],
    "quota": [
        Play(commits=0, outcome=RunOutcome(ended=False, rc=1, error="quota", retry_after=60)),
        Play(commits=0, outcome=RunOutcome(ended=False, rc=1, error="auth")),
    ],
}


class Ends:
    """Plays at random, and counts how runs ended."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.played: Counter[str] = Counter()

    def next(self) -> Play:
        kind = self.random.choice(["ok", "ok", *ENDS])
        self.played[kind] += 1
        return replace(self.random.choice(ENDS[kind]), lasts=self.random.randint(1, 4))


def ended(ground: Playground) -> int:
    """How many runs have come to their end, as the journal has it."""
    (row,) = ground.sql("SELECT count(*) FROM journal WHERE kind = 'RunEnded'")
    return int(row[0])


def seconds_until(ground: Playground, moment: str) -> float:
    return max(1.0, (datetime.fromisoformat(moment) - ground.clock.now()).total_seconds())


def play(ground: Playground, runner: Runner, ends: Ends) -> Runner:
    """Until the runner has nothing to do; now and then somebody kills it, and another one goes on."""
    for _ in range(200 * BATCH):
        last = runner.tick()
        assert len(runner.memory.current_runs) <= AT_ONCE
        if ends.random.random() < 0.02:  # kill -9
            ground.outside.gone.add(ground.outside.own)
            runner = ground.runner(agents=AT_ONCE)
        elif isinstance(last, Wait) and last.idle and not last.until:
            return runner
        if isinstance(last, Wait):
            rests = bool(last.until) and not runner.memory.current_runs
            ground.clock.advance(seconds=seconds_until(ground, last.until) if rests else 20)
    raise AssertionError(f"it does not come to rest: {ground.said[-10:]}")


@pytest.mark.on("sqlite")
def test_random_ends_leave_nothing_behind_and_every_task_where_somebody_can_move_it(
    ground: Playground,
) -> None:
    """By night a thousand."""
    ends, tasks, wanted = Ends(55), list[str](), plays("random run ends")
    ground.configured(AUTOMATIC)
    ground.agents.next_play = lambda launch: ends.next()
    runner = ground.runner(agents=AT_ONCE)
    while ended(ground) < wanted:
        tasks += [ground.create(ALICE, labels=AUTO) for _ in range(BATCH)]
        runner = play(ground, runner, ends)
    runner.ask("now")
    ground.settle(runner)
    assert set(ends.played) == set(ENDS)
    ground.check_everything_can_be_moved(tasks)
