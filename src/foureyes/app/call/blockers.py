"""Blockers (R1): which of them stand, and the hold that they put on their task."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.facts import facts_of
from foureyes.app.call.parties import parties_of
from foureyes.app.views.pause import PauseView
from foureyes.app.views.session import SessionView
from foureyes.core import events as e
from foureyes.core.loop.review import Review
from foureyes.core.nouns.session import Party, is_one_origin
from foureyes.core.rules.involvement import made_by
from foureyes.core.words.ids import SessionId, TaskId
from foureyes.core.words.text import one_line
from foureyes.errors import Reason
from foureyes.steps import by, fe, phrase

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.call.work import Work
    from foureyes.app.ports import Tx

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
