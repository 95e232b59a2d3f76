"""Closing without an approval (C), cancelling, deleting and reopening. None of these merges anything (C2)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from foureyes.app.case import Case, case_of
from foureyes.app.context import Context, Work, refuse_from, refuse_task, refuse_unless
from foureyes.app.facts import attempt_of, facts_of
from foureyes.app.outcome import claim_by, each, named, outcome
from foureyes.app.results.task_list import Link, Outcome
from foureyes.app.tasks.escalation import escalate
from foureyes.app.work.branches import tip_of
from foureyes.core import events as e
from foureyes.core.events.project import SecurityRecorded
from foureyes.core.nouns.session import Actor
from foureyes.core.rules import gate
from foureyes.core.rules.closing import may_cancel, may_close, may_lift_rejection
from foureyes.core.words.text import clean_text
from foureyes.errors import Reason


class Closing:
    """Ways to end or reopen a task without an approval."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def close(
        self, actor: Actor, task: str, *, reason: str = "", exception: str = "", if_version: int | None = None
    ) -> Outcome:
        """Close a task by rule C. From `reviewing`, the gate conditions apply too (C3)."""
        reason, exception = clean_text(reason, "the reason"), clean_text(exception, "the exception")
        why, tip = exception.strip() or reason.strip(), self._tip(task)
        with self._context.deciding(actor, "close", task=task, reason=why) as work:
            row = self._context.find(work.tx, task)
            self._context.check_version(work.tx, row, if_version)
            if row.status == "closed":
                return outcome(row, f"{row.id} is already closed", changed=False)
            refuse_from(row, "close")
            case = case_of(self._context, work.tx, work.actor, row.id, tip=tip)
            decision = may_close(case.facts, case.me, case.policy, exception)
            reasons = _gate(case) + (() if decision.allowed else decision.reasons)
            if reasons:
                refuse_task(row.id, "was not closed", *reasons, lead=reasons[-1])
            work.record(row.id, e.TaskClosed(rule=decision.rule, exception=decision.exception, reason=why))
            notes = (
                []
                if case.attempt is None or case.attempt.no_code
                else ["its work was not merged. To see such tasks: fe list --unmerged"]
            )
            if notes and not why:
                notes.append(f'no reason was given. To add one: fe log {row.id} "why it is closed"')
            if decision.exception:
                text = why or decision.message
                event = SecurityRecorded(kind=decision.exception, rule=decision.rule, reason=text, detail="close")
                work.record(row.id, event)
                notes.append("recorded as an exception: fe audit log --exceptions")
            return outcome(self._context.get(work.tx, row.id), f"closed {row.id}", notes=tuple(notes))

    def _tip(self, task: str) -> gate.Tip | None:
        """Return the git state of an attempt in review. Call this before the transaction."""
        with self._context.store.read() as tx:
            row = self._context.find(tx, task)
            attempt = attempt_of(tx, row.id) if row.status == "reviewing" else None
            target = self._context.project(tx).target
        return tip_of(self._context, row.id, attempt, target) if attempt else gate.Tip()

    def cancel(self, actor: Actor, task: str, *, reason: str = "") -> Outcome:
        """Cancel a task that nobody has begun."""
        return self._drop(actor, [task], "cancel", reason)[0]

    def delete(self, actor: Actor, task: str, *, reason: str = "") -> Outcome:
        """Cancel a task and hide it from lists. The journal keeps it."""
        return self._drop(actor, [task], "delete", reason)[0]

    def delete_several(self, actor: Actor, tasks: Sequence[str], *, reason: str = "") -> list[Outcome]:
        """Delete several tasks, all or none."""
        return self._drop(actor, tasks, "delete", reason)

    def _drop(self, actor: Actor, tasks: Sequence[str], verb: str, reason: str) -> list[Outcome]:
        reason = clean_text(reason, "the reason").strip()
        task = tasks[0] if len(tasks) == 1 else None
        with self._context.deciding(actor, verb, task=task, reason=named(tasks, reason)) as work:
            return each(tasks, partial(self._drop_one, work, verb, reason))

    def _drop_one(self, work: Work, verb: str, reason: str, task: str) -> Outcome:
        row = self._context.find(work.tx, task)
        if row.status == "closed" and row.resolution in ("cancelled", "deleted"):
            return outcome(row, f"{row.id} is already {row.resolution}", changed=False)
        refuse_from(row, verb)
        me = self._context.party(work.tx, work.actor)
        refuse_unless(may_cancel(facts_of(self._context, work.tx, row.id), me), row)
        work.record(row.id, e.TaskCancelled(reason=reason) if verb == "cancel" else e.TaskDeleted(reason=reason))
        done = "cancelled" if verb == "cancel" else "deleted"
        waited = [link.id for link in work.tx.all("task.waiting_for", Link, id=row.id)]
        notes = (f"these tasks no longer wait for it: {', '.join(waited)}",) if waited else ()
        return outcome(self._context.get(work.tx, row.id), f"{done} {row.id}", notes=notes)

    def reopen(self, actor: Actor, task: str, *, reason: str = "") -> Outcome:
        """Open a closed task again. Its approvals end, while its history and authors stay. (I8)"""
        reason = clean_text(reason, "the reason")
        with self._context.deciding(actor, "reopen", task=task, reason=reason) as work:
            row = self._context.find(work.tx, task)
            refuse_from(row, "reopen")
            me = self._context.party(work.tx, work.actor)
            refuse_unless(may_lift_rejection(facts_of(self._context, work.tx, row.id), me), row)
            work.record(row.id, e.TaskReopened(reason=reason))
            escalate(self._context, work, row.id)
            return outcome(self._context.get(work.tx, row.id), f"reopened {row.id}", claim_by(actor, row.id))


def _gate(case: Case) -> tuple[Reason, ...]:
    """Return reasons against closing: D3 always, D2 and D4 from reviewing. (C3)"""
    facts = case.facts
    if facts.task.status != "reviewing":
        return tuple(gate.holds(facts))
    stale = gate.is_stale(facts, case.tip, case.me)
    reasons = [*gate.has_blocking(facts, case.me), *gate.stops(facts, case.me), stale]
    return tuple(reason for reason in reasons if reason is not None)
