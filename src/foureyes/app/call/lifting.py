"""What a decision about a task lifts (V9): a pause by a rule does not outlive the cycles that it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.views.run import PauseView
from foureyes.core import events as e

if TYPE_CHECKING:
    from foureyes.app.call.work import Work
    from foureyes.app.ports import Tx


class Chained(msgspec.Struct, frozen=True):
    """A cycle, how it stands, and the one that ran again after it."""

    state: str
    next: str


def lift_decided(work: Work, task: str, kind: str) -> None:
    """V9, R2: in the transaction of the decision. What was left to a person only a person's decision lifts; what stops
    everything goes with the last of its targets.
    """
    by_person = work.actor.kind == "human"
    for pause in work.tx.all("run.pauses_of", PauseView, task=task):
        if pause.made_by != "rule":
            continue
        if _is_over(work.tx, pause.cycle) or (by_person and pause.task == task):
            said = f"{task} was decided ({kind})"
            work.gate.record(pause.task, e.RunsResumed(reason=said, by="rule", cycle=pause.cycle))


def _is_over(tx: Tx, cycle: str) -> bool:
    """Whether a cycle ended without a rule, and each that ran again after it."""
    while cycle:
        row = tx.one("cycle.chained", Chained, cycle=cycle)
        if row is None or row.state != "ended":
            return row is None
        cycle = row.next
    return True
