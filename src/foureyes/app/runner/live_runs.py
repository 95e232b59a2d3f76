"""Live runs: the programs that a runner keeps between two snapshots, and what else it is doing."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal

import msgspec

from foureyes.app.agent_ports import LiveRun
from foureyes.app.results.run import RunLine, RunnerSummary
from foureyes.core.nouns.run import Run, RunId, RunOutcome
from foureyes.core.runner.plan import kept_back
from foureyes.core.runner.snapshot import Left, PutOff
from foureyes.core.sprint.progress import compact
from foureyes.core.words.ids import TaskId

if TYPE_CHECKING:
    from foureyes.core.runner.snapshot import Snapshot
    from foureyes.core.sprint.progress import SprintNow


# ---- Current work ----

NO_ROOM = "no room"
"""Key under which everything is postponed while the disk is full. (X3)"""
FETCH = "fetch:"
"""Prefix for the keys of jobs that fetch a submission from another machine. The task id follows."""

StopWish = Literal["", "finish", "now"]


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """Options that a runner was started with."""

    agents: int = 1
    """Largest number of parallel runs. 0 starts none (`fe watch`)."""
    once: bool = False
    """True to start the work that is ready now, finish it, and start nothing else."""
    until_idle: bool = False
    sprints: bool = False
    """True to start new tasks from sprints only, and to end when no sprint is active and nothing is left to do. (X2)"""
    assigned: tuple[tuple[str, str], ...] = ()
    """Tasks with the profile that a person chose for each."""


class CurrentRun(msgspec.Struct):
    """A program of this runner and its outcome, if known. `fenced`: another runner has the run, so the program is
    stopped and nothing more is recorded for it. (J4)
    """

    run: Run
    live: LiveRun
    outcome: RunOutcome | None = None
    left: Left | None = None
    asked: str = ""
    """Why the program was asked to stop, or ""."""
    fenced: bool = False
    token: str = ""
    """Hash of the run's token. The run's answer is stored under it. (I2, V3)"""
    notes: tuple[str, ...] = ()
    """Notes about files or settings missing from its worktree."""


class RunnerMemory(msgspec.Struct):
    """State of a runner between two polls."""

    options: Options
    current_runs: dict[RunId, CurrentRun] = msgspec.field(default_factory=dict)
    stopping: StopWish = ""
    begun: bool = False
    """True after the first run has started."""
    sprint: str = ""
    """The last sprint that was active while this runner worked. (X2)"""
    shown: set[str] = msgspec.field(default_factory=set)
    """Keys of the messages already shown."""
    kept_back: set[str] = msgspec.field(default_factory=set)
    """Keys of the reasons for which ready work was not started at the last poll."""
    checking: set[str] = msgspec.field(default_factory=set)
    """Tasks whose checks are running."""
    fetching: set[str] = msgspec.field(default_factory=set)
    """Tasks whose attempts are being fetched from another machine."""
    merging: tuple[TaskId, ...] = ()
    """Tasks being merged."""
    unsent: bool = True
    """True if the remote may lack a local submission. (Q6)"""
    sending: bool = False
    put_off: dict[str, PutOff] = msgspec.field(default_factory=dict)
    """Failed steps by name, with their next retry. One stays until its step succeeds."""


# ---- Runner status ----


def runner_summary(snapshot: Snapshot, memory: RunnerMemory) -> RunnerSummary:
    """Return what the runner is doing, for display."""
    sprint = snapshot.sprints[0] if snapshot.sprints else None
    return RunnerSummary(
        runs=tuple(
            RunLine(
                run=own.run.id,
                task=own.run.task,
                profile=own.run.profile,
                last=own.live.last_event(),
                quiet_seconds=int(own.live.quiet_seconds()),
            )
            for own in memory.current_runs.values()
            if own.outcome is None
        ),
        agents=memory.options.agents,
        checking=len(memory.checking),
        merging=bool(memory.merging),
        waits="; ".join(it.text for it in kept_back(snapshot)),
        stopping=memory.stopping,
        sprint=_line(sprint, snapshot.at) if sprint is not None else "",
    )


def _line(it: SprintNow, now: str) -> str:
    """Return the sprint's progress in one short line. (X2)"""
    paused = " · paused" if it.sprint.state == "paused" else ""
    return f"SPRINT {compact(it.sprint, it.progress, datetime.fromisoformat(now))}{paused}"
