"""Who may approve: the table of the rules, row by row, then invariants over random situations.

P0, P1, P2, P3, P4, P5, P6, P7, P12, P13; I1, I2, I4, I5, I6, I7; G1, G2, G3.
"""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from foureyes.core.nouns.attempt import Author
from foureyes.core.nouns.session import Grade, Party, Role
from foureyes.core.rules.facts import Facts, HistoryEntry
from foureyes.core.rules.four_eyes import Declaration, may_approve
from foureyes.core.rules.policy import POLICIES, LabelRule, MinorRule, PolicyName, ReviewPolicy, SameOrigin
from foureyes.core.words.decision import Decision
from foureyes.core.words.ids import SessionId, TaskId
from foureyes.errors import Reason
from foureyes.steps import fe
from foureyes.ui.steps import steps_text

from tests.core.samples import (
    ADA,
    CREATOR,
    DIFF,
    MAKER,
    STRANGER,
    agent,
    asserted,
    attempt,
    entry,
    made,
    person,
    planned,
    policies,
    quick,
    rules,
    runner,
    service,
    situations,
    words,
)

BARE, REASON = Declaration(), Declaration("I read every line")
SELF, BY_BOB = Declaration("read it again", self_review=True), Declaration(reviewed_by="Bob")
SAID = [
    BARE, Declaration(" \t\n"), REASON, SELF, Declaration(self_review=True), Declaration("  ", self_review=True), BY_BOB,
    Declaration(reviewed_by="  "),
]  # fmt: skip
every_policy = pytest.mark.parametrize("policy", POLICIES)


def ask(
    facts: Facts, actor: Party, policy: PolicyName = "balanced", said: Declaration = REASON, **fields: object
) -> Decision:
    return may_approve(facts, actor, rules(name=policy, **fields), said)


# --------------------------------------------------------------------------------------------- the table of the rules

TABLE = {
    "I1": "no no no no",
    "I2": "no no no no",
    "I3": "no no no no",
    "I5": "no no no no",
    "P0": "no no no no",
    "P1": "yes yes yes yes",
    "P2": "no no no declared",
    "P3": "no reason yes yes",
    "P4": "no no no no",
    "P5": "no reason yes yes",
    "P6": "no no no no",
    "P7": "yes yes yes yes",
}
"""Strict, balanced, delegated, trusted. A person needs no reason."""
AUDITED = {"P2": "self_review", "P3": "creator_approval", "P5": "repeat_reviewer"}

FORMER, LEAD, TRAILER, UNKNOWN = agent("former"), agent("lead"), agent("trailer"), agent("unknown", proven=False)
AGAIN, BEFORE = agent("again", origin="origin of maker"), agent("before", origin="origin of former")
WORKER = agent("worker", parents=[LEAD])
DETACHED = service("detached")
BELOW = replace(agent("below"), process="p2", under=frozenset({"p1"}))
ABOVE = replace(agent("above"), process="p1")
ADA_AGAIN = person("ada", terminal="2")
BOUND = replace(STRANGER, bound=Reason("I3", "no process shows who is above it", fe("whoami")))


def token(role: Role, of: str = "fe-abc") -> Party:
    return replace(agent("token", issued=True), role=role, task=TaskId(of))


def earlier(who: Party, action: str, n: int = 1, *, now: int = 2) -> Facts:
    return made(MAKER, CREATOR, who, history=[entry(who, action, n)], attempt_=attempt(now))


def gave_back(*actions: str) -> Facts:
    return made(MAKER, CREATOR, FORMER, history=[entry(FORMER, action, 1) for action in actions])


def by(via: Party, action: str = "submitted") -> Facts:
    """Work of one agent that another session submitted, or whose findings it answered."""
    row = HistoryEntry(MAKER.session, action, 1, via=via.session)
    return made(MAKER, CREATOR, STRANGER, ADA, via, history=[row])


NOBODYS = planned(status="reviewing")
ONLY_A_SERVICE = replace(NOBODYS, authors=(Author(service().session, "claim"),), parties={service().session: service()})

