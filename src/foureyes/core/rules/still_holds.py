"""Q2: whether an approval still holds at the moment of the merge. P and D are asked again, for who gave it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.core.nouns.check import CheckState, red
from foureyes.core.rules import gate
from foureyes.core.rules.check_states import check_states
from foureyes.core.rules.four_eyes import Declaration, may_approve
from foureyes.core.rules.modes import mode_of, why_not_by_itself
from foureyes.core.words.ids import SessionId
from foureyes.errors import Reason

if TYPE_CHECKING:
    from foureyes.core.rules.facts import Facts
    from foureyes.core.rules.policy import ReviewPolicy

BY_RULE = "M4"
GLASS = "break_glass"


class WaitingApproval(msgspec.Struct, frozen=True):
    """An approval that waits to be merged."""

    seq: int
    session: SessionId
    attempt: int
    rule: str
    exception: str = ""
    reason: str = ""
    gone: tuple[str, ...] = ()


def why_void(facts: Facts, policy: ReviewPolicy, given: WaitingApproval, tip: gate.Tip | None) -> tuple[Reason, ...]:
    """T `void`: every reason why this approval would not be given now; empty when it would. Holds only make it wait
    (D3).
    """
    if facts.attempt is None or given.attempt != facts.attempt.n:
        return (Reason("D4", f"attempt {given.attempt} is not the latest one any more"),)
    if given.rule == BY_RULE:
        free = msgspec.structs.replace(facts, project_hold=None, task=msgspec.structs.replace(facts.task, hold=None))
        return why_not_by_itself(free, policy, mode_of(facts, policy), check_states(facts, policy), tip)
    reasons = gate.reasons_of(lambda: [*gate.has_blocking(facts), gate.is_stale(facts, tip)])
    if given.exception != GLASS:
        reasons += [
            *_by_whom(facts, policy, given),
            *gate.reasons_of(lambda: [gate.lacks_reviews(facts, facts.party(given.session), policy)]),
        ]
    return tuple(reasons)


def _by_whom(facts: Facts, policy: ReviewPolicy, given: WaitingApproval) -> tuple[Reason, ...]:
    """P for whoever approved, with the words they gave. What they used up of a daily limit, they used up then."""
    declared = Declaration(
        given.reason, self_review=given.exception == "self_review", reviewed_by="on record" if given.exception else ""
    )
    then = msgspec.structs.replace(facts, minor_self_approvals={}, recorded=())
    decision = may_approve(then, facts.party(given.session), policy, declared)
    return () if decision.allowed else decision.reasons


def why_not_checked(facts: Facts, given: WaitingApproval, checked: tuple[CheckState, ...], tree: str) -> list[Reason]:
    """D5 on the merge result: every required check is green, for approvals by agents and rules where it counts."""
    if given.exception == GLASS:
        return []
    by_a_person = facts.party(given.session).kind == "human"
    return red(checked, facts.task.id, tree, counting=not by_a_person)
