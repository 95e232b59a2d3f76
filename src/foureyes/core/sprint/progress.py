"""Progress of a sprint: tasks done and failed, time left, pace. All computed from the journal (G6). (X2, X5)"""

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
"""The stage of a task in a sprint.

- merged: closed by an approval
- merging: approved and not yet merged
- reviewing: submitted
- failed: needs a person or a lead
- running: has a live run
- begun: to be continued
- todo: not begun
- out: closed without its work
"""
DONE: frozenset[Stage] = frozenset({"merged", "merging", "reviewing"})


class SprintTask(msgspec.Struct, frozen=True, kw_only=True):
    """A task of a sprint.

    - stuck: the runner gave up on it
    - at_work: it has a live run
    - tried: it had a run since the sprint began
    - by_rule: approved without a reviewer (M4)
    - hold, paused: why it waits for a person (D3, V9), or None
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
    """Number of open blocking findings."""


def stage_of(task: SprintTask) -> Stage:
    """Return the stage of a task. (X5)

    It is done if submitted and not sent back. It has failed if it waits for a lead or a person, is blocked, held or
    paused, or if the runner gave up on it.
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
    """The progress of a sprint. `of` is the total: the number of tasks to complete if that is the target, otherwise its
    tasks without those that are out.
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
    """Number of tasks that could begin or continue."""
    out: int = 0
    blocking: tuple[str, ...] = ()
    """Tasks with open blocking findings."""

    @property
    def in_flight(self) -> int:
        """Number of tasks that have begun and are neither done nor failed."""
        return self.running + self.begun

    @property
    def counted(self) -> int:
        """Number of tasks, without those that are out."""
        return self.done + self.failed + self.in_flight + self.todo


def progress_of(sprint: Sprint, tasks: Iterable[SprintTask]) -> Progress:
    """Return the progress. Each task counts in exactly one stage. (X5)"""
    rows = list(tasks)
    counts = Counter(stage_of(task) for task in rows)
    done = sum(counts[each] for each in DONE)
    counted = len(rows) - counts["out"]
    return Progress(
        done=done,
        failed=counts["failed"],
        of=min(sprint.tasks, counted) if sprint.kind == "tasks" else counted,
        merged=counts["merged"],
        merging=counts["merging"],
        by_rule=sum(task.by_rule and stage_of(task) in DONE for task in rows),
        reviewing=counts["reviewing"],
        running=counts["running"],
        begun=counts["begun"],
        todo=counts["todo"],
        ready=sum(task.ready and stage_of(task) in ("todo", "begun") for task in rows),
        out=counts["out"],
        blocking=tuple(task.id for task in rows if task.blocking and stage_of(task) not in ("merged", "out")),
    )


def seconds_left(sprint: Sprint, now: datetime) -> int | None:
    """Return the remaining seconds, or None for a sprint without a time limit."""
    if not sprint.ends_at:
        return None
    return max(0, int((datetime.fromisoformat(sprint.ends_at) - now).total_seconds()))


def parts(sprint: Sprint, progress: Progress, now: datetime, zone: tzinfo) -> list[str]:
    """Return the parts of a status line: `14/23 tasks`, `2 failed`, `Until 08:00 (6h 23m left)`. (X2)"""
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
    """Return an instant as local time in a zone."""
    return datetime.fromisoformat(moment).astimezone(zone).strftime("%H:%M") if moment else ""


def full_line(words: Sequence[str]) -> str:
    """Join the parts to `14/23 tasks │ 2 failed │ Until 08:00 (6h 23m left)`."""
    return " │ ".join(words)


def sentence(words: Sequence[str]) -> str:
    """Join the parts to `14/23 tasks, 2 failed, until 08:00 (6h 23m left)`."""
    return ", ".join(word[:1].lower() + word[1:] for word in words)


def compact(sprint: Sprint, progress: Progress, now: datetime) -> str:
    """Return a short form for small spaces: `14/23 · 2 failed · 6h23m`."""
    words = [f"{progress.done}/{progress.of}"]
    words += [f"{progress.failed} failed"] if progress.failed else []
    left = seconds_left(sprint, now) if sprint.is_active else None
    return " · ".join([*words, *([span(left).replace(" ", "")] if left is not None else [])])


def pace(sprint: Sprint, progress: Progress, now: datetime, zone: tzinfo) -> str:
    """Return a forecast at the current pace. "" if nothing is known yet."""
    if not sprint.is_active or not progress.done or not sprint.started_at:
        return ""
    seconds = max(1, int((now - datetime.fromisoformat(sprint.started_at)).total_seconds()))
    left, of = seconds_left(sprint, now), progress.of
    most = of if sprint.kind == "tasks" else of - progress.failed  # failed tasks wait for a person or the lead
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
"""Number of errors in a row that pauses a sprint. (X3)"""


class SprintRunEnd(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a run in a sprint, since the point from which errors count."""

    task: str
    ending: RunEnding
    error: ErrorKind = "none"
    signal: str = ""
    text: str = ""