ROWS: list[tuple[str, str, Party, Facts]] = [
    ("I1", "a typed name", asserted(), made()),
    ("I1", "a typed name, minor", asserted(), made(minor=True)),
    ("I5", "a service", service(), made()),
    ("I5", "a service, minor", service(), made(minor=True)),
    ("I5", "below a service that was only seen", agent("x", parents=[DETACHED]), made(MAKER, CREATOR, DETACHED)),
    ("I3", "bound", BOUND, made()),
    ("I3", "below a bound agent", agent("x", parents=[BOUND]), made(MAKER, CREATOR, BOUND)),
    ("I2", "a token to implement", token("implement"), made()),
    ("I2", "a token to lead", token("lead"), made(minor=True)),
    ("I2", "a token for another task", token("review", "fe-other"), made()),
    ("P7", "a token to review", token("review"), made()),
    ("P0", "no history", STRANGER, replace(made(), history=None)),
    ("P0", "no authors", ADA, replace(made(), authors=None)),
    ("P0", "no history, its author", MAKER, replace(made(), history=None)),
    ("P0", "minor, nothing readable", CREATOR, replace(made(minor=True), history=None, authors=None)),
    ("P0", "creator, no history", CREATOR, replace(NOBODYS, history=None)),
    ("P0", "creator, no authors", CREATOR, replace(NOBODYS, authors=None)),
    ("P0", "an empty history", STRANGER, replace(made(), history=())),
    ("P0", "an empty author set", STRANGER, replace(made(), authors=())),
    ("P0", "nobody made it", STRANGER, NOBODYS),
    ("P0", "nobody made it, a person", ADA, NOBODYS),
    ("P0", "only a service is an author", STRANGER, ONLY_A_SERVICE),
    ("P1", "minor, somebody", STRANGER, made(minor=True)),
    ("P1", "minor, a person", ADA, made(minor=True)),
    ("P1", "minor, its creator", CREATOR, made(minor=True)),
    ("P2", "implementer", MAKER, made()),
    ("P2", "creator and implementer", MAKER, made(MAKER, MAKER)),
    ("P2", "a person who did it", ADA, made(ADA)),
    ("P2", "the person in another terminal", ADA_AGAIN, made(ADA)),
    ("P2", "started and gave back", FORMER, gave_back("started", "unstarted")),
    ("P2", "only gave back", FORMER, gave_back("unstarted")),
    ("P2", "submitted", FORMER, gave_back("submitted")),
    ("P2", "answered findings", FORMER, gave_back("responded")),
    ("P2", "committed", FORMER, gave_back("committed")),
    ("P2", "submitted for another", FORMER, by(FORMER)),
    ("P2", "answered for another", FORMER, by(FORMER, "responded")),
    ("P2", "any agent, a service submitted", STRANGER, by(service())),
    ("P2", "any agent, a service answered", STRANGER, by(service(), "responded")),
    ("P2", "the creator, a service submitted", CREATOR, by(service())),
    ("P7", "a runner submitted", STRANGER, by(runner())),
    ("P7", "a person, a service submitted", ADA, by(service())),
    ("P7", "a person who submitted for an agent", ADA, by(ADA)),
    ("P2", "named by a trailer", TRAILER, made(authors=[TRAILER])),
    ("P2", "of the implementer's origin", AGAIN, made()),
    ("P2", "of a former one's origin", BEFORE, gave_back("started")),
    ("P2", "below its process", BELOW, made(ABOVE)),
    ("P2", "spawned by the implementer", agent("child", parents=[MAKER]), made()),
    ("P2", "spawned deep below", agent("deep", parents=[STRANGER, MAKER]), made(MAKER, CREATOR, STRANGER)),
    ("P2", "spawned by a trailer's session", agent("child", parents=[TRAILER]), made(authors=[TRAILER])),
    ("P2", "spawned by the origin", agent("child", parents=[AGAIN]), made(MAKER, CREATOR, AGAIN)),
    ("P2", "descendant of its delegator", WORKER, made(LEAD, CREATOR, WORKER)),
    ("P2", "of unknown origin", UNKNOWN, made()),
    ("P2", "of unknown origin, a person did it", UNKNOWN, made(ADA)),
    ("P2", "the author's origin is unknown", STRANGER, made(UNKNOWN)),
    ("P3", "creator", CREATOR, made()),
    ("P3", "creator, another session", agent("x", origin="origin of creator"), made()),
    ("P3", "a person who created it", ADA, made(MAKER, ADA)),
    ("P3", "that person in another terminal", ADA_AGAIN, made(MAKER, ADA)),
    ("P3", "creator, reviewed before", CREATOR, earlier(CREATOR, "reviewed")),
    ("P3", "delegator", LEAD, made(WORKER, CREATOR, LEAD)),
    ("P3", "creator and delegator", LEAD, made(WORKER, LEAD)),
    ("P3", "of the delegator's origin", agent("x", origin="origin of lead"), made(WORKER, CREATOR, LEAD)),
    ("P3", "sibling", agent("sibling", parents=[LEAD]), made(WORKER, CREATOR, LEAD)),
    ("P3", "spawned by the creator", agent("child", parents=[CREATOR]), made()),
    ("P4", "creator, nobody made it", CREATOR, NOBODYS),
    ("P4", "a person, nobody made it", ADA, planned(ADA, status="reviewing")),
    ("P5", "reviewed an earlier attempt", STRANGER, earlier(STRANGER, "reviewed")),
    ("P5", "approved an earlier attempt", STRANGER, earlier(STRANGER, "approved")),
    ("P5", "a person who approved one", ADA, earlier(ADA, "approved")),
    ("P5", "reviewed early", STRANGER, earlier(STRANGER, "reviewed", 0, now=1)),
    ("P7", "reviewed this attempt", STRANGER, earlier(STRANGER, "reviewed", now=1)),
    ("P7", "approved this attempt", STRANGER, earlier(STRANGER, "approved", now=1)),
    ("P7", "sent an earlier one back", STRANGER, earlier(STRANGER, "requested_changes")),
    ("P7", "nothing to do with it", STRANGER, made()),
    ("P7", "a person", ADA, made()),
    ("P7", "a person, author of unknown origin", ADA, made(UNKNOWN)),
    ("P7", "beside the author, below a runner", agent("x", parents=[runner()]), made(agent("worker", parents=[runner()]), CREATOR, runner())),
    ("P7", "below a runner that is named as author", agent("x", parents=[runner()]), made(MAKER, CREATOR, authors=[runner()])),
    ("P7", "spawned by the person who created it", agent("x", parents=[ADA]), made(MAKER, ADA)),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "actor", "facts"), [(row[0], *row[2:]) for row in ROWS], ids=[row[1] for row in ROWS])
