"""What a decision about a task lifts (V9): a pause by a rule does not outlive the cycles that it came from,
a hold by R1 not what a person says about its task.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.blockers import hold_by_rule
from foureyes.app.call.facts import has_made
from foureyes.app.views.pause import PauseView
from foureyes.core import events as e
from foureyes.core.words.text import one_line

if TYPE_CHECKING:
    from foureyes.app.call.work import Work
    from foureyes.app.ports import Tx


LINE = 120
BY_HAND = frozenset({"RedoRequested", "TaskRejected", "TaskCancelled", "TaskDeleted"})
"""What a person says about a task that a blocker holds (R1). To approve or close it is refused while it is held (D3),
and what a review of theirs sends back they did not decide.
"""


class Chained(msgspec.Struct, frozen=True):
    """A cycle, how it stands, and the one that ran again after it."""

    state: str
    next: str


def lift_decided(work: Work, task: str, kind: str) -> None:
    """V9, R2: in the transaction of the decision. What was left to a person only a person's decision lifts; what stops
    everything goes with the last of its targets.
    """
    by_person = work.actor.kind == "human"
    if by_person and kind in BY_HAND:
        _lift_hold(work, task, kind)
    for pause in work.tx.all("run.pauses_of", PauseView, task=task):
        if pause.made_by != "rule":
            continue
        if _is_over(work.tx, pause.cycle) or (by_person and pause.task == task):
            reason = f"{task} was decided ({kind})"
            work.gate.record(pause.task, e.RunsResumed(reason=reason, by="rule", cycle=pause.cycle))


def _lift_hold(work: Work, task: str, kind: str) -> None:
    """R1: a person who did not make the work lifts the hold of a blocker. A person's own hold, first or on top of it,
    stays (D3).
    """
    held = hold_by_rule(work.tx, work.gate.actor.session, task)
    if not held or has_made(work.tx, task, work.actor.session):
        return
    work.gate.record(task, e.TaskResumed(reason=f"{task} was decided ({kind})"))
    work.tx.notes.append(f"its hold is lifted with that: {one_line(held, LINE)}")


def _is_over(tx: Tx, cycle: str) -> bool:
    """Whether a cycle ended without a rule, and each that ran again after it."""
    while cycle:
        row = tx.one("cycle.chained", Chained, cycle=cycle)
        if row is None or row.state != "ended":
            return row is None
        cycle = row.next
    return True
