"""Reviews: store a reviewer's document (V3), and create the request for it (V2)."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from foureyes.app.blockers import hold_for, lift_withdrawn, standing_blockers
from foureyes.app.case import Case, case_of
from foureyes.app.context import Context, Work, not_submitted, permit, refuse_other_task, refuse_verb
from foureyes.app.cycles.cycle_record import place_of, whole
from foureyes.app.cycles.decisions import WAITS, CycleEffect, decide_if_due
from foureyes.app.cycles.reviewers import open_unasked
from foureyes.app.facts import facts_of, programs_of, without_voice
from foureyes.app.findings.raising import Anchored, Raising, anchor, code_of, finding_named, open_blocking, raising
from foureyes.app.findings.rulings import (
    AfterRulings,
    decide_after,
    may_rule,
    record_rulings,
    refuse_rulings,
    tip_in,
    words_of,
)
from foureyes.app.outcome import merge_by
from foureyes.app.results.review import ReviewOutcome
from foureyes.app.results.session import SessionView
from foureyes.app.review.early_reviews import confirmation, early_reviews_of, standing_words, submit_early_review
from foureyes.app.review.review_documents import (
    ReviewContent,
    attempt_request,
    came_back,
    content_of,
    is_not_you,
    went_back,
)
from foureyes.app.work.remote_attempts import bring
from foureyes.core import events as e
from foureyes.core.documents.findings import effective
from foureyes.core.documents.shapes import ReviewPayload, ReviewRequest
from foureyes.core.events.project import SecurityRecorded
from foureyes.core.loop.reviews import FilesRead, unconfirmed, uncovered
from foureyes.core.nouns.cycle import Cycle, CycleId
from foureyes.core.nouns.finding import AFTER_RULING, Raised, Ruling, status_of
from foureyes.core.nouns.session import Actor
from foureyes.core.nouns.task import Task
from foureyes.core.rules.gate import is_reviewing, same_as_latest, stops, was_not_seen
from foureyes.core.words.decision import Decision
from foureyes.core.words.ids import TaskId
from foureyes.core.words.untrusted_text import some
from foureyes.errors import Reason
from foureyes.steps import Steps, fe, prose


class StoredReview(msgspec.Struct, frozen=True, kw_only=True):
    """A stored review: its event, its findings and rulings, why it may not count, the cycle it answers, and whether the
    task was stopped.
    """

    event: e.ReviewSubmitted
    findings: tuple[Raised, ...]
    rulings: list[Ruling]
    against: tuple[Reason, ...]
    after: AfterRulings
    done: CycleEffect = WAITS
    cycle: Cycle | None = None
    is_stopped: bool = False

    @property
    def counts(self) -> bool:
        return not self.against and not self.event.missing and self.event.effective == "approved"


class Reviews:
    """Submit a review, list reviews, ask for one."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def submit(self, actor: Actor, task: str, document: bytes, *, seen: str = "") -> ReviewOutcome:
        """Submit the caller's review_result about exactly the diff it saw, all of it or nothing. (V3)"""
        return submit_review(self._context, actor, task, document, seen=seen)

    def _submit(self, actor: Actor, task: str, document: bytes, *, seen: str, read: FilesRead | None) -> ReviewOutcome:
        permit(actor, "review submit")
        with self._context.store.read() as tx:
            named = self._context.find_id(tx, task)
            early = early_reviews_of(tx, named)
        if early:
            return submit_early_review(self._context, actor, named, early, document, seen=seen, read=read)
        before = self._before(actor, task)
        given = content_of(self._context, actor, before.facts, document)
        code = code_of(self._context, before.attempt, given.findings)
        anchored = [anchor(each, code) for each in given.findings]
        words = ", ".join(part for part in (given.document.payload.verdict, words_of(given.rulings)) if part)
        returned: Raising | None = None
        tip = tip_in(self._context, before)
        done: ReviewOutcome | None = None
        with self._context.deciding(
            actor, "review submit", task=before.task.id, diff_id=before.diff_id, reason=words, policy=before.policy
        ) as work:
            case = case_of(self._context, work.tx, work.actor, before.task.id, tip=tip)
            self._refuse(case, given, seen, before)
            raised = _raised(work, case, anchored)
            _refuse_all(case.task.id, raised.refused)
            assert case.attempt is not None
            if raised.lost and not came_back(work.tx, case, attempt=case.attempt.n):
                work.decide_nothing()
                work.record(case.task.id, e.ReviewReturned(attempt=case.attempt.n, why="quote"))
                returned = raised
            else:
                if given.rulings:
                    self._rule(work, case, given, raised)
                    raised = _raised(work, case, anchored)
                done = self._record(work, case, given, raised, read)
        if returned is not None or done is None:
            raise went_back(before.task.id, returned.lost if returned else ())
        return msgspec.structs.replace(done, notes=(*done.notes, *work.notes))

    def _before(self, actor: Actor, task: str) -> Case:
        with self._context.store.read() as tx:
            task_id = self._context.find_id(tx, task)
            refuse_other_task(actor, task_id)
            case = case_of(self._context, tx, actor, task_id)
        if case.attempt is None:
            raise not_submitted(task_id)
        bring(self._context, task_id)
        return case

    def _refuse(self, case: Case, given: ReviewContent, seen: str, before: Case) -> None:
        """Refuse a review by another reviewer, or about another attempt than the current one. (V3, D7)"""
        now, me = case.facts, case.me
        reasons, payload = is_not_you(given, me), given.document.payload
        waits = is_reviewing(now) if now.task.status != "approved" else None
        reasons += [waits] if waits else []
        assert now.attempt is not None
        if payload.attempt is not None and payload.attempt not in same_as_latest(now):
            reasons.append(
                Reason(
                    "D7",
                    f"payload.attempt: attempt {now.attempt.n} is in review, not {payload.attempt}",
                    fe("show", now.task.id, "--diff"),
                )
            )
        unseen = was_not_seen(now, me, _seen_by(payload) or seen)
        reasons += [unseen] if unseen else []
        if before.attempt is not None and before.attempt.n != now.attempt.n:
            reasons.append(
                Reason(
                    "D7",
                    "a new attempt was submitted in the meantime",
                    fe("show", now.task.id, "--diff"),
                )
            )
        _refuse_all(now.task.id, tuple(reasons))

    @staticmethod
    def _rule(work: Work, case: Case, given: ReviewContent, raised: Raising) -> None:
        """Record the rulings, before the findings. A finding reported again must see its ruled state, and one that a
        ruling settles must not be reported again.
        """
        decision = refuse_rulings(work, case, given.rulings, words=given.document.payload.summary)
        settles = {
            finding_named(work.tx, ruling.finding).root: ruling
            for ruling in given.rulings
            if AFTER_RULING[ruling.ruling] != "open"
        }
        both = [
            settles[again.root] for again in (raised.event.findings if raised.event else ()) if again.root in settles
        ]
        step = prose("keep one of them")
        _refuse_all(
            case.task.id,
            tuple(
                Reason("L8", f"{ruling.finding} is ruled {ruling.ruling} and raised again in the same review", step)
                for ruling in both
            ),
        )
        record_rulings(work, case, given.rulings, decision)

    def _record(
        self, work: Work, case: Case, given: ReviewContent, raised: Raising, read: FilesRead | None
    ) -> ReviewOutcome:
        facts, attempt, payload = case.facts, case.attempt, given.document.payload
        assert attempt is not None
        place = place_of(self._context, work.tx, facts, case.me, work.actor, attempt=attempt.n)
        verdict = effective(payload.verdict, given.severities, may_stop=place.may_stop)
        still_open = [finding.severity for finding in open_blocking(work.tx, facts.task.id, work.at)]
        missing = uncovered(attempt.files, given.files, read, case.policy.coverage_exclude)
        eligible = may_rule(case, payload.summary)
        without = self._without_voice(work)
        counts = eligible.allowed and not missing and verdict == "approved" and not without
        findings = raised.event.findings if raised.event else ()
        cycle = place.cycle
        if place.alone and verdict != "approved":
            cycle = open_unasked(self._context, work, facts)
        event = e.ReviewSubmitted(
            attempt=attempt.n,
            diff_id=attempt.diff_id,
            verdict=payload.verdict,
            effective=verdict,
            status=status_of([*given.severities, *still_open], notes=len(given.notes)),
            summary=payload.summary,
            files=tuple(given.files),
            missing=missing,
            unconfirmed=unconfirmed(attempt.files, given.files, read, case.policy.coverage_exclude),
            notes=tuple(given.notes),
            raised=len(findings),
            blocking=sum(finding.blocking for finding in findings),
            actionable=counts or any(finding.path and finding.fix.strip() for finding in given.findings),
            cycle=cycle,
            reviewer=place.reviewer,
        )
        before = standing_blockers(work.tx, facts.task.id) if facts.task.hold is not None else []
        work.record(facts.task.id, event, *([raised.event] if raised.event else []))
        if verdict == "blocker":
            hold_for(self._context, work, facts.task.id, payload.summary)
        elif before:
            lift_withdrawn(work, facts.task.id, case.me, before)
        if counts and eligible.exception:
            self._note_exception(work, case, eligible, payload.summary)
        done = decide_if_due(self._context, work, CycleId(cycle)) if cycle else WAITS
        taken = StoredReview(
            event=event,
            findings=tuple(findings),
            rulings=given.rulings,
            against=_against(eligible, without),
            after=_after(decide_after(self._context, work, case), facts.task.id, done),
            done=done,
            cycle=whole(work.tx, CycleId(cycle)).cycle if cycle else None,
            is_stopped=bool(stops(facts_of(self._context, work.tx, facts.task.id), case.me)),
        )
        return self._outcome(work, facts.task.id, taken)

    def _without_voice(self, work: Work) -> list[str]:
        """Return why agreement of the caller's programs does not count. (V3)"""
        agents = programs_of(work.tx, {work.actor.session}).get(work.actor.session) or {work.actor.agent}
        return without_voice(self._context.gate_policy(work.tx), agents if work.actor.kind == "agent" else ())

    def _note_exception(self, work: Work, case: Case, by: Decision, summary: str) -> None:
        """Audit a review that counts by an exception. (P8)"""
        assert case.attempt is not None
        assert by.exception
        detail = f"review, attempt {case.attempt.n}"
        work.record(case.task.id, SecurityRecorded(kind=by.exception, rule=by.rule, reason=summary, detail=detail))

    def _outcome(self, work: Work, task: TaskId, taken: StoredReview) -> ReviewOutcome:
        now, event, after = self._context.get(work.tx, task), taken.event, taken.after
        return ReviewOutcome(
            task=task,
            attempt=event.attempt,
            diff_id=event.diff_id,
            verdict=event.verdict,
            effective=event.effective,
            status=event.status,
            counts=taken.counts,
            raised=tuple(finding.id for finding in taken.findings),
            ruled=tuple(f"{ruling.finding} {ruling.ruling}" for ruling in taken.rulings),
            missing=event.missing,
            sent_back=after.sent_back,
            task_status=now.status,
            notes=tuple(_notes(taken)),
            message=confirmation(event, f". {after.sentence}"),
            next=_next(now, taken, work.actor),
        )

    def request(self, actor: Actor, task: str, *, reviewer: str = "") -> ReviewRequest:
        """Return the request for a review of the latest attempt. (V2)"""
        with self._context.store.read() as tx:
            task_id = self._context.find_id(tx, task)
            me = tx.one("session.get", SessionView, id=actor.session)
            name = reviewer or (me.name if me else actor.name or str(actor.session))
            return attempt_request(self._context, tx, actor, task_id, name)


