"""Decisions: approve, record, finish and withdraw. Also the record of hunks viewed before. (H4, H5)"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal

import msgspec
from msgspec.structs import replace

from foureyes.app.case import Case, case_of, of_case
from foureyes.app.context import Context, Work, permit, refuse_from, refuse_task
from foureyes.app.facts import facts_of
from foureyes.app.findings.auto_decisions import after
from foureyes.app.findings.raising import waivers_in_words
from foureyes.app.gate.attempts import hunks_to_see
from foureyes.app.gate.merge_queue import items_of, refuse_landed, refuse_while_merging, there_if_approved
from foureyes.app.outcome import outcome
from foureyes.app.ports import Tx
from foureyes.app.project.accepted_config import with_unaccepted
from foureyes.app.results.review import NOT_VIEWED, ApprovalOutcome, ApprovalView, ViewReport
from foureyes.app.results.task_list import Outcome
from foureyes.app.work.branches import tip_of, tip_since
from foureyes.app.work.remote_attempts import bring, remote_problem_in_words
from foureyes.core.events.decision import ApprovalFinished, ApprovalRecorded, ApprovalWithdrawn, Approved
from foureyes.core.events.project import SecurityRecorded
from foureyes.core.nouns.attempt import Attempt
from foureyes.core.nouns.decision import LONGEST, NOTHING_KNOWN, Viewing, counted, grade_of
from foureyes.core.nouns.session import Actor, is_one_origin, is_oneself
from foureyes.core.rules import gate
from foureyes.core.rules.check_states import ACCEPTED
from foureyes.core.rules.four_eyes import (
    GLASS,
    NOTHING,
    Declaration,
    break_conditions,
    may_approve,
    may_break_glass,
    may_record,
    recorded_approval,
)
from foureyes.core.rules.gate import has_moved, name_of_seen
from foureyes.core.rules.involvement import labels_in_force
from foureyes.core.rules.policy import BATCH_MAX, required_grade
from foureyes.core.rules.stacks import passed_over
from foureyes.core.words.decision import Decision
from foureyes.core.words.ids import TaskId
from foureyes.core.words.text import clean_name, clean_text
from foureyes.core.words.vocabulary import CLAIMED
from foureyes.errors import BadInput, Conflict, FoureyesError, GitProblem, Reason, Refused
from foureyes.steps import fe, phrase

# ---- Decisions ----

NONE_VIEWED: Mapping[str, ViewReport] = MappingProxyType({})
NOTHING_SEEN: Mapping[str, str] = MappingProxyType({})
STANDS = {"reviewing": "in review again", "approved": "still approved by someone else"}


class Consent(msgspec.Struct, frozen=True, kw_only=True):
    """A caller's approval: the diff, the reason, the batch it is part of (H2), and how the change was viewed (H4,
    H5).
    """

    seen: str = ""
    declaration: Declaration = NOTHING
    batch: str = ""
    viewed: Viewing = NOTHING_KNOWN


class Agreement(msgspec.Struct, frozen=True):
    """An approval with nothing against it: the case, what the caller gave, and the rule that allows it."""

    case: Case
    given: Consent
    decision: Decision

    @property
    def task(self) -> TaskId:
        return self.case.task.id

    @property
    def attempt(self) -> Attempt:
        assert self.case.attempt is not None
        return self.case.attempt

    @property
    def shown(self) -> str:
        """The name of the reviewed diff, for people."""
        return name_of_seen(self.case.facts, self.given.seen)

    @property
    def passed(self) -> tuple[TaskId, ...]:
        """Tasks inside the attempt that a break-glass approval overrides. (N3, A7)"""
        return passed_over(self.case.facts) if self.decision.exception == GLASS else ()


class Decisions:
    """Decisions about tasks in review."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def approve(
        self,
        actor: Actor,
        task: str,
        *,
        seen: str = "",
        declaration: Declaration = NOTHING,
        reason: str = "",
        if_version: int | None = None,
        batch: str = "",
        viewed: ViewReport = NOT_VIEWED,
    ) -> ApprovalOutcome:
        """Approve exactly the diff that the caller has reviewed. (D, P)

        `reason` is a short form for a `declaration` that has only a reason. `batch` is the batch this decision is part
        of. `viewed` is how the change was viewed. (H2, H4, H5)
        """
        permit(actor, "approve")
        before = self._before(actor, task)
        viewing = viewing_of(self._context, before, viewed)
        given = Consent(seen=seen, declaration=_clean(declaration, reason), batch=batch, viewed=viewing)
        try:
            return self._decide(actor, task, before, given, if_version)
        except Refused as refusal:
            refusal.reasons = with_unaccepted(self._context, refusal.reasons)
            raise

    def _decide(self, actor: Actor, task: str, before: Case, given: Consent, if_version: int | None) -> ApprovalOutcome:
        with self._context.deciding(
            actor,
            "approve",
            task=task,
            diff_id=before.diff_id,
            reason=given.declaration.words,
            how=given.declaration.how,
            as_a_person=_as_a_person(before, given.declaration),
            policy=before.policy,
            worth=lambda: _is_worth_signing(before, given),
        ) as work:
            work.tx.along(*of_case(work.actor, before.task.id))
            row = self._context.find(work.tx, task)
            self._context.check_version(work.tx, row, if_version)
            tip = tip_since(self._context, before, work.tx) if work.key else before.tip
            case = case_of(self._context, work.tx, work.actor, row.id, tip=tip)
            given = msgspec.structs.replace(given, viewed=still(given.viewed, before, case))
            done = self._repeat(work.tx, case) or self._approve(work, case, given)
        if not done.changed or done.status == "reviewing":
            return done
        return msgspec.structs.replace(done, position=self._place(done.approved), notes=(*done.notes, *work.notes))

    def approve_many(
        self,
        actor: Actor,
        tasks: Sequence[tuple[str, int | None]],
        *,
        reason: str = "",
        viewed: ViewReport = NOT_VIEWED,
        each_viewed: Mapping[str, ViewReport] = NONE_VIEWED,
        seen: Mapping[str, str] = NOTHING_SEEN,
    ) -> Iterator[ApprovalOutcome | FoureyesError]:
        """Approve several tasks at the reviewed versions, each as its own decision and record. (H2)

        A refusal is returned in the task's place and does not affect the others. `each_viewed` replaces `viewed` for single
        tasks. `seen` has the diffs that were shown, by task (D7).
        """
        chosen = tuple(dict.fromkeys(tasks))
        if len(chosen) > BATCH_MAX:
            raise BadInput(
                f"{len(chosen)} tasks are too many for one batch, which has {BATCH_MAX} at most.", next_step=fe("queue")
            )
        return self._one_by_one(
            actor, [(*each, each_viewed.get(each[0], viewed), seen.get(each[0], "")) for each in chosen], reason
        )

    def _one_by_one(
        self, actor: Actor, tasks: Sequence[tuple[str, int | None, ViewReport, str]], reason: str
    ) -> Iterator[ApprovalOutcome | FoureyesError]:
        with self._context.signing_once():
            for number, (task, version, viewed, seen) in enumerate(tasks, 1):
                batch = f"{number} of {len(tasks)}"
                try:
                    yield self.approve(
                        actor, task, seen=seen, reason=reason, if_version=version, batch=batch, viewed=viewed
                    )
                except FoureyesError as problem:
                    yield problem

    def _place(self, task: str) -> int:
        """Return the task's place in the merge queue, 0 if unknown. The approval is valid anyway."""
        try:
            with self._context.store.read() as tx:
                waiting = [item.task for item in items_of(tx)]
        except FoureyesError:
            return 0
        return waiting.index(task) + 1 if task in waiting else 0

    def _approve(self, work: Work, case: Case, given: Consent) -> ApprovalOutcome:
        agreement = _agreed(case, given)
        work.by_person = _as_a_person(case, given.declaration)
        if given.declaration.record_only:
            return self._recorded(work, agreement)
        if agreement.decision.rule == "P11":
            return self._finished(work, agreement)
        return self._approved(work, agreement)

    def _before(self, actor: Actor, task: str) -> Case:
        """Return the case before the transaction, with the git state of the attempt. Git is slow."""
        with self._context.store.read() as tx:
            case = case_of(self._context, tx, actor, self._context.find_id(tx, task))
        bring(self._context, case.task.id)
        return msgspec.structs.replace(case, tip=self._tip(case))

    def _tip(self, case: Case) -> gate.Tip | None:
        return case.tip if case.attempt is None else tip_of(self._context, case.task.id, case.attempt, case.target)

    def _repeat(self, tx: Tx, case: Case) -> ApprovalOutcome | None:
        """Return the result for an approval that was given already, or None. Approving again changes nothing. (D1)"""
        task = case.task
        if task.status not in ("approved", "closed") or task.resolution not in ("", "approved", "merged"):
            return None
        for row in tx.all("attempt.active_approvals", ApprovalView, task=task.id):
            if task.status == "closed" or is_one_origin(case.me, case.facts.party(row.session)):  # type: ignore[arg-type]
                return ApprovalOutcome(
                    approved=task.id,
                    attempt=row.attempt,
                    diff_id=row.diff_id,
                    rule=row.rule,
                    status=task.status,
                    message="already approved, so there is nothing to do",
                    changed=False,
                    resolution=task.resolution,
                )
        return None

    def _approved(self, work: Work, agreement: Agreement) -> ApprovalOutcome:
        case, given, decision, attempt = agreement.case, agreement.given, agreement.decision, agreement.attempt
        is_human = case.me.kind == "human"
        gone = gate.tests_that_go(case.facts, case.policy) if is_human else ()
        accepted = gate.accepted_checks(case.facts, case.policy) if is_human and given.declaration.words else ()
        event = Approved(
            attempt=attempt.n,
            diff_id=attempt.diff_id,
            rule=decision.rule,
            status=after(attempt),
            exception=decision.exception,
            reason=given.declaration.words,
            seen=agreement.shown or "not shown",
            grade=_grade(work),
            batch=given.batch,
            gone=(*gone, *[f"{ACCEPTED}{name}" for name in accepted]),
            viewed=given.viewed,
            passed=agreement.passed,
            remote_problem=case.tip.remote_problem if case.tip is not None else "",
        )
        work.record(agreement.task, event)
        _audit_checks(work, agreement, "tests_gone", gone)
        _audit_checks(work, agreement, "check_accepted", accepted)
        security = _audit(work, agreement)
        as_creator = decision.rule == "P3" and case.me.kind == "human"
        note = "a person may approve a task they created but did not work on" if as_creator else decision.message
        done = _outcome(agreement, event.status, note, security=security)
        notes = (
            *_checks_in_words(case, accepted),
            *remote_problem_in_words(event.remote_problem, attempt),
            *waivers_in_words(work.tx, [agreement.task]),
        )
        return msgspec.structs.replace(done, notes=notes)

    def _recorded(self, work: Work, agreement: Agreement) -> ApprovalOutcome:
        """Record the approval, to be finished later by someone else. (P11)"""
        decision, attempt, recorded = agreement.decision, agreement.attempt, agreement.case.facts.recorded
        if any(row.session == work.actor.session and row.diff_id == attempt.diff_id for row in recorded):
            return _outcome(agreement, "reviewing", "already recorded, so there is nothing to do", changed=False)
        event = ApprovalRecorded(
            attempt=attempt.n,
            diff_id=attempt.diff_id,
            rule=decision.rule,
            exception=decision.exception,
            reason=agreement.given.declaration.words,
            seen=agreement.shown or "not shown",
            grade=_grade(work),
            viewed=agreement.given.viewed,
        )
        work.record(agreement.task, event)
        security = _audit(work, agreement)
        return _outcome(
            agreement, "reviewing", f"recorded but not yet complete ({decision.message})", security=security
        )

    def _finished(self, work: Work, agreement: Agreement) -> ApprovalOutcome:
        """Let a recorded approval of this diff take effect. (P11)"""
        recorded = recorded_approval(agreement.case.facts, agreement.case.policy)
        assert recorded is not None
        status, reason = after(agreement.attempt), agreement.given.declaration.words
        work.record(agreement.task, ApprovalFinished(approval=recorded.seq, status=status, reason=reason))
        return _outcome(agreement, status, f"finished: {agreement.decision.message}")

    def withdraw(self, actor: Actor, task: str, *, reason: str = "") -> Outcome:
        """Withdraw an approval that is not merged yet. It stays in the journal."""
        reason = clean_text(reason, "the reason")
        there = there_if_approved(self._context, task)
        with self._context.deciding(actor, "withdraw", task=task, reason=reason) as work:
            current = self._context.find(work.tx, task)
            me = self._context.party(work.tx, work.actor)
            facts = facts_of(self._context, work.tx, current.id, me)
            if current.status != "reviewing" or not facts.recorded:
                refuse_from(current, "withdraw")
            refuse_while_merging(self._context, work.tx, current)
            refuse_landed(self._context, work.tx, current, there)
            rows = work.tx.all("attempt.active_approvals", ApprovalView, task=current.id)
            mine = [row for row in rows if is_oneself(me, facts.party(row.session))]  # type: ignore[arg-type]
            if not mine:
                step = fe("redo", current.id, "-m", phrase("what is wrong"))
                others = Reason("T2", "only the approver can withdraw the approval", step)
                refuse_task(current.id, "was not changed", others)
            work.record(current.id, ApprovalWithdrawn(approval=mine[0].seq, reason=reason))
            now = self._context.get(work.tx, current.id)
            return outcome(now, f"withdrew the approval of {current.id}, which is {STANDS.get(now.status, now.status)}")


