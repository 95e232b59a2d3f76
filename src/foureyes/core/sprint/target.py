"""Targets of sprints (X1, X5): read as people type them, and turned into the instant at which a sprint ends."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta, tzinfo

from foureyes.core.nouns.sprint import SprintTarget
from foureyes.core.words.shape import Shape
from foureyes.core.words.text import visible
from foureyes.errors import BadInput
from foureyes.steps import fe

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