def _against(eligible: Decision, without: Iterable[str]) -> tuple[Reason, ...]:
    """Return the reasons why a review does not count because of its reviewer."""
    voiceless = [Reason("V3", why, fe("agent", "list")) for why in without]
    return (*([] if eligible.allowed else eligible.reasons), *voiceless)


def submit_review(
    context: Context, actor: Actor, task: str, document: bytes, *, seen: str = "", read: FilesRead | None = None
) -> ReviewOutcome:
    """Submit a review with the files that its program's stream reports as read. None: it reports none. (V6)"""
    return Reviews(context)._submit(actor, task, document, seen=seen, read=read)


def _seen_by(payload: ReviewPayload) -> str:
    """Return the change that a document is about. Its two fields form one name, unless the diff id names the attempt
    too. (D7)
    """
    both = payload.attempt is not None and payload.diff_id and "." not in payload.diff_id
    return f"{payload.attempt}.{payload.diff_id.removeprefix('sha256:')}" if both else payload.diff_id


def _raised(work: Work, case: Case, anchored: list[Anchored]) -> Raising:
    """Return the findings of a review, compared with the known ones."""
    return raising(work.tx, case.facts, anchored, kind="TL", source="review", me=case.me, where="payload.issues")


def _after(after: AfterRulings, task: TaskId, done: CycleEffect) -> AfterRulings:
    """Return the state of a task after a review that may have ended its cycle."""
    sent_back, by_rule = task in done.sent_back, task in done.by_rule
    return msgspec.structs.replace(after, sent_back=after.sent_back or sent_back, by_rule=after.by_rule or by_rule)


