"""Sprints as a runner sees them (X2, X3): those that go on, the one that is over, and what becomes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.sprint.sprints import Sprints
from foureyes.app.tasks.sprinting import active, now_of
from foureyes.app.views.journal import JournalHead
from foureyes.core.nouns.sprint import Sprint
from foureyes.core.run.step import EndSprint, PauseSprint, ResumeSprint

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.app.run.in_hand import RunnerDesk
    from foureyes.core.nouns.session import Actor
    from foureyes.core.sprint.halting import SprintNow


class SprintsSeen:
    """Those that have begun and are not over, as the journal has them: where nothing was written since the last look,
    their tasks are not gone through again.
    """

    def __init__(self) -> None:
        self._head = -1
        self._found: tuple[SprintNow, ...] = ()

    def look(self, tx: Tx, desk: RunnerDesk) -> tuple[SprintNow, ...]:
        """That there were some, a runner remembers."""
        head = tx.one("journal.head", JournalHead)
        if head is None or head.seq != self._head:
            self._found = tuple(now_of(tx, sprint) for sprint in active(tx))
            self._head = head.seq if head is not None else -1
        if self._found:
            desk.sprint = self._found[-1].sprint.id
        return self._found


def sprint_over(tx: Tx, desk: RunnerDesk) -> str:
    """X2: that the sprint which ran while this runner was at work is over, and what that means; else nothing."""
    row = tx.one("sprint.get", Sprint, sprint=desk.sprint) if desk.sprint else None
    if row is None or row.state != "ended":
        return ""
    return f"{row.id} is over ({row.why}): nothing new begins until the next sprint, or a new runner"


def move_sprint(context: Context, runner: Actor, step: EndSprint | PauseSprint | ResumeSprint) -> str:
    """What the rules say becomes of a sprint; what there is to tell, nothing where somebody else was faster."""
    sprints = Sprints(context)
    if isinstance(step, EndSprint):
        done = sprints.finish(runner, step.sprint, kind=step.kind, why=step.why)
        words = f"{step.sprint} is over: {step.why}. Current runs finish."
    elif isinstance(step, PauseSprint):
        done = sprints.halt(runner, step.sprint, kind=step.kind, why=step.why)
        words = f"{step.sprint} is paused: {step.why}"
    else:
        done = sprints.go_on(runner, step.sprint, why=step.why)
        words = f"{step.sprint} goes on: {step.why}"
    return words if done else ""
