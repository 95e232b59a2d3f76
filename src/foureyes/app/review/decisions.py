"""Decisions: approve, record, finish, take back."""

from __future__ import annotations

import msgspec

from foureyes.app.call.caller import permit
from foureyes.app.call.context import Context
from foureyes.app.call.facts import facts_of
from foureyes.app.call.outcome import outcome
from foureyes.app.call.refusals import refuse_from, refuse_task
from foureyes.app.call.signing import Proof, check, known_by_key, named_task, prove
from foureyes.app.call.work import Work
from foureyes.app.gate.merge_queue import items_of, refuse_landed, refuse_while_merging
from foureyes.app.gate.settling import after
from foureyes.app.ports import Tx
from foureyes.app.views.review import ApprovalOutcome, ApprovalView
from foureyes.app.views.task import Outcome
from foureyes.app.work.branches import tip_of
from foureyes.app.work.feedback_file import mirror
from foureyes.core.events.decision import ApprovalFinished, ApprovalRecorded, ApprovalWithdrawn, Approved
from foureyes.core.events.project import SecurityRecorded
from foureyes.core.nouns.approval import grade_of
from foureyes.core.nouns.session import Actor, Party, is_one_origin
from foureyes.core.rules import gate
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.four_eyes import (
    NOTHING,
    Said,
    may_approve,
    may_break_glass,
    may_decide,
    may_record,
    recorded_approval,
)
from foureyes.core.rules.policy import required_grade
from foureyes.core.words.decision import Decision, allow
from foureyes.core.words.ids import TaskId, short_diff
from foureyes.core.words.text import clean_name, clean_text, is_blank
from foureyes.errors import BadInput, Conflict, FoureyesError, Reason, Refused

STANDS = {"reviewing": "in review again", "approved": "approved by somebody else still"}


