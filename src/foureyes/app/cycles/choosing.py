"""Who may choose reviewers (V4): the policy, a person who did not make the work, a runner; never who is looked at."""

from __future__ import annotations

from collections.abc import Sequence

from foureyes.app.call.context import Context
from foureyes.app.call.facts import facts_of
from foureyes.app.call.refusals import refuse_verb
from foureyes.app.call.work import Work
from foureyes.app.views.run import PauseView
from foureyes.core.nouns.cycle import ANY_PERSON, ReviewerKind
from foureyes.core.rules.involvement import made_by
from foureyes.core.words.ids import TaskId
from foureyes.errors import Reason
from foureyes.steps import by_person, fe, phrase

HUMANS = frozenset({"human", "person", "a person", "me"})


def meant(name: str) -> tuple[str, ReviewerKind]:
    """Who is meant by a name: any person, a person by name, a session, or an agent profile."""
    if name in HUMANS:
        return ANY_PERSON, "person"
    if "@" in name:
        return name, "person"
    return name, "session" if name.startswith("ses-") else "profile"


def refuse_choosing(context: Context, work: Work, tasks: Sequence[TaskId], reviewers: Sequence[str]) -> None:
    """V4: agents and jobs name nobody, who made the work neither; `human` may be asked by everybody. R2: while a cycle
    is left to a person, only a person opens another one.
    """
    me = context.party(work.tx, work.actor)
    names = [name for name in reviewers if meant(name)[0] != ANY_PERSON]
    for task in tasks:
        left = _left_to_a_person(work, task) if me.kind != "human" else []
        reasons = []
        if names:
            made = made_by(facts_of(context, work.tx, task), me)
            why = "the policy or a person chooses reviewers" if me.kind != "human" else ""
            why = f"{work.actor.name} {made.why}: who made the work does not choose its reviewers" if made else why
            step = left[0].next if left else fe("review", "request", task, "--open")
            reasons += [Reason("V4", why, step)] if why else []
        reasons += left
        if reasons:
            refuse_verb(f"nobody was asked about {task}.", *reasons, task=task)


def _left_to_a_person(work: Work, task: TaskId) -> list[Reason]:
    for row in work.tx.all("run.pauses_of", PauseView, task=task):
        if row.task == task and row.made_by == "rule" and row.rule == "R2":
            step = by_person(fe("resume", task, "-m", phrase("why")))
            return [Reason("V4", f"{row.cycle} paused it (R2): a person opens another cycle, or lifts that", step)]
    return []
