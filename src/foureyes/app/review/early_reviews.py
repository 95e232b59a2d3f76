"""Early reviews: a worktree frozen for reviewers during the work. They approve nothing, but their findings bind the
task. (V1)
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from foureyes.app.blockers import hold_for, lift_withdrawn, standing_blockers
from foureyes.app.case import Case, case_of
from foureyes.app.context import Context, Work, refuse_other_task, refuse_task, refuse_verb
from foureyes.app.cycles.cycle_record import place_of, whole, wholes
from foureyes.app.cycles.decisions import CycleEffect, decide_if_due
from foureyes.app.findings.raising import Raising, anchor, code_of, raising
from foureyes.app.ports import Tx
from foureyes.app.results.review import ReviewOutcome
from foureyes.app.review.review_documents import ReviewContent, came_back, content_of, is_not_you, went_back
from foureyes.app.target import counted_against
from foureyes.core import events as e
from foureyes.core.documents.findings import effective
from foureyes.core.loop.reviews import FilesRead, unconfirmed, uncovered
from foureyes.core.nouns.attempt import Attempt, Change, ChangedFile
from foureyes.core.nouns.cycle import Cycle, CycleId, CycleTarget, EarlyReview, early_review_ref
from foureyes.core.nouns.finding import status_of
from foureyes.core.nouns.session import Actor, Party
from foureyes.core.rules.involvement import is_shown_maker, made_by
from foureyes.core.runner.plan import is_about
from foureyes.core.words.ids import Sha, TaskId
from foureyes.core.words.text import one_line
from foureyes.errors import GitProblem, Reason
from foureyes.steps import fe, prose

# ---- A review of a look (V1) ----

MOST_CYCLES = 20
"""Number of a task's latest cycles to search for early reviews."""


class RequestedEarlyReview(msgspec.Struct, frozen=True, kw_only=True):
    """A frozen worktree that reviewers are asked about, and the cycle."""

    early_review: EarlyReview
    cycle: CycleId


def early_reviews_of(tx: Tx, task: TaskId, early_review: int = 0) -> list[RequestedEarlyReview]:
    """Return early reviews of a task that reviewers may still answer.

    Their cycle is open, or one reviewer stopped it (R1, R2). With `early_review`, return only that one.
    """
    reviews_here = []
    cycles = tx.all("cycle.latest", Cycle, task=task, limit=MOST_CYCLES)
    for known in wholes(tx, cycles[::-1]):
        about = next((each for each in known.live if each.task == task and each.early_review), None)
        is_due = known.cycle.state == "open" or (known.cycle.state != "ended" and known.cycle.rule in ("R1", "R2"))
        if about is not None and is_due and early_review in (0, about.early_review):
            row = tx.one("cycle.early_review", EarlyReview, task=task, n=about.early_review)
            reviews_here += [RequestedEarlyReview(early_review=row, cycle=known.cycle.id)] if row is not None else []
    return reviews_here


def submit_early_review(
    context: Context,
    actor: Actor,
    task: TaskId,
    asked: Sequence[RequestedEarlyReview],
    document: bytes,
    *,
    seen: str = "",
    read: FilesRead | None = None,
) -> ReviewOutcome:
    """Submit a review_result about the early review that it names, all of it or nothing. (V3, D7)"""
    refuse_other_task(actor, task)
    with context.store.read() as tx:
        known = case_of(context, tx, actor, task)
    given = content_of(context, actor, _as_if_submitted(known, asked[0].early_review).facts, document)
    named = given.document.payload.diff_id or seen
    about = next((each for each in asked if is_about(named, each.early_review.diff_id)), asked[0])
    before = _as_if_submitted(known, about.early_review)
    code = code_of(context, before.attempt, given.findings)
    anchored = [anchor(each, code) for each in given.findings]
    how = f"look {about.early_review.n} {about.early_review.diff_id}"  # the diff id of a signature is that of an attempt (I9)
    with context.deciding(actor, "review submit", task=task, how=how, reason=given.document.payload.verdict) as work:
        case = _as_if_submitted(case_of(context, work.tx, work.actor, task), about.early_review)
        now = early_reviews_of(work.tx, task, about.early_review.n)
        _refuse(case, given, *_about_another(named, case.me, about, asked), moved=about not in now)
        raised = raising(work.tx, case.facts, anchored, kind="TL", source="review", me=case.me, where="payload.issues")
        if raised.refused:
            refuse_verb("the review was refused, and none of it was saved.", *raised.refused, task=task)
        if not raised.lost or came_back(work.tx, case, attempt=0, since=about.early_review.seq):
            return _record(context, work, case, about, given, raised, read)
        work.decide_nothing()
        work.record(task, e.ReviewReturned(attempt=0, why="quote"))
    raise went_back(task, raised.lost)


