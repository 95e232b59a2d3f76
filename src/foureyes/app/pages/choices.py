"""The ways to move what waits for a person (E6): only those that would not be refused for the caller (no dead keys).

What judges a way is loaded where there is something to judge: `fe status` is asked often, and mostly nothing waits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.call.caller import why_barred
from foureyes.app.views.attention import Choice
from foureyes.core.words.ids import TaskId
from foureyes.errors import ConfigError, FoureyesError
from foureyes.steps import fe, phrase

if TYPE_CHECKING:
    from foureyes.app.call.case import Case
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.core.events.loop import LeadOption
    from foureyes.core.nouns.session import Actor

WHY = phrase("why")
LEAD: dict[LeadOption, str] = {
    "split": "split into tasks",
    "senior": "give to senior",
    "fresh": "restart fresh, from where the task began",
    "ask": "ask a person",
    "continue": "let it go on as it is",
}


class CallerWays:
    """The ways that one caller has."""

    def __init__(self, context: Context, tx: Tx, actor: Actor) -> None:
        self._context, self._tx, self._actor = context, tx, actor

    def may(self, verb: str, task: str = "") -> bool:
        """Whether the caller may use the verb at all, on this task, and can sign it where a signature is wanted (I1,
        I2, I5, I9).
        """
        actor = self._actor
        if why_barred(actor, verb) is not None:
            return False
        if actor.task is not None and task and task != actor.task:
            return False
        return self._can_sign(verb)

    def _can_sign(self, verb: str) -> bool:
        try:
            if not self._context.wants_key(self._tx, self._actor, verb):
                return True
        except ConfigError:  # whether a signature is wanted cannot be said, and the verb would say so
            return False
        from foureyes.app.call.signing import active_keys, keys_at_hand

        return bool(keys_at_hand(self._context, self._actor, active_keys(self._tx)))

    def resuming(self, task: str) -> tuple[Choice, ...]:
        """D3: lift a hold, of a task or (empty) of the project."""
        if not self.may("resume", task):
            return ()
        if task:
            from foureyes.app.call.blockers import why_not_resumed

            me = self._context.party(self._tx, self._actor)
            if why_not_resumed(self._context, self._tx, me, TaskId(task)) is not None:
                return ()
        step = fe("resume", task or "--project", "-m", WHY)
        text = "resume: let it go on as before"
        return (
            Choice(text=text, noun="stops", verb="resume", values={"task": task or None}, asks="reason", step=step),
        )

    def setting_aside(self, agent: str) -> tuple[Choice, ...]:
        """R1: every blocker of an agent that stopped no task."""
        if not self.may("resume"):
            return ()
        step = fe("resume", "--agent", agent, "-m", WHY)
        values: dict[str, object] = {"task": None, "agent": agent}
        text = "set aside all its blockers"
        return (Choice(text=text, noun="stops", verb="resume", values=values, asks="reason", step=step),)

    def unblocking(self, task: str) -> tuple[Choice, ...]:
        """T: take rejected or blocked work up again, or close it for good."""
        if not self.may("unblock", task):
            return ()
        from foureyes.app.call.facts import facts_of
        from foureyes.core.rules.closing import may_lift_rejection

        facts = facts_of(self._context, self._tx, TaskId(task))
        if not may_lift_rejection(facts, self._context.party(self._tx, self._actor)).allowed:
            return ()
        step = fe("unblock", task, "-m", WHY)
        text = "take it up again: it is open then"
        return (Choice(text=text, noun="stops", verb="unblock", values={"task": task}, asks="reason", step=step),)

    def leading(self, task: str) -> tuple[Choice, ...]:
        """E3: what the lead may decide about a loop."""
        from foureyes.app.call.case import case_of
        from foureyes.app.gate.merge_queue import refuse_while_merging

        try:
            case = case_of(self._context, self._tx, self._actor, TaskId(task))
            refuse_while_merging(self._context, self._tx, case.task)
        except FoureyesError:
            return ()
        return tuple(_lead(task, option) for option in LEAD if self._may_lead(case, option))

    def _may_lead(self, case: Case, option: LeadOption) -> bool:
        from foureyes.core.rules.leading import why_not_lead

        may = self.may(f"lead {option}", case.task.id)
        return may and not why_not_lead(case.facts, case.me, case.policy.tiers.lead, self._actor.agent, option)

    def unsticking(self, task: str) -> tuple[Choice, ...]:
        """Q3: try a merge again, or send the work back."""
        choices = []
        if self.may("merge --retry", task):
            step = fe("merge", "--retry", task)
            choices.append(
                Choice(text="try the merge again", noun="merges", verb="retry", values={"task": task}, step=step)
            )
        if self._may_send_back(task):
            step = fe("redo", task, "-m", WHY)
            text = "drop it: send the work back (redo)"
            choices.append(
                Choice(text=text, noun="feedback", verb="redo", values={"task": task}, asks="text", step=step)
            )
        return tuple(choices)

    def _may_send_back(self, task: str) -> bool:
        """Whether a redo would go through: the verb's own judgement is asked, with some reason."""
        if not self.may("redo", task):
            return False
        from foureyes.app.review.feedback import judge

        try:
            judge(self._context, self._tx, self._actor, task, "redo", "a reason")
        except FoureyesError:
            return False
        return True

    def sending_back(self, task: str) -> tuple[Choice, ...]:
        """F1: back to whoever works on it, with words."""
        if not self._may_send_back(task):
            return ()
        step = fe("redo", task, "-m", WHY)
        text = "send it back with the findings (redo)"
        return (Choice(text=text, noun="feedback", verb="redo", values={"task": task}, asks="text", step=step),)

    def clarifying(self, cycle: str, point: str, task: str) -> tuple[Choice, ...]:
        """R2: answer a concern; with the last answer the cycle runs again."""
        if not self.may("review clarify", task):
            return ()
        step = fe("review", "clarify", cycle, point, "-m", phrase("the answer"))
        values: dict[str, object] = {"cycle": cycle, "point": point}
        return (Choice(text=f"answer {point}", noun="cycles", verb="clarify", values=values, asks="text", step=step),)

    def asking_author(self, cycle: str, task: str, who: str) -> tuple[Choice, ...]:
        """R1, R2: put what stopped it to who made the work; then the reviewers look again."""
        if not self.may("review ask", task):
            return ()
        step = fe("review", "ask", cycle)
        values: dict[str, object] = {"cycle": cycle}
        return (Choice(text=f"ask {who} to clarify", noun="cycles", verb="ask_author", values=values, step=step),)

    def looking_again(self, task: str) -> tuple[Choice, ...]:
        """V1: let reviewers look now."""
        if not self.may("review now", task):
            return ()
        step = fe("review", "now", task)
        text = "ask reviewers for a review now"
        return (Choice(text=text, noun="cycles", verb="now", values={"task": task}, step=step),)

    def releasing(self, task: str) -> tuple[Choice, ...]:
        """T1: give a claim free of which nothing was heard."""
        if not self.may("unstart", task):
            return ()
        text = "release the claim (its commits stay on the branch)"
        return (Choice(text=text, noun="claims", verb="unstart", values={"task": task}, step=fe("unstart", task)),)

    def launching(self) -> tuple[Choice, ...]:
        """I5: a runner takes up what another one left."""
        if not self.may("run"):
            return ()
        text = "start a runner; it goes on when this ends"
        return (Choice(text=text, noun="runs", verb="launch", step=fe("run", "--detach")),)

    def mending(self) -> tuple[Choice, ...]:
        """X4: somebody has to mend the target."""
        if not self.may("create"):
            return ()
        step = fe("create", phrase("what is to be fixed"), "--type", "bug", "--priority", "0")
        values: dict[str, object] = {"type": "bug", "priority": 0}
        text = "plan a task that fixes it"
        return (Choice(text=text, noun="tasks", verb="create", values=values, asks="title", step=step),)

    def accepting(self, seal: str) -> tuple[Choice, ...]:
        """P12: make the configuration on the target the one in force: the one that is shown, and no other."""
        if not self.may("config accept"):
            return ()
        step = fe("config", "accept")
        text = "accept it: it is in force from now on"
        return (Choice(text=text, noun="policy", verb="accept", values={"seen": seal}, step=step),)

    def waiving(self, task: str, finding: str) -> tuple[Choice, ...]:
        """E3: let a blocking finding pass for another while."""
        if not self.may("finding waive", task):
            return ()
        from foureyes.app.call.case import case_of
        from foureyes.app.findings.findings import why_not_waived
        from foureyes.app.findings.lookup import finding_named
        from foureyes.core.nouns.finding import WAIVED_DAYS
        from foureyes.core.rules.involvement import made_by

        try:
            case = case_of(self._context, self._tx, self._actor, TaskId(task))
            row = finding_named(self._tx, finding)
        except FoureyesError:
            return ()
        if why_not_waived(case.facts, row, made_by(case.facts, case.me), self._context.now()):
            return ()
        step = fe("finding", "waive", finding, "-m", WHY)
        text = f"waive it for another {WAIVED_DAYS} days"
        values: dict[str, object] = {"finding": finding}
        return (Choice(text=text, noun="findings", verb="waive", values=values, asks="reason", step=step),)


def _lead(task: str, option: LeadOption) -> Choice:
    split = fe("lead", "split", task, "--into", phrase("…"), "--into", phrase("…"), "-m", WHY)
    return Choice(
        text=LEAD[option],
        noun="loops",
        verb="lead",
        values={"task": task, "option": option},
        asks="reason",
        lists="into" if option == "split" else "",
        step=split if option == "split" else fe("lead", option, task, "-m", WHY),
    )
