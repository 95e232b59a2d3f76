"""Blockers (R1) and pauses (V9): which are active, the holds they cause, and the events that lift them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.context import IdRow
from foureyes.app.facts import facts_of, has_made, parties_of
from foureyes.app.results.run import PauseView
from foureyes.app.results.session import SessionView
from foureyes.core import events as e
from foureyes.core.loop.reviews import Review
from foureyes.core.nouns.session import Party, is_oneself
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
    """A hold and the session that set it."""

    hold: str
    session: str


class SetAside(msgspec.Struct, frozen=True):
    """A person's decision to ignore the blockers that an agent (`detail`) had given until then. (R1)"""

    seq: int
    session: SessionId
    detail: SessionId


def last_verdicts(
    reviews: Sequence[Review],
    party: Callable[[SessionId], Party],
    is_one: Callable[[Party, Party], bool] = is_oneself,
) -> list[Review]:
    """Return the last review of each reviewer, newest first. Only a reviewer's own later review replaces one. (I3, I4)

    To count approvals, pass `is_one_origin` as `is_one`, because an origin approves only once.
    """
    latest: list[Review] = []
    for row in reversed(reviews):
        if not any(is_one(party(later.session), party(row.session)) for later in latest):
            latest.append(row)
    return latest


def standing_blockers(tx: Tx, task: str) -> list[Review]:
    """Return the blockers that stop a task: not withdrawn, and newer than a person's last resume."""
    reviews = tx.all("review.since_resumed", Review, task=task)
    if not any(row.effective == "blocker" for row in reviews):
        return []
    parties = parties_of(tx, {row.session for row in reviews})
    return [row for row in last_verdicts(reviews, parties.__getitem__) if row.effective == "blocker"]


def hold_by_rule(tx: Tx, gate: SessionId, task: str) -> str:
    """Return the hold that a blocker put on a task, "" if there is none or a person set it."""
    held = tx.one("cycle.held_by", HeldBy, task=task)
    return held.hold if held is not None and held.session == gate else ""


def hold_for(context: Context, work: Work, task: str, summary: str) -> None:
    """Hold the task because of the blocker that the caller has just recorded. (R1)"""
    me = work.tx.one("session.get", SessionView, id=work.actor.session)
    stop(context, work, task, f"{me.name if me else work.actor.session} reported a blocker: {summary}")


def why_not_resumed(context: Context, tx: Tx, me: Party, task: TaskId) -> Reason | None:
    """Return why the caller may not resume a task that reviewers stopped, or None. Makers of the work may not. (R1,
    R2)
    """
    paused = any(pause.rule == "R2" for pause in tx.all("run.pauses_of", PauseView, task=task))
    made = made_by(facts_of(context, tx, task), me) if paused or standing_blockers(tx, task) else None
    if made is None:
        return None
    step = by("other", fe("resume", task, "-m", phrase("why")))
    return Reason("R1", f"reviewers stopped it, and an author cannot lift that ({made.why})", step)


def stop(context: Context, work: Work, task: str, words: str) -> None:
    """Hold the task, unless it is held already. (R1)"""
    if context.find(work.tx, task).hold is None:
        work.gate.record(task, e.TaskHeld(reason=one_line(words, LINE)))


def lift_withdrawn(work: Work, task: str, me: Party, before: Collection[Review]) -> None:
    """Lift the hold if the caller withdrew the last blocker. `before` has the blockers that were active until then.
    (R1)
    """
    parties = parties_of(work.tx, {row.session for row in before})
    mine = any(is_oneself(me, party) for party in parties.values())
    if mine and not standing_blockers(work.tx, task) and hold_by_rule(work.tx, work.gate.actor.session, task):
        work.gate.record(task, e.TaskResumed(reason=f"{me.name} withdrew its blocker"))
        work.tx.notes.append("your blocker is withdrawn, and the hold is lifted (R1)")


def blockers_set_aside(tx: Tx) -> list[SetAside]:
    """Return the decisions by people to ignore an agent's blockers."""
    return tx.all("review.set_aside", SetAside)


# ---- Lifting (V9) ----

LIFTED_LINE = 120
BY_HAND = frozenset({
    "Approved", "ApprovalFinished", "RedoRequested", "TaskRejected", "TaskClosed", "TaskCancelled", "TaskDeleted",
})  # fmt: skip
"""Decisions of a person that lift a hold or a pause by reviewers.

A review that sends the task back is not among them, because the person did not decide that. Approving and closing a
held task are refused (D3).
"""


def lift_decided(work: Work, task: str, kind: str) -> None:
    """Lift the hold and the pauses by reviewers, in the transaction of the decision. (R1, R2, V9)

    Only a decision by a person who did not make the work does so. A pause of everything is lifted once the last of its
    targets is decided.
    """
    tx, gate = work.tx, work.gate
    pauses = [pause for pause in tx.all("run.pauses_of", PauseView, task=task) if pause.made_by == "rule"]
    for pause in pauses:
        if not pause.task and tx.one("cycle.unclosed", IdRow, cycle=pause.cycle) is None:
            reason = f"{task} was decided ({kind})"
            gate.record("", e.RunsResumed(reason=reason, by="rule", cycle=pause.cycle))
    if work.actor.kind != "human" or kind not in BY_HAND:
        return
    held, pauses = hold_by_rule(tx, gate.actor.session, task), [pause for pause in pauses if pause.task]
    if not (held or pauses) or has_made(tx, task, work.actor.session):
        return
    if held:
        gate.record(task, e.TaskResumed(reason=f"{task} was decided ({kind})"))
        tx.notes.append(f"this also lifts its hold: {one_line(held, LIFTED_LINE)}")
    for pause in pauses:
        gate.record(task, e.RunsResumed(reason=f"{task} was decided ({kind})", by="rule", cycle=pause.cycle))
