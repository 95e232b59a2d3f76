"""The validity of an approval at the moment of the merge (Q2): P and D are asked again, for the approver."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.core.nouns.attempt import NOT_MEASURED, Effect, Mark
from foureyes.core.nouns.check import CheckState, red
from foureyes.core.nouns.decision import basis_of, is_signed
from foureyes.core.rules import gate
from foureyes.core.rules.check_states import check_states
from foureyes.core.rules.four_eyes import GLASS, Declaration, may_approve
from foureyes.core.rules.modes import mode_of, why_not_by_itself
from foureyes.core.rules.policy import gate_files
from foureyes.core.rules.stacks import why_refused
from foureyes.core.words.ids import SessionId
from foureyes.errors import Reason

if TYPE_CHECKING:
    from foureyes.core.rules.facts import Facts
    from foureyes.core.rules.policy import ReviewPolicy


BY_RULE = "M4"
KEPT_PATHS = 50


class WaitingApproval(msgspec.Struct, frozen=True):
    """An approval that waits to be merged. `passed`: the tasks inside that a person passed over (N3, A7)."""

    seq: int
    session: SessionId
    attempt: int
    rule: str
    exception: str = ""
    reason: str = ""
    gone: tuple[str, ...] = ()
    grade: str = ""
    passed: tuple[str, ...] = ()


def why_void(facts: Facts, policy: ReviewPolicy, given: WaitingApproval, tip: gate.Tip | None) -> tuple[Reason, ...]:
    """T `void`: every reason why this approval would not be given now; empty when it would. Holds only make it wait
    (D3).
    """
    if facts.attempt is None or given.attempt != facts.attempt.n:
        return (Reason("D4", f"attempt {given.attempt} is not the latest one any more"),)
    if given.rule == BY_RULE:
        free = msgspec.structs.replace(facts, project_hold=None, task=msgspec.structs.replace(facts.task, hold=None))
        return why_not_by_itself(free, policy, mode_of(facts, policy), check_states(facts, policy), tip)
    reasons = gate.reasons_of(
        lambda: [*gate.has_blocking(facts), gate.is_stale(facts, tip), *why_refused(facts, given.passed)]
    )
    if facts.party(given.session).kind != "human":
        reasons += gate.reasons_of(lambda: gate.blockers(facts))
    if given.exception != GLASS:
        reasons += [
            *_by_whom(facts, policy, given),
            *gate.reasons_of(lambda: gate.lacks_reviews(facts, facts.party(given.session), policy)),
        ]
    return tuple(reasons)


def why_not_there(
    facts: Facts, policy: ReviewPolicy, given: WaitingApproval, tip: gate.Tip | None, effect: Effect, *, keys: bool
) -> tuple[Reason, ...]:
    """A4, P6, M3, M4, P10 once more, asked about what the merge does to the target. Where the target renamed a file or
    changed its mode, that is not what the attempt shows, and may ask for more eyes than agreed. `keys`: people here
    have keys, so that what only a person may agree to is signed (I9).

    A merge that changes nothing there has nothing to ask about.
    """
    if not effect.files or facts.attempt is None:
        return ()
    merged = as_merged(facts, effect)
    known = why_void(facts, policy, given, tip)
    reasons = [reason for reason in why_void(merged, policy, given, tip) if reason not in known]
    if keys and basis_of(given.grade) == "person" and not is_signed(given.grade):
        judged = set(gate_files(policy, effect.paths)) - set(facts.changed_paths())
        reasons += [Reason("I9", f"{path} asks for a person's key, and this was not signed") for path in sorted(judged)]
    return tuple(reasons)


def as_merged(facts: Facts, effect: Effect) -> Facts:
    """The same case, with what reaches the target in the place of what the attempt shows."""
    assert facts.attempt is not None
    attempt = msgspec.structs.replace(
        facts.attempt,
        files=list(effect.files),
        marks=list(effect.marks),
        added=sum(changed.added or 0 for changed in effect.files),
        removed=sum(changed.removed or 0 for changed in effect.files),
        size=facts.attempt.size if effect.size == NOT_MEASURED else effect.size,
    )
    return msgspec.structs.replace(facts, attempt=attempt)


def marked_by(facts: Facts, policy: ReviewPolicy, effect: Effect) -> tuple[Mark, ...]:
    """The attempt's marks, and where a merge would have put its change: kept with it, so that whoever agrees next is
    asked with these paths from the start. Gate files first; where the paths are the same, all of them.
    """
    assert facts.attempt is not None
    own = set(facts.changed_paths())
    others = list(dict.fromkeys(path for path in effect.paths if path not in own)) or effect.paths
    judged = gate_files(policy, others)
    chosen = [*judged, *[path for path in others if path not in judged]][:KEPT_PATHS]
    return tuple(dict.fromkeys([*facts.attempt.marks, *[Mark("at_merge", path) for path in chosen]]))


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