def test_each_row_of_the_table_under_each_policy(rule: str, actor: Party, facts: Facts) -> None:
    for (policy, column), said in product(zip(POLICIES, TABLE[rule].split(), strict=True), SAID):
        answer = ask(facts, actor, policy, said)
        given_ = bool(said.reason.strip())
        is_declared = bool(said.reviewed_by.strip()) or (said.self_review and given_)
        asks = column == "reason" and actor.kind != "human"
        allowed = {"no": False, "yes": True, "reason": given_ or not asks, "declared": is_declared}[column]
        audited = AUDITED[rule] if allowed and (column == "declared" or asks) else ""
        by = (
            "P7" if rule == "P3" and actor.above and column == "yes" else rule
        )  # its own rule, where no spawner's is stricter
        assert (answer.rule, answer.allowed, answer.exception) == (by, allowed, audited), (policy, said)
        assert answer.needs_reason == (asks or bool(audited)), (policy, said)
        assert answer.message
        assert answer.allowed or answer.next, "every no has a next step (G2)"


# ------------------------------------------------------------------------------------------------------------ P6, I6


def issued(name: str, model: str, vendor: str, **more: Any) -> Party:
    return agent(name, issued=True, model=model, vendor=vendor, **more)


def of(program: str, party: Party) -> Party:
    return replace(party, agent=program)


CLAUDE = of("claude", issued("one", "alpha", "acme"))
BY_CLAUDE = made(CLAUDE, CREATOR)
RANKED: tuple[Grade, ...] = ("session", "origin", "program", "model", "vendor", "human")


