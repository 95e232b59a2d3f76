"""Who may approve (P). Pure: facts, actor and policy in, a decision with its reasons out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import msgspec

from foureyes.core.nouns.session import GRADES, Party, has_grade, is_oneself
from foureyes.core.rules.involvement import (
    Maker,
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
from foureyes.core.rules.minor import minor_refusals
from foureyes.core.rules.policy import FINISHED_APART, PolicyName, ReviewPolicy, required_grade
from foureyes.core.words.decision import Decision, allow, fail_closed, refuse, strictest
from foureyes.core.words.text import is_blank
from foureyes.steps import Steps, by, by_person, either, fe, phrase, prose

if TYPE_CHECKING:
    from foureyes.core.rules.facts import Facts, RecordedApproval
    from foureyes.core.words.vocabulary import ExceptionKind
    from foureyes.errors import Reason

PolicyAnswer = Literal["refuse", "reason", "allow", "declared"]

ANSWERS: dict[str, dict[PolicyName, PolicyAnswer]] = {
    "P2": {"strict": "refuse", "balanced": "refuse", "delegated": "refuse", "trusted": "declared"},
    "P3": {"strict": "refuse", "balanced": "reason", "delegated": "allow", "trusted": "allow"},
    "P4": {"strict": "refuse", "balanced": "refuse", "delegated": "refuse", "trusted": "refuse"},
    "P5": {"strict": "refuse", "balanced": "reason", "delegated": "allow", "trusted": "allow"},
    "P7": {"strict": "allow", "balanced": "allow", "delegated": "allow", "trusted": "allow"},
}
"""The rows of the policy table that depend on the policy; `reason` is an audited exception, free for people."""

EXCEPTIONS: dict[str, ExceptionKind] = {"P3": "creator_approval", "P5": "repeat_reviewer"}


class Declaration(msgspec.Struct, frozen=True):
    """What the caller says with an approval. Blank counts as missing (P9)."""

    reason: str = ""
    reviewed_by: str = ""
    self_review: bool = False
    break_glass: str = ""
    record_only: bool = False

    @property
    def words(self) -> str:
        """The reason that goes on record."""
        return next((text.strip() for text in (self.break_glass, self.reason) if not is_blank(text)), "")

    @property
    def how(self) -> str:
        """What makes it another approval than the usual one."""
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


def may_approve(facts: Facts, actor: Party, policy: ReviewPolicy, declared: Declaration = NOTHING) -> Decision:
    """P for the actor and for each agent above it; the strictest answer holds (I4). A rule that raises refuses (G1).

    An approval that was recorded apart may be finished by anyone who may decide at all (P11).
    """

    def answer() -> Decision:
        ordinary = strictest_for(
            actor, with_spawners(facts, actor), lambda who: _may_approve(facts, who, policy, declared)
        )
        return _finishing(facts, actor, policy, declared, ordinary)

    return fail_closed(answer)


def recorded_approval(facts: Facts, policy: ReviewPolicy) -> RecordedApproval | None:
    """P11: the active approval of the current diff that waits to be finished, if the policy knows such a thing."""
    if policy.name not in FINISHED_APART or facts.attempt is None:
        return None
    return next((approval for approval in facts.recorded if approval.diff_id == facts.attempt.diff_id), None)


def _finishing(facts: Facts, actor: Party, policy: ReviewPolicy, declared: Declaration, ordinary: Decision) -> Decision:
    """P11: who recorded it finishes it as it is; anybody else who may not approve again finishes it with a reason.

    What was recorded must still hold: P is asked again for who recorded it.
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
    return refuse("P11", f"{recorded_by}; finishing it needs a reason", _approve_with_reason(facts), needs_reason=True)


def _still_holds(facts: Facts, policy: ReviewPolicy, recorded: RecordedApproval) -> bool:
    """Whether who recorded an approval could give it now: a label, an author or the policy may have changed since."""
    declared = Declaration(
        recorded.reason,
        self_review=recorded.exception == "self_review",
        reviewed_by="on record" if recorded.exception else "",
    )
    line = with_spawners(facts, facts.party(recorded.session))
    return strictest([_may_approve(facts, who, policy, declared) for who in line]).allowed


