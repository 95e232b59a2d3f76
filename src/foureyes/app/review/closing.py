"""Closing without an approval (C), cancelling, deleting, reopening. Nothing here ever merges anything (C2)."""

from __future__ import annotations

from foureyes.app.call.caller import permit
from foureyes.app.call.context import Context
from foureyes.app.call.facts import facts_of
from foureyes.app.call.outcome import outcome
from foureyes.app.call.refusals import refuse_from, refuse_task, refuse_unless
from foureyes.app.call.signing import check, known_by_key, named_task, prove
from foureyes.app.tasks.escalation import escalate
from foureyes.app.views.task import Outcome
from foureyes.app.work.branches import tip_of
from foureyes.core import events as e
from foureyes.core.events.project import SecurityRecorded
from foureyes.core.nouns.session import Actor
from foureyes.core.rules import gate
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.four_eyes import may_cancel, may_close, may_lift_rejection
from foureyes.core.words.text import clean_text
from foureyes.errors import Reason


class Closing:
    """The ways out that are not an approval."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def close(
        self, actor: Actor, task: str, *, reason: str = "", exception: str = "", if_version: int | None = None
    ) -> Outcome:
        """Close by rule C; from `reviewing` the gate conditions hold too (C3)."""
        reason, exception = clean_text(reason, "the reason"), clean_text(exception, "the exception")
        with self._context.store.read() as tx:
            peek = facts_of(self._context, tx, self._context.find_id(tx, task))
            target = self._context.project(tx).target
        tip = (
            tip_of(self._context, peek.attempt, target)
            if peek.attempt and peek.task.status == "reviewing"
            else gate.Tip()
        )
        said = exception.strip() or reason.strip()
        proof = prove(self._context, actor, "close", task=peek.task.id, reason=said)
        actor = known_by_key(actor, proof)
        with self._context.writing(actor, "close") as work:
            found = self._context.find(work.tx, task)
            self._context.check_version(work.tx, found, if_version)
            if found.status == "closed":
                return outcome(found, f"{found.id} is closed already", changed=False)
            refuse_from(found, "close")
            me = self._context.party(work.tx, actor)
            facts = facts_of(self._context, work.tx, found.id, me)
            decision = may_close(facts, me, self._context.policy(work.tx, actor), exception)
            reasons = self._gate(facts, tip) + (() if decision.allowed else decision.reasons)
            if reasons:
                refuse_task(found.id, "was not closed", *reasons, lead=reasons[-1])
            check(self._context, work, proof, "close", task=found.id, reason=said, version=found.version)
            work.record(found.id, e.TaskClosed(rule=decision.rule, exception=decision.exception, reason=said))
            if decision.exception:
                work.record(
                    found.id,
                    SecurityRecorded(
                        kind=decision.exception, rule=decision.rule, reason=said or decision.message, detail="close"
                    ),
                )
            now = self._context.get(work.tx, found.id)
            notes = (
                ("its work was not merged: fe list --unmerged",) if facts.attempt and not facts.attempt.no_code else ()
            )
            if decision.exception:
                notes = (*notes, "audited as an exception: fe security")
            return outcome(now, f"closed {found.id}", notes=notes)

    @staticmethod
    def _gate(facts: Facts, tip: gate.Tip | None) -> tuple[Reason, ...]:
        """C3: D3 always, D2 and D4 from reviewing."""
        if facts.task.status != "reviewing":
            return tuple(gate.holds(facts))
        found = [*gate.has_blocking(facts), *gate.holds(facts), gate.is_stale(facts, tip)]
        return tuple(reason for reason in found if reason is not None)

    def cancel(self, actor: Actor, task: str, *, reason: str = "") -> Outcome:
        """Nobody began it and nobody will."""
        return self._drop(actor, task, "cancel", reason)

    def delete(self, actor: Actor, task: str, *, reason: str = "") -> Outcome:
        """Cancel, and hide it from lists; the journal keeps it."""
        return self._drop(actor, task, "delete", reason)

    def _drop(self, actor: Actor, task: str, verb: str, reason: str) -> Outcome:
        reason = clean_text(reason, "the reason").strip()
        permit(actor, verb)
        proof = prove(self._context, actor, verb, task=named_task(self._context, task), reason=reason)
        with self._context.writing(known_by_key(actor, proof), verb) as work:
            found = self._context.find(work.tx, task)
            if found.status == "closed" and found.resolution in ("cancelled", "deleted"):
                return outcome(found, f"{found.id} is {found.resolution} already", changed=False)
            refuse_from(found, verb)
            refuse_unless(
                may_cancel(facts_of(self._context, work.tx, found.id), self._context.party(work.tx, actor)), found
            )
            check(self._context, work, proof, verb, task=found.id, reason=reason, version=found.version)
            work.record(found.id, e.TaskCancelled(reason=reason) if verb == "cancel" else e.TaskDeleted(reason=reason))
            done = "cancelled" if verb == "cancel" else "deleted"
            return outcome(self._context.get(work.tx, found.id), f"{done} {found.id}")

    def reopen(self, actor: Actor, task: str, *, reason: str = "") -> Outcome:
        """Open again; approvals end, history and author set stay (I8)."""
        reason = clean_text(reason, "the reason")
        permit(actor, "reopen")
        proof = prove(self._context, actor, "reopen", task=named_task(self._context, task), reason=reason)
        with self._context.writing(known_by_key(actor, proof), "reopen") as work:
            found = self._context.find(work.tx, task)
            refuse_from(found, "reopen")
            refuse_unless(
                may_lift_rejection(facts_of(self._context, work.tx, found.id), self._context.party(work.tx, actor)),
                found,
            )
            check(self._context, work, proof, "reopen", task=found.id, reason=reason, version=found.version)
            work.record(found.id, e.TaskReopened(reason=reason))
            escalate(self._context, work, found.id)
            return outcome(self._context.get(work.tx, found.id), f"reopened {found.id}", f"fe start {found.id}")
