"""Decisions: approve, take back, redo, reject, and the recognition of what was merged by hand."""

from __future__ import annotations

import msgspec

from foureyes.app.context import Context, Work, permit
from foureyes.app.ledger import facts_of
from foureyes.app.ports import ListQuery, Tx
from foureyes.app.stops import needed, refuse_from
from foureyes.app.tasks import outcome
from foureyes.app.views import ApprovalOutcome, ApprovalView, Outcome, TaskRow
from foureyes.core import events as e
from foureyes.core import gate
from foureyes.core.attempt import DETACHED, KEEPS_APPROVAL, Attempt
from foureyes.core.decision import Decision
from foureyes.core.facts import Facts
from foureyes.core.four_eyes import NOTHING, Said, may_approve, may_break_glass, may_decide
from foureyes.core.ids import Sha, TaskId, short_diff
from foureyes.core.session import Actor, Party, is_one_origin
from foureyes.core.task import clean_name, clean_text
from foureyes.errors import Conflict, FoureyesError, GitProblem, Reason, Refused

MANY = 10_000


class MergeRow(msgspec.Struct, frozen=True):
    """What `fe merge` found out about an approved task."""

    task: str
    attempt: int
    merged: bool
    sha: str = ""
    message: str = ""


class Decisions:
    """What ends a wait in `reviewing`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def approve(
        self, actor: Actor, task: str, *, seen: str = "", said: Said = NOTHING, reason: str = "", if_version: int | None = None
    ) -> ApprovalOutcome:
        """A different pair of eyes agrees to exactly the diff that was seen (D, P). `reason` is short for a `said` with one."""
        said = _clean(said, reason)
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
            return self._approved(work, facts, decision, seen, said)

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
                    approved=task.id, attempt=row.attempt, diff_id=row.diff_id, rule=row.rule, status=task.status,
                    message="already approved; nothing to do", changed=False,
                )  # fmt: skip
        return None

    def _decide(self, tx: Tx, facts: Facts, me: Party, actor: Actor, tip: gate.Tip | None, seen: str, said: Said) -> Decision:
        """All reasons against it, D before P; the answer if there is none."""
        reasons = gate.check(facts, me, tip, seen)
        answer = may_approve(facts, me, self._context.policy(tx, actor), said)
        decision = may_break_glass(answer, me, said.break_glass)
        everything = reasons if decision.allowed else (*reasons, *decision.reasons)
        if not everything:
            return decision
        task = facts.task.id
        kind: type[FoureyesError] = Conflict if all(r.rule == "D7" and "moved" in r.message for r in everything) else Refused
        raise kind(f"{task} was not approved", reasons=everything, next_step=everything[-1].next or everything[0].next, task=task)

    def _approved(self, work: Work, facts: Facts, decision: Decision, seen: str, said: Said) -> ApprovalOutcome:
        task, attempt = facts.task, facts.attempt
        assert attempt is not None
        nothing_to_merge = attempt.no_code or attempt.landed
        shown = short_diff(attempt.diff_id) if seen else ""
        reason = said.break_glass.strip() or said.reason.strip()
        event = e.Approved(
            attempt=attempt.n, diff_id=attempt.diff_id, rule=decision.rule, status="closed" if nothing_to_merge else "approved",
            exception=decision.exception, reason=reason, seen=shown or "not shown",
            grade="human (observed)" if work.actor.kind == "human" else "origin",
        )  # fmt: skip
        work.record(task.id, event)
        security = None
        if decision.exception:
            declared = _declared(said) if decision.exception == "self_review" else ""
            detail = ", ".join(part for part in (f"approve, attempt {attempt.n}", declared) if part)
            why = reason or declared or decision.message
            (security,) = work.record(task.id, e.SecurityRecorded(kind=decision.exception, rule=decision.rule, reason=why, detail=detail))
        note = decision.message + (" (creator, human)" if decision.rule == "P3" and work.actor.kind == "human" else "")
        return ApprovalOutcome(
            approved=task.id, attempt=attempt.n, diff_id=attempt.diff_id, rule=decision.rule, status=event.status, message=note,
            exception=bool(decision.exception), security_event=security, seen=shown or None,
        )  # fmt: skip

    def withdraw(self, actor: Actor, task: str, *, reason: str = "") -> Outcome:
        """Take an approval back, until it is merged; it stays in the record."""
        with self._context.writing(actor, "withdraw") as work:
            found = self._context.find(work.tx, task)
            refuse_from(found, "withdraw")
            me = self._context.party(work.tx, actor)
            facts = facts_of(self._context, work.tx, found.id, me)
            for row in work.tx.all("attempt.active_approvals", ApprovalView, task=found.id):
                if is_one_origin(me, facts.party(row.session)):  # type: ignore[arg-type]
                    work.record(found.id, e.ApprovalWithdrawn(approval=row.seq, reason=clean_text(reason, "the reason")))
                    return outcome(self._context.get(work.tx, found.id), f"took the approval of {found.id} back: it is in review again")
            raise Refused(
                f"{found.id} was not changed.",
                reasons=(Reason("T2", "only who approved it can take the approval back", f'fe redo {found.id} -m "what is wrong"'),),
                task=found.id,
            )

    def redo(self, actor: Actor, task: str, feedback: str) -> Outcome:
        """Back to open with feedback: by a person, or a session that could approve."""
        feedback = needed(feedback, "redo", task)
        with self._context.writing(actor, "redo") as work:
            facts = self._judge(work, task, "redo", feedback)
            work.record(facts.task.id, e.RedoRequested(iteration=facts.task.iteration, feedback=feedback))
            return outcome(self._context.get(work.tx, facts.task.id), f"{facts.task.id} is open again with your feedback", "fe reviewable")

    def reject(self, actor: Actor, task: str, reason: str) -> Outcome:
        """Blocked, with a reason (lesson 13): by a person, or a session that could approve."""
        reason = needed(reason, "reject", task)
        with self._context.writing(actor, "reject") as work:
            facts = self._judge(work, task, "reject", reason)
            work.record(facts.task.id, e.TaskRejected(iteration=facts.task.iteration, reason=reason))
            return outcome(self._context.get(work.tx, facts.task.id), f"rejected {facts.task.id}: {reason}")

    def _judge(self, work: Work, task: str, action: str, reason: str) -> Facts:
        """T: redo and reject are a person's, or a session's that P would let approve."""
        found = self._context.find(work.tx, task)
        refuse_from(found, action)
        me = self._context.party(work.tx, work.actor)
        facts = facts_of(self._context, work.tx, found.id, me)
        if work.actor.kind == "human" and may_decide(me) is None:
            return facts
        decision = may_approve(facts, me, self._context.policy(work.tx, work.actor), Said(reason))
        if not decision.allowed:
            raise Refused(f"{found.id} was not changed.", reasons=decision.reasons, next_step=decision.next, task=found.id)
        return facts

    def merge(self, actor: Actor) -> list[MergeRow]:
        """Close every approved task whose approved head a person has merged into the target branch.

        Work that was closed without an approval and merged all the same is taken off the unmerged list, on the record.
        """
        permit(actor, "merge")
        with self._context.store.read() as tx:
            target = self._context.project(tx).target
            rows = tx.tasks(ListQuery(status="approved", limit=MANY), TaskRow) + tx.tasks(ListQuery(unmerged=True, limit=MANY), TaskRow)
            attempts = {row.id: facts_of(self._context, tx, TaskId(row.id)).attempt for row in rows}
        found = [self._look(task, attempt, target) for task, attempt in attempts.items() if attempt is not None]
        if any(row.merged for row in found):
            with self._context.writing(actor, "merge") as work:
                for row in found:
                    if row.merged:
                        self._merged(work, row)
        return found

    def _merged(self, work: Work, row: MergeRow) -> None:
        task = self._context.find(work.tx, row.task)
        if task.iteration != row.attempt:
            return
        if task.status == "approved":
            work.record(task.id, e.TaskMerged(sha=Sha(row.sha)))
        elif task.status == "closed" and task.merge is None:
            reason = f"closed without an approval, and now on the target branch as {row.sha[:7]}"
            work.record(task.id, e.UnapprovedMergeSeen(sha=Sha(row.sha)))
            work.record(task.id, e.SecurityRecorded(kind="merged_unapproved", rule="C2", reason=reason))

    def _look(self, task: str, attempt: Attempt, target: str) -> MergeRow:
        """A3: the approved head itself, or a pure rebase of it, is on the target."""
        repo = self._context.repo
        sha = repo.merged_by(attempt.head, target)
        if sha is not None:
            return MergeRow(task, attempt.n, True, sha, f"merged into {target} as {sha[:7]}")
        head = repo.commit_of(attempt.ref) if attempt.ref != DETACHED else None
        if head is None or head == attempt.head:
            return MergeRow(task, attempt.n, False, "", f"approved head {attempt.head[:7]} is not on {target} yet")
        relation = repo.relation(base=attempt.base, head=attempt.head, new_head=head, target=target)
        if relation not in KEEPS_APPROVAL:
            return MergeRow(
                task, attempt.n, False, "", f"its branch moved to {head[:7]}, which is another change than the approved one (A3)"
            )
        sha = repo.merged_by(head, target)
        if sha is None:
            return MergeRow(task, attempt.n, False, "", f"{head[:7]} ({relation} of the approved head) is not on {target} yet")
        return MergeRow(task, attempt.n, True, sha, f"merged into {target} as {sha[:7]} ({relation} of the approved head)")


def _clean(said: Said, reason: str) -> Said:
    """What the caller says, fit to be stored."""
    return Said(
        reason=clean_text(said.reason or reason, "the reason"),
        reviewed_by=clean_name(said.reviewed_by) if said.reviewed_by else "",
        self_review=said.self_review,
        break_glass=clean_text(said.break_glass, "the reason"),
    )


def _declared(said: Said) -> str:
    """What somebody says about who looked at their own work (policy trusted)."""
    return f"reviewed by {said.reviewed_by}" if said.reviewed_by else "self-review"


def tip_of(context: Context, attempt: Attempt, target: str) -> gate.Tip | None:
    """What git says about where an attempt came from; None when git cannot be asked."""
    try:
        if attempt.landed:
            head = context.repo.commit_of(f"refs/heads/{target}")
            return gate.Tip(on_target=head is not None and context.repo.is_ancestor(attempt.head, head))
        return gate.Tip(head=None if attempt.ref == DETACHED else context.repo.commit_of(attempt.ref))
    except GitProblem:
        return None
