"""Refusals that several verbs share: a text that is needed, a status from which a verb is not possible."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from foureyes.core.words.lifecycle import TRANSITIONS, is_allowed
from foureyes.core.words.text import clean_text, is_blank
from foureyes.errors import Reason, Refused
from foureyes.steps import NO_STEP, Steps, by_person, fe, phrase

if TYPE_CHECKING:
    from foureyes.core.nouns.task import Task
    from foureyes.core.words.decision import Decision
    from foureyes.errors import NotFound


def refuse_task(task: str, what: str, *reasons: Reason, lead: Reason | None = None) -> NoReturn:
    """Refusal about a task with all its reasons: `refuse_task("fe-1", "was not changed", reason)`.

    What to type next is said by the first reason, or by `lead`.
    """
    refuse_verb(f"{task} {what}.", *reasons, task=task, lead=lead)


def refuse_verb(message: str, *reasons: Reason, task: str = "", lead: Reason | None = None) -> NoReturn:
    """Refusal of a verb in a sentence of its own, with all its reasons."""
    step = lead or reasons[0]
    raise Refused(message, reasons=reasons, next_step=step.next, task=task)


def not_handed_in(task: str, *, so: str = "", step: Steps = NO_STEP) -> NotFound:
    """What is raised where an attempt is needed and there is none. `so`: what follows from it."""
    from foureyes.core.nouns.attempt import nothing_handed_in
    from foureyes.errors import NotFound

    return NotFound(f"{nothing_handed_in(task)}{so}.", next_step=step or fe("show", task), task=task)


def needed(reason: str, verb: str, task: str) -> str:
    """A reason that must not be blank."""
    reason = clean_text(reason, "the reason").strip()
    if is_blank(reason):
        missing = Reason(
            "T2",
            f'{verb} needs a reason: -m "why"',
            fe(*verb.split(), *task.split(), "-m", phrase("why")),
        )
        refuse_verb(f"{verb} needs a reason.", missing)
    return reason


def refuse_from(task: Task, action: str) -> None:
    """T2: only the ways of the table."""
    if not is_allowed(action, task.status):
        allowed = ", ".join(TRANSITIONS[action].from_)
        is_dropped = action in ("cancel", "delete") and is_allowed("close", task.status)
        step = by_person(fe("close", task.id, "-m", phrase("why"))) if is_dropped else fe("show", task.id)
        reason = Reason("T2", f"{task.id} is {task.status}", step)
        refuse_task(task.id, f"is {task.status}; {action} is possible from {allowed}", reason)


def refuse_unless(decision: Decision, task: Task) -> None:
    """Turn a no of the rules into a refusal."""
    if not decision.allowed:
        refuse_task(task.id, "was not changed", *decision.reasons)
