"""Candidates: the tasks that a run may begin on, best first, with whose turn it is and what was tried (T4, E2, E4)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from foureyes.app.call.rows import Count, IdRow
from foureyes.app.run.rows import Cost, PastRow, ReadyRow
from foureyes.app.tasks.escalation import loop_state_of, profile_of
from foureyes.app.tasks.sprinting import sprints_of
from foureyes.app.views.project import CounterRow
from foureyes.app.work.reserving import taken_by_others
from foureyes.core.run.snapshot import PastRun, TaskState
from foureyes.core.words.ids import TaskId

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.app.run.in_hand import Options
    from foureyes.core.nouns.run import Purpose
    from foureyes.core.nouns.session import Actor
    from foureyes.core.rules.policy import ReviewPolicy

SPARE = 10
"""So many more than can begin are looked at: some wait for a profile."""


def states(
    context: Context, tx: Tx, runner: Actor, policy: ReviewPolicy, options: Options, free: int, *, sprints: bool = False
) -> list[TaskState]:
    """The first tasks that a run may begin on: sent back, for the lead, then new ones; never all of them. `sprints`:
    new ones only out of those that run (X2).
    """
    limit = free + SPARE
    chosen = [task for task, _ in options.assigned]
    rows = tx.all("runner.some", ReadyRow, ids=chosen) if chosen else []
    rows += tx.all("runner.sent_back", ReadyRow, limit=limit)
    rows += tx.all("runner.leads", ReadyRow, limit=limit) if policy.tiers.lead != "human" else []
    rows += tx.all("sprint.ready" if sprints else "runner.ready", ReadyRow, limit=limit)
    taken = taken_by_others(context, tx, runner) if tx.one("reservation.any", IdRow) is not None else {}
    by_id = {row.id: row for row in rows if row.id not in taken}
    ids = sorted(by_id)
    past = past_of(tx, ids, runner.host)
    of_sprint = sprints_of(tx, ids) if sprints else {}
    costs = {row.task: row.n for row in tx.all("runner.costs", Cost, ids=ids)} if ids else {}
    states = [_state(context, tx, policy, row, past.get(row.id, ()), costs.get(row.id, 0)) for row in by_id.values()]
    return [replace(state, sprint=of_sprint.get(state.id, "")) for state in states] if sprints else states


def past_of(tx: Tx, ids: Sequence[str], host: str) -> dict[str, tuple[PastRun, ...]]:
    """What was tried since the last submission, and since a person last touched the task."""
    past: dict[str, list[PastRun]] = defaultdict(list)
    for row in tx.all("runner.past", PastRow, ids=list(ids)) if ids else ():
        past[row.task].append(row.past(host))
    return {task: tuple(runs) for task, runs in past.items()}


def _state(
    context: Context, tx: Tx, policy: ReviewPolicy, row: ReadyRow, past: tuple[PastRun, ...], cost: int
) -> TaskState:
    profile, purpose = _turn(context, tx, policy, row)
    return TaskState(
        id=TaskId(row.id),
        status=row.status,
        priority=row.priority,
        n=row.n,
        ready=True,
        profile="" if profile == "human" else profile,
        purpose=purpose,
        has_feedback=row.iteration > 0,
        past=past,
        cost_micros=cost,
    )


def _turn(context: Context, tx: Tx, policy: ReviewPolicy, row: ReadyRow) -> tuple[str, Purpose]:
    """E2, E4: whose turn it is, and for what."""
    if row.waiting_for == "lead":
        return policy.tiers.lead, "lead"
    if not row.iteration:
        return policy.tiers.developer, "implement"
    task = context.get(tx, TaskId(row.id))
    profile = profile_of(context, tx, task, loop_state_of(context, tx, task))
    to_answer = tx.one("finding.unresolved", Count, task=row.id)
    return profile, "respond" if to_answer is not None and to_answer.n else "implement"


def count_reviewing(tx: Tx) -> int:
    """How many tasks wait in review."""
    return next((row.n for row in tx.all("project.counters", CounterRow) if row.name == "status:reviewing"), 0)
