"""Approval rights (P): pure functions that decide from facts, actor and policy, with reasons."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import msgspec

from foureyes.core.nouns.session import GRADES, Party, has_grade, is_oneself
from foureyes.core.rules.involvement import (
    Maker,
    by_a_service,
    did,
    has_delegated,
    is_another_program,
    is_creator,
    is_under,
    labels_in_force,
    made_by,
    makers_of,
    only_shares_an_origin,
    shared_program,
)
from foureyes.core.rules.minor_tasks import minor_refusals
from foureyes.core.rules.policy import FINISHED_APART, PolicyName, ReviewPolicy, required_grade
from foureyes.core.words.decision import Decision, allow, fail_closed, refuse, strictest
from foureyes.core.words.text import is_blank
from foureyes.steps import Steps, by, by_person, either, fe, phrase, prose

if TYPE_CHECKING:
    from foureyes.core.rules.facts import Facts, RecordedApproval
    from foureyes.core.words.vocabulary import ExceptionKind
    from foureyes.errors import Reason

NEEDS_NO_REASON: frozenset[PolicyName] = frozenset({"delegated", "trusted"})
"""Policies that ask no reason of the creator, the delegator or an earlier reviewer. (P3, P5)"""

EXCEPTIONS: dict[str, ExceptionKind] = {"P3": "creator_approval", "P5": "repeat_reviewer"}


class Declaration(msgspec.Struct, frozen=True):
    """Options given with an approval. Blank text counts as missing. (P9)"""

    reason: str = ""
    reviewed_by: str = ""
    self_review: bool = False
    break_glass: str = ""
    record_only: bool = False

    @property
    def words(self) -> str:
        """The declared reason, to be recorded."""
        return next((text.strip() for text in (self.break_glass, self.reason) if not is_blank(text)), "")

    @property
    def how(self) -> str:
        """The options that make this an unusual approval."""
        flags = {
            "--break-glass": self.break_glass,
            "--record-only": self.record_only,
            "--self-review": self.self_review,
        }
        return " ".join(
            [
                *[flag for flag, given in flags.items() if given],
                *([f"--reviewed-by {self.reviewed_by}"] if self.reviewed_by else []),
            ]
        )

    @property
    def has_reason(self) -> bool:
        return not is_blank(self.reason)


NOTHING = Declaration()


def may_approve(
    facts: Facts, actor: Party, policy: ReviewPolicy, declared: Declaration = NOTHING, *, is_caller: bool = True
) -> Decision:
    """Decide if the actor may approve, by P for the actor and each agent above it. The strictest answer wins (I4).
    `is_caller`: the actor reads the answer, so it says "you".

    The rules apply to the actor and to each agent above it, and the strictest answer wins (I4). A recorded approval may
    be finished by any caller that may decide (P11). A rule that raises an exception refuses (G1).
    """

    def answer() -> Decision:
        ordinary = strictest_for(
            actor,
            with_spawners(facts, actor),
            lambda who: _may_approve(facts, who, policy, declared, is_caller=is_caller and who is actor),
        )
        return _finishing(facts, actor, policy, declared, ordinary)

    return fail_closed(answer)


def recorded_approval(facts: Facts, policy: ReviewPolicy) -> RecordedApproval | None:
    """Return the approval of the current diff that still has to be finished, or None. Only some policies have this
    step. (P11)
    """
    if policy.name not in FINISHED_APART or facts.attempt is None:
        return None
    return next((approval for approval in facts.recorded if approval.diff_id == facts.attempt.diff_id), None)


def _finishing(facts: Facts, actor: Party, policy: ReviewPolicy, declared: Declaration, ordinary: Decision) -> Decision:
    """Decide if the actor may finish a recorded approval. (P11)

    The recorded approval must still hold: P is evaluated again for its reviewer. That reviewer needs no reason. Others
    without the right to approve do.
    """
    recorded = recorded_approval(facts, policy)
    if recorded is None or not (ordinary.allowed or ordinary.rule in BREAKABLE) or declared.record_only:
        return ordinary
    if any(may_decide(who) for who in with_spawners(facts, actor)) or not _still_holds(facts, policy, recorded):
        return ordinary
    reviewer = facts.party(recorded.session)
    if is_oneself(actor, reviewer):
        return allow("P11", "you recorded the approval of this diff")
    if ordinary.allowed:
        return ordinary
    recorded_by = f"{facts.party_name(recorded.session)} recorded an approval of this diff"
    if declared.has_reason:
        return allow("P11", recorded_by)
    return refuse(
        "P11", f"{recorded_by}. To complete it, give a reason", _approve_with_reason(facts), needs_reason=True
    )


def _still_holds(facts: Facts, policy: ReviewPolicy, recorded: RecordedApproval) -> bool:
    """Return True if the reviewer could still give the recorded approval now. Labels, authors or the policy may have
    changed.
    """
    is_declared = recorded.exception == "self_review"
    declared = Declaration(recorded.reason, reviewed_by="on record" if is_declared else "")
    line = with_spawners(facts, facts.party(recorded.session))
    return strictest([_may_approve(facts, who, policy, declared) for who in line]).allowed


def may_record(facts: Facts, policy: ReviewPolicy) -> Decision | None:
    """Return a refusal unless the policy allows recording an approval without finishing it. (P11)"""
    if policy.name in FINISHED_APART:
        return None
    return refuse(
        "P11",
        f"--record-only works only under the policies delegated and trusted, and {policy.name} is in force",
        fe("show", facts.task.id),
    )


def with_spawners(facts: Facts, actor: Party) -> list[Party]:
    """Return every party whose rights limit the actor. (I4)

    These are the actor, each agent above it, and observed services above it. Issued services, such as a runner, do not
    limit it.
    """
    above = [facts.party(session) for session in actor.above]
    return [
        actor,
        *[party for party in above if party.kind == "agent" or (party.kind == "service" and party.trust != "issued")],
    ]


def strictest_for(actor: Party, line: list[Party], ask: Callable[[Party], Decision]) -> Decision:
    """Return the strictest answer among these parties. If it is about a spawner, its message says so. (I4)"""

    def answer(who: Party) -> Decision:
        decision = ask(who)
        if who is actor:
            return decision
        return msgspec.structs.replace(
            decision, message=f"{_you(who)} started you, so its limits apply to you (I4): {decision.message}"
        )

    return strictest([answer(who) for who in line])


def _may_approve(
    facts: Facts, actor: Party, policy: ReviewPolicy, declared: Declaration, *, is_caller: bool = False
) -> Decision:
    """Decide for one party. The first matching row wins: I1, I5, then P0 P6 P1 P2 P3 P4 P5 P7."""
    task = facts.task
    barred = may_decide(actor) or _beyond_its_token(facts, actor)
    if barred is not None:
        return barred
    if facts.history is None or facts.authors is None:
        return refuse(
            "P0",
            f"the history of {task.id} cannot be read, so no reviewer can be shown to be independent",
            fe("doctor"),
        )
    if not makers_of(facts) and is_creator(facts, actor):
        return refuse("P4", f"{_you(actor)} created {task.id}, and no work was done on it", fe("cancel", task.id))
    if not (facts.history and facts.authors and makers_of(facts)):
        return refuse(
            "P0",
            f"{task.id} has no authors on record, so no reviewer can be shown to be independent",
            fe("show", task.id),
        )
    grade, source = required_grade(policy, labels_in_force(facts), facts.changed_paths())
    if GRADES.index(grade) > GRADES.index("origin"):
        makers = [facts.party(name) for name in makers_of(facts)]
        short = [
            maker.session for maker in makers if not has_grade(actor, maker, grade) or is_under(facts, actor, maker)
        ]
        if short:
            return _short_of_grade(facts, actor, grade, source, short[0])
    if "program" in (grade, policy.independence) and not is_another_program(facts, policy, actor):
        source = source if grade == "program" else "review.independence"
        program = shared_program(facts, policy, actor)
        why = f"you and the author are both {program}" if program else "it is unknown which program you are"
        return refuse(
            "P6",
            f"{source} requires a reviewer of another program, but {why}",
            elsewhere(facts, "a person or another program"),
        )
    made = made_by(facts, actor) or (by_a_service(facts) if actor.kind == "agent" else None)
    minor = as_minor(facts, actor, policy, made=made is not None)
    if minor is not None:
        return minor
    if made is not None and policy.same_origin == "audit" and only_shares_an_origin(facts, actor):
        answer = _not_a_maker(facts, actor, policy, declared)
        if not answer.allowed:
            return answer
        return msgspec.structs.replace(
            answer,
            exception="same_origin",
            message="you share an author's origin, which this project allows and audits (I4)",
        )
    if made is not None:
        return _own_work(facts, policy, declared, made, is_you=is_caller and made.session == actor.session)
    return _not_a_maker(facts, actor, policy, declared)


def as_minor(facts: Facts, actor: Party, policy: ReviewPolicy, *, made: bool) -> Decision | None:
    """Allow minor work to be approved by anyone, or return None if it is not minor. (P1)

    An approval by its author or delegator is recorded as an exception (I4) and limited (P10).
    """
    own = made or has_delegated(facts, actor)
    if not facts.task.minor or minor_refusals(facts, policy, actor if own else None):
        return None
    return allow("P1", f"{facts.task.id} is minor", exception="minor" if own else "")


def may_decide(actor: Party) -> Decision | None:
    """Return a refusal for a name given with --as, which may only log, and for a service, which may not decide. (I1,
    I5)
    """
    if actor.trust == "asserted":
        return refuse(
            "I1",
            f'"{actor.name}" is only a name given with --as, and such a name may only log',
            prose("call it without --as"),
        )
    if actor.bound is not None:
        return refuse(actor.bound.rule, actor.bound.message, actor.bound.next)
    if actor.kind == "service":
        return refuse(
            "I5",
            "a service cannot start, close or approve work. This process has no terminal and no agent above it.",
            prose("run it in a terminal, or from an agent"),
        )
    return None


def _beyond_its_token(facts: Facts, actor: Party) -> Decision | None:
    """Return a refusal if the actor's token is not for a review of this task. (I2)"""
    if actor.role is None:
        return None
    if actor.role != "review":
        return refuse("I2", f"{_you(actor)} has a token to {actor.role}, not to review", fe("whoami"))
    if actor.task != facts.task.id:
        return refuse("I2", f"{_you(actor)} has a token for {actor.task}, not for {facts.task.id}", fe("whoami"))
    return None


