"""A claim ends (T1): its owner gives it back, somebody releases it, or the next process of its program takes it over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.call.outcome import claim_by, outcome
from foureyes.app.call.parties import parties_of
from foureyes.app.call.refusals import refuse_task
from foureyes.app.call.rows import IdRow
from foureyes.app.views.session import SessionView
from foureyes.core import events as e
from foureyes.core.nouns.session import Actor, is_oneself
from foureyes.core.rules.claiming import is_next_process
from foureyes.core.rules.involvement import has_spawned
from foureyes.core.words.refs import OWN_BRANCHES
from foureyes.core.words.text import clean_text
from foureyes.errors import Reason
from foureyes.steps import NO_STEP, Steps, by_person, fe

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.call.work import Work
    from foureyes.app.ports import Tx
    from foureyes.app.views.outcome import Outcome
    from foureyes.core.nouns.task import Task
    from foureyes.core.words.lifecycle import RunEnd


def unstart(context: Context, actor: Actor, task: str, reason: str, how: RunEnd) -> Outcome:
    """Give a claim back, or release another's that may be released. `how` says how the run ended (L17)."""
    from foureyes.app.call.facts import facts_of

    reason = clean_text(reason, "the reason")
    with context.writing(actor, "unstart") as work:
        row = context.find(work.tx, task)
        if row.status == "open":
            return outcome(row, f"{row.id} is open already; nothing to do", claim_by(actor), changed=False)
        if row.status != "in_progress" or row.implementer is None:
            refuse_task(
                row.id,
                f"is {row.status}; only a task in progress can be given back",
                Reason("T2", f"{row.id} is {row.status}", fe("show", row.id)),
            )
        facts = facts_of(context, work.tx, row.id)
        me, owner = context.party(work.tx, actor), facts.party(row.implementer)
        if is_oneself(me, owner):
            work.record(row.id, e.TaskUnstarted(reason=reason, how=how))
            return _given_back(context, work, row, f"gave {row.id} back", claim_by(actor), how)
        may_release = (
            actor.kind == "human" or has_spawned(facts, me, owner) or is_successor(context, work.tx, actor, row)
        )
        if not may_release and not is_silent(context, work, row):
            _refuse_live(context, work, row, facts.party_name(row.implementer))
        return release(context, work, row, reason, how)


def _refuse_live(context: Context, work: Work, task: Task, who: str) -> None:
    minutes = context.policy(work.tx, work.actor).claim_stale_minutes
    why = f"{who} holds the claim and was active within {minutes} minutes. Anyone may release it once that session has ended or is silent for longer."
    refuse_task(task.id, "was not released", Reason("T1", why, by_person(fe("unstart", task.id))))


def release(context: Context, work: Work, task: Task, reason: str, how: RunEnd) -> Outcome:
    """T, L17: free a claim for whoever held it, by who may."""
    assert task.implementer is not None
    work.record(task.id, e.TaskReleased(implementer=task.implementer, reason=reason, how=how))
    return _given_back(context, work, task, f"released {task.id}", NO_STEP, how)


def _given_back(context: Context, work: Work, task: Task, message: str, step: Steps, how: RunEnd) -> Outcome:
    """L17: a run that had findings to work on and ended oddly is a round without progress."""
    if how:
        from foureyes.app.tasks.escalation import escalate

        escalate(context, work, task.id)
    now = context.get(work.tx, task.id)
    notes = (f"it waits for {now.waiting_for} now: tier {now.tier} (E1)",) if now.waiting_for else ()
    notes = (f"it goes to tier {now.tier} (E1)",) if not notes and now.tier != task.tier else notes
    again = fe("start" if now.ready and work.actor.kind == "agent" else "show", now.id)
    return outcome(now, message, step or again, notes=notes)


def is_successor(context: Context, tx: Tx, actor: Actor, task: Task) -> bool:
    """T2: whether the implementer's process is shown to have ended (J4), and the caller is the next one."""
    if task.implementer in (None, actor.session) or actor.kind != "agent":
        return False
    owner = parties_of(tx, [task.implementer])[task.implementer]
    if owner.agent != actor.agent or not context.outside.is_gone(owner.process):
        return False
    claims = tx.all("session.claims", IdRow, session=actor.session)
    is_there = _is_there(context, tx, task)
    return is_next_process(actor, context.party(tx, actor), owner, is_there=is_there, has_claims=bool(claims))


def _is_there(context: Context, tx: Tx, task: Task) -> bool:
    """Whether the caller stands in the task's worktree; a task without one was begun outside of all of them."""
    from foureyes.app.work.worktrees import branch_in

    here = context.repo.current_ref()
    has_own = task.id in context.workshop.worktrees()
    return here == branch_in(context, tx, task.id) or not (has_own or here.startswith(OWN_BRANCHES))


def take_over(context: Context, work: Work, task: Task) -> bool:
    """T2: the claim passes to the caller, if it is the successor of the process that has it; the earlier session stays
    an author.
    """
    if task.status != "in_progress" or not is_successor(context, work.tx, work.actor, task):
        return False
    assert task.implementer is not None
    work.record(task.id, e.TaskReleased(implementer=task.implementer, reason="its process has ended"))
    work.record(task.id, e.TaskStarted())
    return True


def is_silent(context: Context, work: Work, task: Task) -> bool:
    """The claim's session has ended, or nothing was heard of it for `claim_stale_minutes`."""
    owner = work.tx.one("session.get", SessionView, id=task.implementer)
    limit = context.ago(context.policy(work.tx, work.actor).claim_stale_minutes)
    return owner is not None and (owner.ended or owner.last_seen_at <= limit)