class SprintNow(msgspec.Struct, frozen=True, kw_only=True):
    """An active sprint, as the runner sees it."""

    sprint: Sprint
    progress: Progress = Progress()
    ends: tuple[SprintRunEnd, ...] = ()
    """Ends of its runs, newest first."""
    cost_micros: int = 0
    """Cost of its runs since a person last resumed it."""

    @property
    def room(self) -> int | None:
        """Number of tasks that may still begin. None for no limit. (X2)"""
        if self.sprint.state != "running":
            return 0
        if self.sprint.kind != "tasks":
            return None
        return max(0, self.sprint.tasks - self.progress.done - self.progress.in_flight)


def is_error(end: SprintRunEnd) -> bool:
    """Return True for a run without a result. Stopped runs, lost runners and profile errors do not count. (X3)"""
    if end.error in COOLING:
        return False
    return end.ending in ("failed", "timeout", "unstarted") or (end.ending == "finished" and end.signal == "FAILED")


def says_something(end: SprintRunEnd) -> bool:
    """Return True if the run matters for a row of errors: it is an error, or a success that ends the row."""
    return is_error(end) or end.ending == "finished"


def why_end(live: SprintNow, now: str) -> tuple[EndKind, str] | None:
    """Return why the sprint is over, or None. (X2)"""
    sprint, progress = live.sprint, live.progress
    if sprint.ends_at and sprint.ends_at <= now:
        return "time", "its time is over"
    if sprint.kind == "tasks" and progress.of and progress.done >= progress.of:
        return "target", f"{progress.done} {'task is' if progress.done == 1 else 'tasks are'} done"
    if progress.merged == progress.counted:
        return "closed", "no tasks are left" if not progress.counted else "all its tasks are done"
    return None


def is_exhausted(live: SprintNow) -> bool:
    """Return True if a sprint has no time limit, nothing ready and nothing running. (X1, X2)"""
    return live.sprint.kind in ("idle", "tasks") and not live.progress.ready and not live.progress.running


def why_pause(live: SprintNow, *, held: str, disk: str, spend_micros: int) -> tuple[PauseKind, str] | None:
    """Return why the sprint must pause, or None. (X3)"""
    if live.sprint.state != "running":
        return None
    if held:
        return "hold", f"the project is held: {held}"
    if disk:
        return "disk", disk
    if spend_micros and live.cost_micros >= spend_micros:
        costs = f"it has cost {_money(live.cost_micros)}, and the limit is {_money(spend_micros)}"
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
    """Return why a paused sprint can resume, or "" if a person has to resume it. (X3)"""
    if live.sprint.state != "paused":
        return ""
    gone = {"hold": not held and "the hold was lifted", "disk": not disk and "there is free disk space again"}
    return gone.get(live.sprint.pause_kind) or ""


def _named(ends: Sequence[SprintRunEnd]) -> str:
    return "; ".join(f"{end.task} {end.text or end.ending}" for end in ends)


def _money(micros: int) -> str:
    return f"{micros / 1_000_000:.2f}"
