"""A review of a look (V1): its findings bind the task, its verdict is an answer in the cycle; it approves nothing."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from foureyes.app.call.blockers import hold_for, lift_withdrawn, standing_blockers
from foureyes.app.call.caller import refuse_other_task
from foureyes.app.call.case import Case, case_of
from foureyes.app.call.context import Context
from foureyes.app.call.refusals import refuse_verb
from foureyes.app.call.work import Work
from foureyes.app.cycles.answering import place_of
from foureyes.app.cycles.deciding import CycleEffect, decide_if_due
from foureyes.app.cycles.reading import whole, wholes
from foureyes.app.findings.raising import Raising, anchor, code_of, raising
from foureyes.app.ports import Tx
from foureyes.app.review.review_content import ReviewContent, came_back, content_of, is_not_you, went_back
from foureyes.app.views.review import ReviewOutcome
from foureyes.core import events as e
from foureyes.core.documents.findings import effective
from foureyes.core.loop.review import FilesRead, uncovered, untold
from foureyes.core.nouns.attempt import Attempt, ChangedFile
from foureyes.core.nouns.cycle import Cycle, CycleId, Look, look_ref
from foureyes.core.nouns.finding import status_of
from foureyes.core.nouns.session import Actor, Party
from foureyes.core.rules.involvement import made_by
from foureyes.core.run.reviewing import is_about
from foureyes.core.words.ids import TaskId
from foureyes.errors import Reason
from foureyes.steps import fe, prose

MOST_CYCLES = 20
"""Among so many cycles of a task its looks are found."""


class AskedLook(msgspec.Struct, frozen=True, kw_only=True):
    """A look that reviewers are asked about, and the cycle."""

    look: Look
    cycle: CycleId


def looks_in_review(tx: Tx, task: TaskId, look: int = 0) -> list[AskedLook]:
    """The looks at a task in the middle of work that open cycles are about, or that reviewers stopped (R1, R2): the
    others may still answer. Only this one, if one is named.
    """
    looks = []
    cycles = tx.all("cycle.latest", Cycle, task=task, limit=MOST_CYCLES)
    for known in wholes(tx, cycles[::-1]):
        about = next((each for each in known.live if each.task == task and each.look), None)
        is_due = known.cycle.state == "open" or (known.cycle.state != "ended" and known.cycle.rule in ("R1", "R2"))
        if about is not None and is_due and look in (0, about.look):
            row = tx.one("cycle.look", Look, task=task, n=about.look)
            looks += [AskedLook(look=row, cycle=known.cycle.id)] if row is not None else []
    return looks


def submit_look(
    context: Context,
    actor: Actor,
    task: TaskId,
    asked: Sequence[AskedLook],
    document: bytes,
    *,
    seen: str = "",
    read: FilesRead | None = None,
) -> ReviewOutcome:
    """V3, D7: a review_result about the work as it was frozen, of the look that it names; all of it or nothing."""
    refuse_other_task(actor, task)
    with context.store.read() as tx:
        known = case_of(context, tx, actor, task)
    given = content_of(context, actor, _as_if_handed_in(known, asked[0].look).facts, document)
    named = given.document.payload.diff_id or seen
    about = next((each for each in asked if is_about(named, each.look.diff_id)), asked[0])
    before = _as_if_handed_in(known, about.look)
    code = code_of(context, before.attempt, given.findings)
    anchored = [anchor(each, code) for each in given.findings]
    how = f"look {about.look.n} {about.look.diff_id}"  # the diff id of a signature is that of an attempt (I9)
    with context.deciding(actor, "review submit", task=task, how=how, reason=given.document.payload.verdict) as work:
        case = _as_if_handed_in(case_of(context, work.tx, work.actor, task), about.look)
        now = looks_in_review(work.tx, task, about.look.n)
        _refuse(case, given, *_about_another(named, case.me, about, asked), moved=about not in now)
        raised = raising(work.tx, case.facts, anchored, kind="TL", source="review", me=case.me, where="payload.issues")
        if raised.refused:
            refuse_verb("the review was refused, and nothing of it was stored.", *raised.refused, task=task)
        if not raised.lost or came_back(work.tx, case, attempt=0, since=about.look.seq):
            return _record(context, work, case, about, given, raised, read)
        work.decide_nothing()
        work.record(task, e.ReviewReturned(attempt=0, why="quote"))
    raise went_back(task, raised.lost)


def _about_another(named: str, me: Party, about: AskedLook, asked: Sequence[AskedLook]) -> list[Reason]:
    """D7: a review names the look it is about; only a person may leave it out, and only where there is one."""
    if is_about(named, about.look.diff_id) or (not named and me.kind == "human" and len(asked) == 1):
        return []
    others = ", ".join(f"look {each.look.n} ({each.cycle})" for each in asked)
    why = f"payload.diff_id: it has to name the reviewed change, and reviewers are asked about {others}"
    return [Reason("D7", why, fe("review", "show", asked[-1].cycle))]


def _as_if_handed_in(case: Case, look: Look) -> Case:
    """The case with the look in the place of an attempt: its findings are those of the round that is worked on."""
    n = max(1, case.task.iteration)
    seen = Attempt(
        n=n,
        base=look.base,
        head=look.commit,
        tree=look.commit,
        ref=look_ref(look.task, look.n),
        diff_id=look.diff_id,
        files=[ChangedFile(path, None, None) for path in look.files],
        submitted_by=case.task.implementer or case.task.creator or case.me.session,
        submitted_at=look.at,
    )
    return msgspec.structs.replace(case, facts=msgspec.structs.replace(case.facts, attempt=seen))


def confirmation(event: e.ReviewSubmitted, more: str = "") -> str:
    """What a reviewer is told: the verdict that was given, and how much was found."""
    found = f"{event.raised} finding{'' if event.raised == 1 else 's'}"
    stopped = "; the task is stopped until a person decides (R1)" if event.effective == "blocker" else more
    return f"recorded: {event.verdict}, {found}{stopped}"


def standing_words(cycle: Cycle) -> str:
    """Where a cycle stands after a review that did not decide it."""
    waits = {"open": "waits for others", "clarifying": "waits for the answers to its questions"}
    return f"{cycle.id} {waits.get(cycle.state, f'stays decided: {cycle.rule}')}"


def _refuse(case: Case, given: ReviewContent, *before: Reason, moved: bool) -> None:
    reasons = [*before, *is_not_you(given, case.me)]
    made = made_by(case.facts, case.me)
    if made is not None:
        reasons.append(Reason("V4", f"you {made.why}: someone else must review it", fe("show", case.task.id)))
    if given.rulings:
        why = "payload.rulings: an early review has nothing to rule on, because the work is not submitted"
        reasons.append(Reason("L8", why, prose("leave them out")))
    if moved:
        reasons.append(Reason("V1", "this early review is over", fe("show", case.task.id)))
    if reasons:
        refuse_verb("the review was refused, and nothing of it was stored.", *reasons, task=case.task.id)


def _record(
    context: Context,
    work: Work,
    case: Case,
    about: AskedLook,
    given: ReviewContent,
    raised: Raising,
    read: FilesRead | None,
) -> ReviewOutcome:
    payload, attempt = given.document.payload, case.attempt
    assert attempt is not None
    place = place_of(context, work.tx, case.facts, case.me, work.actor, look=about.look.n)
    cycle, verdict = place.cycle, effective(payload.verdict, given.severities, may_stop=place.may_stop)
    event = e.ReviewSubmitted(
        attempt=case.task.iteration,
        diff_id=about.look.diff_id,
        verdict=payload.verdict,
        effective=verdict,
        status=status_of(given.severities, notes=len(given.notes)) if verdict == "approved" else "CHANGES_REQUESTED",
        summary=payload.summary,
        files=tuple(given.files),
        missing=uncovered(attempt.files, given.files, read, case.policy.coverage_exclude),
        untold=untold(attempt.files, given.files, read, case.policy.coverage_exclude),
        notes=tuple(given.notes),
        raised=len(raised.event.findings) if raised.event else 0,
        blocking=sum(each.blocking for each in raised.event.findings) if raised.event else 0,
        actionable=any(each.path and each.fix.strip() for each in given.findings),
        cycle=cycle,
        reviewer=place.reviewer,
        look=about.look.n,
    )
    before = standing_blockers(work.tx, case.task.id) if case.task.hold is not None else []
    work.record(case.task.id, event, *([raised.event] if raised.event else []))
    if verdict == "blocker":
        hold_for(context, work, case.task.id, payload.summary)
    elif before:
        lift_withdrawn(work, case.task.id, case.me, before)
    done = decide_if_due(context, work, CycleId(cycle or about.cycle))
    return _outcome(context, work, case, event, raised, done, about)


def _outcome(
    context: Context,
    work: Work,
    case: Case,
    event: e.ReviewSubmitted,
    raised: Raising,
    done: CycleEffect,
    about: AskedLook,
) -> ReviewOutcome:
    task, cycle = case.task.id, event.cycle or about.cycle
    note = (
        f"{cycle} is decided: {done.ruled.rule}" if done.ruled else standing_words(whole(work.tx, CycleId(cycle)).cycle)
    )
    return ReviewOutcome(
        task=task,
        attempt=event.attempt,
        diff_id=event.diff_id,
        verdict=event.verdict,
        effective=event.effective,
        status=event.status,
        counts=False,
        raised=tuple(each.id for each in raised.event.findings) if raised.event else (),
        missing=event.missing,
        task_status=context.get(work.tx, task).status,
        notes=(note, "it is an early review, which approves nothing (V1)"),
        message=f"{confirmation(event)} (look {about.look.n})",
        next=fe("review", "show", cycle),
    )
