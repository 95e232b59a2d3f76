"""What the lead does with a loop that is stuck (E3): split, give to senior, restart fresh, ask the user, let it go
on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from foureyes.app.call.caller import permit
from foureyes.app.call.case import Case, case_of
from foureyes.app.call.context import Context
from foureyes.app.call.outcome import outcome
from foureyes.app.call.refusals import needed, refuse_task
from foureyes.app.call.work import Work
from foureyes.app.gate.merge_queue import refuse_while_merging
from foureyes.app.tasks.escalation import loop_state_of, profile_of
from foureyes.app.tasks.ids import free_id
from foureyes.app.views.loop import LoopView
from foureyes.app.views.outcome import Outcome
from foureyes.app.work.branches import begin_again
from foureyes.core import events as e
from foureyes.core.events.decision import RedoRequested
from foureyes.core.events.loop import LeadOption, Tier
from foureyes.core.loop.engine import LEAD_OPTIONS, waits
from foureyes.core.loop.next_steps import loop_step
from foureyes.core.nouns.attempt import DETACHED
from foureyes.core.nouns.session import Actor
from foureyes.core.nouns.task import Task, clean_title
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.four_eyes import may_decide
from foureyes.core.rules.involvement import made_by
from foureyes.core.words.ids import Sha, TaskId
from foureyes.errors import BadInput, Reason
from foureyes.steps import Steps, by, by_person, fe, one_of, phrase

MOST_PARTS = 20


class Loops:
    """Look at a loop, and decide about one that is stuck."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def show(self, task: str) -> LoopView:
        """Where the loop of a task stands, for which agent profile the next attempt is (E2, E4), what to do next."""
        with self._context.store.read() as tx:
            row = self._context.find(tx, task)
            state = loop_state_of(self._context, tx, row)
            profile = profile_of(self._context, tx, row, state)
        return LoopView(task=row, state=state, profile=profile, next=loop_step(row.id, state))

    def lead(self, actor: Actor, task: str, option: str, reason: str, *, into: Sequence[str] = ()) -> Outcome:
        """E3: split, give to senior, restart fresh, ask the user, or let it go on. Nobody can force an approval."""
        chosen = _option(option)
        permit(actor, f"lead {chosen}")
        reason = needed(reason, f"lead {chosen}", task)
        titles = self._titles(chosen, task, into)
        words = "; ".join([reason, *titles])
        with self._context.deciding(actor, f"lead {chosen}", task=task, reason=words) as work:
            row = self._context.find(work.tx, task)
            case = case_of(self._context, work.tx, work.actor, row.id)
            self._refuse(case, work.actor.agent, chosen)
            parts = [self._part(work, row, title, reason) for title in titles]
            feedback, reset_to = self._set_back(work, case.facts, chosen, reason)
            now = loop_state_of(self._context, work.tx, self._context.get(work.tx, row.id))
            tier, waiting = _after(chosen, now.tier)
            event = e.LeadDecided(
                iteration=row.iteration,
                option=chosen,
                tier=tier,
                waiting_for=waiting,
                reason=reason,
                into=tuple(parts),
                feedback=feedback,
                reset_to=reset_to,
            )
            work.record(row.id, event)
            done = self._context.get(work.tx, row.id)
        began = begin_again(self._context, row.id) if chosen == "fresh" else ""
        notes = [*[f"planned {part}" for part in parts], *([began] if began else []), *work.notes]
        return outcome(done, f"{done.id}: {SAYS[chosen]}", _next(chosen, done, parts), notes=tuple(notes))

    def _titles(self, option: LeadOption, task: str, into: Sequence[str]) -> list[str]:
        titles = [clean_title(title) for title in into]
        if (option == "split") != bool(titles):
            raise BadInput(
                "splitting names the new tasks, and nothing else does.",
                next_step=fe("lead", "split", task, "--into", phrase("…"), "--into", phrase("…"), "-m", phrase("why")),
            )
        if len(titles) > MOST_PARTS:
            raise BadInput(
                f"{len(titles)} parts are too many; at most {MOST_PARTS}.",
                next_step=fe("lead", "split", task, "--help"),
            )
        return titles

    @staticmethod
    def _refuse(case: Case, agent: str, option: LeadOption) -> None:
        """E2, E3: only where the loop waits for somebody, and only who it waits for, and never who made the work."""
        task, me, lead = case.task, case.me, case.policy.tiers.lead
        reasons: list[Reason] = []
        if task.waiting_for == "":
            reasons.append(Reason("E3", f"{task.id} does not wait for a lead: tier {task.tier}", fe("show", task.id)))
        barred = may_decide(me)
        reasons += barred.reasons if barred else ()
        is_lead = me.kind == "human" or (task.waiting_for == "lead" and lead not in ("", "human") and agent == lead)
        if not is_lead:
            who = "a person" if task.waiting_for == "user" or lead in ("", "human") else f"{lead} or a person"
            reasons.append(
                Reason(
                    "E2",
                    f"{task.id} waits for {who}, not for you",
                    by("lead", fe("lead", option, task.id, "-m", phrase("why")), f"{who} runs: "),
                )
            )
        if me.kind != "human" and made_by(case.facts, me) is not None:
            reasons.append(Reason("E3", "whoever made the work does not decide about its loop", fe("show", task.id)))
        if option == "ask" and task.waiting_for == "user":
            reasons.append(
                Reason(
                    "E3",
                    f"{task.id} waits for a person already",
                    fe("lead", one_of("split", "senior", "fresh"), task.id),
                )
            )
        if reasons:
            refuse_task(task.id, "was not changed", *reasons)

    def _part(self, work: Work, task: Task, title: str, reason: str) -> TaskId:
        """E3 re-plan: a part of the work as a task of its own, for which the whole waits."""
        new = free_id(self._context, work.tx)
        description = f"Split from {task.id}: {task.title}\n\n{reason}"
        event = e.TaskCreated(
            title=title,
            description=description,
            priority=task.priority,
            parent=task.id,
            group=task.group,
            labels=tuple(task.labels),
        )
        work.record(new, event)
        work.record(task.id, e.DependencyAdded(depends_on=new))
        return new

    def _set_back(self, work: Work, facts: Facts, option: LeadOption, reason: str) -> tuple[str, Sha | None]:
        """What is in review goes back with the decision, unless it is to go on as it is; `fresh` begins where the task
        began.
        """
        task, attempt = facts.task, facts.attempt
        refuse_while_merging(self._context, work.tx, task)
        if option == "ask" or attempt is None or (option == "continue" and task.status in ("reviewing", "approved")):
            return "", None
        fresh = option == "fresh" and not attempt.landed and attempt.ref != DETACHED
        if task.status in ("reviewing", "approved"):
            work.record(task.id, _redo(facts, reason, fresh=fresh))
            return "", None
        return reason, attempt.base if fresh else None