def _short_of_grade(facts: Facts, actor: Party, grade: str, source: str, author: str) -> Decision:
    needs = "a person" if grade == "human" else f"a reviewer of independence grade {grade}"
    made = (
        " made the change itself"
        if made_by(facts, actor)
        else f" is not that independent of {facts.party_name(author)}"
    )
    return refuse(
        "P6",
        f"{source} requires {needs}, but {_you(actor)}{made}",
        _of_grade(facts, grade),
    )


def _of_grade(facts: Facts, grade: str) -> Steps:
    if grade == "human":
        return by_person(fe("approve", facts.task.id, *_seen(facts)))
    return elsewhere(facts, f"a reviewer of another {grade}")


def _own_work(facts: Facts, policy: ReviewPolicy, declaration: Declaration, maker: Maker, *, is_you: bool) -> Decision:
    """Refuse the author's own approval. Under `trusted` a declaration allows it, on the record. (P2)"""
    message = f"{maker.says(facts, is_you=is_you)}, so someone else must approve it"
    declared = declaration.reviewed_by.strip() or (declaration.self_review and declaration.has_reason)
    if policy.name == "trusted" and declared:
        return allow("P2", f"declared under policy {policy.name}", exception="self_review", needs_reason=True)
    step = elsewhere(facts)
    if policy.name == "trusted":
        step += prose(', or declare it: --reviewed-by NAME, or --self-review -m "why"')
    if maker.only_named:
        clear = fe("audit", "correct-author", facts.task.id, maker.session, "-m", phrase("why"))
        step = either(step, by("person", clear, "if the trailer is wrong, a person runs: "), joint=", or ")
    return refuse("P2", message, step)