def may_record(facts: Facts, policy: ReviewPolicy) -> Decision | None:
    """P11: recording without finishing is for delegated and trusted."""
    if policy.name in FINISHED_APART:
        return None
    return refuse(
        "P11",
        f"--record-only is for policy delegated and trusted; {policy.name} is in force",
        fe("show", facts.task.id),
    )


def with_spawners(facts: Facts, actor: Party) -> list[Party]:
    """I4: who must be asked: the actor, every agent that spawned it, and a service that only was seen (a runner is
    issued).
    """
    above = [facts.party(session) for session in actor.above]
    return [
        actor,
        *[party for party in above if party.kind == "agent" or (party.kind == "service" and party.trust != "issued")],
    ]


def strictest_for(actor: Party, line: list[Party], ask: Callable[[Party], Decision]) -> Decision:
    """I4: the answer that allows least; one that holds for who spawned the actor says so."""

    def answer(who: Party) -> Decision:
        decision = ask(who)
        if who is actor:
            return decision
        return msgspec.structs.replace(
            decision, message=f"{_you(who)} spawned you, and its limits apply to you (I4): {decision.message}"
        )

    return strictest([answer(who) for who in line])


def _may_approve(facts: Facts, actor: Party, policy: ReviewPolicy, declared: Declaration) -> Decision:
    """The first row that matches decides: I1, I5, then P0 P6 P1 P2 P3 P4 P5 P7."""
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
            "P0", f"{task.id} has no authors on record, so there is nothing to be independent of", fe("show", task.id)
        )
    grade, source = required_grade(policy, labels_in_force(facts), facts.changed_paths())
    if GRADES.index(grade) > GRADES.index("origin"):
        makers = [facts.party(name) for name in makers_of(facts)]
        short = [
            maker.session for maker in makers if not has_grade(actor, maker, grade) or is_under(facts, actor, maker)
        ]
        if short:
            return _short_of_grade(facts, actor, grade, source, short[0])
    asks = "program" in (grade, policy.independence) and made_by(facts, actor) is None
    if asks and not is_another_program(facts, policy, actor):
        source = source if grade == "program" else "review.independence"
        program = shared_program(facts, policy, actor)
        why = f"you and the author are both {program}" if program else "nothing shows which program you are"
        return refuse(
            "P6",
            f"{source} asks for a reviewer of another program, and {why}",
            elsewhere(facts, "a person or another program"),
        )
    made = made_by(facts, actor)
    minor = as_minor(facts, actor, policy, made=made is not None)
    if minor is not None:
        return minor
    if made is not None and policy.same_origin == "audit" and only_shares_an_origin(facts, actor):
        answer = _not_a_maker(facts, actor, policy, declared)
        if not answer.allowed:
            return answer
        return msgspec.structs.replace(
            answer, exception="same_origin", message="of an author's origin, which is audited here (I4)"
        )
    if made is not None:
        return _own_work(facts, policy, declared, made)
    return _not_a_maker(facts, actor, policy, declared)


def as_minor(facts: Facts, actor: Party, policy: ReviewPolicy, *, made: bool) -> Decision | None:
    """P1: minor work is anybody's to approve; who made it or had it made (I4) does so on record, and not without end
    (P10).
    """
    own = made or has_delegated(facts, actor)
    if not facts.task.minor or minor_refusals(facts, policy, actor if own else None):
        return None
    return allow("P1", f"{facts.task.id} is minor", exception="minor" if own else "")


