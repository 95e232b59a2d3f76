"""Cycles are opened (V1): about attempts and looks, once for the same work; and reviewers are asked at once."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from foureyes.app.call.context import Context
from foureyes.app.call.facts import facts_of, parties_of
from foureyes.app.call.work import Work
from foureyes.app.cycles.asking import ask, ask_more, seats_of, wants_eyes
from foureyes.app.cycles.reading import WholeCycle, chain, live_of, next_id, whole, wholes
from foureyes.core import events as e
from foureyes.core.nouns.cycle import Cycle, CycleId, CycleTarget, TargetRow, Trigger
from foureyes.core.rules.facts import Facts
from foureyes.core.words.ids import TaskId
from foureyes.core.words.text import one_line

SUMMARY = 400


def open_cycle(
    context: Context,
    work: Work,
    trigger: Trigger,
    targets: Sequence[CycleTarget],
    *,
    reason: str = "",
    follows: str = "",
    wide: bool = False,
    choose: bool = True,
    unasked: bool = False,
) -> CycleId:
    """A cycle about these targets; where one about the same work is open, that one (V1). `choose`: reviewers are asked
    by the policy. `unasked`: it waits for nobody, and needs no quorum.
    """
    known = None if follows else same_work(work, targets, trigger, wide=wide)
    if known is not None:
        return known.id
    cycle = next_id(work.tx)
    policy = context.gate_policy(work.tx)
    seats = [seats_of(facts_of(context, work.tx, target.task), policy) for target in targets]
    event = e.CycleOpened(
        cycle=cycle,
        trigger=trigger,
        targets=tuple(targets),
        quorum=0 if unasked else max(quorum for _, quorum in seats),
        seats=0 if unasked else max(wanted for wanted, _ in seats),
        reason=one_line(reason, SUMMARY),
        follows=follows,
        wide=wide,
    )
    work.record(targets[0].task if len(targets) == 1 else "", event)
    if choose and not unasked:
        ask_more(context, work, whole(work.tx, cycle))
    return cycle


def same_work(work: Work, targets: Sequence[CycleTarget], trigger: Trigger, *, wide: bool) -> Cycle | None:
    """The live cycle that is about exactly this work: of an attempt there is one, whatever asked for it (V4); a look is
    asked about by each trigger (V1).
    """
    is_attempt = all(each.attempt for each in targets)
    wanted = {(each.task, each.attempt, each.diff_id) for each in targets}
    for known in wholes(work.tx, live_of(work.tx, targets[0].task)):
        about = {(each.task, each.attempt, each.diff_id) for each in known.live}
        if about == wanted and known.cycle.wide == wide and (is_attempt or trigger in _triggers(work, known.cycle)):
            return known.cycle
    return None


def _triggers(work: Work, cycle: Cycle) -> set[Trigger]:
    """What asked for a cycle: its own trigger, or that of the one that was clarified."""
    return {each.trigger for each in chain(work.tx, cycle)}


def attempt_target(facts: Facts) -> CycleTarget:
    """The latest attempt of a task, to be asked about."""
    attempt = facts.attempt
    assert attempt is not None
    summary = one_line(attempt.message or facts.task.title, SUMMARY)
    return CycleTarget(task=facts.task.id, attempt=attempt.n, diff_id=attempt.diff_id, summary=summary)


def open_at_hand_in(context: Context, work: Work, task: TaskId) -> CycleId | None:
    """V1: a submission whose policy wants peers asks them, in its own transaction; unless its mode has decided. Where
    two concerns about an earlier attempt pause the task, their reviewers are asked again.
    """
    facts = facts_of(context, work.tx, task)
    paused = facts.cycle.paused if facts.cycle is not None else ""
    wants = wants_eyes(facts, context.gate_policy(work.tx))
    if facts.task.status != "reviewing" or not (wants or paused):
        return None
    new = open_cycle(context, work.gate, "REQUEST_REVIEW", [attempt_target(facts)], reason="submitted", choose=wants)
    if not wants:
        _ask_again(context, work.gate, whole(work.tx, paused), new, {task})
    return new


def open_unasked(context: Context, work: Work, facts: Facts) -> CycleId:
    """R1 to R3: somebody reviewed an attempt that no cycle is about, and does not approve. Nobody else is asked or
    waited for.
    """
    reason = "a review that was not requested"
    return open_cycle(context, work.gate, "REQUEST_REVIEW", [attempt_target(facts)], reason=reason, unasked=True)


def open_again(context: Context, work: Work, known: WholeCycle, rows: Sequence[TargetRow]) -> CycleId:
    """R2: it was clarified, and runs again about these targets: its reviewers are asked again."""
    cycle = known.cycle
    targets = [
        CycleTarget(task=t.task, attempt=t.attempt, look=t.look, diff_id=t.diff_id, summary=t.summary) for t in rows
    ]
    new = open_cycle(
        context, work, "CLARIFIED", targets, reason=cycle.id, follows=cycle.id, wide=cycle.wide, choose=False
    )
    _ask_again(context, work, known, new, {row.task for row in rows})
    return new


def _ask_again(context: Context, work: Work, known: WholeCycle, new: CycleId, tasks: Collection[str]) -> None:
    """V4: those who were asked and answered are asked again; where nobody was, those who have concerns."""
    answered = [row for row in known.asked if row.state == "answered" and row.task in tasks]
    for row in answered:
        ask(context, work, new, row.task, row.reviewer, row.kind)
    unasked = [] if answered else [each for each in known.reviews if each.task in tasks and not each.agrees]
    parties = parties_of(work.tx, {review.session for review in unasked})
    for review in unasked:
        person = party.person if (party := parties[review.session]).kind == "human" else ""
        ask(context, work, new, review.task, person or str(review.session), "person" if person else "session")
    ask_more(context, work, whole(work.tx, new))
