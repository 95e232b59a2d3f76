"""Stored sprints: active ones, their progress, and their time zone (X)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, timedelta, timezone, tzinfo
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.context import Count
from foureyes.app.results.sprint import NO_SPRINT, SprintSummary
from foureyes.core.nouns.sprint import Sprint, number_of, sprint_name
from foureyes.core.sprint.progress import (
    Progress,
    SprintNow,
    SprintRunEnd,
    SprintTask,
    clock_of,
    compact,
    full_line,
    parts,
    progress_of,
    sentence,
)
from foureyes.core.words.ids import Shape
from foureyes.core.words.text import visible
from foureyes.errors import BadInput, NotFound
from foureyes.steps import Steps, either, fe

if TYPE_CHECKING:
    from foureyes.app.context import Context
    from foureyes.app.ports import Tx


ENDS = 50
"""Number of latest run ends to read."""
LOOKED_AT = 50
"""Number of latest sprints to search for a started one."""
NAMED = 5
WAYS: dict[str, Callable[[str], Steps]] = {
    "status": lambda name: fe("sprint", "status", name),
    "report": lambda name: fe("sprint", "status", name, "--report"),
    "stop": lambda name: fe("sprint", "stop", name),
    "pause": lambda name: fe("sprint", "pause", name),
}
"""The command of each verb, given a sprint."""
OFFSET = Shape(r"([+-])([0-9]{2}):([0-9]{2})\Z")


class SprintOfTask(msgspec.Struct, frozen=True):
    """The current sprint of a task."""

    task: str
    sprint: str


def active(tx: Tx) -> list[Sprint]:
    """Return the sprints that have started and not ended, oldest first."""
    return tx.all("sprint.active", Sprint)


def latest(tx: Tx, limit: int = 1) -> list[Sprint]:
    """Return the latest sprints, newest first."""
    return tx.all("sprint.latest", Sprint, limit=limit)


def find(tx: Tx, text: str, verb: str = "status") -> Sprint:
    """Return the named sprint. Without a name: the active one, else the last started, else the newest."""
    if not text.strip():
        return going_on(tx, verb) or _newest(tx)
    number = number_of(text)
    row = tx.one("sprint.get", Sprint, sprint=sprint_name(number)) if number else None
    if row is None:
        raise NotFound(f"there is no sprint {visible(text)[:40]}.", next_step=fe("sprint", "status", "--all"))
    return row


def going_on(tx: Tx, verb: str) -> Sprint | None:
    """Return the running sprint, or the paused one if none is running. Raise BadInput if there are several. (X2)"""
    rows = active(tx)
    sprints = [row for row in rows if row.state == "running"] or rows
    if len(sprints) > 1:
        ids = [row.id for row in sprints]
        state = "run" if sprints[0].state == "running" else "are paused"
        ways = either(*map(WAYS[verb], ids[:NAMED]))
        raise BadInput(f"{', '.join(ids[:-1])} and {ids[-1]} {state}: which one do you mean?", next_step=ways)
    return sprints[0] if sprints else None


def _newest(tx: Tx) -> Sprint:
    rows = latest(tx, LOOKED_AT)
    if not rows:
        raise NotFound("there is no sprint yet.", next_step=fe("sprint", "plan"))
    return next((row for row in rows if row.started_at), rows[0])


def the_one_going_on(tx: Tx, text: str, verb: str) -> Sprint:
    """Return the named sprint, or the active one. Without a name, a planned sprint is never returned. (X2)"""
    if text.strip():
        return find(tx, text)
    row = going_on(tx, verb)
    if row is None:
        planned = [each for each in latest(tx, LOOKED_AT) if each.state == "planned"]
        step = fe("sprint", "stop", planned[0].id) if planned and verb == "stop" else fe("sprint", "status", "--all")
        raise NotFound("no sprint runs.", next_step=step)
    return row


def tasks_of(tx: Tx, sprint: str) -> list[SprintTask]:
    """Return the sprint's tasks in order."""
    return tx.all("sprint.tasks", SprintTask, sprint=sprint)


def sprints_of(tx: Tx, tasks: list[str]) -> dict[str, str]:
    """Return the current sprint of each task."""
    return {row.task: row.sprint for row in tx.all("sprint.of_tasks", SprintOfTask, ids=tasks)} if tasks else {}


def progress(tx: Tx, sprint: Sprint) -> Progress:
    """Return the sprint's progress from the journal. (X5, G6)"""
    return progress_of(sprint, tasks_of(tx, sprint.id))


def now_of(tx: Tx, sprint: Sprint) -> SprintNow:
    """Return an active sprint with its progress, ended runs and cost, for the rules that end or pause it. (X2, X3)"""
    cost = tx.one("sprint.cost", Count, sprint=sprint.id, after=sprint.since_seq)
    return SprintNow(
        sprint=sprint,
        progress=progress(tx, sprint),
        ends=tuple(tx.all("sprint.ends", SprintRunEnd, sprint=sprint.id, after=sprint.since_seq, limit=ENDS)),
        cost_micros=int(cost.n) if cost is not None else 0,
    )


def zone_named(name: str) -> tzinfo:
    """Return the zone of this name, or UTC if it is unknown here."""
    offset = OFFSET.match(name)
    if offset is not None:
        shift = timedelta(hours=int(offset[2]), minutes=int(offset[3]))
        return timezone(-shift if offset[1] == "-" else shift)
    if not name or name == "UTC":
        return UTC
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return UTC


def own_zone(context: Context) -> str:
    """Return the caller's time zone, from TZ or the machine."""
    typed = context.environ.get("TZ", "").removeprefix(":")
    if typed and (typed == "UTC" or zone_named(typed) is not UTC):
        return typed
    return context.clock.zone()


def zone_of(context: Context, sprint: Sprint) -> tzinfo:
    """Return the zone for a sprint's times: its own, or the caller's."""
    return zone_named(sprint.zone or own_zone(context))


def sprint_summary(context: Context, tx: Tx) -> SprintSummary:
    """Return one line on the running sprint, else on the last ended one. (X2)"""
    running = sorted(active(tx), key=lambda sprint: sprint.state != "running")
    sprints = running[:1] or [sprint for sprint in latest(tx) if sprint.state == "ended" and sprint.started_at]
    if not sprints:
        return NO_SPRINT
    sprint = sprints[0]
    how_far, now, zone = progress(tx, sprint), context.clock.now(), zone_of(context, sprint)
    words = parts(sprint, how_far, now, zone)
    return SprintSummary(
        id=sprint.id,
        state=sprint.state,
        done=how_far.done,
        of=how_far.of,
        failed=how_far.failed,
        line=full_line(words),
        sentence=sentence(words),
        compact=compact(sprint, how_far, now),
        why=sprint.why,
        ended=ended_line(sprint, how_far, zone),
        more=max(0, len(running) - 1),
    )


def ended_line(sprint: Sprint, how_far: Progress, zone: tzinfo) -> str:
    """Return the final line of an ended sprint, otherwise ""."""
    if sprint.state != "ended":
        return ""
    failed = [f"{how_far.failed} failed"] if how_far.failed else []
    many = how_far.reviewing
    waiting = [f"{many} {'waits' if many == 1 else 'wait'} for you [R]"] if many else []
    head = f"SPRINT {sprint.id} ended {clock_of(sprint.ended_at, zone)}"
    return full_line([head, f"{how_far.done}/{how_far.of}", *failed, *waiting])
