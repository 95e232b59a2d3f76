"""Progress (X2, X5): what of a sprint is done, what failed, how much time is left, and whether it keeps its pace. All
of it is computed from the journal (G6).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, tzinfo
from typing import Literal

import msgspec

from foureyes.core.nouns.run import COOLING, ErrorKind, RunEnding
from foureyes.core.nouns.sprint import EndKind, PauseKind, Sprint
from foureyes.core.sprint.selection import span

# ---- Progress (X2, X5) ----

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


# ---- Halting (X2) ----

IN_A_ROW = 3
"""X3: so many errors one after the other."""


class SprintRunEnd(msgspec.Struct, frozen=True, kw_only=True):
    """How a run of a sprint's task ended, since its errors count."""

    task: str
    ending: RunEnding
    error: ErrorKind = "none"
    signal: str = ""
    text: str = ""


class SprintNow(msgspec.Struct, frozen=True, kw_only=True):
    """A sprint that has begun and is not over, as a runner sees it."""

    sprint: Sprint
    progress: Progress = Progress()
    ends: tuple[SprintRunEnd, ...] = ()
    """The newest first."""
    cost_micros: int = 0
    """What its runs have cost since a person last let it go on."""

    @property
    def room(self) -> int | None:
        """X2: how many more of its tasks may begin; None: all of them."""
        if self.sprint.state != "running":
            return 0
        if self.sprint.kind != "tasks":
            return None
        return max(0, self.sprint.tasks - self.progress.done - self.progress.in_flight)


def is_error(end: SprintRunEnd) -> bool:
    """X3: a run that came to nothing; not one that somebody stopped, that lost its runner, or whose profile takes no
    work now.
    """
    if end.error in COOLING:
        return False
    return end.ending in ("failed", "timeout", "unstarted") or (end.ending == "finished" and end.signal == "FAILED")


def says_something(end: SprintRunEnd) -> bool:
    """Whether a run counts in a row of errors, as one or as what ends the row."""
    return is_error(end) or end.ending == "finished"


def why_end(live: SprintNow, now: str) -> tuple[EndKind, str] | None:
    """X2: that a sprint is over, and why."""
    sprint, progress = live.sprint, live.progress
    if sprint.ends_at and sprint.ends_at <= now:
        return "time", "its time is over"
    if sprint.kind == "tasks" and progress.of and progress.done >= progress.of:
        return "target", f"{progress.done} {'task is' if progress.done == 1 else 'tasks are'} done"
    if progress.merged == progress.counted:
        return "closed", "nothing is left of it" if not progress.counted else "all of it is through"
    return None


def is_exhausted(live: SprintNow) -> bool:
    """X1, X2: whether nothing of a sprint that no clock ends is ready, and nothing of it is at work."""
    return live.sprint.kind in ("idle", "tasks") and not live.progress.ready and not live.progress.running


def why_pause(live: SprintNow, *, held: str, disk: str, spend_micros: int) -> tuple[PauseKind, str] | None:
    """X3: that none of its tasks begins any more until something changes, and why."""
    if live.sprint.state != "running":
        return None
    if held:
        return "hold", f"the project is held: {held}"
    if disk:
        return "disk", disk
    if spend_micros and live.cost_micros >= spend_micros:
        costs = f"it has cost {_money(live.cost_micros)}, and may {_money(spend_micros)}"
        return "spend", f"{costs} (run.spend_per_sprint)"
    return _errors(live)


def _errors(live: SprintNow) -> tuple[PauseKind, str] | None:
    telling = [end for end in live.ends if says_something(end)]
    row = telling[:IN_A_ROW]
    if len(row) == IN_A_ROW and all(map(is_error, row)):
        return "errors", f"three errors in a row: {_named(row)}"
    first = next(filter(is_error, telling), None)
    if live.sprint.pause_on_error and first is not None:
        return "error", f"an error: {_named([first])}"
    return None


def why_go_on(live: SprintNow, *, held: str, disk: str) -> str:
    """X3: what stopped it and is gone; empty where a person has to say so."""
    if live.sprint.state != "paused":
        return ""
    gone = {"hold": not held and "the hold was lifted", "disk": not disk and "there is room on the disk again"}
    return gone.get(live.sprint.pause_kind) or ""


def _named(ends: Sequence[SprintRunEnd]) -> str:
    return "; ".join(f"{end.task} {end.text or end.ending}" for end in ends)


def _money(micros: int) -> str:
    return f"{micros / 1_000_000:.2f}"
