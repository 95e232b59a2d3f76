"""Who may choose reviewers (V4): the policy, a person who did not make the work, a runner; never who is looked at."""

from __future__ import annotations

from collections.abc import Sequence

from foureyes.app.call.context import Context
from foureyes.app.call.facts import facts_of
from foureyes.app.call.refusals import refuse_verb
from foureyes.app.call.rows import IdRow
from foureyes.app.call.work import Work
from foureyes.app.cycles.answering import asked_as
from foureyes.app.cycles.asking import reviewers_of
from foureyes.app.cycles.reading import live_of, wholes
from foureyes.app.ports import Tx
from foureyes.app.views.pause import PauseView
from foureyes.app.views.session import SessionView
from foureyes.core.nouns.cycle import ANY_PERSON, ReviewerKind
from foureyes.core.nouns.session import Party
from foureyes.core.rules.involvement import made_by
from foureyes.core.words.ids import TaskId
from foureyes.errors import Reason
from foureyes.steps import blank, by_person, fe, phrase

HUMANS = frozenset({"human", "person", "a person", "me"})


def meant(tx: Tx, name: str) -> tuple[str, ReviewerKind]:
    """Who is meant by a name: any person, a person who was here, a session that there is, else an agent profile."""
    if name in HUMANS:
        return ANY_PERSON, "person"
    if tx.one("session.person", IdRow, person=name) is not None:
        return name, "person"
    return name, "session" if tx.one("session.get", SessionView, id=name) is not None else "profile"


def refuse_choosing(context: Context, work: Work, tasks: Sequence[TaskId], reviewers: Sequence[str]) -> None:
    """V4: agents and jobs name nobody, who made the work neither; `human` may be asked by people, and by agents that
    made the work or were asked. R2: while a cycle is left to a person, only a person opens another one.
    """
    me = context.party(work.tx, work.actor)
    names = [name for name in reviewers if name not in HUMANS]
    for task in tasks:
        left = _left_to_a_person(work, task) if me.kind != "human" else []
        reasons = []
        if names:
            made = made_by(facts_of(context, work.tx, task), me)
            why = "the policy or a person chooses reviewers" if me.kind != "human" else ""
            why = f"{work.actor.name} {made.why}, and an author cannot choose the reviewers" if made else why
            step = left[0].next if left else fe("review", "request", task, "--open")
            reasons += [Reason("V4", why, step)] if why else []
        asks_person = len(names) < len(reviewers)
        if asks_person and me.kind == "agent" and not left and not _has_a_part(context, work, task, me):
            why = f"{work.actor.name} neither made {task} nor was asked about it, and makes it wait for no person"
            reasons.append(Reason("V4", why, fe("review", "submit", task, blank("FILE"))))
        reasons += left or _nobody_to_ask(context, work, task, me, asks_person=asks_person)
        if reasons:
            refuse_verb(f"no reviewer was asked about {task}.", *reasons, task=task)


def _has_a_part(context: Context, work: Work, task: TaskId, me: Party) -> bool:
    """V4: whether an agent made the work, or was asked about it."""
    facts = facts_of(context, work.tx, task)
    if made_by(facts, me) is not None:
        return True
    return any(asked_as(work.tx, known, facts, me, work.actor) for known in wholes(work.tx, live_of(work.tx, task)))


def _nobody_to_ask(context: Context, work: Work, task: TaskId, me: Party, *, asks_person: bool) -> list[Reason]:
    """V4: an agent opens no cycle in which nobody could be asked: no rule would approve the work until a person comes
    by, and nothing would call one.
    """
    named = reviewers_of(facts_of(context, work.tx, task), context.gate_policy(work.tx))
    if work.actor.kind == "human" or named or asks_person or live_of(work.tx, task):
        return []
    step = fe("review", "request", task, "--ask", "human")
    if me.kind == "agent" and not _has_a_part(context, work, task, me):
        step = fe("review", "submit", task, blank("FILE"))
    return [Reason("V4", "the policy names no reviewers (review.peers.reviewers)", step)]


def _left_to_a_person(work: Work, task: TaskId) -> list[Reason]:
    for row in work.tx.all("run.pauses_of", PauseView, task=task):
        if row.task == task and row.made_by == "rule" and row.rule == "R2":
            step = by_person(fe("resume", task, "-m", phrase("why")))
            return [Reason("V4", f"{row.cycle} paused it (R2): a person opens another cycle, or lifts that", step)]
    return []