class Decisions:
    """What ends a wait in `reviewing`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def approve(
        self,
        actor: Actor,
        task: str,
        *,
        seen: str = "",
        said: Said = NOTHING,
        reason: str = "",
        if_version: int | None = None,
        batch: str = "",
    ) -> ApprovalOutcome:
        """A different pair of eyes agrees to exactly the diff that was seen (D, P). `reason` is short for a `said` with
        one.

        `batch` says of which batch it is one decision (H2, H5).
        """
        done = self._approve(actor, task, seen, said, reason, if_version, batch)
        if not done.changed or done.status == "reviewing":
            return done
        note = mirror(self._context, TaskId(done.approved))
        return msgspec.structs.replace(done, position=self._place(done.approved), notes=(note,) if note else ())

    def _place(self, task: str) -> int:
        """Where it stands in the merge queue; 0 where that cannot be said. The approval stands in any case."""
        try:
            with self._context.store.read() as tx:
                waiting = [item.task for item in items_of(tx)]
        except FoureyesError:
            return 0
        return waiting.index(task) + 1 if task in waiting else 0

    def _approve(
        self, actor: Actor, task: str, seen: str, said: Said, reason: str, if_version: int | None, batch: str
    ) -> ApprovalOutcome:
        permit(actor, "approve")
        said = _clean(said, reason)
        if said.record_only and said.break_glass:
            raise BadInput(
                "breaking the glass is never only recorded: --record-only and --break-glass do not go together."
            )
        proof = self._prove(actor, task, seen, said)
        actor = known_by_key(actor, proof)
        tip = self._tip(task)
        with self._context.writing(actor, "approve") as work:
            found = self._context.find(work.tx, task)
            self._context.check_version(work.tx, found, if_version)
            me = self._context.party(work.tx, actor)
            facts = facts_of(self._context, work.tx, found.id, me)
            repeat = self._repeat(work.tx, facts, me)
            if repeat is not None:
                return repeat
            decision = self._decide(work.tx, facts, me, actor, tip, seen, said)
            if actor.kind == "human":
                self._check_proof(work, facts, proof, said)
            grade = _grade(actor, proof)
            if said.record_only:
                return self._recorded(work, facts, decision, seen, said, grade)
            if decision.rule == "P11":
                return self._finished(work, facts, decision, seen, said)
            return self._approved(work, facts, decision, seen, said, grade, batch)

    def _prove(self, actor: Actor, task: str, seen: str, said: Said) -> Proof | None:
        """I9: a person's signature under the diff that is there now, where the rules want one, and nothing else is
        against it.
        """
        if actor.kind != "human":
            return None
        with self._context.store.read() as tx:
            facts = facts_of(self._context, tx, self._context.find_id(tx, task))
            as_a_person = self._as_a_person(tx, actor, facts, said)
            wanted = self._context.wants_key(tx, actor, "approve", as_a_person=as_a_person)
        if not wanted or facts.task.status != "reviewing" or facts.attempt is None:
            return None
        tip = self._tip(task)
        with self._context.store.read() as tx:
            self._decide(tx, facts, self._context.party(tx, actor), actor, tip, seen, said)
        return prove(
            self._context,
            actor,
            "approve",
            task=facts.task.id,
            diff_id=facts.attempt.diff_id,
            reason=said.words,
            as_a_person=as_a_person,
            how=said.how,
        )

    def _as_a_person(self, tx: Tx, actor: Actor, facts: Facts, said: Said) -> bool:
        """I9: the approval counts because a person gives it: break-glass, or a grade that only people have."""
        grade, _ = required_grade(self._context.policy(tx, actor), facts.labels_in_force(), facts.changed_paths())
        return bool(said.break_glass.strip()) or grade == "human"

    def _check_proof(self, work: Work, facts: Facts, proof: Proof | None, said: Said) -> None:
        assert facts.attempt is not None
        check(
            self._context,
            work,
            proof,
            "approve",
            task=facts.task.id,
            diff_id=facts.attempt.diff_id,
            reason=said.words,
            version=facts.task.version,
            as_a_person=self._as_a_person(work.tx, work.actor, facts, said),
            how=said.how,
        )

    def _tip(self, task: str) -> gate.Tip | None:
        """What git says about the attempt's ref; asked before the transaction. None when git cannot say (G1)."""
        with self._context.store.read() as tx:
            facts = facts_of(self._context, tx, self._context.find_id(tx, task))
            target = self._context.project(tx).target
        return tip_of(self._context, facts.attempt, target) if facts.attempt else gate.Tip()

    def _repeat(self, tx: Tx, facts: Facts, me: Party) -> ApprovalOutcome | None:
        """D1: approving again what is already through is a no-op."""
        task = facts.task
        if task.status not in ("approved", "closed") or task.resolution not in ("", "approved", "merged"):
            return None
        for row in tx.all("attempt.active_approvals", ApprovalView, task=task.id):
            if task.status == "closed" or is_one_origin(me, facts.party(row.session)):  # type: ignore[arg-type]
                return ApprovalOutcome(
                    approved=task.id,
                    attempt=row.attempt,
                    diff_id=row.diff_id,
                    rule=row.rule,
                    status=task.status,
                    message="already approved; nothing to do",
                    changed=False,
                )
        return None

    def _decide(
        self, tx: Tx, facts: Facts, me: Party, actor: Actor, tip: gate.Tip | None, seen: str, said: Said
    ) -> Decision:
        """All reasons against it, D before P; the answer if there is none."""
        policy = self._context.policy(tx, actor)
        reasons = gate.check(facts, me, tip, seen, policy, said.words)
        apart = may_record(facts, policy) if said.record_only else None
        answer = apart or may_approve(facts, me, policy, said)
        decision = may_break_glass(answer, me, said.break_glass)
        decision, reasons = break_checks(decision, reasons, me, said.break_glass)
        everything = reasons if decision.allowed else (*reasons, *decision.reasons)
        if not everything:
            return decision
        task = facts.task.id
        moved = gate.has_moved(facts, seen) and all(reason.rule == "D7" for reason in everything)
        kind: type[FoureyesError] = Conflict if moved else Refused
        raise kind(
            f"{task} was not approved",
            reasons=everything,
            next_step=everything[-1].next or everything[0].next,
            task=task,
        )

    def _approved(
        self, work: Work, facts: Facts, decision: Decision, seen: str, said: Said, grade: str, batch: str
    ) -> ApprovalOutcome:
        attempt = facts.attempt
        assert attempt is not None
        shown = short_diff(attempt.diff_id) if seen else ""
        gone = (
            gate.tests_that_go(facts, self._context.policy(work.tx, work.actor)) if work.actor.kind == "human" else ()
        )
        event = Approved(
            attempt=attempt.n,
            diff_id=attempt.diff_id,
            rule=decision.rule,
            status=after(attempt),
            exception=decision.exception,
            reason=said.words,
            seen=shown or "not shown",
            grade=grade,
            batch=batch,
            gone=gone,
        )
        work.record(facts.task.id, event)
        self._audit_tests(work, facts, event.gone, said)
        security = self._audit(work, facts, decision, said)
        note = decision.message + (" (creator, human)" if decision.rule == "P3" and work.actor.kind == "human" else "")
        return _outcome(facts, decision, event.status, note, security=security, seen=shown)

    def _recorded(
        self, work: Work, facts: Facts, decision: Decision, seen: str, said: Said, grade: str
    ) -> ApprovalOutcome:
        """P11: the approval is on record; somebody finishes it later."""
        attempt = facts.attempt
        assert attempt is not None
        mine = [row for row in facts.recorded if row.session == work.actor.session and row.diff_id == attempt.diff_id]
        if mine:
            return _outcome(facts, decision, "reviewing", "recorded already; nothing to do", changed=False)
        shown = short_diff(attempt.diff_id) if seen else ""
        event = ApprovalRecorded(
            attempt=attempt.n,
            diff_id=attempt.diff_id,
            rule=decision.rule,
            exception=decision.exception,
            reason=said.words,
            seen=shown or "not shown",
            grade=grade,
        )
        work.record(facts.task.id, event)
        security = self._audit(work, facts, decision, said)
        return _outcome(
            facts, decision, "reviewing", f"recorded, not finished ({decision.message})", security=security, seen=shown
        )

    def _finished(self, work: Work, facts: Facts, decision: Decision, seen: str, said: Said) -> ApprovalOutcome:
        """P11: a recorded approval of this diff takes effect."""
        assert facts.attempt is not None
        recorded = recorded_approval(facts, self._context.policy(work.tx, work.actor))
        assert recorded is not None
        work.record(
            facts.task.id, ApprovalFinished(approval=recorded.seq, status=after(facts.attempt), reason=said.words)
        )
        shown = short_diff(facts.attempt.diff_id) if seen else ""
        return _outcome(facts, decision, after(facts.attempt), f"finished: {decision.message}", seen=shown)

    @staticmethod
    def _audit_tests(work: Work, facts: Facts, gone: tuple[str, ...], said: Said) -> None:
        """P8, D5: tests of the target that a person let go."""
        if gone:
            detail = ", ".join(gone[:5]) + (f" and {len(gone) - 5} more" if len(gone) > 5 else "")
            event = SecurityRecorded(kind="tests_gone", rule="D5", reason=said.words or "approved", detail=detail)
            work.record(facts.task.id, event)

    @staticmethod
    def _audit(work: Work, facts: Facts, decision: Decision, said: Said) -> int | None:
        """P8: an exception is a row of its own."""
        if not decision.exception:
            return None
        assert facts.attempt is not None
        declared = _declared(said) if decision.exception == "self_review" else ""
        detail = ", ".join(part for part in (f"approve, attempt {facts.attempt.n}", declared) if part)
        why = said.words or declared or decision.message
        event = SecurityRecorded(kind=decision.exception, rule=decision.rule, reason=why, detail=detail)
        return work.record(facts.task.id, event)[0]

    def withdraw(self, actor: Actor, task: str, *, reason: str = "") -> Outcome:
        """Take an approval back, until it is merged; it stays in the record."""
        permit(actor, "withdraw")
        reason = clean_text(reason, "the reason")
        proof = prove(self._context, actor, "withdraw", task=named_task(self._context, task), reason=reason)
        actor = known_by_key(actor, proof)
        with self._context.writing(actor, "withdraw") as work:
            found = self._context.find(work.tx, task)
            if found.status != "reviewing" or not facts_of(self._context, work.tx, found.id).recorded:
                refuse_from(found, "withdraw")
            refuse_while_merging(self._context, work.tx, found)
            refuse_landed(self._context, work.tx, found)
            me = self._context.party(work.tx, actor)
            facts = facts_of(self._context, work.tx, found.id, me)
            rows = work.tx.all("attempt.active_approvals", ApprovalView, task=found.id)
            mine = [row for row in rows if is_one_origin(me, facts.party(row.session))]  # type: ignore[arg-type]
            if not mine:
                step = f'fe redo {found.id} -m "what is wrong"'
                reason_against = Reason("T2", "only who approved it can take the approval back", step)
                refuse_task(found.id, "was not changed", reason_against)
            check(self._context, work, proof, "withdraw", task=found.id, reason=reason, version=found.version)
            work.record(found.id, ApprovalWithdrawn(approval=mine[0].seq, reason=reason))
            now = self._context.get(work.tx, found.id)
            return outcome(now, f"took the approval of {found.id} back: it is {STANDS.get(now.status, now.status)}")