def _about_another(
    named: str, me: Party, about: RequestedEarlyReview, asked: Sequence[RequestedEarlyReview]
) -> list[Reason]:
    """Return a reason unless the review names the early review it is about. Only a person may leave it out, and only if
    there is one. (D7)
    """
    if is_about(named, about.early_review.diff_id) or (not named and me.kind == "human" and len(asked) == 1):
        return []
    others = ", ".join(f"early review {each.early_review.n} ({each.cycle})" for each in asked)
    why = f"payload.diff_id: it must name the reviewed change. Reviewers are asked about {others}"
    return [Reason("D7", why, fe("review", "show", asked[-1].cycle))]


def _as_if_submitted(case: Case, early_review: EarlyReview) -> Case:
    """Return the case with the early review in place of an attempt. Its findings belong to the current round."""
    n = max(1, case.task.iteration)
    seen = Attempt(
        n=n,
        base=early_review.base,
        head=early_review.commit,
        tree=early_review.commit,
        ref=early_review_ref(early_review.task, early_review.n),
        diff_id=early_review.diff_id,
        files=[ChangedFile(path, None, None) for path in early_review.files],
        submitted_by=case.task.implementer or case.task.creator or case.me.session,
        submitted_at=early_review.at,
    )
    return msgspec.structs.replace(case, facts=msgspec.structs.replace(case.facts, attempt=seen))


def confirmation(event: e.ReviewSubmitted, more: str = "") -> str:
    """Return the message to a reviewer: the verdict given, and the number of findings."""
    found = f"{event.raised} finding{'' if event.raised == 1 else 's'}"
    stopped = ". The task is held until a person decides (R1)" if event.effective == "blocker" else more
    return f"{event.verdict}, {found}{stopped}"


def standing_words(cycle: Cycle) -> str:
    """Where a cycle stands after a review that did not decide it."""
    waits = {"open": "waits for other reviewers", "clarifying": "waits for the answers to its questions"}
    return f"{cycle.id} {waits.get(cycle.state, f'was already decided ({cycle.rule})')}"


def _refuse(case: Case, given: ReviewContent, *before: Reason, moved: bool) -> None:
    reasons = [*before, *is_not_you(given, case.me)]
    made = made_by(case.facts, case.me)
    agrees = given.document.payload.verdict == "approved"
    if made is not None and (agrees or is_shown_maker(case.facts, case.me)):
        reasons.append(
            Reason(
                "V4", f"you are an author of it ({made.why}), so someone else must review it", fe("show", case.task.id)
            )
        )
    if given.rulings:
        why = "payload.rulings: an early review has no rulings, because the work is not submitted yet"
        reasons.append(Reason("L8", why, prose("leave them out")))
    if moved:
        reasons.append(Reason("V1", "this early review is over", fe("show", case.task.id)))
    if reasons:
        refuse_verb("the review was refused, and none of it was saved.", *reasons, task=case.task.id)


