"""Who decides about a loop that is stuck (E2, E3): whom it waits for, and never who made the work."""

from __future__ import annotations

from foureyes.core.events.loop import LeadOption
from foureyes.core.nouns.session import Party
from foureyes.core.rules.claiming import lead_step
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.four_eyes import may_decide
from foureyes.core.rules.involvement import made_by
from foureyes.errors import Reason
from foureyes.steps import by, fe


def why_not_lead(facts: Facts, me: Party, lead: str, agent: str, option: LeadOption) -> list[Reason]:
    """E2, E3: every reason why the caller may not decide so. `lead` is the profile that leads (`human`: a person);
    `agent` is the caller's program.
    """
    task = facts.task
    reasons: list[Reason] = []
    if task.waiting_for == "":
        return [Reason("E3", f"{task.id} does not wait for a lead: tier {task.tier}", fe("show", task.id))]
    barred = may_decide(me)
    reasons += barred.reasons if barred else ()
    is_lead = me.kind == "human" or (task.waiting_for == "lead" and lead not in ("", "human") and agent == lead)
    if not is_lead:
        who = "a person" if task.waiting_for == "user" or lead in ("", "human") else f"{lead} or a person"
        decide = by("lead", lead_step(task.id), f"{who} runs: ")
        reasons.append(Reason("E2", f"{task.id} waits for {who}, not for you", decide))
    if me.kind != "human" and made_by(facts, me) is not None:
        reasons.append(Reason("E3", "an author of the work does not decide about its loop", fe("show", task.id)))
    if option == "ask" and task.waiting_for == "user":
        reasons.append(Reason("E3", f"{task.id} waits for a person already", lead_step(task.id)))
    return reasons