def _is_worth_signing(case: Case, given: Consent) -> bool:
    """Return True if there is something to approve. Refuse what would be refused anyway, before the person is asked to
    sign.
    """
    if case.task.status != "reviewing" or case.attempt is None:
        return False
    _agreed(case, given)
    return True


def _as_a_person(case: Case, declaration: Declaration) -> bool:
    """Return True if the approval counts only because a person gives it: break-glass, or a grade that only people have.
    (I9)
    """
    grade, _ = required_grade(case.policy, labels_in_force(case.facts), case.facts.changed_paths())
    return bool(declaration.break_glass.strip()) or grade == "human"


def _agreed(case: Case, given: Consent) -> Agreement:
    """Return the agreement, or refuse with all reasons, D before P."""
    declaration, me = given.declaration, case.me
    reasons = gate.check(case.facts, me, case.tip, given.seen, case.policy, declaration.words, given.viewed)
    recording = may_record(case.facts, case.policy) if declaration.record_only else None
    decision = may_break_glass(
        recording or may_approve(case.facts, me, case.policy, declaration), me, declaration.break_glass
    )
    decision, reasons = break_conditions(decision, reasons, me, declaration.break_glass)
    everything = reasons if decision.allowed else (*reasons, *decision.reasons)
    if not everything:
        return Agreement(case, given, decision)
    task = case.task.id
    moved = has_moved(case.facts, given.seen) and all(reason.rule == "D7" for reason in everything)
    moved = moved or (bool(given.seen) and all(reason.rule == "D1" for reason in everything))  # decided meanwhile
    kind: type[FoureyesError] = Conflict if moved else Refused
    raise kind(
        f"{task} was not approved",
        reasons=everything,
        next_step=everything[-1].next or everything[0].next,
        task=task,
    )