def _not_a_maker(facts: Facts, actor: Party, policy: ReviewPolicy, declared: Declaration) -> Decision:
    """Decide for an actor who took no part in the work. (P3, P5, P7)"""
    task = facts.task
    iteration = facts.attempt.n if facts.attempt else 0
    if is_creator(facts, actor):
        return _by_policy("P3", f"you created {task.id}", facts, actor, policy, declared)
    if has_delegated(facts, actor):
        return _by_policy("P3", f"you delegated {task.id}", facts, actor, policy, declared)
    if did(facts, actor, ("reviewed", "approved"), before=iteration):
        return _by_policy("P5", f"you reviewed an earlier attempt of {task.id}", facts, actor, policy, declared)
    program = shared_program(facts, policy, actor)
    same = f", though the author is also {program}" if program else ""
    return allow("P7", f"you were not involved in it{same}")


def _by_policy(
    rule: str, why: str, facts: Facts, actor: Party, policy: ReviewPolicy, declared: Declaration
) -> Decision:
    """Decide for a creator, a delegator or an earlier reviewer. A person never needs a reason. (P3, P5)"""
    is_balanced = policy.name == "balanced"
    if policy.name in NEEDS_NO_REASON or (is_balanced and actor.kind == "human"):
        return allow(rule, why)
    if not is_balanced:
        return refuse(
            rule, f"{why}, and policy {policy.name} requires a reviewer who was not involved", elsewhere(facts)
        )
    if declared.has_reason:
        return allow(rule, why, exception=EXCEPTIONS[rule], needs_reason=True)
    return refuse(
        rule,
        f"you can approve {facts.task.id} only with a reason, because {why}",
        _approve_with_reason(facts),
        needs_reason=True,
    )


