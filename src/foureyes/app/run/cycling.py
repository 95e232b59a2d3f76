"""What a runner does about review cycles (V1, V4, V8): each by a verb, which asks the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.review.cycles import Cycles
from foureyes.core.run.step import DecideCycle, NotGiven, OpenCycle
from foureyes.core.words.text import one_line

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.core.nouns.session import Actor

WHY_LENGTH = 500


def task_of(step: NotGiven | DecideCycle | OpenCycle) -> str:
    """The only task that a step is about; none where there are several."""
    if isinstance(step, OpenCycle):
        return step.tasks[0] if len(step.tasks) == 1 else ""
    return step.task if isinstance(step, NotGiven) else ""


def perform_cycle(context: Context, runner: Actor, step: NotGiven | DecideCycle | OpenCycle, told: set[str]) -> str:
    """One step; what to tell people about it, nothing where nothing could be done yet. What calls for a cycle is told
    once: where there is nothing to look at, nobody is asked again.
    """
    cycles = Cycles(context)
    if isinstance(step, NotGiven):
        why = one_line(step.why, WHY_LENGTH)
        cycles.not_given(runner, step.cycle, step.reviewer, task=step.task, why=step.kind, text=why)
        return f"no review by {step.reviewer} ({step.kind}): {why}"
    if isinstance(step, DecideCycle):
        return "; ".join(done.message for done in cycles.decide(runner, step.cycle) if done.changed)
    told.add(step.key)
    return cycles.open(runner, step.trigger, step.tasks, reason=one_line(step.why, WHY_LENGTH), wide=step.wide).message