def _redo(facts: Facts, reason: str, *, fresh: bool) -> RedoRequested:
    assert facts.attempt is not None
    option: Literal["fresh", "keep"] = "fresh" if fresh else "keep"
    reset_to = facts.attempt.base if fresh else None
    return RedoRequested(iteration=facts.task.iteration, feedback=reason, option=option, reset_to=reset_to)


def _option(text: str) -> LeadOption:
    chosen = next((option for option in LEAD_OPTIONS if option == text), None)
    if chosen is None:
        raise BadInput(f"the lead may {', '.join(LEAD_OPTIONS)}.", next_step=fe("lead", "--help"))
    return chosen


def _after(option: LeadOption, tier: Tier) -> tuple[Tier, Literal["", "lead", "user"]]:
    """Where a decision leads; the engine says the same of it (a test compares them)."""
    if option == "ask":
        return "user", "user"
    if option == "continue":
        return ("senior" if tier in ("lead", "user") else tier), ""
    after: Tier = "developer" if option in ("split", "fresh") else "senior"
    return after, waits(after)


def _next(option: LeadOption, task: Task, parts: Sequence[str]) -> Steps:
    if option == "ask":
        return by_person(fe("lead", one_of("split", "senior", "fresh"), task.id))
    return fe("start", parts[0]) if parts else fe("start", task.id) if task.status == "open" else fe("show", task.id)


SAYS: dict[LeadOption, str] = {
    "split": "split; it waits for its parts",
    "senior": "goes to tier senior",
    "fresh": "begins again where it began",
    "ask": "waits for a person",
    "continue": "goes on as it is",
}
