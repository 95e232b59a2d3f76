"""The plan of a sprint (X1, X5): selection, estimates, and the target it ends at."""

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
from foureyes.steps import fe

# ---- Selection (X1) ----


class SprintCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """A task that could be in a sprint: open, not held. `waits_for`: the open tasks that it waits for."""

    id: TaskId
    title: str = ""
    type: str = "task"
    priority: int = 2
    labels: tuple[str, ...] = ()
    ready: bool = True
    waits_for: tuple[str, ...] = ()


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked for; empty: everything. `below` is the least important priority that is taken."""

    ids: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    """Labels, or ids, that are left out."""
    below: int | None = None


def choose(candidates: Sequence[SprintCandidate], wanted: Wanted) -> list[SprintCandidate]:
    """T4, X1: what is asked for and ready, or waits only for what is chosen too; in the order in which it begins."""
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
    """Candidates, each with what it waits for."""
    return [msgspec.structs.replace(row, waits_for=tuple(waits.get(row.id, ()))) for row in rows]


# ---- Estimates (X1) ----

DEFAULT_MINUTES = 20
ENOUGH = 3
"""So many past tasks make a median worth something."""
QUIET = "review:"
"""Labels that say how a task is reviewed say nothing about how long it takes."""

EstimateSource = Literal["label", "type", "overall", "own", "default"]
"""The median of tasks with its label, of its type, of all; `estimate_minutes`; nothing at all."""


class Past(msgspec.Struct, frozen=True, kw_only=True):
    """A task that was submitted: how long was worked on it."""

    seconds: int
    type: str = "task"
    labels: tuple[str, ...] = ()


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """How long a task will take. `word` is the label or the type, `past` how many tasks the median is of."""

    minutes: int
    source: EstimateSource
    word: str = ""
    past: int = 0

    @property
    def words(self) -> str:
        """Where it comes from."""
        match self.source:
            case "label" | "type":
                return f"median of {self.past} with {self.source} {self.word}"
            case "overall":
                return f"median of {self.past}"
            case "own":
                return "its own estimate"
        return f"no past runs: default {DEFAULT_MINUTES} m"


class Estimates:
    """What the past says, sorted once: asking about a task costs nothing that grows with it."""

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
        """X1: by label, by type, overall; then the task's own; then the default. Of several labels the one with the
        longest past.
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
    """How many, and the median in minutes, of every group that is large enough."""
    return {
        name: (len(seconds), _minutes(median(seconds))) for name, seconds in groups.items() if len(seconds) >= ENOUGH
    }


def median(values: Sequence[int]) -> int:
    """The middle one, or half-way between the two."""
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) // 2


def _minutes(seconds: int) -> int:
    return max(1, round(seconds / 60))


def together(minutes: Sequence[int], agents: int) -> int:
    """How many minutes tasks take with so many agents at once: never less than the longest of them."""
    if not minutes:
        return 0
    return max(-(-sum(minutes) // max(1, agents)), *minutes)


# ---- Targets of sprints (X1, X5) ----

CLOCK = Shape(r"([01]?[0-9]|2[0-3]):[0-5][0-9]\Z")
MOST_TASKS = 10_000
MOST_HOURS = 24 * 14
AGAIN = fe("sprint", "plan", "--until", "08:00")


def target_of(*, tasks: int | None, hours: float | None, until: str, idle: bool, zone: str) -> SprintTarget:
    """X1: one target out of what was typed; without any a sprint runs until nothing of it is ready."""
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
    """A time of the day, as HH:MM."""
    typed = text.strip()
    if not CLOCK.match(typed):
        raise BadInput(f"{visible(text)[:40]!r} is not a time of the day; write it as 08:00.", next_step=AGAIN)
    hours, _, minutes = typed.partition(":")
    return f"{int(hours):02d}:{minutes}"


def ends_at(target: SprintTarget, now: datetime, zone: tzinfo) -> datetime | None:
    """X5: the instant at which a sprint ends that starts now, in UTC; None where no clock ends it."""
    if target.kind == "hours":
        return now.astimezone(UTC) + timedelta(minutes=target.minutes)
    if target.kind != "until":
        return None
    return next_clock(time.fromisoformat(target.clock), now, zone)


def next_clock(clock: time, now: datetime, zone: tzinfo) -> datetime:
    """X1, X5: when clocks of a zone show this next, in UTC: today or tomorrow, also on the days on which they are
    changed. A time that such a day leaves out comes as much later as is left out.
    """
    today = now.astimezone(zone).date()
    days = [today + timedelta(days=number) for number in (-1, 0, 1, 2)]
    first = [datetime.combine(day, clock, tzinfo=zone).astimezone(UTC) for day in days]
    again = [datetime.combine(day, clock, tzinfo=zone).replace(fold=1).astimezone(UTC) for day in days]
    again = [moment for moment in again if moment.astimezone(zone).time() == clock]
    return min(moment for moment in (*first, *again) if moment > now)


def target_words(target: SprintTarget) -> str:
    """A target as people say it."""
    if target.kind == "tasks":
        return f"complete {target.tasks} task{'' if target.tasks == 1 else 's'}"
    if target.kind == "hours":
        return f"run for {span(target.minutes * 60)}"
    return f"run until {target.clock}" if target.kind == "until" else "run until no ready tasks"


def span(seconds: int) -> str:
    """How long: `6h 23m`, `4m`, `30s`; days stay hours."""
    minutes = max(0, seconds) // 60
    hours, rest = divmod(minutes, 60)
    if hours:
        return f"{hours}h {rest}m" if rest else f"{hours}h"
    return f"{rest}m" if rest else f"{max(0, seconds)}s"
