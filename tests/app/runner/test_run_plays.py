"""Random plays of runners: several of them take, lose and take over runs while people pause, hold and stop (J4, I2).

Whatever happens, a task has one run at most, a token is as alive as its run, and nothing is left that nobody can move.
"""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from foureyes.app.runner_registry import LEASE_SECONDS as SECONDS
from foureyes.core.nouns.run import Run, RunEnding, RunId, RunOutcome
from foureyes.core.nouns.session import Actor
from foureyes.core.words.lifecycle import RunEnd
from foureyes.errors import FoureyesError, Internal

from tests.stage.night import plays
from tests.stage.people import ALICE, BOB, CLAUDE
from tests.stage.running import runner, work
from tests.stage.world import DeskWorld

which = st.integers(0, 5)
endings: st.SearchStrategy[RunEnding] = st.sampled_from(["finished", "failed", "timeout", "stopped", "lost"])
odd: st.SearchStrategy[RunEnd] = st.sampled_from(["", "crash", "timeout", "blocked", "cancelled"])


class Runners(RuleBasedStateMachine):
    """Three runners at most, in the hands of people."""

    def __init__(self) -> None:
        super().__init__()
        self.world = DeskWorld()
        self.runners: list[Actor] = []
        self.tasks: list[str] = []
        self.count = 0

    def teardown(self) -> None:
        self.world.sound()
        self.settle_everything()
        self.world.app.close()

    def attempt(self, call: Callable[[], object]) -> None:
        """A refusal is fine, and leaves nothing behind (G4)."""
        before = self.world.rows()
        try:
            call()
        except Internal:
            raise
        except FoureyesError:
            assert self.world.rows() == before

    def runner(self, n: int) -> Actor:
        return self.runners[n % len(self.runners)]

    def task(self, n: int) -> str:
        return self.tasks[n % len(self.tasks)]

    def run_named(self, n: int) -> Run | None:
        rows = self.world.app.runs.of_task(self.task(n))
        return rows[0] if rows else None

    @initialize()
    def begun(self) -> None:
        self.tasks = [self.world.create(BOB, title=f"task {number}") for number in range(3)]
        self.begin()

    @rule()
    def begin(self) -> None:
        self.count += 1
        if len(self.runners) < 3:
            self.runners.append(runner(self.world, f"proc:boot:ns:{self.count}:1"))

    @rule(n=which, clean=st.booleans())
    def a_runner_ends(self, n: int, clean: bool) -> None:
        if len(self.runners) < 2:
            return
        gone = self.runners.pop(n % len(self.runners))
        if clean:
            self.attempt(lambda: self.world.app.runs.finish(gone))
        else:
            row = next(row for row in self.world.app.runs.runners() if row.session == gone.session)
            self.world.outside.gone.add(row.process)

    @rule(n=which, m=which, at_once=st.booleans())
    def reserve(self, n: int, m: int, at_once: bool) -> None:
        me, runs = self.runner(n), self.world.app.runs

        def call() -> None:
            run = runs.reserve(me, self.task(m), profile="claude", purpose="implement")
            if at_once:
                self.bind(me, run.id)

        self.attempt(call) if not at_once else self.either(call)

    def either(self, call: Callable[[], object]) -> None:
        """Two steps, of which the second may be refused."""
        try:
            call()
        except Internal:
            raise
        except FoureyesError:
            return

    def bind(self, me: Actor, run: RunId) -> None:
        self.count += 1
        process = f"proc:boot:ns:9{self.count}:1"
        self.world.app.runs.bind(me, run, secret=f"fe-{run}", process=process, program="claude")

    @rule(n=which, m=which)
    def bind_late(self, n: int, m: int) -> None:
        run = self.run_named(m)
        if run is not None:
            self.attempt(lambda: self.bind(self.runner(n), run.id))

    @rule(n=which, m=which)
    def take_over(self, n: int, m: int) -> None:
        run = self.run_named(m)
        if run is not None:
            self.attempt(lambda: self.world.app.runs.take_over(self.runner(n), run.id))

    @rule(n=which, m=which, signal=st.sampled_from(["DONE", "NEEDS_REVIEW", "FAILED"]))
    def submit_work(self, n: int, m: int, signal: str) -> None:
        run = self.run_named(m)
        if run is not None and run.session is not None:
            work(self.world, run)
            self.attempt(lambda: self.world.app.runs.submit_work(self.runner(n), run.id, signal=signal, message="so"))

    @rule(n=which, m=which, ending=endings)
    def end(self, n: int, m: int, ending: RunEnding) -> None:
        run = self.run_named(m)
        if run is not None:
            said = RunOutcome(ended=ending == "finished", rc=0, conversation="c")
            self.attempt(lambda: self.world.app.runs.end(self.runner(n), run.id, said, ending=ending))

    @rule(n=which, m=which, how=odd)
    def release(self, n: int, m: int, how: RunEnd) -> None:
        run = self.run_named(m)
        if run is not None:
            self.attempt(lambda: self.world.app.runs.release(self.runner(n), run.id, how=how, reason="so"))

    @rule(n=which)
    def renew(self, n: int) -> None:
        mine = [run.id for run in self.world.app.runs.live()]
        self.attempt(lambda: self.world.app.runs.renew(self.runner(n), mine))

    @rule(seconds=st.sampled_from([1, SECONDS // 2, SECONDS]))
    def time_goes_by(self, seconds: int) -> None:
        self.world.clock.advance(seconds=seconds)

    @rule(m=which, what=st.sampled_from(["pause", "resume", "stop", "start", "redo", "unblock", "hold"]))
    def somebody_interferes(self, m: int, what: str) -> None:
        app, task = self.world.app, self.task(m)
        calls: dict[str, Callable[[], object]] = {
            "pause": lambda: app.runs.pause(ALICE, task, reason="wait"),
            "resume": lambda: app.stops.resume(ALICE, task, "go on"),
            "stop": lambda: app.runs.ask_stop(ALICE, task),
            "start": lambda: self.world.start(CLAUDE, task),
            "redo": lambda: app.feedback.redo(BOB, task, "again"),
            "unblock": lambda: app.stops.unblock(ALICE, task),
            "hold": lambda: app.stops.hold(ALICE, task, "wait"),
        }
        self.attempt(calls[what])

    @invariant()
    def a_task_has_one_run_at_work_J4(self) -> None:
        live = [run.task for run in self.world.app.runs.live()]
        assert len(live) == len(set(live))

    @invariant()
    def a_token_is_as_alive_as_its_run_I2(self) -> None:
        tokens = "runs r JOIN tokens t ON t.session = r.session"
        assert self.world.sql(f"SELECT r.id FROM {tokens} WHERE r.state = 'ended' AND t.ended_seq = 0") == []

    def settle_everything(self) -> None:
        """The next runner ends and frees whatever is left."""
        for row in self.world.app.runs.runners():
            self.world.outside.gone.add(row.process)
        me, runs = runner(self.world, "proc:boot:ns:last:1"), self.world.app.runs
        for run in runs.live():
            runs.take_over(me, run.id)
            runs.end(me, run.id, None, ending="lost")
        for task in self.tasks:
            for run in runs.of_task(task)[:1]:
                runs.release(me, run.id)
            owner = self.world.task(task).implementer if self.world.task(task).status == "in_progress" else None
            assert owner in (None, CLAUDE.session)
        assert [row.session for row in runs.runners()] == [me.session]
        assert self.world.sql("SELECT count(*) FROM tokens WHERE ended_seq = 0") == [(0,)]
        self.world.sound()


Runners.TestCase.settings = settings(
    max_examples=plays("random verbs of runners"),
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)
TestRunners = Runners.TestCase
