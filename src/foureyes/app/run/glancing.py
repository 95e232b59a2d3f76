"""What a runner is doing right now, for whoever watches it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from foureyes.app.views.run import RunLine, RunnerGlance
from foureyes.core.run.standing import standing
from foureyes.core.sprint.progress import compact

if TYPE_CHECKING:
    from foureyes.app.run.held import Desk
    from foureyes.core.run.snapshot import Snapshot
    from foureyes.core.sprint.halting import SprintNow


def glance(snapshot: Snapshot, desk: Desk) -> RunnerGlance:
    """Its live runs, and what else it is at."""
    sprint = snapshot.sprints[0] if snapshot.sprints else None
    return RunnerGlance(
        runs=tuple(
            RunLine(
                run=held.run.id,
                task=held.run.task,
                profile=held.run.profile,
                last=held.live.last_event(),
                quiet_seconds=int(held.live.quiet_seconds()),
            )
            for held in desk.held.values()
            if held.outcome is None
        ),
        agents=desk.options.agents,
        checking=len(desk.checking),
        merging=desk.merging,
        waits="; ".join(it.text for it in standing(snapshot)),
        stopping=desk.stopping,
        sprint=_line(sprint, snapshot.at) if sprint is not None else "",
    )


def _line(it: SprintNow, now: str) -> str:
    """X2: how far the sprint is, in short."""
    paused = " · paused" if it.sprint.state == "paused" else ""
    return f"SPRINT {compact(it.sprint, it.progress, datetime.fromisoformat(now))}{paused}"