def _record(
    context: Context,
    work: Work,
    case: Case,
    about: RequestedEarlyReview,
    given: ReviewContent,
    raised: Raising,
    read: FilesRead | None,
) -> ReviewOutcome:
    payload, attempt = given.document.payload, case.attempt
    assert attempt is not None
    place = place_of(context, work.tx, case.facts, case.me, work.actor, early_review=about.early_review.n)
    cycle, verdict = place.cycle, effective(payload.verdict, given.severities, may_stop=place.may_stop)
    event = e.ReviewSubmitted(
        attempt=case.task.iteration,
        diff_id=about.early_review.diff_id,
        verdict=payload.verdict,
        effective=verdict,
        status=status_of(given.severities, notes=len(given.notes)) if verdict == "approved" else "CHANGES_REQUESTED",
        summary=payload.summary,
        files=tuple(given.files),
        missing=uncovered(attempt.files, given.files, read, case.policy.coverage_exclude),
        unconfirmed=unconfirmed(attempt.files, given.files, read, case.policy.coverage_exclude),
        notes=tuple(given.notes),
        raised=len(raised.event.findings) if raised.event else 0,
        blocking=sum(each.blocking for each in raised.event.findings) if raised.event else 0,
        actionable=any(each.path and each.fix.strip() for each in given.findings),
        cycle=cycle,
        reviewer=place.reviewer,
        early_review=about.early_review.n,
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
    about: RequestedEarlyReview,
) -> ReviewOutcome:
    task, cycle = case.task.id, event.cycle or about.cycle
    note = (
        f"{cycle} is decided ({done.ruled.rule})"
        if done.ruled
        else standing_words(whole(work.tx, CycleId(cycle)).cycle)
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
        message=f"{confirmation(event)} (early review {about.early_review.n})",
        next=fe("review", "show", cycle),
    )


# ---- Looks (V1) ----

SUMMARY = 400


class ReviewSubject(msgspec.Struct, frozen=True, kw_only=True):
    """The thing to review: the latest attempt, or the current work (`change`)."""

    task: TaskId
    summary: str = ""
    commit: Sha = Sha("")
    change: Change | None = None


def take_early_review(context: Context, actor: Actor, task: str) -> ReviewSubject:
    """Freeze the work for a review. The attempt of a task in review is frozen already. Of one in progress, freeze the
    worktree.
    """
    with context.store.read() as tx:
        row = context.find(tx, task)
        refuse_other_task(actor, row.id)
    if row.status == "reviewing":
        return ReviewSubject(task=row.id)
    if row.status != "in_progress":
        why = f"{row.id} is {row.status}, and only tasks in progress or in review can be reviewed"
        refuse_task(row.id, "was not reviewed", Reason("V1", why, fe("show", row.id)))
    summary = one_line(row.title, SUMMARY)
    try:
        commit = context.workshop.snapshot(row.id, f"review {row.id}: {summary}")
    except GitProblem as problem:
        again = fe("submit", row.id)
        refuse_task(row.id, "was not reviewed", Reason("V1", f"it has no worktree: {problem.message}", again))
    target = counted_against(context, row.start_target, asks=False).at
    change = context.repo.change(target=target, ref=commit, since=None)
    if change.is_empty:
        why = f"nothing has changed in {row.id} yet"
        refuse_task(row.id, "was not reviewed", Reason("V1", why, fe("show", row.id)))
    return ReviewSubject(task=row.id, summary=summary, commit=commit, change=change)


def record_early_review(context: Context, work: Work, taken: ReviewSubject) -> CycleTarget:
    """Record an early review, or return the known one of the same work.

    Its number and its ref are created in the writing transaction, so that two callers at once get different ones.
    """
    change = taken.change
    assert change is not None
    known = work.tx.all("cycle.early_reviews", EarlyReview, task=taken.task)
    same = next((each for each in known if each.diff_id == change.diff_id and each.base == change.base), None)
    n = same.n if same else len(known) + 1
    if same is None:
        context.workshop.keep(early_review_ref(taken.task, n), taken.commit)
        files = tuple(file.path for file in change.files)
        event = e.EarlyReviewTaken(n=n, commit=taken.commit, base=change.base, diff_id=change.diff_id, files=files)
        work.record(taken.task, event)
    return CycleTarget(task=taken.task, early_review=n, diff_id=change.diff_id, summary=taken.summary)
