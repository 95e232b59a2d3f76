"""C, T5 and the table's rows for cancel and for taking up what was rejected."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from msgspec.structs import replace

from foureyes.core.nouns.session import Party
from foureyes.core.rules.closing import may_cancel, may_close, may_lift_rejection
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.policy import POLICIES, MinorRule, PolicyName, ReviewPolicy
from foureyes.core.words.decision import Decision
from foureyes.ui.steps import steps_text

from tests.core.samples import (
    ADA,
    CREATOR,
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
    service,
    situations,
)

WHY = "the plan changed"
every_policy = pytest.mark.parametrize("policy", POLICIES)
FORMER = agent("former")
GAVE_BACK = made(MAKER, CREATOR, FORMER, history=[entry(FORMER, "started"), entry(FORMER, "unstarted")])

AGAIN, CREATOR_AGAIN = agent("again", origin="origin of maker"), agent("creator-again", origin="origin of creator")


def ask(facts: Facts, actor: Party, policy: PolicyName = "balanced", exception: str = "", **fields: object) -> Decision:
    return may_close(facts, actor, rules(name=policy, **fields), exception)


REFUSED = [
    ("creator, nobody implemented", CREATOR, planned()),
    ("creator, another session", agent("again", origin="origin of creator"), planned()),
    ("a person who created it", person("ada", terminal="2"), planned(ADA)),
    ("implementer", MAKER, made()),
    ("creator who implemented it", MAKER, made(MAKER, MAKER)),
    ("of the implementer's origin", agent("again", origin="origin of maker"), made()),
    ("spawned by the implementer", agent("child", parents=[MAKER]), made()),
    ("started and gave back", FORMER, GAVE_BACK),
    ("is an author", FORMER, made(authors=[FORMER])),
    ("spawned by the creator, nobody implemented", agent("child", parents=[CREATOR]), planned()),
    (
        "spawned by another session of the creator's origin",
        agent("nephew", parents=[CREATOR_AGAIN]),
        planned(CREATOR, CREATOR_AGAIN),
    ),
    ("spawned by another session of the maker's origin", agent("nephew", parents=[AGAIN]), made(MAKER, CREATOR, AGAIN)),
]
ALLOWED = [
    ("creator, other implemented", CREATOR, made()),
    (
        "creator, other implemented and gave back",
        CREATOR,
        replace(made(), task=replace(made().task, status="open", implementer=None)),
    ),
    ("unrelated session", STRANGER, made()),
    ("unrelated session, nobody implemented", STRANGER, planned()),
    ("a person", ADA, made()),
    ("spawned by the creator, other implemented", agent("child", parents=[CREATOR]), made()),
]


@every_policy
@pytest.mark.parametrize(("actor", "facts"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_who_made_or_planned_it_alone_does_not_close_it_C1(policy: PolicyName, actor: Party, facts: Facts) -> None:
    for blank in ("", "  \n"):
        answer = ask(facts, actor, policy, blank)
        assert (answer.allowed, answer.rule) == (False, "C1")
        assert answer.next
    answer = ask(facts, actor, policy, WHY)
    assert (answer.allowed, answer.rule, answer.exception) == (True, "C1", "self_close")


@every_policy
@pytest.mark.parametrize(("actor", "facts"), [row[1:] for row in ALLOWED], ids=[row[0] for row in ALLOWED])
def test_others_close_it_without_an_exception_C1(policy: PolicyName, actor: Party, facts: Facts) -> None:
    answer = ask(facts, actor, policy)
    assert (answer.allowed, answer.rule, answer.exception) == (True, "C1", "")


def test_a_creator_of_what_nobody_began_is_offered_cancel_C1() -> None:
    assert steps_text(ask(planned(), CREATOR).next) == "fe cancel fe-abc"


@pytest.mark.parametrize("actor", [asserted(), service()], ids=lambda p: p.name)
def test_names_and_services_close_nothing_I1_I5(actor: Party) -> None:
    for facts in (made(), planned(), made(minor=True)):
        assert ask(facts, actor, exception=WHY).rule in {"I1", "I5"}
        assert not ask(facts, actor, exception=WHY).allowed


@pytest.mark.parametrize("actor", [CREATOR, MAKER, STRANGER, ADA], ids=lambda p: p.name)
def test_an_unreadable_history_closes_nothing_G1(actor: Party) -> None:
    for facts in (replace(made(), history=None), replace(made(minor=True), authors=None)):
        assert not ask(facts, actor, exception=WHY).allowed


def test_a_minor_task_may_be_closed_by_anybody_and_a_makers_close_is_audited_C1_P8() -> None:
    for actor in (MAKER, CREATOR, STRANGER, ADA):
        assert ask(made(minor=True), actor).rule == "P1"
        assert ask(made(minor=True), actor).allowed
    assert ask(made(minor=True), MAKER).exception == "minor"
    assert ask(made(minor=True), STRANGER).exception == ""
    assert ask(made(minor=True), MAKER, minor=MinorRule(max_lines=1)).rule == "C1"
    assert not ask(made(minor=True), MAKER, minor=MinorRule(self=False)).allowed


def test_anothers_live_claim_is_closed_only_by_a_person_or_the_creator_C1() -> None:
    live = made(status="in_progress")
    assert (ask(live, STRANGER).allowed, ask(live, STRANGER).rule) == (False, "C1")
    assert ask(live, CREATOR).allowed
    assert ask(live, ADA).allowed
    assert not ask(live, MAKER).allowed


@pytest.mark.parametrize("actor", [CREATOR, MAKER, STRANGER, ADA], ids=lambda p: p.name)
def test_landed_work_cannot_be_closed_at_all_C2(actor: Party) -> None:
    landed = made(attempt_=attempt(landed=True), minor=True)
    answer = ask(landed, actor, exception=WHY)
    assert (answer.allowed, answer.rule) == (False, "C2")


# --------------------------------------------------------------------------------------------------------- T5: epics


def epic(*makers: Party, closed: bool = True, children: int = 2) -> Facts:
    return replace(
        planned(CREATOR, *makers, type="epic"),
        children_closed=closed,
        child_count=children,
        child_makers=frozenset(maker.session for maker in makers),
    )


@pytest.mark.parametrize("actor", [CREATOR, MAKER, STRANGER, ADA], ids=lambda p: p.name)
def test_an_epic_with_open_children_is_closed_by_nobody_T5(actor: Party) -> None:
    answer = ask(epic(MAKER, closed=False), actor, exception=WHY)
    assert (answer.allowed, answer.rule) == (False, "T5")


def test_its_creator_closes_an_epic_once_all_children_are_closed_T5() -> None:
    assert (ask(epic(MAKER), CREATOR).allowed, ask(epic(MAKER), CREATOR).rule) == (True, "T5")
    assert ask(epic(CREATOR), CREATOR).allowed, "this replaces C1 for epics"


def test_who_implemented_a_child_implemented_the_epic_T5() -> None:
    for actor in (MAKER, agent("again", origin="origin of maker"), agent("child", parents=[MAKER])):
        answer = ask(epic(MAKER), actor)
        assert (answer.allowed, answer.rule) == (False, "C1")
    assert ask(epic(MAKER), STRANGER).allowed


# ---------------------------------------------------------------------------------------------------- cancel, reject


def test_what_nobody_began_is_cancelled_by_its_creator_or_a_person_T2() -> None:
    assert may_cancel(planned(), CREATOR).allowed
    assert may_cancel(planned(), ADA).allowed
    assert not may_cancel(planned(), STRANGER).allowed
    assert not may_cancel(planned(), agent("joined", origin="origin of creator")).allowed, "by a variable, it may be"
    assert not may_cancel(planned(), agent("marked", proven=False)).allowed


@pytest.mark.parametrize("actor", [CREATOR, MAKER, STRANGER, ADA], ids=lambda p: p.name)
def test_what_somebody_worked_on_is_not_cancelled_T2(actor: Party) -> None:
    for facts in (made(status="open"), replace(GAVE_BACK, task=replace(GAVE_BACK.task, implementer=None))):
        assert not may_cancel(facts, actor).allowed


def test_names_and_services_cancel_and_lift_nothing_I1_I5() -> None:
    for actor in (asserted(), service()):
        assert not may_cancel(planned(actor), actor).allowed
        assert not may_lift_rejection(made(rejected_by=actor.session), actor).allowed


def test_an_unreadable_journal_cancels_nothing_G1() -> None:
    assert not may_cancel(replace(planned(), history=None), CREATOR).allowed
    assert not may_cancel(replace(planned(), authors=None), CREATOR).allowed


def test_a_rejected_task_is_taken_up_by_who_rejected_it_or_a_person_T2() -> None:
    rejected = made(MAKER, CREATOR, STRANGER, status="blocked", rejected_by=STRANGER.session)
    assert may_lift_rejection(rejected, STRANGER).allowed
    assert may_lift_rejection(rejected, ADA).allowed
    assert not may_lift_rejection(rejected, agent("joined", origin="origin of stranger")).allowed
    assert not may_lift_rejection(rejected, MAKER).allowed
    assert not may_lift_rejection(rejected, CREATOR).allowed


def test_a_maker_below_its_rejecter_does_not_take_the_task_up_T2_I3() -> None:
    lead = replace(agent("lead"), process="proc:1")
    below = replace(MAKER, under=frozenset({"proc:1"}))
    helper = replace(STRANGER, under=frozenset({"proc:1"}))
    rejected = made(below, CREATOR, lead, helper, status="blocked", rejected_by=lead.session)
    assert may_lift_rejection(rejected, lead).allowed
    assert may_lift_rejection(rejected, helper).allowed
    assert not may_lift_rejection(rejected, below).allowed


def test_a_task_that_was_only_blocked_is_freed_by_anybody_T2() -> None:
    assert may_lift_rejection(made(status="blocked"), MAKER).allowed


# ------------------------------------------------------------------------------------------------ G1 and properties


class Broken(dict[Any, Any]):
    """A dictionary that cannot be read."""

    def get(self, *args: object) -> Any:
        raise OSError("disk gone")


def test_a_rule_that_raises_closes_nothing_and_says_so_G1() -> None:
    answer = ask(replace(made(), parties=Broken()), STRANGER)
    assert (answer.allowed, answer.rule) == (False, "G1")


def test_a_rule_that_raises_cancels_nothing_and_says_so_G1() -> None:
    answer = may_cancel(replace(planned(), parties=Broken()), CREATOR)
    assert (answer.allowed, answer.rule) == (False, "G1")


def test_a_rule_that_raises_lifts_no_rejection_and_says_so_G1() -> None:
    answer = may_lift_rejection(replace(made(rejected_by=STRANGER.session), parties=Broken()), MAKER)
    assert (answer.allowed, answer.rule) == (False, "G1")


@quick
@given(situations(), policies)
def test_whoever_shaped_it_closes_it_only_as_minor_or_by_exception_C1(
    case: tuple[Facts, Party], policy: ReviewPolicy
) -> None:
    facts, actor = case
    shaped = {e.session for e in facts.history or () if e.action in {"started", "unstarted", "submitted", "committed"}}
    shaped |= {a.session for a in facts.authors or ()}
    answer = may_close(facts, actor, policy)
    if answer.allowed and actor.session in shaped and actor.kind != "service":
        assert facts.task.minor
        assert answer.exception == "minor"


@quick
@given(situations(), policies)
def test_an_exception_never_makes_closing_harder_C1(case: tuple[Facts, Party], policy: ReviewPolicy) -> None:
    facts, actor = case
    with_, without = may_close(facts, actor, policy, WHY), may_close(facts, actor, policy)
    assert with_.allowed or not without.allowed
    assert with_.message
    assert with_.allowed or with_.next
