"""Refusals that several verbs share: a text that is needed, a status from which a verb is not possible."""

from __future__ import annotations

from foureyes.core.nouns.task import Task
from foureyes.core.words.decision import Decision
from foureyes.core.words.lifecycle import TRANSITIONS, is_allowed
from foureyes.core.words.text import clean_text, is_blank
from foureyes.errors import Reason, Refused


def needed(reason: str, verb: str, task: str) -> str:
    """A reason that must not be blank."""
    reason = clean_text(reason, "the reason").strip()
    if is_blank(reason):
        raise Refused(
            f"{verb} needs a reason.",
            reasons=(
                Reason("T2", f"{verb} without a reason tells nobody what to do next", f'fe {verb} {task} -m "why"'),
            ),
            next_step=f'fe {verb} {task} -m "why"',
        )
    return reason


def refuse_from(task: Task, action: str) -> None:
    """T2: only the ways of the table."""
    if not is_allowed(action, task.status):
        allowed = ", ".join(TRANSITIONS[action].from_)
        raise Refused(
            f"{task.id} is {task.status}; {action} is possible from {allowed}.",
            reasons=(Reason("T2", f"{task.id} is {task.status}", f"fe show {task.id}"),),
            next_step=f"fe show {task.id}",
            task=task.id,
        )


def refuse_unless(decision: Decision, task: Task, message: str = "") -> None:
    """Turn an answer of the rules into a refusal."""
    if not decision.allowed:
        raise Refused(
            message or f"{task.id} was not changed.", reasons=decision.reasons, next_step=decision.next, task=task.id
        )