def _checks_in_words(case: Case, accepted: Sequence[str]) -> Iterator[str]:
    """Yield what the approver accepts about checks that did not pass or do not count. (D5)"""
    for name in accepted:
        yield f"this accepts {name}, which is red on {case.target} too (D5)"
    for name in gate.claimed_checks(case.facts, case.policy):
        yield f"{name} is {CLAIMED} (D5)"


def _audit_checks(
    work: Work, agreement: Agreement, kind: Literal["tests_gone", "check_accepted"], names: tuple[str, ...]
) -> None:
    """Audit that a person accepted red checks, or missing tests of the target. (P8, D5)"""
    if names:
        detail = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        why = agreement.given.declaration.words or "approved"
        work.record(agreement.task, SecurityRecorded(kind=kind, rule="D5", reason=why, detail=detail))


def _audit(work: Work, agreement: Agreement) -> int | None:
    """Record an exception for auditors. (P8)"""
    decision, declaration = agreement.decision, agreement.given.declaration
    if not decision.exception:
        return None
    declared = _declared(declaration) if decision.exception == "self_review" else ""
    over = f"over {', '.join(agreement.passed)} (A7)" if agreement.passed else ""
    detail = ", ".join(part for part in (f"approve, attempt {agreement.attempt.n}", declared, over) if part)
    why = declaration.words or declared or decision.message
    event = SecurityRecorded(kind=decision.exception, rule=decision.rule, reason=why, detail=detail)
    return work.record(agreement.task, event)[0]


