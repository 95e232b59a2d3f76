"""Decisions of the lead about a stuck loop: split, give to senior, restart fresh, ask the user, continue. (E3)"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from foureyes.app.case import case_of
from foureyes.app.context import Context, Work, needed, permit, refuse_task
from foureyes.app.facts import attempt_of
from foureyes.app.gate.merge_queue import refuse_while_merging
from foureyes.app.outcome import claim_by, outcome
from foureyes.app.results.finding import LoopView
from foureyes.app.results.task_list import Outcome
from foureyes.app.tasks.escalation import loop_state_of, profile_of
from foureyes.app.tasks.tasks import free_id
from foureyes.app.work.branches import begin_again, why_not_reset
from foureyes.core import events as e
from foureyes.core.events.decision import RedoRequested
from foureyes.core.events.loop import LeadOption, Tier
from foureyes.core.loop.next_steps import loop_step
from foureyes.core.loop.rounds import LEAD_OPTIONS, waits
from foureyes.core.nouns.session import Actor
from foureyes.core.nouns.task import Task, clean_title
from foureyes.core.rules.claims import lead_step
from foureyes.core.rules.closing import why_not_lead
from foureyes.core.rules.facts import Facts
from foureyes.core.words.ids import Sha, TaskId
from foureyes.errors import BadInput
from foureyes.steps import Steps, fe, phrase

MOST_PARTS = 20


class Loops:
    """Show loops, and decide about one that is stuck."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def show(self, task: str) -> LoopView:
        """Return the state of a task's loop, the agent profile for the next attempt (E2, E4), and the next step."""
        with self._context.store.read() as tx:
            row = self._context.find(tx, task)
            state = loop_state_of(self._context, tx, row)
            profile = profile_of(self._context, tx, row, state)
        return LoopView(task=row, state=state, profile=profile, next=loop_step(row.id, state))

    def lead(self, actor: Actor, task: str, option: str, reason: str, *, into: Sequence[str] = ()) -> Outcome:
        """Decide about a stuck loop: split, give to senior, restart fresh, ask the user, or continue. Nobody can force
        an approval. (E3)
        """
        chosen = _option(option)
        permit(actor, f"lead {chosen}")
        reason = needed(reason, f"lead {chosen}", task)
        titles = self._titles(chosen, task, into)
        words = ", ".join([reason, *titles])
        with self._context.deciding(actor, f"lead {chosen}", task=task, reason=words) as work:
            row = self._context.find(work.tx, task)
            case = case_of(self._context, work.tx, work.actor, row.id)
            reasons = why_not_lead(case.facts, case.me, case.policy.tiers.lead, work.actor.agent, chosen)
            if reasons:
                refuse_task(row.id, "was not changed", *reasons)
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
        began = self._begun(row.id) if chosen == "fresh" else ""
        notes = [*[f"planned {part}" for part in parts], *([began] if began else []), *work.notes]
        return outcome(done, f"{done.id}: {SAYS[chosen]}", _next(actor, chosen, done, parts), notes=tuple(notes))

    def _begun(self, task: TaskId) -> str:
        """Reset the task's own branch. Return a message if that was not done. (F1)"""
        with self._context.store.read() as tx:
            attempt = attempt_of(tx, task)
            why = why_not_reset(tx, task, attempt) if attempt is not None else ""
        return f"no branch was reset: {why}" if why else begin_again(self._context, task)

    def _titles(self, option: LeadOption, task: str, into: Sequence[str]) -> list[str]:
        titles = [clean_title(title) for title in into]
        if (option == "split") != bool(titles):
            raise BadInput(
                "--into names the new tasks of a split. A split needs it, and nothing else takes it.",
                next_step=fe("lead", "split", task, "--into", phrase("…"), "--into", phrase("…"), "-m", phrase("why")),
            )
        if len(titles) > MOST_PARTS:
            raise BadInput(
                f"{len(titles)} parts are too many. At most {MOST_PARTS} are allowed.",
                next_step=fe("lead", "split", task, "--help"),
            )
        return titles

    def _part(self, work: Work, task: Task, title: str, reason: str) -> TaskId:
        """Create a task for a part of the work. The whole then waits for it. (E3 re-plan)"""
        new = free_id(self._context, work.tx)
        description = f"Split from {task.id}: {task.title}\n\n{reason}"
        event = e.TaskCreated(
            title=title,
            description=description,
            priority=task.priority,
            parent=task.id,
            group=task.group,
            labels=tuple(task.labels),
            signed_by=work.key,
        )
        work.record(new, event)
        work.record(task.id, e.DependencyAdded(depends_on=new))
        return new

    def _set_back(self, work: Work, facts: Facts, option: LeadOption, reason: str) -> tuple[str, Sha | None]:
        """Send back what is in review, unless the decision leaves it as it is.

        For work that is not in review, return the feedback, and for `fresh` the commit to reset to.
        """
        task, attempt = facts.task, facts.attempt
        refuse_while_merging(self._context, work.tx, task)
        if option == "ask" or attempt is None or (option == "continue" and task.status in ("reviewing", "approved")):
            return "", None
        fresh = option == "fresh" and not why_not_reset(work.tx, task.id, attempt)
        if task.status in ("reviewing", "approved"):
            work.record(task.id, _redo(facts, reason, fresh=fresh))
            return "", None
        return reason, attempt.base if fresh else None


def _redo(facts: Facts, reason: str, *, fresh: bool) -> RedoRequested:
    assert facts.attempt is not None
    option: Literal["fresh", "keep"] = "fresh" if fresh else "keep"
    reset_to = facts.attempt.base if fresh else None
    return RedoRequested(
        iteration=facts.task.iteration, feedback=reason, option=option, reset_to=reset_to, source="lead"
    )


def _option(text: str) -> LeadOption:
    chosen = next((option for option in LEAD_OPTIONS if option == text), None)
    if chosen is None:
        raise BadInput(f"the lead can choose {', '.join(LEAD_OPTIONS)}.", next_step=fe("lead", "--help"))
    return chosen


def _after(option: LeadOption, tier: Tier) -> tuple[Tier, Literal["", "lead", "user"]]:
    """Return the tier and the role after a decision. The engine must agree, and a test compares them."""
    if option == "ask":
        return "user", "user"
    if option == "continue":
        return ("senior" if tier in ("lead", "user") else tier), ""
    after: Tier = "developer" if option in ("split", "fresh") else "senior"
    return after, waits(after)


def _next(actor: Actor, option: LeadOption, task: Task, parts: Sequence[str]) -> Steps:
    if option == "ask":
        return lead_step(task.id, "user")
    if parts:
        return claim_by(actor, parts[0])
    return claim_by(actor, task.id) if task.status == "open" else fe("show", task.id)


SAYS: dict[LeadOption, str] = {
    "split": "was split and waits for its parts",
    "senior": "was given to tier senior",
    "fresh": "starts over from where it began",
    "ask": "waits for a person",
    "continue": "continues as it is",
}