def may_decide(actor: Party) -> Decision | None:
    """I1, I5: a name somebody typed may only log, and a service never decides."""
    if actor.trust == "asserted":
        return refuse(
            "I1",
            f'"{actor.name}" is only a name given with --as, which may log and nothing else',
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
    """I2: a token is good for one role and one task."""
    if actor.role is None:
        return None
    if actor.role != "review":
        return refuse("I2", f"{_you(actor)} has a token to {actor.role}, not to review", fe("whoami"))
    if actor.task != facts.task.id:
        return refuse("I2", f"{_you(actor)} has a token for {actor.task}, not for {facts.task.id}", fe("whoami"))
    return None


def _short_of_grade(facts: Facts, actor: Party, grade: str, source: str, author: str) -> Decision:
    needs = "a person" if grade == "human" else f"independence of grade {grade}"
    made = (
        " made the change itself"
        if made_by(facts, actor)
        else f" does not reach that towards {facts.party_name(author)}"
    )
    return refuse(
        "P6",
        f"{source} asks for {needs}, and {_you(actor)}{made}",
        _of_grade(facts, grade),
    )


def _of_grade(facts: Facts, grade: str) -> Steps:
    if grade == "human":
        return by_person(fe("approve", facts.task.id, *_seen(facts)))
    return elsewhere(facts, f"a reviewer of another {grade}")


def _own_work(facts: Facts, policy: ReviewPolicy, declaration: Declaration, maker: Maker) -> Decision:
    """P2: the author of a change may not approve it; under `trusted` only with a declaration, on the record."""
    message = f"{facts.party_name(maker.session)} {maker.why}, so someone else must approve it"
    declared = declaration.reviewed_by.strip() or (declaration.self_review and declaration.has_reason)
    if ANSWERS["P2"][policy.name] == "declared" and declared:
        return allow("P2", f"declared under policy {policy.name}", exception="self_review", needs_reason=True)
    step = elsewhere(facts)
    if ANSWERS["P2"][policy.name] == "declared":
        step += prose(', or declare it: --reviewed-by NAME, or --self-review -m "why"')
    if maker.only_named:
        clear = fe("audit", "correct-author", facts.task.id, maker.session, "-m", phrase("why"))
        step = either(step, by("person", clear, "if the trailer is wrong a person runs: "), joint="; ")
    return refuse("P2", message, step)


def _not_a_maker(facts: Facts, actor: Party, policy: ReviewPolicy, declared: Declaration) -> Decision:
    """P3, P5, P7: what is left once the actor has no part in the making."""
    task = facts.task
    iteration = facts.attempt.n if facts.attempt else 0
    if is_creator(facts, actor):
        return _by_table("P3", f"you created {task.id}", facts, actor, policy, declared)
    if has_delegated(facts, actor):
        return _by_table("P3", f"you delegated {task.id}", facts, actor, policy, declared)
    if did(facts, actor, ("reviewed", "approved"), before=iteration):
        return _by_table("P5", f"you reviewed an earlier attempt of {task.id}", facts, actor, policy, declared)
    program = shared_program(facts, policy, actor)
    same = f"; the author is another {program}" if program else ""
    return allow("P7", f"you were not involved in it{same}")


def _by_table(rule: str, why: str, facts: Facts, actor: Party, policy: ReviewPolicy, declared: Declaration) -> Decision:
    answer = ANSWERS[rule][policy.name]
    if answer == "refuse":
        return refuse(
            rule, f"{why}, and policy {policy.name} asks for a reviewer who was not involved", elsewhere(facts)
        )
    if answer == "allow" or actor.kind == "human":
        return allow(rule, why)
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
"""N3: which answers to who may approve breaking the glass passes. Never what cannot be read (P0)."""
CONDITIONS = frozenset({"D5", "D6", "A7"})
"""N3: which gate conditions it passes. Never D1–D4 and D7."""


def may_break_glass(answer: Decision, actor: Party, why: str) -> Decision:
    """N3: a person approves all the same, with a reason, audited and visible for ever. Needless where P allows it."""
    if answer.allowed or is_blank(why):
        return answer
    if actor.kind != "human" or may_decide(actor) is not None:
        return refuse("N3", "breaking the glass is for a person at a terminal", answer.next)
    if answer.rule not in BREAKABLE:
        return answer
    return allow("N3", f"break-glass over {answer.rule}: {answer.message}", exception=GLASS, needs_reason=True)


def break_conditions(
    decision: Decision, reasons: tuple[Reason, ...], actor: Party, why: str
) -> tuple[Decision, tuple[Reason, ...]]:
    """N3: breaking the glass also passes D5, D6 and A7, on the record."""
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
    """The command that another reviewer types: a person, where no agent can be told from who made it (I3)."""
    approve = fe("approve", facts.task.id, *_seen(facts))
    if any(not facts.party(session).proven for session in makers_of(facts)):
        return by_person(approve)
    return by("other", approve, f"{who} runs: " if who else "")


def _seen(facts: Facts) -> tuple[str, ...]:
    return ("--seen", facts.attempt.seen) if facts.attempt else ()