def _clean(declaration: Declaration, reason: str) -> Declaration:
    """Return the declaration with cleaned texts. Refuse options that contradict each other."""
    if declaration.record_only and declaration.break_glass:
        raise BadInput("--break-glass cannot be combined with --record-only.")
    return Declaration(
        reason=clean_text(declaration.reason or reason, "the reason"),
        reviewed_by=clean_name(declaration.reviewed_by) if declaration.reviewed_by else "",
        self_review=declaration.self_review,
        break_glass=clean_text(declaration.break_glass, "the reason"),
        record_only=declaration.record_only,
    )


def _grade(work: Work) -> str:
    """Return the grade of the caller's approval, in the words of reports. (I9)"""
    return grade_of("person" if work.actor.kind == "human" else "agent", work.key)


def _outcome(
    agreement: Agreement, status: str, message: str, *, security: int | None = None, changed: bool = True
) -> ApprovalOutcome:
    return ApprovalOutcome(
        approved=agreement.task,
        attempt=agreement.attempt.n,
        diff_id=agreement.attempt.diff_id,
        rule=agreement.decision.rule,
        status=status,
        message=message,
        exception=bool(agreement.decision.exception),
        security_event=security,
        seen=agreement.shown if changed and agreement.shown else None,
        changed=changed,
    )