@pytest.mark.parametrize(
    ("actor", "more"),
    [
        (of("claude", STRANGER), ""),
        (of("", STRANGER), ""),
        (replace(of("codex", STRANGER), under=frozenset({"p9"})), ""),
        (of("codex", STRANGER), "program"),
        (of("codex", issued("x", "alpha", "other")), "program"),
        (of("claude-senior", issued("x", "beta", "acme")), "model"),
        (of("codex", issued("x", "beta", "acme")), "program model"),
        (of("codex", issued("x", "beta", "other")), "program model vendor"),
        (ADA, "program model vendor human"),
    ],
    ids=["same", "nameless", "below an agent", "observed", "vendor alone", "a profile", "model", "vendor", "person"],
)
@pytest.mark.parametrize("by_label", [False, True])
def test_a_grade_must_be_reached(by_label: bool, actor: Party, more: str) -> None:
    for policy, grade in product(POLICIES, RANKED):
        label = {"law": LabelRule(independence=grade)}
        facts = replace(BY_CLAUDE, task=replace(BY_CLAUDE.task, labels=["law"])) if by_label else BY_CLAUDE
        asked: dict[str, Any] = {"label_rules": label} if by_label else {"independence": grade}
        enough = grade in ("session", "origin", *more.split())
        answer = ask(facts, actor, policy, REASON, **asked)
        assert (answer.allowed, answer.rule) == ((True, "P7") if enough else (False, "P6")), (policy, grade)
        source = "label law" if by_label else "review.independence"
        assert enough or answer.message.startswith(f"{source} requires "), answer.message
        minor = ask(replace(facts, task=replace(facts.task, minor=True)), actor, policy, BARE, **asked)
        assert minor.rule == ("P1" if enough else "P6"), "and no small size passes it"


def test_a_refusal_for_a_grade_says_what_is_missing_and_who_has_it() -> None:
    def said(actor: Party, grade: Grade, facts: Facts = BY_CLAUDE) -> tuple[str, str]:
        answer = ask(facts, actor, independence=grade)
        return answer.message, steps_text(answer.next)

    approve = f"fe approve fe-abc --seen 1.{DIFF[7:15]}"
    message, step = said(STRANGER, "human")
    assert ("requires a person, but" in message, step) == (True, f"a person runs: {approve}")
    assert "is not that independent of one (ses-one)" in message
    message, step = said(STRANGER, "vendor")
    assert ("grade vendor" in message, step) == (True, f"a reviewer of another vendor runs: {approve}")
    assert "made the change itself" in said(CLAUDE, "vendor")[0]
    message, step = said(of("claude", STRANGER), "program")
    assert ("both claude" in message, step) == (True, f"a person or another program runs: {approve}")
    assert "it is unknown which program" in said(STRANGER, "program")[0]
    unseen = replace(BY_CLAUDE, attempt=None)
    assert said(STRANGER, "human", unseen)[1] == "a person runs: fe approve fe-abc"


@pytest.mark.parametrize("grade", RANKED[2:])
def test_an_author_reaches_no_grade(grade: Grade) -> None:
    child = of("codex", issued("child", "beta", "other", parents=[CLAUDE]))
    below = replace(child, above=(), process="p2", under=frozenset({"p1"}))
    author = replace(CLAUDE, process="p1")
    for facts, actor in product((made(author, CREATOR), made(author, CREATOR, minor=True)), (child, below, author)):
        assert ask(facts, actor, "trusted", SELF, independence=grade).rule == "P6", actor
    assert ask(made(ADA), ADA, "trusted", SELF, independence=grade).rule == "P6"
    assert ask(made(ADA), person("bob"), "trusted", SELF, independence=grade).allowed


def test_the_grade_is_needed_towards_every_author() -> None:
    two = of("codex", issued("two", "beta", "other"))
    reviewer = of("gemini", issued("reviewer", "gamma", "other"))
    both = made(CLAUDE, CREATOR, authors=[two])
    assert ask(BY_CLAUDE, reviewer, independence="vendor").rule == "P7"
    assert ask(both, reviewer, independence="vendor").rule == "P6"
    assert ask(both, reviewer, independence="model").rule == "P7"
    assert ask(both, of("codex", reviewer), independence="program").rule == "P6"


