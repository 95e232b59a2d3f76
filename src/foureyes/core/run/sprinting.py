"""Which new tasks may begin while there are sprints (X2): only theirs, and of each no more than it is to complete. Work
that was begun goes on, whoever's it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from foureyes.core.nouns.sprint import PASSING
from foureyes.core.run.snapshot import Snapshot, TaskState
from foureyes.core.run.step import EndSprint, PauseSprint, ResumeSprint, RunStep
from foureyes.core.sprint.halting import SprintNow, is_exhausted, why_end, why_go_on, why_pause


def is_bound(snapshot: Snapshot) -> bool:
    """Whether new tasks begin only out of sprints."""
    return bool(snapshot.sprints or snapshot.sprint_over or snapshot.only_sprints)


def of_sprints(snapshot: Snapshot) -> Iterator[RunStep]:
    """X2, X3: sprints that are over, that pause, that go on by themselves."""
    held, disk = snapshot.held, snapshot.no_room
    for live in snapshot.sprints:
        end = why_end(live, snapshot.at)
        if end is not None:
            yield EndSprint(sprint=live.sprint.id, kind=end[0], why=end[1])
            continue
        pause = why_pause(live, held=held, disk=disk, spend_micros=snapshot.spend_sprint_micros)
        if pause is not None:
            yield PauseSprint(sprint=live.sprint.id, kind=pause[0], why=pause[1])
        elif why := why_go_on(live, held=held, disk=disk):
            yield ResumeSprint(sprint=live.sprint.id, why=why)


def exhausted(snapshot: Snapshot) -> Iterator[RunStep]:
    """X1, X2: sprints without a clock of which nothing is ready, where the runner has nothing else to do either."""
    if snapshot.worth_waiting or snapshot.stopping:
        return
    for live in snapshot.sprints:
        if live.sprint.state == "running" and is_exhausted(live):
            yield EndSprint(sprint=live.sprint.id, kind="idle", why="nothing of it is ready")


def ends_with_sprints(snapshot: Snapshot) -> bool:
    """X2: whether a runner is there for sprints, and all of them are over."""
    return snapshot.only_sprints and not snapshot.sprints


def why_over(snapshot: Snapshot) -> str:
    """Why a runner ends that has nothing to do."""
    if ends_with_sprints(snapshot):
        return snapshot.sprint_over or "no sprint runs"
    paused = [_paused(live) for live in snapshot.sprints if live.sprint.state == "paused"]
    if paused:
        return "; ".join(paused)
    return "idle"


def _paused(live: SprintNow) -> str:
    return f"{live.sprint.id} is paused: {live.sprint.why} (fe sprint start {live.sprint.id})"


def at_rest(snapshot: Snapshot, steps: Iterable[RunStep]) -> Snapshot:
    """X2, X3: what is about to end or to pause begins nothing any more, in the same look."""
    resting = {step.sprint for step in steps if isinstance(step, EndSprint | PauseSprint)}
    if not resting:
        return snapshot
    sprints = [
        replace(live, sprint=replace(live.sprint, state="paused")) if live.sprint.id in resting else live
        for live in snapshot.sprints
    ]
    return replace(snapshot, sprints=tuple(sprints))


def keep_to_sprints(tasks: Iterable[TaskState], snapshot: Snapshot) -> list[TaskState]:
    """X2: what was begun, and new tasks of sprints that run."""
    if not is_bound(snapshot):
        return list(tasks)
    running = {live.sprint.id for live in snapshot.sprints if live.sprint.state == "running"}
    return [task for task in tasks if task.goes_on or task.sprint in running]


def why_kept(snapshot: Snapshot) -> Iterator[tuple[str, bool]]:
    """X3: why new tasks do not begin because of sprints, and whether only a person changes that."""
    for live in snapshot.sprints:
        sprint = live.sprint
        if sprint.state == "paused":
            yield _paused(live), sprint.pause_kind not in PASSING
    if snapshot.sprint_over and not snapshot.sprints:
        yield snapshot.sprint_over, False


class Rooms:
    """How many more tasks of each sprint may begin; used up by one look."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._left = {str(live.sprint.id): live.room for live in snapshot.sprints}

    def has(self, task: TaskState) -> bool:
        """Whether a task may begin: one that was begun before takes no room."""
        left = self._left.get(task.sprint)
        return task.goes_on or not task.sprint or left is None or left > 0

    def take(self, task: TaskState) -> None:
        """It begins."""
        left = self._left.get(task.sprint)
        if left is not None and not task.goes_on:
            self._left[task.sprint] = left - 1


def rooms(snapshot: Snapshot) -> Rooms:
    """What this look leaves to begin."""
    return Rooms(snapshot)
