"""Blockers (R1) and pauses (V9): which of them stand, the hold they put on a task, and what lifts it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.facts import facts_of, has_made, parties_of
from foureyes.app.views.run_state import PauseView
from foureyes.app.views.session import SessionView
from foureyes.core import events as e
from foureyes.core.loop.reviews import Review
from foureyes.core.nouns.session import Party, is_one_origin
from foureyes.core.rules.involvement import made_by
from foureyes.core.words.ids import SessionId, TaskId
from foureyes.core.words.text import one_line
from foureyes.errors import Reason
from foureyes.steps import by, fe, phrase

if TYPE_CHECKING:
    from foureyes.app.context import Context, Work
    from foureyes.app.ports import Tx


# ---- Blockers (R1) ----

LINE = 200


class HeldBy(msgspec.Struct, frozen=True):
    """A hold, and the session that put it on."""

    hold: str
    session: str


class SetAside(msgspec.Struct, frozen=True):
    """R1: a person set aside the blockers that an agent (`detail`) had given by then."""

    seq: int
    session: SessionId
    detail: SessionId


def last_verdicts(reviews: Sequence[Review], party: Callable[[SessionId], Party]) -> list[Review]:
    """The last review of each origin (I4), the newest first."""
    latest: list[Review] = []
    for row in reversed(reviews):
        if not any(is_one_origin(party(row.session), party(later.session)) for later in latest):
            latest.append(row)
    return latest


def standing_blockers(tx: Tx, task: str) -> list[Review]:
    """The blockers that stopped a task and that nobody withdrew, since a person last resumed it."""
    reviews = tx.all("review.since_resumed", Review, task=task)
    if not any(row.effective == "blocker" for row in reviews):
        return []
    parties = parties_of(tx, {row.session for row in reviews})
    return [row for row in last_verdicts(reviews, parties.__getitem__) if row.effective == "blocker"]


def hold_by_rule(tx: Tx, gate: SessionId, task: str) -> str:
    """The hold that a blocker put on a task; empty where there is none, or a person's own."""
    held = tx.one("cycle.held_by", HeldBy, task=task)
    return held.hold if held is not None and held.session == gate else ""


def hold_for(context: Context, work: Work, task: str, summary: str) -> None:
    """R1: the task is held from the moment that a blocker about it is recorded."""
    me = work.tx.one("session.get", SessionView, id=work.actor.session)
    stop(context, work, task, f"{me.name if me else work.actor.session} says blocker: {summary}")


def why_not_resumed(context: Context, tx: Tx, me: Party, task: TaskId) -> Reason | None:
    """R1, R2: what reviewers stopped, a person lifts who did not make the work."""
    paused = any(pause.rule == "R2" for pause in tx.all("run.pauses_of", PauseView, task=task))
    made = made_by(facts_of(context, tx, task), me) if paused or standing_blockers(tx, task) else None
    if made is None:
        return None
    step = by("other", fe("resume", task, "-m", phrase("why")))
    return Reason("R1", f"reviewers stopped it, and its author does not lift that ({made.why})", step)


def stop(context: Context, work: Work, task: str, words: str) -> None:
    """R1: the task is held; where it is held already, it stays so."""
    if context.find(work.tx, task).hold is None:
        work.gate.record(task, e.TaskHeld(reason=one_line(words, LINE)))


def lift_withdrawn(work: Work, task: str, me: Party, before: Collection[Review]) -> None:
    """R1: the origin of a blocker withdrew it: with the last one the hold goes. `before`: those that stood."""
    parties = parties_of(work.tx, {row.session for row in before})
    mine = any(is_one_origin(me, party) for party in parties.values())
    if mine and not standing_blockers(work.tx, task) and hold_by_rule(work.tx, work.gate.actor.session, task):
        work.gate.record(task, e.TaskResumed(reason=f"{me.name} withdrew its blocker"))
        work.tx.notes.append("your blocker is withdrawn, and the hold is lifted (R1)")


def blockers_set_aside(tx: Tx) -> list[SetAside]:
    """What people said about the blockers of agents that may not stop a task."""
    return tx.all("review.set_aside", SetAside)


# ---- Lifting (V9) ----

LIFTED_LINE = 120
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
    work.tx.notes.append(f"its hold is lifted with that: {one_line(held, LIFTED_LINE)}")


def _is_over(tx: Tx, cycle: str) -> bool:
    """Whether a cycle ended without a rule, and each that ran again after it."""
    while cycle:
        row = tx.one("cycle.chained", Chained, cycle=cycle)
        if row is None or row.state != "ended":
            return row is None
        cycle = row.next
    return True