def _declared(declaration: Declaration) -> str:
    """Return who reviewed the author's own work, according to the author (policy trusted)."""
    return f"reviewed by {declaration.reviewed_by}" if declaration.reviewed_by else "self-review"


# ---- Shown (H4, H5) ----


def viewing_of(context: Context, case: Case, viewed: ViewReport) -> Viewing:
    """Return how the caller viewed the attempt. If the interface measures nothing, or git cannot list the hunks, little
    is known. (H5)
    """
    about = Viewing(
        face=viewed.face,
        pager=viewed.pager,
        confirmed=viewed.confirmed,
        seconds=min(max(viewed.seconds, 0), LONGEST),
    )
    if not viewed.measured or case.attempt is None:
        return about
    try:
        hunks = hunks_to_see(context, case.attempt.base, case.attempt.head, case.policy.coverage_exclude)
    except GitProblem:
        return about
    count = counted(hunks, viewed.shown, viewed.marked, viewed.spaceless)
    return replace(
        about,
        hunks=count.hunks,
        shown=count.shown,
        marked=count.marked,
        shown_ids=count.shown_ids,
        marked_ids=count.marked_ids,
        spaceless=count.spaceless,
        spaceless_ids=count.spaceless_ids,
    )


def still(viewing_of: Viewing, before: Case, now: Case) -> Viewing:
    """Return the viewing record if the attempt is still the one that was viewed. Otherwise drop what was seen."""
    if before.attempt is not None and now.attempt is not None and before.attempt.n == now.attempt.n:
        return viewing_of
    return Viewing(face=viewing_of.face, seconds=viewing_of.seconds)
