"""Validity of an approval at merge time: P and D are evaluated again for the approver. (Q2)"""

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
    """An approval waiting to be merged. `passed` lists the tasks inside that a person overrode. (N3, A7)"""

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
    """Return every reason why this approval would be refused now, or nothing if it is still valid. Holds do not void
    it: they only delay the merge. (D3)
    """
    if facts.attempt is None or given.attempt != facts.attempt.n:
        return (Reason("D4", f"attempt {given.attempt} is no longer the latest one"),)
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
    """Return reasons against the approval that come only from the merge's effect on the target.

    If the target renamed a file or changed its mode, the merge can touch other paths than the attempt shows, and these
    may need a stricter review. A merge that changes nothing on the target gives no reasons. `keys`: people here have
    keys, so decisions reserved for people must be signed (I9). (A4, P6, M3, M4, P10)
    """
    if not effect.files or facts.attempt is None:
        return ()
    merged = as_merged(facts, effect)
    known = why_void(facts, policy, given, tip)
    reasons = [reason for reason in why_void(merged, policy, given, tip) if reason not in known]
    if keys and basis_of(given.grade) == "person" and not is_signed(given.grade):
        judged = set(gate_files(policy, effect.paths)) - set(facts.changed_paths())
        reasons += [
            Reason("I9", f"{path} must be approved with a person's key, and this approval was not signed")
            for path in sorted(judged)
        ]
    return tuple(reasons)


def as_merged(facts: Facts, effect: Effect) -> Facts:
    """Return the facts with the merge's effect on the target instead of the attempt's files."""
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
    """Return the attempt's marks plus marks for paths that only the merge changes, so that the next reviewer sees them
    from the start.

    Gate files come first. If the merge changes only the attempt's own paths, all of them are marked.
    """
    assert facts.attempt is not None
    own = set(facts.changed_paths())
    others = list(dict.fromkeys(path for path in effect.paths if path not in own)) or effect.paths
    judged = gate_files(policy, others)
    chosen = [*judged, *[path for path in others if path not in judged]][:KEPT_PATHS]
    return tuple(dict.fromkeys([*facts.attempt.marks, *[Mark("at_merge", path) for path in chosen]]))


def _by_whom(facts: Facts, policy: ReviewPolicy, given: WaitingApproval) -> tuple[Reason, ...]:
    """Evaluate P for the approver with their original declaration. The daily limit is ignored, because the approval
    already used it.
    """
    is_declared = given.exception == "self_review"
    declared = Declaration(given.reason, reviewed_by="on record" if is_declared else "")
    then = msgspec.structs.replace(facts, minor_self_approvals={}, recorded=())
    decision = may_approve(then, facts.party(given.session), policy, declared, is_caller=False)
    return () if decision.allowed else decision.reasons


def why_not_checked(facts: Facts, given: WaitingApproval, checked: tuple[CheckState, ...], tree: str) -> list[Reason]:
    """Return reasons for required checks that are not green on the merge result. For agents and rules only counting
    runs count. (D5)
    """
    if given.exception == GLASS:
        return []
    by_a_person = facts.party(given.session).kind == "human"
    return red(checked, facts.task.id, tree, counting=not by_a_person)
