"""State of a task's review loop, computed from the journal by the loop rules (L11–L17, E)."""

from __future__ import annotations

from typing import Literal

import msgspec

from foureyes.app.context import Context, Work
from foureyes.app.ports import Tx
from foureyes.core import events as e
from foureyes.core.events.loop import Tier
from foureyes.core.loop.rounds import FindingMove, FruitlessRun, LoopAct, LoopAttempt, LoopState, loop_state, rounds
from foureyes.core.nouns.task import Task
from foureyes.core.words.ids import TaskId
from foureyes.core.words.lifecycle import RunEnd

ROUNDS_SHOWN = 12
AT_WORK = ("open", "in_progress", "blocked", "deferred")


class EscalationView(msgspec.Struct, frozen=True, kw_only=True):
    """A step of a loop: an escalation to the next tier or the lead, or the lead's decision."""

    seq: int
    task: str
    iteration: int
    tier: Tier
    option: Literal["", "asked", "split", "senior", "fresh", "ask", "continue"] = ""
    waiting_for: Literal["", "lead", "user"] = ""
    why: str = ""
    into: list[str] = []
    session: str = ""
    at: str = ""


class _OddEnd(msgspec.Struct, frozen=True):
    """A run that ended without a submission, with its journal row."""

    seq: int
    iteration: int
    how: RunEnd
    had: int
    payload: str


class _Ended(msgspec.Struct, frozen=True):
    reason: str = ""


def loop_state_of(context: Context, tx: Tx, task: Task) -> LoopState:
    """Return the loop state of a task. The router, the prompts and all interfaces use this."""
    submitted = tx.all("review.rounds", LoopAttempt, task=task.id)
    if not submitted:
        return LoopState()
    steps = tx.all("finding.steps", FindingMove, task=task.id)
    acts = [
        LoopAct(row.seq, row.iteration, row.option, row.why)
        for row in tx.all("review.escalations", EscalationView, task=task.id)
        if row.option
    ]
    acts += tx.all("review.agreements", LoopAct, task=task.id)
    odds = [
        FruitlessRun(row.seq, row.iteration, row.how, row.had, msgspec.json.decode(row.payload, type=_Ended).reason)
        for row in tx.all("review.odd_ends", _OddEnd, task=task.id)
    ]
    limits = context.gate_policy(tx).limits
    is_over = task.status in AT_WORK or bool(submitted[-1].close_seq)
    return loop_state(submitted, rounds(submitted, steps, closed=is_over), acts, odds, limits)


def profile_of(context: Context, tx: Tx, task: Task, now: LoopState) -> str:
    """Return the profile for the task's next round, "" if a person decides. (E2, E4)

    The last author fixes the task, unless the loop moved to the senior tier.
    """
    tiers = context.gate_policy(tx).tiers
    if now.waiting_for:
        return tiers.lead if now.waiting_for == "lead" and tiers.lead != "human" else ""
    if now.tier == "senior" and not now.round:
        return tiers.senior
    last = tx.one("review.last_agent", LastAgent, task=task.id)
    return last.agent if last is not None and last.agent else tiers.senior if now.tier == "senior" else tiers.developer


class LastAgent(msgspec.Struct, frozen=True):
    """The agent program of the last submission."""

    agent: str


def escalate(context: Context, work: Work, task: TaskId) -> LoopState:
    """Record the loop state if it changed in the last round. (E1)"""
    row = context.get(work.tx, task)
    now = loop_state_of(context, work.tx, row)
    if (now.tier, now.waiting_for) != (row.tier, row.waiting_for):
        event = e.TaskEscalated(iteration=row.iteration, tier=now.tier, waiting_for=now.waiting_for, why=now.why)
        work.gate.record(task, event)
    return now


def ask_lead(context: Context, work: Work, task: TaskId, why: str) -> None:
    """Ask the lead to decide before the loop continues. Other tasks are not affected. (L14)"""
    row = context.get(work.tx, task)
    if row.waiting_for:
        return  # the lead or a person is asked already
    event = e.TaskEscalated(iteration=row.iteration, tier=_tier(row), waiting_for="lead", why=why, requested=True)
    work.gate.record(task, event)


def _tier(task: Task) -> Tier:
    tier: Tier = msgspec.convert(task.tier, Tier)
    return tier


def rounds_table(state: LoopState) -> list[str]:
    """Return the latest rounds of a loop as table lines. (L12)"""
    if not state.rounds:
        return []
    rows = [
        f"{round_.n:>2}  {round_.raised:>5}  {round_.fixed:>5}  {round_.no_progress:>11}"
        for round_ in state.rounds[-ROUNDS_SHOWN:]
    ]
    return ["it  found  fixed  no-progress", *rows]
