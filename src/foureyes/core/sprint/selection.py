"""Planning of a sprint: which tasks, their estimates, and the target that ends it. (X1, X5)"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import Literal

import msgspec

from foureyes.core.nouns.sprint import SprintTarget
from foureyes.core.words.folding import folded
from foureyes.core.words.ids import Shape, TaskId
from foureyes.core.words.text import visible
from foureyes.errors import BadInput
from foureyes.steps import prose

# ---- Selection (X1) ----


class SprintCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """An open task that is not held and may join a sprint. `waits_for` lists its open dependencies."""

    id: TaskId
    title: str = ""
    type: str = "task"
    priority: int = 2
    labels: tuple[str, ...] = ()
    ready: bool = True
    waits_for: tuple[str, ...] = ()


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """The tasks asked for. All fields empty means every task. `below` is the lowest priority to include."""

    ids: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    """Labels or ids to exclude."""
    below: int | None = None


def choose(candidates: Sequence[SprintCandidate], wanted: Wanted) -> list[SprintCandidate]:
    """Return the requested tasks that are ready or wait only for other chosen tasks, in the given order. Tasks
    requested by id are always included. (T4, X1)
    """
    asked = [task for task in candidates if _is_wanted(task, wanted)]
    chosen = {task.id: task for task in asked}
    while True:
        waiting = [task.id for task in chosen.values() if not _can_begin(task, chosen) and task.id not in wanted.ids]
        if not waiting:
            return [task for task in candidates if task.id in chosen]
        for task in waiting:
            del chosen[task]


def _is_wanted(task: SprintCandidate, wanted: Wanted) -> bool:
    labels = {folded(label) for label in task.labels}
    if task.id in wanted.without or labels & {folded(label) for label in wanted.without}:
        return False
    if task.id in wanted.ids:
        return True
    if wanted.ids and not wanted.labels and wanted.below is None:
        return False
    return (not wanted.labels or bool(labels & {folded(label) for label in wanted.labels})) and (
        wanted.below is None or task.priority <= wanted.below
    )


def _can_begin(task: SprintCandidate, chosen: Collection[str]) -> bool:
    return task.ready or (bool(task.waits_for) and all(other in chosen for other in task.waits_for))


def with_waiting(rows: Iterable[SprintCandidate], waits: Mapping[str, Sequence[str]]) -> list[SprintCandidate]:
    """Return the candidates with their dependencies filled in."""
    return [msgspec.structs.replace(row, waits_for=tuple(waits.get(row.id, ()))) for row in rows]


# ---- Estimates (X1) ----

DEFAULT_MINUTES = 20
ENOUGH = 3
"""Least number of past tasks for a useful median."""
QUIET = "review:"
"""Prefix of labels about the review mode. They say nothing about duration."""

EstimateSource = Literal["label", "type", "overall", "own", "default"]
"""What an estimate is based on: the median of tasks with its label, of its type, or of all, its own `estimate_minutes`,
or the default.
"""


class Past(msgspec.Struct, frozen=True, kw_only=True):
    """A submitted task and the time it took."""

    seconds: int
    type: str = "task"
    labels: tuple[str, ...] = ()


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """The estimated duration of a task. `word` is its label or type, and `past` the number of tasks in the median."""

    minutes: int
    source: EstimateSource
    word: str = ""
    past: int = 0

    @property
    def words(self) -> str:
        """What the estimate is based on, in words."""
        match self.source:
            case "label" | "type":
                return f"median of {self.past} with {self.source} {self.word}"
            case "overall":
                return f"median of {self.past}"
            case "own":
                return "its own estimate"
        return f"no past runs: default {DEFAULT_MINUTES} m"


class Estimates:
    """Medians of past tasks, computed once for all estimates."""

    def __init__(self, past: Iterable[Past]) -> None:
        by_label: dict[str, list[int]] = defaultdict(list)
        by_type: dict[str, list[int]] = defaultdict(list)
        all_of_it: list[int] = []
        for each in past:
            all_of_it.append(each.seconds)
            by_type[each.type].append(each.seconds)
            for label in each.labels:
                by_label[label].append(each.seconds)
        self.past = len(all_of_it)
        self._labels, self._types = _medians(by_label), _medians(by_type)
        self._overall = _medians({"": all_of_it}).get("")

    def of(self, *, labels: Sequence[str], type: str, own: int | None) -> Estimate:
        """Return the first estimate available: by label, by type, overall, the task's own, or the default. (X1)

        Of several labels, the one with most past tasks counts.
        """
        known = [(self._labels[label], label) for label in labels if label in self._labels and _speaks(label)]
        if known:
            (past, minutes), word = max(known, key=lambda it: (it[0][0], it[1]))
            return Estimate(minutes=minutes, source="label", word=word, past=past)
        if type in self._types:
            past, minutes = self._types[type]
            return Estimate(minutes=minutes, source="type", word=type, past=past)
        if self._overall is not None:
            past, minutes = self._overall
            return Estimate(minutes=minutes, source="overall", past=past)
        if own:
            return Estimate(minutes=own, source="own")
        return Estimate(minutes=DEFAULT_MINUTES, source="default")


def _speaks(label: str) -> bool:
    return not label.startswith(QUIET)


def _medians(groups: Mapping[str, list[int]]) -> dict[str, tuple[int, int]]:
    """Return count and median, in minutes, of each group that is large enough."""
    return {
        name: (len(seconds), _minutes(median(seconds))) for name, seconds in groups.items() if len(seconds) >= ENOUGH
    }


def median(values: Sequence[int]) -> int:
    """Return the middle value, or the mean of the two middle values."""
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) // 2


def _minutes(seconds: int) -> int:
    return max(1, round(seconds / 60))


def together(minutes: Sequence[int], agents: int) -> int:
    """Return how many minutes tasks take with this many agents in parallel. It is at least the longest task."""
    if not minutes:
        return 0
    return max(-(-sum(minutes) // max(1, agents)), *minutes)


# ---- Targets of sprints (X1, X5) ----

CLOCK = Shape(r"([01]?[0-9]|2[0-3]):[0-5][0-9]\Z")
MOST_TASKS = 10_000
MOST_HOURS = 24 * 14
AGAIN = prose("for example: --until 08:00, or --tasks 5")


def target_of(*, tasks: int | None, hours: float | None, until: str, idle: bool, zone: str) -> SprintTarget:
    """Return the target from the options, by default until nothing is ready. Raise BadInput for several. (X1)"""
    given = [name for name, is_given in _given(tasks, hours, until, idle) if is_given]
    if len(given) > 1:
        raise BadInput(f"a sprint has one target, not {' and '.join(given)}.", next_step=AGAIN)
    if tasks is not None:
        if not 1 <= tasks <= MOST_TASKS:
            raise BadInput(f"a sprint completes 1 to {MOST_TASKS:,} tasks, not {tasks}.", next_step=AGAIN)
        return SprintTarget(kind="tasks", tasks=tasks)
    if hours is not None:
        minutes = round(hours * 60) if hours == hours and abs(hours) <= MOST_HOURS else 0
        if not 1 <= minutes <= MOST_HOURS * 60:
            raise BadInput(f"a sprint runs for a minute to {MOST_HOURS} hours, not {hours}.", next_step=AGAIN)
        return SprintTarget(kind="hours", minutes=minutes)
    return SprintTarget(kind="until", clock=clean_clock(until), zone=zone) if until else SprintTarget(kind="idle")


def _given(tasks: int | None, hours: float | None, until: str, idle: bool) -> Iterator[tuple[str, bool]]:
    yield "--tasks", tasks is not None
    yield "--hours", hours is not None
    yield "--until", bool(until)
    yield "--until-idle", idle


def clean_clock(text: str) -> str:
    """Parse a time of day. Return it as HH:MM."""
    typed = text.strip()
    if not CLOCK.match(typed):
        raise BadInput(f"{visible(text)[:40]!r} is not a time of the day; write it as 08:00.", next_step=AGAIN)
    hours, _, minutes = typed.partition(":")
    return f"{int(hours):02d}:{minutes}"


def ends_at(target: SprintTarget, now: datetime, zone: tzinfo) -> datetime | None:
    """Return when a sprint that starts now ends, in UTC. None without a time limit. (X5)"""
    if target.kind == "hours":
        return now.astimezone(UTC) + timedelta(minutes=target.minutes)
    if target.kind != "until":
        return None
    return next_clock(time.fromisoformat(target.clock), now, zone)


def next_clock(clock: time, now: datetime, zone: tzinfo) -> datetime:
    """Return the next instant, in UTC, at which clocks of the zone show this time. (X1, X5)

    If a clock change skips that time, it moves later by the skipped amount.
    """
    today = now.astimezone(zone).date()
    days = [today + timedelta(days=number) for number in (-1, 0, 1, 2)]
    first = [datetime.combine(day, clock, tzinfo=zone).astimezone(UTC) for day in days]
    again = [datetime.combine(day, clock, tzinfo=zone).replace(fold=1).astimezone(UTC) for day in days]
    again = [moment for moment in again if moment.astimezone(zone).time() == clock]
    return min(moment for moment in (*first, *again) if moment > now)


def target_words(target: SprintTarget) -> str:
    """Return the target in words."""
    if target.kind == "tasks":
        return f"complete {target.tasks} task{'' if target.tasks == 1 else 's'}"
    if target.kind == "hours":
        return f"run for {span(target.minutes * 60)}"
    return f"run until {target.clock}" if target.kind == "until" else "run until no ready tasks"


def span(seconds: int) -> str:
    """Return a duration as `6h 23m`, `4m` or `30s`. Days are shown as hours."""
    minutes = max(0, seconds) // 60
    hours, rest = divmod(minutes, 60)
    if hours:
        return f"{hours}h {rest}m" if rest else f"{hours}h"
    return f"{rest}m" if rest else f"{max(0, seconds)}s"
