"""Stops: block, defer and hold, and how each is lifted."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from msgspec.structs import replace

from foureyes.app.blockers import why_not_resumed
from foureyes.app.case import case_of
from foureyes.app.context import Context, Work, needed, refuse_from, refuse_task, refuse_unless, refuse_verb
from foureyes.app.facts import facts_of
from foureyes.app.findings.rulings import decide_after, tip_in
from foureyes.app.outcome import each, outcome
from foureyes.app.results.run import PauseView, StuckView
from foureyes.app.results.session import SessionView
from foureyes.app.results.task_list import Outcome
from foureyes.core import events as e
from foureyes.core.events.project import ProjectHeld, ProjectResumed, SecurityRecorded
from foureyes.core.nouns.cycle import TargetRow
from foureyes.core.nouns.session import Actor
from foureyes.core.nouns.task import Task
from foureyes.core.rules.closing import may_lift_rejection
from foureyes.core.rules.gate import Tip
from foureyes.core.words.text import clean_text, visible
from foureyes.errors import BadInput, NotFound
from foureyes.steps import blank, fe, phrase


class Stops:
    """Everything that keeps a task from being worked on."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def block(self, actor: Actor, task: str, reason: str) -> Outcome:
        """Block a task because of something that is not a task."""
        reason = needed(reason, "block", task)
        with self._context.writing(actor, "block") as work:
            row = self._at(work, task, "block")
            work.record(row.id, e.TaskBlocked(reason=reason))
            return self._done(work, row, f"blocked {row.id}: {reason}")

    def unblock(self, actor: Actor, task: str, reason: str = "") -> Outcome:
        """Unblock a task. After a rejection, only the rejecting reviewer or a person may."""
        with self._context.deciding(actor, "unblock", task=task, reason=reason) as work:
            row = self._at(work, task, "unblock")
            me = self._context.party(work.tx, work.actor)
            refuse_unless(may_lift_rejection(facts_of(self._context, work.tx, row.id), me), row)
            work.record(row.id, e.TaskUnblocked(reason=clean_text(reason, "the reason")))
            return self._done(work, row, f"unblocked {row.id}")

    def defer(self, actor: Actor, task: str, until: str | None = None) -> Outcome:
        """Defer a task, optionally until a date."""
        return self.defer_several(actor, [task], until)[0]

    def defer_several(self, actor: Actor, tasks: Sequence[str], until: str | None = None) -> list[Outcome]:
        """Defer several tasks, all or none."""
        until = self._day(until) if until is not None else None
        with self._context.writing(actor, "defer") as work:

            def put_off(task: str) -> Outcome:
                row = self._at(work, task, "defer")
                work.record(row.id, e.TaskDeferred(until=until))
                return self._done(work, row, f"deferred {row.id}" + (f" until {until}" if until else ""))

            return each(tasks, put_off)

    def _day(self, until: str) -> str:
        """Parse a date in the future."""
        try:
            day = date.fromisoformat(until)
        except ValueError:
            raise BadInput(f"{until!r} is not a date. Write it as 2027-01-31.") from None
        today = self._context.clock.now().date()
        if day <= today:
            raise BadInput(
                f"{day} is not in the future. Today is {today}.",
                next_step=fe("defer", blank("TASK"), "--until", blank("DATE")),
            )
        return day.isoformat()

    def undefer(self, actor: Actor, task: str) -> Outcome:
        """Make a deferred task ready again."""
        return self.undefer_several(actor, [task])[0]

    def undefer_several(self, actor: Actor, tasks: Sequence[str]) -> list[Outcome]:
        """Make several deferred tasks ready again, all or none."""
        with self._context.writing(actor, "undefer") as work:

            def take_up(task: str) -> Outcome:
                row = self._at(work, task, "undefer")
                work.record(row.id, e.TaskUndeferred())
                return self._done(work, row, f"{row.id} is open again")

            return each(tasks, take_up)

    def hold(self, actor: Actor, task: str | None, reason: str) -> Outcome:
        """Stop a task, or the whole project, until a person lifts the hold."""
        reason = needed(reason, "hold", task or "--project")
        with self._context.deciding(actor, "hold", task=task, reason=reason) as work:
            if task is None:
                work.record("", ProjectHeld(reason=reason))
                return Outcome(task="", status="held", version=0, message=f"the project is held: {reason}")
            row = self._context.find(work.tx, task)
            work.record(row.id, e.TaskHeld(reason=reason))
            return self._done(work, row, f"held {row.id}: {reason}")

    def resume(self, actor: Actor, task: str | None, reason: str, *, agent: str = "") -> Outcome:
        """Lift a hold or a pause (V9), or let the runner try again what it gave up. A person does this, with a reason.

        `agent`: instead, ignore all blockers of that agent that did not stop their task (R1).
        """
        reason = needed(reason, "resume", task or (f"--agent {agent}" if agent else "--project"))
        tip = self._tip(actor, task) if task else None
        with self._context.deciding(actor, "resume", task=task, reason=reason, how=agent) as work:
            if agent:
                return self._set_aside(work, agent, reason)
            if task is None:
                return self._resume_all(work, reason)
            row = self._context.find(work.tx, task)
            lifted = ["the hold"] * (row.hold is not None) + _stood_still(work, row.id)
            if not lifted:
                return _not_held(row)
            refused = why_not_resumed(self._context, work.tx, self._context.party(work.tx, work.actor), row.id)
            if refused is not None:
                refuse_task(row.id, "was not resumed", refused)
            if row.hold is not None:
                work.record(row.id, e.TaskResumed(reason=reason))
            if _stood_still(work, row.id):
                work.record(row.id, e.RunsResumed(reason=reason))
            if row.status == "reviewing":  # what the stop kept back: findings, and the rule (V10, M4)
                decide_after(self._context, work, case_of(self._context, work.tx, work.actor, row.id, tip=tip))
            return self._done(work, row, f"{' and '.join(lifted)} on {row.id} {_is(lifted)} lifted")

    def _tip(self, actor: Actor, task: str) -> Tip | None:
        """Return the git state of the attempt. Call this before the transaction."""
        with self._context.store.read() as tx:
            case = case_of(self._context, tx, actor, self._context.find_id(tx, task))
        return tip_in(self._context, case)

    def _set_aside(self, work: Work, agent: str, reason: str) -> Outcome:
        """Ignore all blockers that an agent has given and that stopped nothing. (R1)"""
        known = work.tx.one("session.get", SessionView, id=agent)
        if known is None or known.kind != "agent":
            raise NotFound(f"there is no agent {visible(agent)}.", next_step=fe("status", "--attention"))
        event = SecurityRecorded(kind="blockers_set_aside", rule="R1", reason=reason, detail=agent)
        work.record("", event)
        return Outcome(task="", status="", version=0, message=f"the blockers of {known.name} are dismissed")

    def _resume_all(self, work: Work, reason: str) -> Outcome:
        """Lift what stops the whole project."""
        is_held, paused = self._context.project(work.tx).hold is not None, _stood_still(work, "")
        me = self._context.party(work.tx, work.actor)
        stopped_by = [each.cycle for each in work.tx.all("run.pauses_of", PauseView, task="") if each.made_by == "rule"]
        for target in work.tx.all("cycle.targets", TargetRow, ids=stopped_by):
            if refused := why_not_resumed(self._context, work.tx, me, target.task):
                refuse_verb("the project was not resumed.", refused, task=target.task)
        if is_held:
            work.record("", ProjectResumed(reason=reason))
        if paused:
            work.record("", e.RunsResumed(reason=reason))
        lifted = ["hold"] * is_held + ["pause"] * bool(paused)
        if not lifted:
            return Outcome(task="", status="", version=0, changed=False, message="the project is not held")
        message = f"the project's {' and '.join(lifted)} {_is(lifted)} lifted"
        return Outcome(task="", status="", version=0, message=message)

    def _at(self, work: Work, task: str, action: str) -> Task:
        """Return the task. Refuse if its status does not allow the action."""
        row = self._context.find(work.tx, task)
        refuse_from(row, action)
        return row

    def _done(self, work: Work, task: Task, message: str) -> Outcome:
        return outcome(self._context.get(work.tx, task.id), message)


def _not_held(task: Task) -> Outcome:
    """Return the result for a task that is not held. If it is blocked, name the verb for that."""
    if task.status != "blocked":
        return outcome(task, f"{task.id} is not held", changed=False)
    done = outcome(task, f"{task.id} is not held but blocked: {task.blocked_reason}", changed=False)
    return replace(done, next=fe("unblock", task.id, "-m", phrase("why")))


def _stood_still(work: Work, task: str) -> list[str]:
    """Return what keeps runs of a task, or all runs, from starting. (V9)"""
    pauses = [each for each in work.tx.all("run.pauses_of", PauseView, task=task) if each.task == task]
    stuck = work.tx.one("run.stuck_of", StuckView, task=task) if task else None
    return ["the pause"] * bool(pauses) + ["a stop of the runner"] * (stuck is not None)


def _is(lifted: Sequence[str]) -> str:
    return "is" if len(lifted) == 1 else "are"
