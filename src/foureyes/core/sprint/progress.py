"""Progress (X2, X5): what of a sprint is done, what failed, how much time is left, and whether it keeps its pace. All
of it is computed from the journal (G6).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, tzinfo
from typing import Literal

import msgspec

from foureyes.core.nouns.sprint import Sprint
from foureyes.core.sprint.target import span

Stage = Literal["merged", "merging", "reviewing", "failed", "running", "begun", "todo", "out"]
"""Where a task of a sprint stands: through; approved and not merged; submitted; a person or a lead has to look; at
work; begun and to go on; not begun; ended without its work being taken.
"""
DONE: frozenset[Stage] = frozenset({"merged", "merging", "reviewing"})


class SprintTask(msgspec.Struct, frozen=True, kw_only=True):
    """A task of a sprint, as the journal has it. `stuck`: the runner has done with it what it can; `at_work`: it has a
    run now; `tried`: it had one since the sprint began; `by_rule`: nobody looked at what was approved (M4). `hold` and
    `paused`: why nothing of it goes on before a person says so (D3, V9); None where it may.
    """

    id: str
    title: str = ""
    status: str = "open"
    priority: int = 2
    resolution: str = ""
    waiting_for: str = ""
    iteration: int = 0
    ready: bool = False
    deleted: bool = False
    stuck: bool = False
    at_work: bool = False
    tried: bool = False
    by_rule: bool = False
    hold: str | None = None
    paused: str | None = None
    blocking: int = 0
    """Open blocking findings."""


def stage_of(task: SprintTask) -> Stage:
    """X5: done means submitted and not sent back, failed that it waits for a lead or a person, is blocked or held, does
    not begin because of a pause that a person lifts, or that the runner gave up.
    """
    if task.status == "closed" or task.deleted:
        return "merged" if task.resolution in ("merged", "approved") and not task.deleted else "out"
    if task.waiting_for or task.stuck or task.status == "blocked" or task.hold is not None:
        return "failed"
    if task.status == "approved":
        return "merging"
    if task.status == "reviewing":
        return "reviewing"
    if task.status == "in_progress" or task.at_work:
        return "running"
    if task.paused is not None:
        return "failed"
    return "begun" if task.iteration or task.tried else "todo"


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a sprint is. `of` is what it is measured by: its tasks without those that came to nothing by themselves,
    or how many it is to complete.
    """

    done: int = 0
    failed: int = 0
    of: int = 0
    merged: int = 0
    merging: int = 0
    by_rule: int = 0
    reviewing: int = 0
    running: int = 0
    begun: int = 0
    todo: int = 0
    ready: int = 0
    """Could begin, or go on."""
    out: int = 0
    blocking: tuple[str, ...] = ()
    """Tasks with open blocking findings."""

    @property
    def in_flight(self) -> int:
        """What was begun and is neither done nor failed."""
        return self.running + self.begun

    @property
    def counted(self) -> int:
        """Its tasks without those that are out."""
        return self.done + self.failed + self.in_flight + self.todo


def progress_of(sprint: Sprint, tasks: Iterable[SprintTask]) -> Progress:
    """X5: every task in one place."""
    rows = list(tasks)
    stands = Counter(stage_of(task) for task in rows)
    done = sum(stands[each] for each in DONE)
    counted = len(rows) - stands["out"]
    return Progress(
        done=done,
        failed=stands["failed"],
        of=min(sprint.tasks, counted) if sprint.kind == "tasks" else counted,
        merged=stands["merged"],
        merging=stands["merging"],
        by_rule=sum(task.by_rule and stage_of(task) in DONE for task in rows),
        reviewing=stands["reviewing"],
        running=stands["running"],
        begun=stands["begun"],
        todo=stands["todo"],
        ready=sum(task.ready and stage_of(task) in ("todo", "begun") for task in rows),
        out=stands["out"],
        blocking=tuple(task.id for task in rows if task.blocking and stage_of(task) not in ("merged", "out")),
    )


def seconds_left(sprint: Sprint, now: datetime) -> int | None:
    """How long it runs on; None where no clock ends it."""
    if not sprint.ends_at:
        return None
    return max(0, int((datetime.fromisoformat(sprint.ends_at) - now).total_seconds()))


def parts(sprint: Sprint, progress: Progress, now: datetime, zone: tzinfo) -> list[str]:
    """X2: `14/23 tasks`, `2 failed`, `Until 08:00 (6h 23m left)`; a face puts something between them."""
    words = [f"{progress.done}/{progress.of} tasks"]
    words += [f"{progress.failed} failed"] if progress.failed else []
    return [*words, _end_words(sprint, now, zone)]


def _end_words(sprint: Sprint, now: datetime, zone: tzinfo) -> str:
    if sprint.state == "planned":
        return "planned"
    if sprint.state == "ended":
        return f"Ended {clock_of(sprint.ended_at, zone)}"
    left = seconds_left(sprint, now)
    if left is not None:
        return f"Until {clock_of(sprint.ends_at, zone)} ({span(left)} left)"
    if sprint.kind == "tasks":
        return f"Until {sprint.tasks} {'is' if sprint.tasks == 1 else 'are'} done"
    return "Until nothing is ready"


def clock_of(moment: str, zone: tzinfo) -> str:
    """An instant as clocks of a zone show it."""
    return datetime.fromisoformat(moment).astimezone(zone).strftime("%H:%M") if moment else ""


def full_line(words: Sequence[str]) -> str:
    """`14/23 tasks │ 2 failed │ Until 08:00 (6h 23m left)`."""
    return " │ ".join(words)


def sentence(words: Sequence[str]) -> str:
    """`14/23 tasks, 2 failed, until 08:00 (6h 23m left)`."""
    return ", ".join(word[:1].lower() + word[1:] for word in words)


def compact(sprint: Sprint, progress: Progress, now: datetime) -> str:
    """`14/23 · 2 failed · 6h23m`, where there is no room."""
    words = [f"{progress.done}/{progress.of}"]
    words += [f"{progress.failed} failed"] if progress.failed else []
    left = seconds_left(sprint, now) if sprint.is_active else None
    return " · ".join([*words, *([span(left).replace(" ", "")] if left is not None else [])])


def pace(sprint: Sprint, progress: Progress, now: datetime, zone: tzinfo) -> str:
    """Where it will be at its end if it goes on as until now; nothing where nothing is known yet."""
    if not sprint.is_active or not progress.done or not sprint.started_at:
        return ""
    seconds = max(1, int((now - datetime.fromisoformat(sprint.started_at)).total_seconds()))
    left, of = seconds_left(sprint, now), progress.of
    most = of if sprint.kind == "tasks" else of - progress.failed  # what failed waits for somebody
    if left is None:
        missing = most - progress.done
        return f"~{span(seconds * missing // progress.done)} to go" if missing > 0 else ""
    by = clock_of(sprint.ends_at, zone)
    reached = min(most, progress.done + progress.done * left // seconds)
    if reached < most:
        return f"~{reached} of {of} by {by}"
    return f"on pace: all {of} by {by}" if most == of else f"on pace: {most} of {of} by {by}, the others failed"