def test_a_label_for_another_model_keeps_the_projects_program() -> None:
    two = of("claude-senior", issued("two", "beta", "acme"))
    api = {"api": LabelRule("batch", independence="model")}
    work = made(CLAUDE, CREATOR, labels=["api"])
    assert ask(work, two, label_rules=api).rule == "P7"
    answer = ask(work, two, independence="program", label_rules=api)
    assert (answer.rule, answer.message.startswith("review.independence requires")) == ("P6", True)


def test_an_approval_by_the_same_program_says_so() -> None:
    assert ask(BY_CLAUDE, of("claude", STRANGER)).message.endswith("the author is also claude")
    assert ask(BY_CLAUDE, of("codex", STRANGER)).message.endswith("involved in it")


# --------------------------------------------------------------------------------------------------- P1, audit, I4


@pytest.mark.parametrize(
    ("actor", "facts", "exception"),
    [
        (MAKER, made(minor=True), "minor"),
        (AGAIN, made(minor=True), "minor"),
        (agent("child", parents=[MAKER]), made(minor=True), "minor"),
        (LEAD, made(WORKER, CREATOR, LEAD, minor=True), "minor"),
        (CREATOR, made(minor=True), ""),
        (STRANGER, made(minor=True), ""),
    ],
    ids=["author", "its origin", "its child", "delegator", "creator", "somebody"],
)
@every_policy
def test_minor_work_of_ones_own_is_audited_and_bounded(
    policy: PolicyName, actor: Party, facts: Facts, exception: str
) -> None:
    answer = ask(facts, actor, policy, BARE)
    assert (answer.allowed, answer.rule, answer.exception) == (True, "P1", exception)
    used_up = replace(facts, minor_self_approvals={origin: 5 for party in (actor, MAKER) for origin in party.origins})
    for answer in (ask(facts, actor, policy, BARE, minor=MinorRule(self=False)), ask(used_up, actor, policy, BARE)):
        assert (answer.rule == "P1") == (not exception)
    assert ask(facts, actor, policy, BARE, minor=MinorRule(max_lines=1)).rule in {"P2", "P3", "P7"}
    barred = replace(facts, task=replace(facts.task, labels=["release"]))
    careful = {"release": LabelRule(auto_approve=False)}
    assert ask(barred, actor, policy, BARE, label_rules=careful).rule in {"P2", "P3", "P7"}


@pytest.mark.parametrize(
    ("actor", "facts", "rule", "exception"),
    [
        (AGAIN, made(), "P7", "same_origin"),
        (AGAIN, made(MAKER, agent("x", origin="origin of maker")), "P3", "same_origin"),
        (AGAIN, earlier(AGAIN, "approved"), "P5", "same_origin"),
        (MAKER, made(), "P2", None),
        (agent("child", parents=[MAKER]), made(), "P2", None),
        (agent("child", parents=[AGAIN]), made(MAKER, CREATOR, AGAIN), "P2", None),
        (UNKNOWN, made(), "P2", None),
        (STRANGER, made(), "P7", ""),
        (CREATOR, made(), "P3", "creator_approval"),
    ],
    ids=["its origin", "and creator", "and reviewer", "author", "child", "child of it", "unknown", "nobody", "creator"],
)
def test_same_origin_audit_allows_only_a_shared_origin(
    actor: Party, facts: Facts, rule: str, exception: str | None
) -> None:
    audit: SameOrigin = "audit"
    answer = ask(facts, actor, "balanced", REASON, same_origin=audit)
    assert (answer.allowed, answer.rule) == (exception is not None, rule)
    assert answer.exception == (exception or "")
    if exception == "same_origin":
        assert ask(facts, actor).rule == "P2", "the default refuses it"
        without = ask(facts, actor, "balanced", BARE, same_origin=audit)
        assert (without.allowed, without.needs_reason) == ((True, False) if rule == "P7" else (False, True))


@pytest.mark.parametrize("policy", ["strict", "balanced"])
def test_a_spawners_limits_are_said_to_be_its_own(policy: PolicyName) -> None:
    child = ask(made(), agent("child", parents=[CREATOR]), policy, BARE)
    assert child.message.startswith("creator (ses-creator) started you")
    assert child.message.endswith(ask(made(), CREATOR, policy, BARE).message)
    assert "started you" not in ask(made(), CREATOR, policy, BARE).message


