"""The loop of a runner: take a snapshot, plan, perform the steps, wait for an event. (S, J4)

A change in the store, a run, a job or the clock ends the wait. Missing an event does no harm, because the next poll
finds the change.
"""

from __future__ import annotations

import os
import selectors
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from math import inf
from time import monotonic
from typing import TYPE_CHECKING

from foureyes.app.runner.background_jobs import all_of
from foureyes.app.runner.due_work import heard_by
from foureyes.app.runner.execution import Performing, Tell
from foureyes.app.runner.live_runs import CurrentRun, Options, RunnerMemory, runner_summary
from foureyes.app.runner.run_start import is_full
from foureyes.app.runner.runs import Runs
from foureyes.app.runner.snapshot import SnapshotReader
from foureyes.core.nouns.run import MAKES
from foureyes.core.runner.plan import kept_back, plan
from foureyes.core.runner.snapshot import Snapshot
from foureyes.core.runner.steps import DecideCycle, Finish, Notify, Wait
from foureyes.errors import FoureyesError, LostRunner, Refused
from foureyes.steps import fe

if TYPE_CHECKING:
    from foureyes.app.agent_ports import LocalAgents
    from foureyes.app.context import Context
    from foureyes.app.ports import Beacon, Changes
    from foureyes.app.results.run import RunnerSummary
    from foureyes.app.runner.background_jobs import Crew
    from foureyes.core.nouns.run import RunId
    from foureyes.core.nouns.session import Actor


# ---- The loop of a runner ----

# A change in the store, a run, a job or the clock wakes the loop. A missed event is harmless.

RENEW_SECONDS = 20.0
"""Seconds between renewals of leases. These last several times as long."""
GLANCE_SECONDS = 0.5
"""Seconds between polls of the store if it sends no notifications."""
REST_SECONDS = 30.0
"""Longest time between two full polls, even if nothing happens."""
AGAIN_SECONDS = 1.0
"""Pause after a failed poll, for example while the store is unreachable."""
ALARM = -1


