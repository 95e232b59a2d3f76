"""Live runs: the programs that a runner holds between two snapshots, and what it is doing now."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal

import msgspec

from foureyes.app.agent_ports import LiveRun
from foureyes.app.views.run import RunLine, RunnerGlance
from foureyes.core.nouns.run import Run, RunId, RunOutcome
from foureyes.core.runner.plan import kept_back
from foureyes.core.runner.snapshot import Left, PutOff
from foureyes.core.sprint.progress import compact
from foureyes.core.words.ids import TaskId

if TYPE_CHECKING:
    from foureyes.core.runner.snapshot import Snapshot
    from foureyes.core.sprint.progress import SprintNow


# ---- In hand ----

NO_ROOM = "no room"
"""X3: the name under which everything is put off on a disk that took nothing more."""
FETCH = "fetch:"
"""What begins the key of a job that brings what another machine submitted; its task follows."""

StopWish = Literal["", "finish", "now"]


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How a runner was started."""

    agents: int = 1
    """How many runs at once; 0: none (`fe watch`)."""
    once: bool = False
    """Begin what can begin now, see it to its end, and begin nothing else."""
    until_idle: bool = False
    sprints: bool = False
    """X2: begin new tasks of sprints only, and end when none of them goes on and nothing is left to do."""
    assigned: tuple[tuple[str, str], ...] = ()
    """Tasks, and the profile that a person chose for each."""


class InHand(msgspec.Struct):
    """A program of this runner, and what is known of its end. `fenced`: another runner has the run now (J4); the
    program is ended, and nothing is written for it any more.
    """

    run: Run
    live: LiveRun
    outcome: RunOutcome | None = None
    left: Left | None = None
    asked: str = ""
    """Why it was asked to end; empty where nobody did."""
    fenced: bool = False
    token: str = ""
    """The hash of the token that it was given: what it answers is stored as its own (I2, V3)."""
    notes: tuple[str, ...] = ()
    """What its worktree could not be given."""


class RunnerDesk(msgspec.Struct):
    """All that a runner has in hand."""

    options: Options
    in_hand: dict[RunId, InHand] = msgspec.field(default_factory=dict)
    stopping: StopWish = ""
    begun: bool = False
    """Whether runs began once already."""
    sprint: str = ""
    """X2: the sprint that ran last while this runner was at work."""
    told: set[str] = msgspec.field(default_factory=set)
    """What people were told, by its key."""
    standing: set[str] = msgspec.field(default_factory=set)
    """Why ready work did not begin at the last look, by its key."""
    checking: set[str] = msgspec.field(default_factory=set)
    """The tasks whose checks run now."""
    fetching: set[str] = msgspec.field(default_factory=set)
    """The tasks whose attempts come from another machine just now."""
    merging: tuple[TaskId, ...] = ()
    """The tasks that are merged now."""
    unsent: bool = True
    """Q6: whether the remote may lack something of what was submitted here."""
    sending: bool = False
    put_off: dict[str, PutOff] = msgspec.field(default_factory=dict)
    """Steps that failed, by their name, and when they are tried again; until they succeed."""


# ---- Glancing ----


def glance(snapshot: Snapshot, desk: RunnerDesk) -> RunnerGlance:
    """Its live runs, and what else it is at."""
    sprint = snapshot.sprints[0] if snapshot.sprints else None
    return RunnerGlance(
        runs=tuple(
            RunLine(
                run=own.run.id,
                task=own.run.task,
                profile=own.run.profile,
                last=own.live.last_event(),
                quiet_seconds=int(own.live.quiet_seconds()),
            )
            for own in desk.in_hand.values()
            if own.outcome is None
        ),
        agents=desk.options.agents,
        checking=len(desk.checking),
        merging=bool(desk.merging),
        waits="; ".join(it.text for it in kept_back(snapshot)),
        stopping=desk.stopping,
        sprint=_line(sprint, snapshot.at) if sprint is not None else "",
    )


def _line(it: SprintNow, now: str) -> str:
    """X2: how far the sprint is, in short."""
    paused = " · paused" if it.sprint.state == "paused" else ""
    return f"SPRINT {compact(it.sprint, it.progress, datetime.fromisoformat(now))}{paused}"
