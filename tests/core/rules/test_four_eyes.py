"""P: who may approve. Row by row, then as properties over random situations."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from msgspec.structs import replace

from foureyes.core.nouns.attempt import Author
from foureyes.core.nouns.session import Party
from foureyes.core.rules.facts import Facts, HistoryEntry
from foureyes.core.rules.four_eyes import Declaration, may_approve, may_decide
from foureyes.core.rules.involvement import is_involved
from foureyes.core.rules.policy import POLICIES, LabelRule, MinorRule, PolicyName, ReviewPolicy
from foureyes.core.words.decision import Decision
from foureyes.core.words.ids import SessionId
from foureyes.ui.steps import steps_text

from tests.core.samples import (
    ADA,
    CREATOR,
    DIFF,
    MAKER,
    STRANGER,
    agent,
    asserted,
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

REASON = Declaration("I read every line")
every_policy = pytest.mark.parametrize("policy", POLICIES)


def ask(
    facts: Facts, actor: Party, policy: PolicyName = "balanced", said: Declaration = REASON, **fields: object
) -> Decision:
    return may_approve(facts, actor, rules(name=policy, **fields), said)


# ------------------------------------------------------------------------------------------------- before the table


@every_policy
def test_a_typed_name_approves_nothing_I1(policy: PolicyName) -> None:
    answer = ask(made(), asserted("lead"), policy)
    assert (answer.allowed, answer.rule) == (False, "I1")
    assert "lead" in answer.message


@every_policy
def test_a_service_approves_nothing_I5(policy: PolicyName) -> None:
    assert ask(made(), service(), policy).rule == "I5"
    assert not ask(made(minor=True), service(), policy).allowed


def test_agents_and_people_may_decide_I5() -> None:
    assert may_decide(STRANGER) is None
    assert may_decide(ADA) is None


# --------------------------------------------------------------------------------------------------------------- P0


@every_policy
@pytest.mark.parametrize("actor", [STRANGER, CREATOR, ADA, MAKER], ids=lambda p: p.name)
def test_an_unreadable_history_refuses_everybody_P0(policy: PolicyName, actor: Party) -> None:
    for lost in (
        replace(made(), history=None),
        replace(made(), authors=None),
        replace(made(minor=True), history=None, authors=None),
    ):
        answer = ask(lost, actor, policy)
        assert (answer.allowed, answer.rule) == (False, "P0")


@every_policy
def test_an_empty_history_refuses_P0(policy: PolicyName) -> None:
    answer = ask(replace(made(), history=()), STRANGER, policy)
    assert (answer.allowed, answer.rule) == (False, "P0")


@every_policy
def test_an_empty_author_set_refuses_P0(policy: PolicyName) -> None:
    answer = ask(replace(made(), authors=()), STRANGER, policy)
    assert (answer.allowed, answer.rule) == (False, "P0")


@every_policy
def test_work_without_any_author_refuses_strangers_P0(policy: PolicyName) -> None:
    assert ask(planned(status="reviewing"), STRANGER, policy).rule == "P0"
    assert not ask(planned(status="reviewing"), ADA, policy).allowed


# --------------------------------------------------------------------------------------------------------------- P6


def test_a_required_person_shuts_out_every_agent_P6() -> None:
    for facts, actor in [
        (made(), STRANGER),
        (made(minor=True), STRANGER),
        (made(minor=True), MAKER),
        (made(), CREATOR),
    ]:
        answer = ask(facts, actor, "trusted", independence="human")
        assert (answer.allowed, answer.rule) == (False, "P6")
        assert "review.independence" in answer.message
    assert ask(made(), ADA, "strict", independence="human").rule == "P7"


def test_a_label_can_require_a_person_and_is_named_P6() -> None:
    answer = ask(made(labels=["security"]), STRANGER)
    assert (answer.allowed, answer.rule) == (False, "P6")
    assert "label security" in answer.message
    assert ask(made(labels=["security"]), ADA).allowed


def test_the_grade_is_needed_towards_every_author_P6() -> None:
    one = agent("one", issued=True, model="alpha", vendor="acme")
    two = agent("two", issued=True, model="beta", vendor="other")
    reviewer = agent("reviewer", issued=True, model="gamma", vendor="other")
    assert ask(made(one, CREATOR), reviewer, independence="vendor").rule == "P7"
    assert ask(made(one, CREATOR, authors=[two]), reviewer, independence="vendor").rule == "P6"
    assert ask(made(one, CREATOR, authors=[two]), reviewer, independence="model").rule == "P7"


def test_grade_program_asks_for_an_agent_of_another_name_and_a_profile_is_called_like_its_program_I6_P6() -> None:
    def of(name: str, program: str, **more: Any) -> Party:
        return replace(agent(name, **more), agent=program)

    work = made(of("one", "claude"), CREATOR)
    same, senior = of("two", "claude"), of("three", "claude-senior", issued=True)
    assert [ask(work, each, independence="program").rule for each in (same, senior)] == ["P6", "P6"]
    assert "both claude" in ask(work, same, independence="program").message
    assert ask(work, of("four", "codex"), independence="program").rule == "P7"
    assert ask(work, ADA, independence="program").allowed
    nameless = (of("five", ""), replace(of("six", "codex"), under=frozenset({"p1"})))
    assert [ask(work, each, independence="program").rule for each in nameless] == ["P6", "P6"], "unknown is not (G1)"
    assert ask(work, same).message.endswith("the author is also claude"), "the default allows it and says so"


def test_a_label_that_asks_for_another_model_keeps_the_projects_grade_program_I6_P6() -> None:
    one = replace(agent("one", issued=True, model="alpha", vendor="acme"), agent="claude")
    two = replace(agent("two", issued=True, model="beta", vendor="acme"), agent="claude-senior")
    rules = {"api": LabelRule("batch", independence="model")}
    work = made(one, CREATOR, labels=["api"])
    assert ask(work, two, label_rules=rules).rule == "P7"
    assert ask(work, two, independence="program", label_rules=rules).rule == "P6"


def test_a_maker_who_is_a_person_does_not_reach_grade_human_towards_itself_P6() -> None:
    assert ask(made(ADA), ADA, "trusted", Declaration("x", self_review=True), independence="human").rule == "P6"
    assert ask(made(ADA), person("bob"), independence="human").allowed


def test_grade_session_asks_for_no_more_than_the_table_does_P6() -> None:
    assert ask(made(), STRANGER, independence="session").rule == "P7"
    assert ask(made(), agent("again", origin="origin of maker"), independence="session").rule == "P2"


# --------------------------------------------------------------------------------------------------------------- P1


@every_policy
@pytest.mark.parametrize("actor", [MAKER, CREATOR, STRANGER, ADA], ids=lambda p: p.name)
def test_a_minor_task_may_be_approved_by_anybody_P1(policy: PolicyName, actor: Party) -> None:
    answer = ask(made(minor=True), actor, policy, Declaration())
    assert (answer.allowed, answer.rule) == (True, "P1")


def test_only_a_maker_of_minor_work_makes_an_exception_P8() -> None:
    assert ask(made(minor=True), MAKER).exception == "minor"
    assert ask(made(minor=True), agent("again", origin="origin of maker")).exception == "minor"
    assert ask(made(minor=True), STRANGER).exception == ""


def test_a_label_with_auto_approve_false_is_no_minor_P1() -> None:
    careful = {"release": LabelRule(auto_approve=False)}
    assert ask(made(minor=True, labels=["release"]), MAKER, label_rules=careful).rule == "P2"
    assert ask(made(minor=True, labels=["other"]), MAKER, label_rules=careful).rule == "P1"


def test_a_minor_task_beyond_its_bounds_falls_through_to_the_rest_of_the_table_P10() -> None:
    small = MinorRule(max_lines=1)
    assert ask(made(minor=True), MAKER, minor=small).rule == "P2"
    assert ask(made(minor=True), CREATOR, "strict", minor=small).rule == "P3"
    assert ask(made(minor=True), STRANGER, minor=small).rule == "P7"


# --------------------------------------------------------------------------------------------------------------- P2

FORMER = agent("former")
TRAILER = agent("trailer")
MAKERS = [
    ("the implementer", MAKER, made()),
    ("who started and gave back", FORMER, made(MAKER, CREATOR, FORMER, history=[entry(FORMER, "started"), entry(FORMER, "unstarted")])),
    ("who only gave back", FORMER, made(MAKER, CREATOR, FORMER, history=[entry(FORMER, "unstarted")])),
    ("who submitted", FORMER, made(MAKER, CREATOR, FORMER, history=[entry(FORMER, "submitted", 1)])),
    ("who responded", FORMER, made(MAKER, CREATOR, FORMER, history=[entry(FORMER, "responded", 1)])),
    ("whom a trailer names", TRAILER, made(authors=[TRAILER])),
    ("of the implementer's origin", agent("again", origin="origin of maker"), made()),
    ("of a former one's origin", agent("x", origin="origin of former"), made(MAKER, CREATOR, FORMER, history=[entry(FORMER, "started")])),
    ("spawned by the implementer", agent("child", parents=[MAKER]), made()),
    ("spawned deep below", agent("deep", parents=[STRANGER, MAKER]), made(MAKER, CREATOR, STRANGER)),
    ("spawned by a trailer's session", agent("child", parents=[TRAILER]), made(authors=[TRAILER])),
    ("an agent of unknown origin", agent("marked", proven=False), made()),
    ("of unknown origin, a person did it", agent("marked", proven=False), made(ADA)),
    ("creator and implementer", MAKER, made(MAKER, MAKER)), ("a person who did it", ADA, made(ADA)),
    ("the person in another terminal", person("ada", terminal="2"), made(ADA)),
]  # fmt: skip
makers = pytest.mark.parametrize(("actor", "facts"), [row[1:] for row in MAKERS], ids=[row[0] for row in MAKERS])


@makers
@pytest.mark.parametrize("policy", ["strict", "balanced", "delegated"])
def test_whoever_made_a_change_may_not_approve_it_P2(policy: PolicyName, actor: Party, facts: Facts) -> None:
    for said in (Declaration(), REASON, Declaration("x", "Bob", self_review=True)):
        answer = ask(facts, actor, policy, said)
        assert (answer.allowed, answer.rule) == (False, "P2")
        assert not answer.needs_reason
        assert answer.next


@makers
def test_under_trusted_own_work_passes_only_with_a_declaration_P2(actor: Party, facts: Facts) -> None:
    refused = [
        Declaration(),
        REASON,
        Declaration(self_review=True),
        Declaration("  ", self_review=True),
        Declaration(reviewed_by="  "),
    ]
    assert [ask(facts, actor, "trusted", said).allowed for said in refused] == [False] * len(refused)
    for said in (Declaration("read it again", self_review=True), Declaration(reviewed_by="Bob")):
        answer = ask(facts, actor, "trusted", said)
        assert (answer.allowed, answer.rule, answer.exception) == (True, "P2", "self_review")


def test_a_session_spawned_by_another_session_of_the_authors_origin_made_it_too_I4() -> None:
    again = agent("again", origin="origin of maker")
    child = agent("child", parents=[again])
    answer = ask(made(MAKER, CREATOR, again), child)
    assert (answer.allowed, answer.rule) == (False, "P2")


# --------------------------------------------------------------------------------------------------------------- P3

LEAD = agent("lead")
WORKER = agent("worker", parents=[LEAD])
SIBLING = agent("sibling", parents=[LEAD])
INVOLVED = [
    ("creator", CREATOR, made()),
    ("creator, another session", agent("again", origin="origin of creator"), made()),
    ("delegator", LEAD, made(WORKER, CREATOR, LEAD)),
    ("creator and delegator", LEAD, made(WORKER, LEAD)),
    ("of the delegator's origin", agent("again", origin="origin of lead"), made(WORKER, CREATOR, LEAD)),
    ("sibling", SIBLING, made(WORKER, CREATOR, LEAD)),
    ("spawned by the creator", agent("child", parents=[CREATOR]), made()),
]


@pytest.mark.parametrize(("actor", "facts"), [row[1:] for row in INVOLVED], ids=[row[0] for row in INVOLVED])
def test_creator_and_delegator_need_a_reason_under_balanced_P3(actor: Party, facts: Facts) -> None:
    strict = ask(facts, actor, "strict")
    assert (strict.allowed, strict.rule, strict.needs_reason) == (False, "P3", False)
    for said in (Declaration(), Declaration(" \t\n")):
        without = ask(facts, actor, "balanced", said)
        assert (without.allowed, without.rule, without.needs_reason) == (False, "P3", True)
        assert f"--seen 1.{DIFF[7:15]}" in steps_text(without.next)
    given_ = ask(facts, actor, "balanced", REASON)
    assert (given_.allowed, given_.rule, given_.exception) == (True, "P3", "creator_approval")
    for loose in ("delegated", "trusted"):
        answer = ask(facts, actor, loose, Declaration())
        assert (answer.allowed, answer.exception) == (True, "")


def test_a_person_who_wrote_the_task_needs_no_reason_P3_P8() -> None:
    answer = ask(made(MAKER, ADA), person("ada", terminal="2"), "balanced", Declaration())
    assert (answer.allowed, answer.rule, answer.exception) == (True, "P3", "")
    assert ask(made(MAKER, ADA), ADA, "strict").rule == "P3"
    assert not ask(made(MAKER, ADA), ADA, "strict").allowed


def test_sessions_under_one_runner_are_independent_of_each_other_I4() -> None:
    facts = made(agent("worker", parents=[runner()]), CREATOR, runner())
    assert ask(facts, agent("reviewer", parents=[runner()]), "strict", Declaration()).rule == "P7"


@every_policy
def test_what_an_observed_service_spawned_decides_nothing_I4_I5(policy: PolicyName) -> None:
    """Else a process would have to shed its agent and its terminal only, and spawn itself a reviewer."""
    facts = made(MAKER, CREATOR, service("detached"))
    answer = ask(facts, agent("reviewer", parents=[service("detached")]), policy, Declaration("read it"))
    assert (answer.allowed, answer.rule) == (False, "I5")


@every_policy
def test_a_descendant_never_judges_its_ancestors_work_I4(policy: PolicyName) -> None:
    facts = made(LEAD, CREATOR, WORKER)
    assert ask(facts, WORKER, policy).rule == "P2"
    assert ask(facts, agent("deep", parents=[WORKER, LEAD]), policy).rule == "P2"


# --------------------------------------------------------------------------------------------------- P4, P5, P7


@every_policy
@pytest.mark.parametrize("creator", [CREATOR, ADA], ids=lambda p: p.name)
def test_the_creator_of_what_nobody_made_may_not_approve_it_P4(policy: PolicyName, creator: Party) -> None:
    answer = ask(planned(creator, status="reviewing"), creator, policy)
    assert (answer.allowed, answer.rule) == (False, "P4")
    assert "fe cancel" in steps_text(answer.next)


@pytest.mark.parametrize("action", ["reviewed", "approved"])
def test_who_judged_an_earlier_attempt_needs_a_reason_P5(action: str) -> None:
    before = replace(made(MAKER, CREATOR, STRANGER, history=[entry(STRANGER, action, 1)]), attempt=made().attempt)
    assert before.attempt is not None
    facts = replace(before, attempt=replace(before.attempt, n=2))
    strict = ask(facts, STRANGER, "strict")
    assert (strict.allowed, strict.rule) == (False, "P5")
    without = ask(facts, STRANGER, "balanced", Declaration("  "))
    assert (without.allowed, without.rule, without.needs_reason) == (False, "P5", True)
    given_ = ask(facts, STRANGER, "balanced")
    assert (given_.allowed, given_.rule, given_.exception) == (True, "P5", "repeat_reviewer")
    assert ask(facts, STRANGER, "delegated", Declaration()).allowed
    assert ask(facts, STRANGER, "trusted", Declaration()).allowed


def test_a_person_who_judged_an_earlier_attempt_needs_no_reason_P5() -> None:
    base = made(MAKER, CREATOR, ADA, history=[entry(ADA, "approved", 1)])
    assert base.attempt is not None
    facts = replace(base, attempt=replace(base.attempt, n=2))
    assert ask(facts, ADA, "balanced", Declaration()).rule == "P5"
    assert ask(facts, ADA, "balanced", Declaration()).allowed
    assert not ask(facts, ADA, "strict").allowed


@every_policy
def test_judging_this_attempt_twice_is_one_act_I7(policy: PolicyName) -> None:
    facts = made(MAKER, CREATOR, STRANGER, history=[entry(STRANGER, "reviewed", 1), entry(STRANGER, "approved", 1)])
    assert ask(facts, STRANGER, policy, Declaration()).rule == "P7"


@every_policy
def test_who_asked_for_a_change_may_judge_the_change_I7(policy: PolicyName) -> None:
    base = made(MAKER, CREATOR, STRANGER, history=[entry(STRANGER, "requested_changes", 1)])
    assert base.attempt is not None
    assert ask(replace(base, attempt=replace(base.attempt, n=2)), STRANGER, policy, Declaration()).rule == "P7"


@every_policy
@pytest.mark.parametrize("actor", [STRANGER, ADA], ids=lambda p: p.name)
def test_whoever_is_not_involved_may_approve_P7(policy: PolicyName, actor: Party) -> None:
    answer = ask(made(), actor, policy, Declaration())
    assert (answer.allowed, answer.rule, answer.exception, answer.needs_reason) == (True, "P7", "", False)


@every_policy
def test_a_person_may_approve_the_work_of_an_agent_of_unknown_origin_P7(policy: PolicyName) -> None:
    """Otherwise nobody at all could: every agent is tied to it (I3)."""
    assert ask(made(agent("marked", proven=False)), ADA, policy).allowed


def test_an_agent_is_not_sent_to_another_one_with_work_of_unknown_origin_P2() -> None:
    (reason,) = ask(made(agent("marked", proven=False)), STRANGER).reasons
    assert (reason.rule, steps_text(reason.next).startswith("a person runs: fe approve")) == ("P2", True), reason


@every_policy
def test_an_agent_below_a_runner_whose_commits_are_in_it_may_approve_I7(policy: PolicyName) -> None:
    """Services are never authors: a trailer of the runner makes nobody below it a maker."""
    facts = made(MAKER, CREATOR, authors=[runner()])
    assert ask(facts, agent("reviewer", parents=[runner()]), policy).rule == "P7"


# ------------------------------------------------------------------------------------------------ G1 and properties


class Broken(dict[Any, Any]):
    """A dictionary that cannot be read."""

    def get(self, *args: object) -> Any:
        raise OSError("disk gone")


@every_policy
def test_a_rule_that_raises_refuses_and_says_so_G1(policy: PolicyName) -> None:
    for facts in (
        replace(made(), parties=Broken()),
        replace(made(minor=True), parties=Broken(), minor_self_approvals=Broken()),
    ):
        answer = ask(facts, STRANGER, policy)
        assert (answer.allowed, answer.rule) == (False, "G1")
        assert "OSError" in answer.message


@pytest.mark.parametrize("field", ["task", "attempt", "history", "authors", "parties"])
def test_nonsense_in_any_fact_is_a_refusal_and_no_crash_G1(field: str) -> None:
    answer = ask(replace(made(minor=True), **{field: 7}), STRANGER)
    assert not answer.allowed


def test_an_unknown_policy_name_refuses_whoever_is_involved_G1() -> None:
    odd = rules(name="anarchy")
    assert not may_approve(made(), MAKER, odd, REASON).allowed
    assert not may_approve(made(), CREATOR, odd, REASON).allowed


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
def test_no_policy_lets_a_maker_approve_except_minor_or_declared_P2(
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
def test_another_author_never_turns_a_refusal_into_a_yes_P2(
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
@given(situations(), policies, words)
def test_a_stricter_policy_never_allows_what_a_looser_one_refuses_P12(
    case: tuple[Facts, Party], policy: ReviewPolicy, said: Declaration
) -> None:
    facts, actor = case
    answers = [may_approve(facts, actor, replace(policy, name=name), said).allowed for name in POLICIES]
    assert answers == sorted(answers), f"{dict(zip(POLICIES, answers, strict=True))}"


@quick
@given(situations(), policies, words)
def test_a_higher_grade_never_allows_what_a_lower_one_refuses_P6(
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
def test_a_spawned_session_may_do_no_more_than_any_agent_above_it_I4(
    case: tuple[Facts, Party], policy: ReviewPolicy, said: Declaration
) -> None:
    facts, actor = case
    if may_approve(facts, actor, policy, said).allowed:
        for above in (facts.parties[name] for name in actor.above):
            assert above.kind != "agent" or may_approve(facts, above, policy, said).allowed


@quick
@given(situations(), policies, words)
def test_every_answer_has_a_rule_and_a_sentence_and_every_no_a_next_step_G2(
    case: tuple[Facts, Party], policy: ReviewPolicy, said: Declaration
) -> None:
    answer = may_approve(*case, policy, said)
    assert answer.rule in {"I1", "I5", "P0", "P1", "P2", "P3", "P4", "P5", "P6", "P7"}
    assert answer.message
    assert answer.allowed or answer.next
    assert answer.rule != "G1"


@quick
@given(situations(), policies, words)
def test_a_reason_turns_the_answer_exactly_where_it_is_said_to_be_needed_P13(
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
def test_the_same_question_gets_the_same_answer_G3(
    case: tuple[Facts, Party], policy: ReviewPolicy, said: Declaration
) -> None:
    assert may_approve(*case, policy, said) == may_approve(*case, policy, said)


@pytest.mark.parametrize("action", ["submitted", "responded"])
def test_every_agent_may_be_behind_a_service_that_submits_or_answers_I5(action: str) -> None:
    def done(via: Party) -> Facts:
        row = HistoryEntry(MAKER.session, action, 1, via=via.session)
        return made(MAKER, CREATOR, STRANGER, ADA, via, history=[row])

    by_cron, by_runner = done(service()), done(runner())
    answer = ask(by_cron, STRANGER)
    assert (answer.allowed, answer.rule, steps_text(answer.next).partition(":")[0]) == (False, "P2", "a person runs")
    assert is_involved(by_cron, STRANGER)
    assert (ask(by_cron, ADA).rule, is_involved(by_cron, ADA), is_involved(by_cron, service())) == ("P7", False, False)
    assert (ask(by_runner, STRANGER).rule, is_involved(by_runner, STRANGER)) == ("P7", False)
