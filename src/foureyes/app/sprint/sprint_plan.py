"""Plan of a sprint: its tasks, how long they take, and which ones will need a person. (X1)"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.context import stamp
from foureyes.app.modes import modes_by_task
from foureyes.app.pages.completion import red_on_target
from foureyes.app.results.sprint import PlannedTaskView, SprintAsk, SprintPlanView, SprintTargetView
from foureyes.app.tasks.sprint_records import own_zone, sprints_of, zone_named
from foureyes.core.events.sprint import Chosen
from foureyes.core.rules.policy import required_grade
from foureyes.core.rules.required import is_profile, required_reviewers
from foureyes.core.sprint.selection import (
    Estimates,
    Past,
    SprintCandidate,
    Wanted,
    choose,
    ends_at,
    target_of,
    target_words,
    together,
    with_waiting,
)
from foureyes.core.words.ids import TaskId
from foureyes.errors import ConfigError, NotFound, Reason
from foureyes.steps import fe

if TYPE_CHECKING:
    from foureyes.app.context import Context
    from foureyes.app.ports import Tx
    from foureyes.core.nouns.session import Actor
    from foureyes.core.nouns.sprint import SprintTarget


MOST_CANDIDATES = 10_000
PAST_TASKS = 500
"""Number of latest submitted tasks used to estimate durations."""
NAMED = 5


class SprintOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of a requested sprint."""

    target: SprintTarget
    wanted: Wanted = Wanted()
    pause_on_error: bool | None = None
    """Whether to pause on an error. None takes the value of `[sprint]`."""
    checkpoint: bool | None = None
    agents: int = 0


def options_of(context: Context, ask: SprintAsk) -> SprintOptions:
    """Return the requested options. A time of day is read in the caller's zone. (X1)"""
    zone = own_zone(context) if ask.until else ""
    target = target_of(tasks=ask.complete, hours=ask.hours, until=ask.until, idle=ask.idle, zone=zone)
    wanted = Wanted(ids=ask.tasks, labels=ask.labels, without=ask.without, below=ask.priority)
    return SprintOptions(
        target=target,
        wanted=wanted,
        pause_on_error=ask.pause_on_error,
        checkpoint=ask.checkpoint,
        agents=max(1, ask.agents),
    )


class Open(SprintCandidate, frozen=True, kw_only=True):
    """Candidate task as stored."""

    estimate_minutes: int | None = None


class Waits(msgspec.Struct, frozen=True):
    """Dependency of a task on another."""

    task: str
    depends_on: str


class SprintPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Plan of a sprint: what is stored, and what is shown."""

    chosen: tuple[Chosen, ...]
    view: SprintPlanView


def plan(context: Context, tx: Tx, actor: Actor, options: SprintOptions) -> SprintPlan:
    """Return the plan of a sprint without writing anything. (X1)"""
    rows = tx.all("sprint.candidates", Open, limit=MOST_CANDIDATES)
    candidates = with_waiting(rows, _waiting(tx))
    wanted = msgspec.structs.replace(options.wanted, ids=tuple(_ids(context, tx, options.wanted.ids)))
    chosen = choose(candidates, wanted)
    estimates = Estimates(tx.all("sprint.past", Past, limit=PAST_TASKS))
    own = {row.id: row.estimate_minutes for row in rows}
    shown = _views(context, tx, actor, candidates, estimates, own)
    in_it = {task.id for task in chosen}
    policy = context.gate_policy(tx)
    tasks = tuple(view for view in shown.values() if view.task in in_it)
    view = SprintPlanView(
        target=target_view(context, options.target),
        tasks=tasks,
        others=tuple(view for view in shown.values() if view.task not in in_it),
        agents=options.agents,
        minutes=together([task.minutes for task in tasks], options.agents),
        minutes_of_all=together([task.minutes for task in shown.values()], options.agents),
        past=estimates.past,
        seconds_left=_seconds(context, options.target),
        need_person=sum(bool(task.person) for task in tasks),
        pause_on_error=policy.sprint.pause_on_error if options.pause_on_error is None else options.pause_on_error,
        checkpoint=policy.sprint.checkpoint if options.checkpoint is None else options.checkpoint,
        notes=tuple(_left_out(context, tx, wanted.ids, in_it)),
    )
    kept = tuple(Chosen(task=TaskId(each.task), minutes=each.minutes, source=each.estimate) for each in tasks)
    return SprintPlan(chosen=kept, view=view)


def with_warnings(context: Context, view: SprintPlanView) -> SprintPlanView:
    """Add warnings about required checks that fail on the target. Call it outside transactions, because it asks git."""
    return msgspec.structs.replace(view, warnings=tuple(map(_every_task, red_on_target(context, ran=True))))


def _every_task(reason: Reason) -> str:
    return f"{reason.message}, and every task starts from it"


def _waiting(tx: Tx) -> dict[str, list[str]]:
    waits: dict[str, list[str]] = defaultdict(list)
    for row in tx.all("sprint.waits", Waits):
        waits[row.task].append(row.depends_on)
    return waits


def _ids(context: Context, tx: Tx, typed: Iterable[str]) -> list[TaskId]:
    return [context.find_id(tx, each) for each in typed]


def _views(
    context: Context,
    tx: Tx,
    actor: Actor,
    candidates: Sequence[SprintCandidate],
    estimates: Estimates,
    own: dict[TaskId, int | None],
) -> dict[str, PlannedTaskView]:
    modes = modes_by_task(context, tx, actor, [task.id for task in candidates])
    views = {}
    for task in candidates:
        estimate = estimates.of(labels=task.labels, type=task.type, own=own[task.id])
        mode = modes.get(task.id, "")
        views[str(task.id)] = PlannedTaskView(
            task=task.id,
            title=task.title,
            priority=task.priority,
            labels=task.labels,
            mode=mode,
            minutes=estimate.minutes,
            estimate=estimate.words,
            default=estimate.source == "default",
            person=_needs_person(context, tx, mode, task.labels),
            waits_for=task.waits_for,
        )
    return views


def _needs_person(context: Context, tx: Tx, mode: str, labels: Sequence[str]) -> str:
    """Return why a person must review the task before a merge, or an empty string. (M, I6, D6)"""
    if mode == "per-task":
        return "per-task"
    try:
        policy = context.gate_policy(tx)
    except ConfigError:
        return ""
    grade, source = required_grade(policy, labels)
    if grade == "human":
        return source
    named = [
        f"label {label}: {name}" for name, label in required_reviewers(policy, labels).items() if not is_profile(name)
    ]
    return named[0] if named else ""


def _left_out(context: Context, tx: Tx, ids: Sequence[str], chosen: set[TaskId]) -> list[str]:
    """Return the tasks that were named but left out, each with the reason."""
    missing = [TaskId(task) for task in ids if task not in chosen]
    elsewhere = sprints_of(tx, [str(task) for task in missing])
    notes = []
    for task in missing[:NAMED]:
        row = context.get(tx, task)
        if task in elsewhere:
            why = f"is in {elsewhere[task]}"
        elif row.hold is not None:
            why = f"is held: {row.hold}"
        elif row.waiting_for:
            why = f"is stuck until {'a person' if row.waiting_for == 'user' else 'the lead'} decides"
        elif row.type == "epic":
            why = "is an epic"
        else:
            why = "is left out" if row.status == "open" else f"is {row.status}"
        notes.append(f"{task} {why}")
    return notes + ([f"and {len(missing) - NAMED} more"] if len(missing) > NAMED else [])


def refuse_nothing(view: SprintPlanView) -> None:
    """Refuse a sprint without tasks. (X1)"""
    if view.tasks:
        return
    why = f" {'; '.join(view.notes)}." if view.notes else " None of the requested tasks is ready."
    raise NotFound(f"no task is ready for a sprint, so none was started.{why}", next_step=fe("list", "--ready"))


def target_view(context: Context, target: SprintTarget, at: str = "") -> SprintTargetView:
    """Return a target for display, with its end. Without `at`, the end is computed as if it began now."""
    if not at:
        end = ends_at(target, context.clock.now(), zone_named(target.zone))
        at = stamp(end) if end is not None else ""
    return SprintTargetView(
        kind=target.kind,
        at=at,
        zone=target.zone,
        tasks=target.tasks,
        minutes=target.minutes,
        words=target_words(target),
    )


def _seconds(context: Context, target: SprintTarget) -> int | None:
    now = context.clock.now()
    end = ends_at(target, now, zone_named(target.zone))
    return int((end - now).total_seconds()) if end is not None else None
