"""Rules for closing (C), cancelling and lifting a rejection (T), and for decisions about a stuck loop (E2, E3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.core.events.loop import LeadOption
from foureyes.core.nouns.session import Party, is_oneself, is_tied
from foureyes.core.rules.claims import lead_step
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.four_eyes import as_minor, elsewhere, may_decide, strictest_for, with_spawners
from foureyes.core.rules.involvement import has_planned, is_creator, is_under, made_by, makers_of
from foureyes.core.words.decision import Decision, allow, fail_closed, refuse
from foureyes.core.words.text import is_blank
from foureyes.errors import Reason
from foureyes.steps import by, fe

if TYPE_CHECKING:
    from foureyes.core.rules.policy import ReviewPolicy


# ---- Closing (G1) ----


def may_close(facts: Facts, actor: Party, policy: ReviewPolicy, exception: str = "") -> Decision:
    """Decide if the actor may close the task without an approval. A rule that raises an exception refuses. (C1, C2, T5,
    G1)
    """
    return fail_closed(
        lambda: strictest_for(
            actor,
            with_spawners(facts, actor),
            lambda who: _may_close(facts, who, policy, exception, is_caller=who is actor),
        )
    )


def _may_close(facts: Facts, actor: Party, policy: ReviewPolicy, exception: str, *, is_caller: bool) -> Decision:
    task = facts.task
    barred = may_decide(actor)
    if barred is not None:
        return barred
    if facts.history is None or facts.authors is None:
        return refuse("P0", f"the history of {task.id} cannot be read", fe("doctor"))
    if task.landed or (facts.attempt is not None and facts.attempt.landed):
        return refuse(
            "C2",
            f"the work of {task.id} is already on the target branch, so it can only be approved or reverted",
            elsewhere(facts),
        )
    if task.type == "epic" and not facts.children_closed:
        return refuse("T5", f"{task.id} is an epic with open children", fe("list", "--parent", task.id))
    if _is_anothers_claim(facts, actor):
        owner = facts.party_name(str(task.implementer))
        return refuse(
            "C1", f"{owner} is working on {task.id}, so only a person or its creator may close it", fe("show", task.id)
        )
    return _by_involvement(facts, actor, policy, exception, is_caller=is_caller)


def _is_anothers_claim(facts: Facts, actor: Party) -> bool:
    task = facts.task
    if task.status != "in_progress" or task.implementer is None or actor.kind == "human" or has_planned(facts, actor):
        return False
    return not is_oneself(actor, facts.party(task.implementer))


def _by_involvement(facts: Facts, actor: Party, policy: ReviewPolicy, exception: str, *, is_caller: bool) -> Decision:
    task = facts.task
    made = made_by(facts, actor)
    minor = as_minor(facts, actor, policy, made=made is not None)
    if minor is not None:
        return minor
    creator = is_creator(facts, actor) or is_under(facts, actor, facts.party(task.creator))
    if creator and not made and (makers_of(facts) or (task.type == "epic" and facts.child_count > 0)):
        return allow("T5" if not makers_of(facts) else "C1", "you created it, and someone else implemented it")
    planned = is_tied(actor, facts.party(task.creator)) or is_under(facts, actor, facts.party(task.creator))
    if not (made or planned or _made_a_child(facts, actor)):
        return allow("C1", "you were not involved in it")
    if not is_blank(exception):
        return allow("C1", "self-close by exception", exception="self_close", needs_reason=True)
    if made:
        step = elsewhere(facts) if task.status == "reviewing" else fe("show", task.id)
        says = made.says(facts, is_you=is_caller and made.session == actor.session)
        return refuse("C1", f"{says}, so someone else must close it", step)
    if planned:
        return refuse("C1", f"you created {task.id}, and no work was done on it", fe("cancel", task.id))
    return refuse(
        "C1", f"you implemented a child of {task.id}", by("other", fe("close", task.id), "its creator closes it: ")
    )


def _made_a_child(facts: Facts, actor: Party) -> bool:
    """Return True if the actor made a child of this epic. An epic's implementers are those of its children. (T5)"""
    return any(
        is_tied(actor, facts.party(maker)) or is_under(facts, actor, facts.party(maker)) for maker in facts.child_makers
    )


def may_cancel(facts: Facts, actor: Party) -> Decision:
    """Decide if the actor may cancel or delete the task: only before any work, by its creator or a person. (T2)"""
    return fail_closed(lambda: _may_cancel(facts, actor))


def _may_cancel(facts: Facts, actor: Party) -> Decision:
    task = facts.task
    barred = may_decide(actor)
    if barred is not None:
        return barred
    if facts.history is None or facts.authors is None:
        return refuse("P0", f"the history of {task.id} cannot be read", fe("doctor"))
    if makers_of(facts):
        return refuse("T2", f"work was done on {task.id}, so it can be closed but not cancelled", fe("close", task.id))
    if actor.kind == "human" or has_planned(facts, actor):
        return allow("T2", "creator or a person")
    return refuse(
        "T2",
        f"{task.id} can be cancelled only by its creator, {facts.party_name(task.creator)}, or by a person",
        fe("show", task.id),
    )


def may_lift_rejection(facts: Facts, actor: Party) -> Decision:
    """Decide if the actor may unblock or reopen a rejected task: only the rejecting reviewer or a person. (T2)"""
    return fail_closed(lambda: _may_lift_rejection(facts, actor))


def _may_lift_rejection(facts: Facts, actor: Party) -> Decision:
    barred = may_decide(actor)
    if barred is not None:
        return barred
    rejecter = facts.task.rejected_by
    if rejecter is None or actor.kind == "human":
        return allow("T2", "")
    if is_oneself(actor, facts.party(rejecter)) and made_by(facts, actor) is None:
        return allow("T2", "")
    return refuse(
        "T2",
        f"{facts.party_name(rejecter)} rejected {facts.task.id}, so only they or a person may reopen it",
        fe("show", facts.task.id),
    )


# ---- Leading (E2, E3) ----


def why_not_lead(facts: Facts, me: Party, lead: str, agent: str, option: LeadOption) -> list[Reason]:
    """Return every reason why the caller may not make this lead decision.

    `lead` is the leading profile, or `human` for a person. `agent` is the caller's program. (E2, E3)
    """
    task = facts.task
    reasons: list[Reason] = []
    if task.waiting_for == "":
        return [
            Reason(
                "E3",
                f"{task.id} is not stuck (tier {task.tier}), so there is nothing for a lead to decide",
                fe("show", task.id),
            )
        ]
    barred = may_decide(me)
    reasons += barred.reasons if barred else ()
    is_lead = me.kind == "human" or (task.waiting_for == "lead" and lead not in ("", "human") and agent == lead)
    if not is_lead:
        who = "a person" if task.waiting_for == "user" or lead in ("", "human") else f"{lead} or a person"
        decide = by("lead", lead_step(task.id), f"{who} runs: ")
        reasons.append(Reason("E2", f"{who} must decide about {task.id}, not you", decide))
    if me.kind != "human" and made_by(facts, me) is not None:
        reasons.append(
            Reason(
                "E3", "you are an author of the work, so someone else must decide how it goes on", fe("show", task.id)
            )
        )
    if option == "ask" and task.waiting_for == "user":
        reasons.append(Reason("E3", f"{task.id} is already waiting for a person", lead_step(task.id)))
    return reasons