def break_checks(
    decision: Decision, reasons: tuple[Reason, ...], me: Party, why: str
) -> tuple[Decision, tuple[Reason, ...]]:
    """N3: breaking the glass also passes D5 and D6, on the record."""
    broken = [reason for reason in reasons if reason.rule in ("D5", "D6")]
    if is_blank(why) or me.kind != "human" or may_decide(me) is not None or not broken or not decision.allowed:
        return decision, reasons
    rest = tuple(reason for reason in reasons if reason not in broken)
    said = (
        decision.message
        if decision.exception == "break_glass"
        else f"break-glass over {broken[0].rule}: {broken[0].message}"
    )
    return allow("N3", said, exception="break_glass", needs_reason=True), rest


def _clean(said: Said, reason: str) -> Said:
    """What the caller says, fit to be stored."""
    return Said(
        reason=clean_text(said.reason or reason, "the reason"),
        reviewed_by=clean_name(said.reviewed_by) if said.reviewed_by else "",
        self_review=said.self_review,
        break_glass=clean_text(said.break_glass, "the reason"),
        record_only=said.record_only,
    )


def _grade(actor: Actor, proof: Proof | None) -> str:
    """I9: as what an approval counts, in the words of reports."""
    return grade_of("person" if actor.kind == "human" else "agent", proof.key if proof else "")


def _outcome(
    facts: Facts,
    decision: Decision,
    status: str,
    message: str,
    *,
    security: int | None = None,
    seen: str = "",
    changed: bool = True,
) -> ApprovalOutcome:
    assert facts.attempt is not None
    return ApprovalOutcome(
        approved=facts.task.id,
        attempt=facts.attempt.n,
        diff_id=facts.attempt.diff_id,
        rule=decision.rule,
        status=status,
        message=message,
        exception=bool(decision.exception),
        security_event=security,
        seen=seen or None,
        changed=changed,
    )


def _declared(said: Said) -> str:
    """What somebody says about who looked at their own work (policy trusted)."""
    return f"reviewed by {said.reviewed_by}" if said.reviewed_by else "self-review"
