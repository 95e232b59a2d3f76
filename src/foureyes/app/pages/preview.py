"""Preview of a decision: what the caller could do about a task that was submitted, and how it stands with the gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.signing import why_unsignable
from foureyes.app.views.check import CheckView
from foureyes.app.views.task_list import Preview
from foureyes.app.work.branches import tip_of
from foureyes.core.nouns.look import Looked
from foureyes.core.rules import gate
from foureyes.core.rules.check_states import check_states
from foureyes.core.rules.four_eyes import NOTHING, may_approve
from foureyes.core.rules.involvement import labels_in_force
from foureyes.core.rules.modes import mode_of
from foureyes.core.rules.policy import must_be_seen, rule_of
from foureyes.errors import ConfigError, Reason

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.app.views.task import TaskDetail
    from foureyes.core.nouns.session import Actor, Party
    from foureyes.core.rules.facts import Facts
    from foureyes.core.rules.policy import ReviewPolicy

ALL_OF_IT = Looked(hunks=0)
"""The look of somebody whom nothing escaped."""


def gated(context: Context, tx: Tx, detail: TaskDetail, facts: Facts, actor: Actor) -> TaskDetail:
    """M, D5: how it is reviewed and where its checks stand; nothing while the configuration is broken."""
    try:
        policy = context.policy(tx, actor)
    except ConfigError:
        return detail
    chosen = mode_of(facts, policy)
    checks = tuple(
        CheckView(
            check=state.rule.name,
            required=state.rule.required,
            outcome=state.word,
            summary=state.summary,
            claimed=state.claimed,
        )
        for state in check_states(facts, policy)
    )
    return msgspec.structs.replace(detail, mode=chosen.mode, mode_reasons=chosen.reasons, checks=checks)


def preview_of(context: Context, tx: Tx, facts: Facts, me: Party, actor: Actor) -> Preview:
    """What the caller may do; nothing while the configuration is broken (G1)."""
    target = context.project(tx).target
    tip = tip_of(context, facts.task.id, facts.attempt, target, tx, shown=True) if facts.attempt else gate.Tip()
    try:
        policy = context.policy(tx, actor)
        return preview(facts, me, policy, tip, why_unsignable(context, tx, actor, "approve", policy))
    except ConfigError as problem:
        reason = Reason("G1", problem.message, problem.next_step)
        return Preview(may_approve=False, rule="G1", reasons=(reason,))


def preview(
    facts: Facts, me: Party, policy: ReviewPolicy, tip: gate.Tip | None, unsigned: Reason | None = None
) -> Preview:
    """What would happen if the caller approved now, having looked at the diff. `unsigned`: why they could not sign it
    (I9).
    """
    seen = facts.attempt.seen if facts.attempt else ""
    reasons = gate.check(facts, me, tip, seen, policy, look=ALL_OF_IT)
    reasons = (*reasons, unsigned) if unsigned else reasons
    decision = may_approve(facts, me, policy, NOTHING)
    label = must_be_seen(policy, labels_in_force(facts)) if me.kind == "human" else None
    rule = rule_of(policy, label) if label else None
    return Preview(
        may_approve=not reasons and (decision.allowed or decision.needs_reason),
        rule=decision.rule,
        needs_reason=decision.needs_reason,
        stale=any(reason.rule == "D4" for reason in reasons),
        reasons=reasons if decision.allowed or decision.needs_reason else (*reasons, *decision.reasons),
        unseen=rule.unseen if rule else "note",
    )