# ----------------------------------------------------------------------------------------------------- what to do now


def test_an_author_is_sent_to_somebody_else_and_to_a_declaration() -> None:
    seen = f"--seen 1.{DIFF[7:15]}"
    step = f"someone else runs: fe approve fe-abc {seen}"
    assert steps_text(ask(made(), MAKER, "delegated").next) == step
    declare = ', or declare it: --reviewed-by NAME, or --self-review -m "why"'
    assert steps_text(ask(made(), MAKER, "trusted").next) == step + declare
    trailer = replace(made(history=[entry(TRAILER, "committed", 1)]), authors=made(authors=[TRAILER]).authors)
    assert steps_text(ask(trailer, TRAILER).next).startswith(f"{step}, or if the trailer is wrong, a person runs: ")
    unknown = made(MAKER, CREATOR, authors=[UNKNOWN])
    assert steps_text(ask(unknown, MAKER).next) == f"a person runs: fe approve fe-abc {seen}", "no agent could (I3)"
    hidden = by(service())
    assert steps_text(ask(hidden, MAKER).next) == f"a person runs: fe approve fe-abc {seen}", "no agent could (I5)"


def test_a_creator_is_sent_to_a_reason_or_to_cancel() -> None:
    assert steps_text(ask(made(), CREATOR, said=BARE).next) == (
        f'fe approve fe-abc --seen 1.{DIFF[7:15]} -m "why it is fine"'
    )
    assert steps_text(ask(replace(made(), attempt=None), CREATOR, said=BARE).next).startswith("fe approve fe-abc -m")
    assert steps_text(ask(NOBODYS, CREATOR).next) == "fe cancel fe-abc"


def test_without_an_attempt_nobody_reviewed_an_earlier_one() -> None:
    facts = replace(made(MAKER, CREATOR, STRANGER, history=[entry(STRANGER, "reviewed", 0)]), attempt=None)
    assert ask(facts, STRANGER, "strict").rule == "P7"


# ------------------------------------------------------------------------------------------------ G1 and properties


class Broken(dict[Any, Any]):
    """A dictionary that cannot be read."""

    def get(self, *args: object) -> Any:
        raise OSError("disk gone")


@every_policy
def test_a_rule_that_raises_refuses_and_says_so(policy: PolicyName) -> None:
    for facts in (
        replace(made(), parties=Broken()),
        replace(made(minor=True), parties=Broken(), minor_self_approvals=Broken()),
    ):
        answer = ask(facts, STRANGER, policy)
        assert (answer.allowed, answer.rule) == (False, "G1")
        assert "OSError" in answer.message


@pytest.mark.parametrize("field", ["task", "attempt", "history", "authors", "parties"])
def test_nonsense_in_any_fact_is_a_refusal_and_no_crash(field: str) -> None:
    answer = ask(replace(made(minor=True), **{field: 7}), STRANGER)
    assert not answer.allowed


def test_an_unknown_policy_name_refuses_whoever_is_involved() -> None:
    odd = rules(name="anarchy")
    assert not any(may_approve(made(), actor, odd, SELF).allowed for actor in (MAKER, CREATOR))


def shaped_it(facts: Facts, actor: Party) -> bool:
    """P2 in the words of the rules: implementer, implementation action, author set, their origins, their descendants.

    Services are never authors (I7).
    """
    acted = {
        e.session
        for e in facts.history or ()
        if e.action in {"started", "unstarted", "submitted", "responded", "committed"}
    }
    for maker in acted | {a.session for a in facts.authors or ()} | ({facts.task.implementer} - {None}):
        party = facts.parties[SessionId(str(maker))]
        if party.kind == "service":
            continue
        same_person = actor.kind == party.kind == "human" and actor.person == party.person
        if (
            actor.session == party.session
            or actor.origins & party.origins
            or same_person
            or party.session in actor.above
        ):
            return True
    return False


@quick
@given(situations(), policies, words)
def test_no_policy_lets_a_maker_approve_except_minor_or_declared(
    case: tuple[Facts, Party], policy: ReviewPolicy, said: Declaration
) -> None:
    facts, actor = case
    answer = may_approve(facts, actor, policy, said)
    declared = policy.name == "trusted" and (said.reviewed_by.strip() or (said.self_review and said.reason.strip()))
    if answer.allowed and shaped_it(facts, actor):
        assert (facts.task.minor and answer.rule == "P1" and policy.minor.self) or declared
        assert answer.exception, "and it is audited (P8)"


