"""Looking at sprints (X2, X4, X5): how far each is, what failed, what runs, why it is not complete."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.leasing import left_runs, live_runners
from foureyes.app.pages.completion import Validation
from foureyes.app.sprint.planning import target_view
from foureyes.app.sprint.starting import runner_at_work
from foureyes.app.tasks.sprinting import ended_line, find, latest, tasks_of, zone_of
from foureyes.app.views.sprint import SprintRow, SprintView
from foureyes.core.sprint.progress import (
    SprintTask,
    clock_of,
    compact,
    full_line,
    pace,
    parts,
    progress_of,
    seconds_left,
    sentence,
    stage_of,
)
from foureyes.core.words.text import one_line
from foureyes.steps import NO_STEP, Steps, fe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.core.nouns.session import Actor
    from foureyes.core.nouns.sprint import Sprint

UPCOMING_SHOWN = 8
WHY = 160


class Trouble(msgspec.Struct, frozen=True, kw_only=True):
    """Why a task of a sprint failed, as the journal has it."""

    id: str
    tier: str = ""
    blocked_reason: str = ""
    waiting_for: str = ""
    stuck: str = ""
    escalated: str = ""


class AtWork(msgspec.Struct, frozen=True, kw_only=True):
    """A run of a sprint's task."""

    task: str
    profile: str
    runner: str
    started_at: str = ""


def view(context: Context, actor: Actor, name: str) -> SprintView:
    """One sprint, with why it is not complete (X4)."""
    with context.store.read() as tx:
        sprint = find(tx, name)
        page = _view(context, tx, sprint)
        rows = tasks_of(tx, sprint.id)
        page = msgspec.structs.replace(
            page,
            failures=tuple(failures(tx, sprint, rows)),
            at_work=tuple(_at_work(context, tx, sprint)),
            upcoming=tuple(row.id for row in rows if stage_of(row) == "todo" and row.ready)[:UPCOMING_SHOWN],
            runners=len(live_runners(context, tx)),
        )
        has_runner = bool(runner_at_work(context, tx))
    why = incomplete(context, actor, sprint) if sprint.started_at else ()
    return msgspec.structs.replace(page, incomplete=why, next=_next(page, has_runner))


def listed(context: Context, limit: int) -> list[SprintView]:
    """Every sprint, in a line each."""
    with context.store.read() as tx:
        return [_view(context, tx, sprint) for sprint in latest(tx, limit)]


def _view(context: Context, tx: Tx, sprint: Sprint) -> SprintView:
    rows = tasks_of(tx, sprint.id)
    how_far, now, zone = progress_of(sprint, rows), context.clock.now(), zone_of(context, sprint)
    words = parts(sprint, how_far, now, zone)
    return SprintView(
        id=sprint.id,
        state=sprint.state,
        target=target_view(context, sprint.target, sprint.ends_at),
        done=how_far.done,
        of=how_far.of,
        failed=how_far.failed,
        seconds_left=seconds_left(sprint, now) if sprint.is_active else None,
        waiting=how_far.reviewing,
        blocking=how_far.blocking,
        merged=how_far.merged,
        merging=how_far.merging,
        by_rule=how_far.by_rule,
        running=how_far.running,
        begun=how_far.begun,
        todo=how_far.todo,
        out=how_far.out,
        started_at=sprint.started_at,
        ended_at=sprint.ended_at,
        why=sprint.why,
        pace=pace(sprint, how_far, now, zone),
        line=full_line(words),
        sentence=sentence(words),
        compact=compact(sprint, how_far, now),
        ended=ended_line(sprint, how_far, zone),
        clock=clock_of(sprint.started_at, zone),
        checkpoint=sprint.checkpoint,
    )


def failures(tx: Tx, sprint: Sprint, rows: Sequence[SprintTask]) -> list[SprintRow]:
    """X5: what failed, each with why."""
    why = {row.id: row for row in tx.all("sprint.troubles", Trouble, sprint=sprint.id)}
    return [
        SprintRow(task=row.id, title=row.title, standing="failed", why=_trouble(row, why.get(row.id)))
        for row in rows
        if stage_of(row) == "failed"
    ]


def _trouble(task: SprintTask, row: Trouble | None) -> str:
    if row is not None and (row.blocked_reason or row.stuck):
        return one_line(row.blocked_reason or row.stuck, WHY)
    if task.hold is not None:
        return one_line(f"held: {task.hold}", WHY)
    if row is None:
        return one_line(f"paused: {task.paused}", WHY)
    reason = one_line(row.escalated, WHY)
    return f"{reason}, waits for the {row.waiting_for}" if reason else f"waits for the {row.waiting_for}"


def _at_work(context: Context, tx: Tx, sprint: Sprint) -> list[SprintRow]:
    from foureyes.app.call.context import seconds_since
    from foureyes.core.sprint.target import span

    left = left_runs(context, tx)

    def words(run: AtWork) -> str:
        return left.get(run.runner) or (span(seconds_since(context, run.started_at)) if run.started_at else "begins")

    return [
        SprintRow(task=run.task, title="", standing="running", why=f"{run.profile} {words(run)}")
        for run in tx.all("sprint.at_work", AtWork, sprint=sprint.id)
    ]


def incomplete(context: Context, actor: Actor, sprint: Sprint) -> tuple[str, ...]:
    """X4: every reason why it is not complete, the same ones together."""
    report = Validation(context, asks=False).validate(actor, sprint=sprint.id)
    return tuple(reason.message for reason in report.reasons)


def counted(reasons: Sequence[str]) -> Counter[str]:
    """How often each reason is there."""
    return Counter(reasons)


def _next(sprint: SprintView, has_runner: bool) -> Steps:
    match sprint.state:
        case "planned":
            return fe("sprint", "start", sprint.id)
        case "paused":
            return fe("sprint", "start", sprint.id, after="   goes on")
        case "running":
            return NO_STEP if has_runner else fe("sprint", "start", sprint.id, after="   no runner is at work")
    return fe("sprint", "report", sprint.id)
