"""Reviewers are asked about tasks (V1, V4): what they look at is frozen, a cycle opened, and who is named asked."""

from __future__ import annotations

from collections.abc import Sequence

from foureyes.app.call.context import Context
from foureyes.app.call.facts import facts_of
from foureyes.app.call.leasing import live_runners
from foureyes.app.call.refusals import refuse_verb
from foureyes.app.call.work import Work
from foureyes.app.cycles.asking import ask, choice_for, pending_of, why_not_asked
from foureyes.app.cycles.choosing import meant, refuse_choosing
from foureyes.app.cycles.opening import attempt_target, open_cycle, same_work
from foureyes.app.cycles.reading import WholeCycle, live_of, whole, wholes
from foureyes.app.review.cycle_pages import outcome_of
from foureyes.app.review.looks import ReviewSubject, record_look, take_look
from foureyes.app.views.cycle import CycleOutcome
from foureyes.core.nouns.cycle import CycleId, CycleTarget, ReviewerKind, Trigger
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.involvement import labels_in_force
from foureyes.core.rules.required import wants_reviews
from foureyes.core.words.fence import named
from foureyes.core.words.ids import TaskId
from foureyes.core.words.text import one_line
from foureyes.errors import FoureyesError, Reason
from foureyes.steps import Steps, by_person, fe


def open_about(
    context: Context,
    actor: Actor,
    verb: str,
    trigger: Trigger,
    tasks: Sequence[str],
    *,
    reason: str = "",
    wide: bool = False,
    reviewers: Sequence[str] = (),
) -> CycleOutcome:
    """Looks are taken before the transaction; what cannot be looked at is left out, or refused if it is all."""
    looked, left = _looked(context, actor, tasks)
    with context.writing(actor, verb) as work:
        if verb != "run":
            refuse_choosing(context, work, [each.task for each in looked], reviewers)
        targets = [_target(context, work, each) for each in looked]
        targets = _not_asked_about(work, targets, left) if verb == "review now" and wide else targets
        before = {row.id for row in live_of(work.tx, targets[0].task)}
        cycle = open_cycle(context, work, trigger, targets, reason=reason, wide=wide, choose=not reviewers)
        any_new = _ask_named(context, work, cycle, [target.task for target in targets], reviewers)
        notes = tuple(left) + _nobody(context, work, cycle)
        step = _start(context, work, cycle) if verb == "review now" else None
        notes += ("no runner is at work that would start them",) if step else ()
        words = f"{cycle} {'is open already' if cycle in before else trigger}"
        changed = cycle not in before or any_new
        return outcome_of(context, work.tx, cycle, message=words, changed=changed, notes=notes, step=step)


def _not_asked_about(work: Work, targets: list[CycleTarget], left: list[str]) -> list[CycleTarget]:
    """V1: what nobody is asked about yet, as it is now; the same again is the cycle that is open already."""
    if same_work(work, targets, "USER_MANUAL", wide=True) is not None:
        return targets
    new = []
    for target in targets:
        open_ones = [each for each in wholes(work.tx, live_of(work.tx, target.task)) if each.cycle.state == "open"]
        known = next((each for each in open_ones if _is_about(each, target)), None)
        if known is None:
            new.append(target)
        else:
            left.append(f"{target.task} is left out: {known.cycle.id} asks about the same work already")
    if not new:
        refuse_verb("no reviewer was asked.", Reason("V1", "; ".join(left), fe("review", "list")))
    return new


def _is_about(known: WholeCycle, target: CycleTarget) -> bool:
    return any((each.task, each.diff_id) == (target.task, target.diff_id) for each in known.live)


def _start(context: Context, work: Work, cycle: CycleId) -> Steps | None:
    """V4: profiles are started by a runner; where none is, what starts one."""
    waits = any(row.kind == "profile" and row.state == "asked" for row in whole(work.tx, cycle).asked)
    if not waits or any(row.agents for row in live_runners(context, work.tx)):
        return None
    return by_person(fe("run", "--until-idle"))


def triggered(context: Context, actor: Actor, task: str, trigger: Trigger, reason: str) -> str:
    """V1: what an agent says outside of a run asks for eyes at once, where peers are wanted; what became of it."""
    with context.store.read() as tx:
        facts, policy = facts_of(context, tx, context.find_id(tx, task)), context.gate_policy(tx)
    if not wants_reviews(policy, labels_in_force(facts)):
        return ""
    try:
        return open_about(context, actor, "emit", trigger, [task], reason=reason).message
    except FoureyesError as problem:
        return problem.message


def refuse_maker(context: Context, work: Work, task: TaskId, reviewer: str, kind: ReviewerKind) -> None:
    """V4: never who made the work, never below the grade."""
    why = why_not_asked(context, work.tx, task, reviewer, kind)
    if why:
        name = named(one_line(reviewer, 100))
        step = fe("review", "request", task, "--ask", "human") if kind == "person" else fe("review", "request", task)
        refuse_verb(f"{name} was not asked about {task}.", Reason("V4", f"{name}: {why}", step), task=task)


def _looked(context: Context, actor: Actor, tasks: Sequence[str]) -> tuple[list[ReviewSubject], list[str]]:
    subjects: list[ReviewSubject] = []
    left: list[str] = []
    for task in dict.fromkeys(tasks):
        try:
            subjects.append(take_look(context, actor, task))
        except FoureyesError as problem:
            if len(tasks) == 1:
                raise
            left.append(f"{task} is left out: {problem.message}")
    if not subjects:
        refuse_verb("there is nothing to review.", Reason("V1", "; ".join(left), fe("review", "list")))
    return subjects, left


def _target(context: Context, work: Work, looked: ReviewSubject) -> CycleTarget:
    if looked.change is not None:
        return record_look(context, work, looked)
    return attempt_target(facts_of(context, work.tx, looked.task))


def _ask_named(context: Context, work: Work, cycle: CycleId, tasks: Sequence[TaskId], reviewers: Sequence[str]) -> bool:
    """V4: who is named is asked, unless it made the work."""
    known = whole(work.tx, cycle)
    asked = {(row.task, row.reviewer) for row in known.asked if row.state == "asked"}
    any_new = False
    for name in reviewers:
        reviewer, kind = meant(work.tx, name)
        for task in tasks:
            if (task, reviewer) not in asked:
                refuse_maker(context, work, task, reviewer, kind)
                ask(context, work, cycle, task, reviewer, kind)
                any_new = True
    return any_new


def _nobody(context: Context, work: Work, cycle: CycleId) -> tuple[str, ...]:
    """V4: why nobody is asked, for whoever opened it."""
    known = whole(work.tx, cycle)
    notes = []
    for target in known.live:
        if pending_of(known, target) or any(review.task == target.task for review in known.reviews):
            continue
        choice = choice_for(context, work.tx, target.task, seats=known.cycle.seats, already=())
        notes += [f"{each.name} is not asked: {each.why}" for each in choice.left_out]
        notes.append(f"no reviewer is asked about {target.task}. Any reviewer may answer: fe review submit")
    return tuple(notes)