@quick
@given(situations(), policies, words)
def test_another_author_never_turns_a_refusal_into_a_yes(
    case: tuple[Facts, Party], policy: ReviewPolicy, said: Declaration
) -> None:
    facts, actor = case
    if may_approve(facts, actor, policy, said).allowed:
        return
    for party in facts.parties.values():
        more = replace(facts, authors=(*(facts.authors or ()), Author(party.session, "commit 1234567")))
        declared = policy.name == "trusted" and party.session == actor.session
        assert declared or not may_approve(more, actor, policy, said).allowed


@quick
@given(situations(), policies, words, st.randoms(use_true_random=False))
def test_the_order_of_what_happened_changes_no_answer(
    case: tuple[Facts, Party], policy: ReviewPolicy, said: Declaration, chance: Random
) -> None:
    facts, actor = case
    history, authors = list(facts.history or ()), list(facts.authors or ())
    chance.shuffle(history)
    chance.shuffle(authors)
    answers = [
        may_approve(each, actor, policy, said)
        for each in (facts, replace(facts, history=tuple(history), authors=tuple(authors)))
    ]
    assert len({(answer.allowed, answer.rule, answer.exception) for answer in answers}) == 1


@quick
@given(situations(), policies, words)
def test_a_stricter_policy_never_allows_what_a_looser_one_refuses(
    case: tuple[Facts, Party], policy: ReviewPolicy, said: Declaration
) -> None:
    facts, actor = case
    answers = [may_approve(facts, actor, replace(policy, name=name), said).allowed for name in POLICIES]
    assert answers == sorted(answers), f"{dict(zip(POLICIES, answers, strict=True))}"


@quick
@given(situations(), policies, words)
def test_a_higher_grade_never_allows_what_a_lower_one_refuses(
    case: tuple[Facts, Party], policy: ReviewPolicy, said: Declaration
) -> None:
    facts, actor = case
    asked = [
        may_approve(facts, actor, replace(policy, independence=grade), said).allowed
        for grade in ("human", "vendor", "model", "origin")
    ]
    assert asked == sorted(asked)


@quick
@given(situations(), policies, words)
def test_a_spawned_session_may_do_no_more_than_any_agent_above_it(
    case: tuple[Facts, Party], policy: ReviewPolicy, said: Declaration
) -> None:
    facts, actor = case
    if may_approve(facts, actor, policy, said).allowed:
        for above in (facts.parties[name] for name in actor.above):
            assert above.kind != "agent" or may_approve(facts, above, policy, said).allowed


@quick
@given(situations(), policies, words)
def test_every_answer_has_a_rule_and_a_sentence_and_every_no_a_next_step(
    case: tuple[Facts, Party], policy: ReviewPolicy, said: Declaration
) -> None:
    answer = may_approve(*case, policy, said)
    assert answer.rule in {"I1", "I5", "P0", "P1", "P2", "P3", "P4", "P5", "P6", "P7"}
    assert answer.message
    assert answer.allowed or answer.next
    assert answer.rule != "G1"


@quick
@given(situations(), policies, words)
def test_a_reason_turns_the_answer_exactly_where_it_is_said_to_be_needed(
    case: tuple[Facts, Party], policy: ReviewPolicy, said: Declaration
) -> None:
    facts, actor = case
    without = may_approve(facts, actor, policy, replace(said, reason=" "))
    with_ = may_approve(facts, actor, policy, replace(said, reason="read it"))
    if without.allowed:
        assert with_.allowed
    if without.needs_reason and not without.allowed:
        assert with_.allowed
        assert with_.exception
    if with_.allowed and not without.allowed and not said.self_review:
        assert without.needs_reason


@quick
@given(situations(), policies, words)
def test_the_same_question_gets_the_same_answer(
    case: tuple[Facts, Party], policy: ReviewPolicy, said: Declaration
) -> None:
    assert may_approve(*case, policy, said) == may_approve(*case, policy, said)
