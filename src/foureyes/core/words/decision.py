"""A rule's decision: allowed or refused, with the rule and its reason. (G2)"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from foureyes.core.words.vocabulary import ExceptionKind, NoException
from foureyes.errors import Reason
from foureyes.steps import NO_STEP, Steps, fe


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """A policy decision.

    `exception` is the kind under which an allowed one is audited (P8). `needs_reason`: giving a reason would allow it,
    or has allowed it.
    """

    allowed: bool
    rule: str
    message: str
    next: Steps = NO_STEP
    exception: ExceptionKind | NoException = ""
    needs_reason: bool = False

    @property
    def reasons(self) -> tuple[Reason, ...]:
        return (Reason(self.rule, self.message, self.next),)


def allow(
    rule: str, message: str, *, exception: ExceptionKind | NoException = "", needs_reason: bool = False
) -> Decision:
    """Return an approval by this rule."""
    return Decision(allowed=True, rule=rule, message=message, exception=exception, needs_reason=needs_reason)


def refuse(rule: str, message: str, next_step: Steps = NO_STEP, *, needs_reason: bool = False) -> Decision:
    """Return a refusal by this rule, with the next step."""
    return Decision(allowed=False, rule=rule, message=message, next=next_step, needs_reason=needs_reason)


def strictest(answers: list[Decision]) -> Decision:
    """Return the strictest decision, the first of equals. (I4)"""

    def leniency(answer: Decision) -> int:
        if not answer.allowed:
            return 1 if answer.needs_reason else 0
        return 2 if answer.exception else 3

    return min(answers, key=leniency)


def fail_closed(answer: Callable[[], Decision]) -> Decision:
    """Return the rule's decision, or a refusal if the rule raises an exception. (G1)"""
    try:
        return answer()
    except Exception as problem:
        return refuse("G1", f"the policy could not be evaluated ({type(problem).__name__}: {problem})", fe("doctor"))