GLASS: Literal["break_glass"] = "break_glass"
BREAKABLE = frozenset({"P2", "P3", "P4", "P5", "P6"})
"""P rules that a break-glass approval overrides. It never overrides unreadable history (P0). (N3)"""
CONDITIONS = frozenset({"D5", "D6", "A7"})
"""Gate conditions that a break-glass approval overrides. It never overrides D1–D4 and D7. (N3)"""


def may_break_glass(answer: Decision, actor: Party, why: str) -> Decision:
    """Let a person override the refusal with a reason, which is audited. Return any other decision unchanged. (N3)"""
    if answer.allowed or is_blank(why):
        return answer
    if actor.kind != "human" or may_decide(actor) is not None:
        return refuse("N3", "only a person at a terminal may use --break-glass", answer.next)
    if answer.rule not in BREAKABLE:
        return answer
    return allow("N3", f"break-glass over {answer.rule}: {answer.message}", exception=GLASS, needs_reason=True)


def break_conditions(
    decision: Decision, reasons: tuple[Reason, ...], actor: Party, why: str
) -> tuple[Decision, tuple[Reason, ...]]:
    """Drop the D5, D6 and A7 reasons if a person breaks the glass, and record that. (N3)"""
    broken = [reason for reason in reasons if reason.rule in CONDITIONS]
    if is_blank(why) or actor.kind != "human" or may_decide(actor) is not None or not broken or not decision.allowed:
        return decision, reasons
    rest = tuple(reason for reason in reasons if reason not in broken)
    over = f"break-glass over {broken[0].rule}: {broken[0].message}"
    message = decision.message if decision.exception == GLASS else over
    return allow("N3", message, exception=GLASS, needs_reason=True), rest


def _you(actor: Party) -> str:
    return f"{actor.name or actor.session} ({actor.session})"


def _approve_with_reason(facts: Facts) -> Steps:
    return fe("approve", facts.task.id, *_seen(facts), "-m", phrase("why it is fine"))


def elsewhere(facts: Facts, who: str = "") -> Steps:
    """Return the approve command for another reviewer. It must be a person if an author's origin is not proven. (I3, I5)"""
    approve = fe("approve", facts.task.id, *_seen(facts))
    if by_a_service(facts) or any(not facts.party(session).proven for session in makers_of(facts)):
        return by_person(approve)
    return by("other", approve, f"{who} runs: " if who else "")


def _seen(facts: Facts) -> tuple[str, ...]:
    return ("--seen", facts.attempt.seen) if facts.attempt else ()
