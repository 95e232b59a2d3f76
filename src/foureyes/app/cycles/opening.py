"""Cycles are opened (V1): about attempts and looks, once for the same work; and reviewers are asked at once."""

from __future__ import annotations

from collections.abc import Sequence

from foureyes.app.call.context import Context
from foureyes.app.call.facts import facts_of
from foureyes.app.call.work import Work
from foureyes.app.cycles.asking import ask, ask_more, seats_of, wants_eyes
from foureyes.app.cycles.reading import chain, live_of, next_id, whole, wholes
from foureyes.core import events as e
from foureyes.core.nouns.cycle import Cycle, CycleId, CycleTarget, Trigger
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
) -> CycleId:
    """A cycle about these targets; where one about the same work is open, that one (V1). `choose`: reviewers are asked
    by the policy.
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
        quorum=max(quorum for _, quorum in seats),
        seats=max(wanted for wanted, _ in seats),
        reason=one_line(reason, SUMMARY),
        follows=follows,
        wide=wide,
    )
    work.record(targets[0].task if len(targets) == 1 else "", event)
    if choose:
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
    """V1: a hand-in whose policy wants peer eyes asks them, in its own transaction; unless its mode has decided."""
    facts = facts_of(context, work.tx, task)
    if facts.task.status != "reviewing" or not wants_eyes(facts, context.gate_policy(work.tx)):
        return None
    return open_cycle(context, work.gate, "REQUEST_REVIEW", [attempt_target(facts)], reason="handed in")


def open_again(context: Context, work: Work, cycle: Cycle) -> CycleId:
    """R2: it was clarified, and runs again: those who had answered are asked again."""
    known = whole(work.tx, cycle.id)
    work.record(cycle.task, e.CycleEnded(cycle=cycle.id, why="clarified"))
    targets = [
        CycleTarget(task=t.task, attempt=t.attempt, look=t.look, diff_id=t.diff_id, summary=t.summary)
        for t in known.live
    ]
    new = open_cycle(
        context, work, "CLARIFIED", targets, reason=cycle.id, follows=cycle.id, wide=cycle.wide, choose=False
    )
    for row in known.asked:
        if row.state == "answered" and row.task in known.tasks:
            ask(context, work, new, row.task, row.reviewer, row.kind)
    ask_more(context, work, whole(work.tx, new))
    return new
