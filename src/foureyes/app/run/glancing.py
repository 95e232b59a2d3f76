"""What a runner is doing right now, for whoever watches it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from foureyes.app.views.run import RunLine, RunnerGlance
from foureyes.core.run.kept_back import kept_back
from foureyes.core.sprint.progress import compact

if TYPE_CHECKING:
    from foureyes.app.run.in_hand import RunnerDesk
    from foureyes.core.run.snapshot import Snapshot
    from foureyes.core.sprint.halting import SprintNow


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