class Runner:
    """One runner from start to end."""

    def __init__(
        self,
        context: Context,
        runner: Actor,
        agents: LocalAgents,
        crew: Crew,
        options: Options,
        *,
        tell: Tell = lambda task, line: None,
        show: Callable[[RunnerSummary], None] = lambda runner_summary: None,
        changes: Changes | None = None,
        alarm: int = ALARM,
        beacon: Beacon | None = None,
    ) -> None:
        self._context = context
        self._runner = runner
        self._crew = crew
        self._agents = agents
        self._tell = tell
        self._show = show
        self._turns = Turns(changes)
        self._alarm = alarm
        self._beacon = beacon
        self._reader = SnapshotReader(context, runner, agents)
        self._performing = Performing(context, runner, agents, crew, tell)
        self._renewed, self._renewed_at = monotonic(), context.clock.now()
        self.memory = RunnerMemory(options)
        self._seen = Snapshot()
        self._trouble = ""
        self._has_looked = False

    def ask(self, stopping: str) -> None:
        """Ask the runner to stop, after its current runs or now. A second request always means now."""
        self.memory.stopping = "now" if stopping == "now" or self.memory.stopping else "finish"

    def run(self) -> Finish:
        """Run until no work is left or a stop is requested. Return the reason for the end and the remaining work."""
        try:
            while True:
                last = self.tick()
                if isinstance(last, Finish):
                    break
                if last is not None:
                    self._wait(last)
        finally:
            self._end_all("the runner ends")
            for done in self._crew.close():
                self._performing.finished(done, self.memory)
        Runs(self._context).finish(self._runner, reason=last.why)
        return last

    def tick(self) -> Finish | Wait | None:
        """Take one snapshot and perform its steps. Return None if there may be more to do at once."""
        try:
            last, self._trouble = self._tick(), ""
        except LostRunner:
            raise
        except FoureyesError as problem:  # a busy or unreachable store, or a broken configuration: nothing is lost
            if self._trouble != problem.message:  # report once per problem
                self._tell("", all_of(problem))
            self._trouble = problem.message
            return Finish(why=problem.message) if self.memory.stopping == "now" else Wait()
        except OSError as problem:
            if not is_full(problem):
                raise
            self._performing.no_room(self.memory)  # X3: the next snapshot reports it and continues once there is room
            self._trouble = str(problem)
            return Finish(why=str(problem)) if self.memory.stopping == "now" else Wait()
        return last

    def _tick(self) -> Finish | Wait | None:
        self._shine()
        self._renew()
        self._poll()
        for done in self._crew.done():
            self._performing.finished(done, self.memory)
        self._performing.forget_put_off(self.memory)
        self._turns.read()
        snapshot = self._reader.read(self.memory)
        self._turns.take(*self._reader.place)
        self._seen = snapshot
        self._show(runner_summary(snapshot, self.memory))
        *steps, last = plan(snapshot)
        if not self._has_looked:
            self._performing.forget_notices({step.key for step in steps if isinstance(step, Notify)})
            self._has_looked = True
        moved, decided = snapshot.more, False
        for step in steps:
            did = self._performing.perform(step, self.memory)
            moved, decided = moved or did, decided or (did and isinstance(step, DecideCycle))
            self._poll()
        if decided:
            return None
        if isinstance(last, Finish):
            return last
        assert isinstance(last, Wait)
        self._tell_standing(snapshot)
        return None if moved else last

    def _tell_standing(self, snapshot: Snapshot) -> None:
        """Report each reason that keeps work from starting, once while it lasts."""
        standing = {it.key: it.text for it in kept_back(snapshot) if not it.was_shown}
        for key, text in standing.items():
            if key not in self.memory.kept_back and key not in self.memory.shown:
                self._tell("", text)
        self.memory.kept_back = set(standing)

    # Runs

    def _poll(self) -> bool:
        """Collect events and outcomes of the live programs. Return True if a new snapshot would differ."""
        stirred = False
        for own in list(self.memory.current_runs.values()):
            if own.outcome is None:
                own.outcome = own.live.poll()
                self._keep_signal(own)
                stirred = self._hear(own) or own.outcome is not None or stirred
            if own.fenced and own.outcome is not None:
                del self.memory.current_runs[own.run.id]
        return stirred

    def _keep_signal(self, own: CurrentRun) -> None:
        """Record how a program ended, for a runner that takes over if this one dies. (S1, J4)"""
        outcome = own.outcome
        if outcome is None or outcome.stopped or own.fenced or own.run.purpose not in MAKES:
            return
        if outcome.succeeded and outcome.signal:
            with suppress(FoureyesError):  # this runner knows the outcome anyway
                Runs(self._context).signalled(self._runner, own.run.id, outcome.signal, outcome.message)

    def _hear(self, own: CurrentRun) -> bool:
        """Record the events a run reported in its stream. An event that cannot be recorded is reported instead. (S3)"""
        events = own.live.heard()
        for spoken in events:
            if own.fenced:
                continue
            try:
                Runs(self._context).heard(self._runner, own.run.id, spoken)
            except FoureyesError as problem:
                self._tell(own.run.task, f"{spoken.type} was not recorded: {problem.message}")
            else:
                self._tell(own.run.task, f"{own.run.profile}: {spoken.type}: {spoken.summary}")
        return bool(events)

    def _shine(self) -> None:
        """Stop all agents if the connection lock was lost, because other runners may already have taken their runs.
        (J4)
        """
        if self._beacon is None or self._beacon.is_lit():
            return
        if any(own.outcome is None for own in self.memory.current_runs.values()):
            self._tell("", "the database connection that keeps this runner alive was lost, so its agents were ended")
            self._end_all("its runner lost the connection")
        self._beacon.light()
        self._renewed = -inf  # renew now, so runs taken meanwhile show at once

    def _renew(self) -> None:
        """Renew the leases when due. If the runner or a run was taken over, its agents are stopped before anything else
        is written. (J4)
        """
        if monotonic() - self._renewed < RENEW_SECONDS and not self._is_late():
            return
        mine = [run for run, own in self.memory.current_runs.items() if not own.fenced]
        try:
            lost = Runs(self._context).renew(self._runner, mine, heard_by(self._context, self.memory))
        except Refused as refusal:
            self._fence(mine)
            self._end_all("another runner took over")
            raise LostRunner(
                "another runner took over because this one seemed dead. Its agents were ended, and it writes nothing more.",
                reasons=refusal.reasons,
                next_step=fe("run"),
            ) from refusal
        self._renewed, self._renewed_at = monotonic(), self._context.clock.now()
        self._fence(lost)

    def _is_late(self) -> bool:
        """Return True if the wall clock is ahead of this process, for example after the machine slept."""
        return (self._context.clock.now() - self._renewed_at).total_seconds() > RENEW_SECONDS

    def _fence(self, runs: list[RunId]) -> None:
        for run in runs:
            own = self.memory.current_runs[run]
            own.fenced = True
            own.live.stop("another runner took it over")
            self._tell(own.run.task, f"{run} was taken over by another runner")

    def _end_all(self, why: str) -> None:
        """Stop every live agent and wait for them to end."""
        for own in self.memory.current_runs.values():
            if own.outcome is None:
                own.live.stop(why)
        end = monotonic() + REST_SECONDS
        while any(own.outcome is None for own in self.memory.current_runs.values()) and monotonic() < end:
            self._poll()
            self._sleep(0.05)

    # Waiting

    def _wait(self, last: Wait) -> None:
        """Wait until something happens that a new snapshot would show. Program output is read but does not end the
        wait.
        """
        end = monotonic() + self._rest(last)
        while (left := min(end, self._turns.due) - monotonic()) > 0:
            if self._sleep(min(left, GLANCE_SECONDS)) or self._turns.is_due() or self._poll():
                return
            self._show(runner_summary(self._seen, self.memory))

    def _rest(self, last: Wait) -> float:
        """Return the longest time to wait for an event. It is short while the store is unreachable."""
        if self._trouble:
            return AGAIN_SECONDS
        rest = min(REST_SECONDS, RENEW_SECONDS - (monotonic() - self._renewed))
        dues = [own.live.due_seconds() for own in self.memory.current_runs.values() if own.outcome is None]
        if last.until:
            dues.append((datetime.fromisoformat(last.until) - self._context.clock.now()).total_seconds())
        return max(0.01, min([rest, *dues]))

    def _sleep(self, seconds: float) -> bool:
        """Sleep until an event or the timeout. Return True if a job, the connection lock or a signal ended it."""
        others = [self._crew.fileno(), self._alarm]
        others += [self._beacon.fileno()] if self._beacon is not None else []
        asked = [own.live.fileno() for own in self.memory.current_runs.values() if own.outcome is None]
        asked.append(self._turns.fileno())
        with selectors.DefaultSelector() as selector:
            for descriptor in {number for number in (*others, *asked) if number >= 0}:
                selector.register(descriptor, selectors.EVENT_READ)
            stirred = {key.fd for key, _ in selector.select(max(0.0, seconds))}
        if self._alarm in stirred:
            with suppress(OSError):
                os.read(self._alarm, 4096)  # drain it, or it stays readable
        return bool(stirred & set(others))