def _next(task: Task, taken: StoredReview, actor: Actor) -> Steps:
    if taken.after.by_rule:
        return merge_by(actor)
    if taken.after.left:
        return fe("finding", "list", task.id, "--open")
    is_due = taken.counts and task.status == "reviewing" and not taken.is_stopped
    return fe("approve", task.id) if is_due else fe("show", task.id)


def _notes(taken: StoredReview) -> list[str]:
    """Return notes for the reviewer: why the review does not count, and what was missing."""
    event = taken.event
    notes = _cycle_notes(taken)
    if event.effective == "approved" or not event.cycle:
        notes += [f"it does not count, because {reason.message} ({reason.rule})" for reason in taken.against]
    if event.missing and event.effective == "approved":
        many = f"{len(event.missing)} changed {'file is' if len(event.missing) == 1 else 'files are'}"
        notes.append(
            f"the approval is incomplete, because {many} not in files_reviewed: {some(event.missing, 10)} (V6)"
        )
    if event.verdict == "blocker" != event.effective:
        notes.append(
            "this review was not requested, so your blocker counts as concerns. Only a person can now approve this attempt. (R1)"
        )
    elif event.verdict != event.effective:
        notes.append(f"your verdict approved counts as {event.effective}, because a blocking finding is open (V5)")
    return notes + [
        f"{finding.id} may be the same as {' or '.join(finding.alike)}. If so, give the earlier id (L2)"
        for finding in taken.findings
        if finding.alike
    ]


def _cycle_notes(taken: StoredReview) -> list[str]:
    """Return a note about the cycle that the review answers. (V8)"""
    ruled = taken.done.ruled
    if ruled is not None:
        return [f"{taken.event.cycle} is decided: {'. '.join(ruled.reasons)} ({ruled.rule})"]
    return [standing_words(taken.cycle)] if taken.cycle else []


def _refuse_all(task: TaskId | str, reasons: tuple[Reason, ...]) -> None:
    if reasons:
        refuse_verb("the review was refused, and none of it was saved.", *reasons, task=task)
