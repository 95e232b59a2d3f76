"""Answers to concerns (R2): who made the work, or a person, clarifies points of a cycle; several at once, or none."""

from __future__ import annotations

from collections.abc import Mapping

from foureyes.app.call.caller import refuse_other_task
from foureyes.app.call.context import Context
from foureyes.app.call.facts import facts_of
from foureyes.app.call.refusals import refuse_verb
from foureyes.app.call.work import Work
from foureyes.app.cycles.clarifying import ask_to_clarify
from foureyes.app.cycles.deciding import settle_clarification
from foureyes.app.cycles.reading import WholeCycle, live_of, whole
from foureyes.app.ports import Tx
from foureyes.app.review.cycle_pages import outcome_of
from foureyes.app.views.cycle import CycleOutcome
from foureyes.core import events as e
from foureyes.core.nouns.cycle import Clarification, Cycle
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.involvement import made_by
from foureyes.core.words.fence import some
from foureyes.core.words.ids import TaskId
from foureyes.core.words.text import one_line
from foureyes.errors import Reason
from foureyes.steps import fe, phrase

TEXT = 2_000
NAMED = 3


def clarify_points(context: Context, actor: Actor, cycle: str, answers: Mapping[str, str]) -> CycleOutcome:
    """R2: all of these points are answered, in one transaction, or none is; with the last one the cycle runs again."""
    given = {point.strip().lower(): one_line(text, TEXT) for point, text in answers.items()}
    with context.writing(actor, "review clarify") as work:
        known = whole(work.tx, cycle)
        points = _asked(known, given)
        for task in dict.fromkeys(point.task for point in points):
            refuse_other_task(actor, task)
            _refuse_stranger(context, work, task)
        for point in points:
            event = e.ClarificationAnswered(cycle=known.cycle.id, point=point.id, text=given[point.id])
            work.record(point.task, event)
        names = ", ".join(point.id for point in points)
        left = [each.id for each in known.unanswered if each.id not in given]
        if left:
            step = fe("review", "clarify", known.cycle.id, left[0], "-m", phrase("the answer"))
            words = f"{names} {'is' if len(points) == 1 else 'are'} answered; {', '.join(left)} not yet"
            return outcome_of(context, work.tx, known.cycle.id, message=words, step=step)
        done = settle_clarification(context, work, whole(work.tx, cycle))
        new = work.tx.all("cycle.latest", Cycle, task=points[0].task, limit=1)[0].id
        became = [f"{', '.join(done.sent_back)} is sent back with its open findings"] if done.sent_back else []
        became += [f"it runs again as {new}"] if new != known.cycle.id else []
        return outcome_of(context, work.tx, new, message=f"{known.cycle.id} is clarified: {'; '.join(became)}")


def ask_author(context: Context, actor: Actor, cycle: str) -> CycleOutcome:
    """R1, R2: what a cycle left to a person is put to who made the work; what is held stays so until it is lifted."""
    with context.writing(actor, "review ask") as work:
        known = whole(work.tx, cycle)
        why = why_not_clarified(context, work.tx, known)
        if why:
            step = fe("review", "show", known.cycle.id)
            refuse_verb("no clarification was requested.", Reason("R2", why, step), task=known.cycle.task)
        ask_to_clarify(context, work, known)
        names = ", ".join(point.id for point in whole(work.tx, cycle).points if not point.answer)
        return outcome_of(context, work.tx, known.cycle.id, message=f"{known.cycle.id} asks about {names}")


def why_not_clarified(context: Context, tx: Tx, known: WholeCycle) -> str:
    """Why nobody is asked about what a cycle came to; empty where nothing speaks against it."""
    cycle, tasks = known.cycle, {target.task: context.get(tx, target.task) for target in known.live}
    if cycle.state != "decided" or cycle.rule not in ("R0", "R1", "R2"):
        return f"{cycle.id} is {cycle.state}{f' ({cycle.rule})' if cycle.rule else ''}: it stopped nothing"
    if known.points:
        return f"{cycle.id} asked already, and got no answer in time"
    if not any(review.effective != "approved" for review in known.reviews):
        return f"no reviewer had concerns in {cycle.id}"
    moved = [
        target.task
        for target in known.live
        if (tasks[target.task].status, target.attempt)
        not in (("in_progress", 0), ("open", 0), ("reviewing", tasks[target.task].iteration))
    ]
    if moved or not known.live:
        return f"{some(moved, NAMED) or cycle.id} has moved on since"
    again = [row.id for target in known.live for row in live_of(tx, target.task)]
    return f"{again[0]} is about it, and not over" if again else ""


def _asked(known: WholeCycle, given: Mapping[str, str]) -> list[Clarification]:
    """The points that are meant; each must be there, and wait for an answer."""
    cycle = known.cycle
    points = {point.id: point for point in known.points}
    wrong = [f"{cycle.id} has no clarification open: it is {cycle.state}"]
    if cycle.state == "clarifying":
        wrong = [f"{one_line(name, 20)} is no point of {cycle.id}" for name in given if name not in points]
        wrong += [f"{name} is answered already" for name in given if name in points and points[name].answer]
    if wrong or not given:
        step = fe("review", "show", cycle.id)
        refuse_verb("nothing was clarified.", *[Reason("R2", why, step) for why in wrong], task=cycle.task)
    return [points[name] for name in given]


def _refuse_stranger(context: Context, work: Work, task: TaskId) -> None:
    me = context.party(work.tx, work.actor)
    if work.actor.role == "implement":
        return  # its token is for this task, and a runner gave it to who made it (V9)
    if me.kind == "human" or made_by(facts_of(context, work.tx, task), me) is not None:
        return
    reason = Reason("R2", f"you did not make {task}: its author clarifies it", fe("show", task))
    refuse_verb("nothing was clarified.", reason, task=task)