# ---- Taking turns ----

TURN_SECONDS = 0.05
"""Length of a slot in seconds. The runners of a project take turns, one slot each."""


class Turns:
    """Slots for reacting to others' writes, so that many runners do not poll at once."""

    def __init__(self, changes: Changes | None) -> None:
        self._changes = changes
        self._place, self._among = 0, 1
        self._read_at = -inf
        self.due = inf
        """When this runner's turn comes after a write, infinity if there was none."""

    def read(self) -> None:
        """Note that a poll begins. It covers all writes so far."""
        self._has_changed()
        self._read_at, self.due = monotonic(), inf

    def take(self, place: int, among: int) -> None:
        """Set this runner's position among all live runners, oldest first."""
        self._place, self._among = place, max(1, among)

    def fileno(self) -> int:
        """Return a descriptor that is readable after a write, or -1 while a turn is already scheduled."""
        return -1 if self._changes is None or self.due < inf else self._changes.fileno()

    def is_due(self) -> bool:
        """Return True if there was a write and this runner's turn has come."""
        if self.due == inf and self._has_changed():
            turn, round_ = self._place * TURN_SECONDS, self._among * TURN_SECONDS
            self.due = max(monotonic() + turn, self._read_at + round_)
        return self.due <= monotonic()

    def _has_changed(self) -> bool:
        return self._changes is not None and self._changes.changed()
