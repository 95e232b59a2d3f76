"""Who closes (C1, C2, T5), cancels and takes up a rejected task (T2, I3)."""

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


UNKNOWN = agent("unknown", proven=False)
ABOVE = replace(agent("above"), process="p1")
BELOW = replace(agent("below"), process="p2", under=frozenset({"p1"}))
CHILD, NEPHEW = agent("child", parents=[MAKER]), agent("nephew", parents=[AGAIN])
LIVE = made(status="in_progress")
BOUND = replace(STRANGER, bound=Reason("I3", "no process shows who is above it", fe("whoami")))
GIVEN_BACK = replace(made(), task=replace(made().task, status="open", implementer=None))
LANDED = made(attempt_=attempt(landed=True), minor=True)

ROWS: list[tuple[str, str, Party, Facts]] = [
    ("no C1", "creator, nobody implemented", CREATOR, planned()),
    ("no C1", "creator, another session", CREATOR_AGAIN, planned()),
    ("no C1", "a person who created it", person("ada", terminal="2"), planned(ADA)),
    ("no C1", "implementer", MAKER, made()),
    ("no C1", "creator who implemented it", MAKER, made(MAKER, MAKER)),
    ("no C1", "of the implementer's origin", AGAIN, made()),
    ("no C1", "spawned by the implementer", CHILD, made()),
    ("no C1", "spawned by its origin", NEPHEW, made(MAKER, CREATOR, AGAIN)),
    ("no C1", "started and gave back", FORMER, GAVE_BACK),
    ("no C1", "in the author set", FORMER, made(authors=[FORMER])),
    ("no C1", "spawned by the creator, nobody implemented", agent("child", parents=[CREATOR]), planned()),
    ("no C1", "spawned by the creator's origin", agent("x", parents=[CREATOR_AGAIN]), planned(CREATOR, CREATOR_AGAIN)),
    ("no C1", "below the creator's process, nobody implemented", BELOW, planned(ABOVE)),
    ("no C1", "of unknown origin", UNKNOWN, made()),
    ("no C1", "of unknown origin, nobody implemented", UNKNOWN, planned()),
    ("no C1", "the implementer of a live claim", MAKER, LIVE),
    ("yes C1", "creator, other implemented", CREATOR, made()),
    ("yes C1", "creator, other implemented and gave back", CREATOR, GIVEN_BACK),
    ("yes C1", "creator's origin, other implemented", CREATOR_AGAIN, made()),
    ("yes C1", "spawned by the creator, other implemented", agent("child", parents=[CREATOR]), made()),
    ("yes C1", "unrelated session", STRANGER, made()),
    ("yes C1", "unrelated session, nobody implemented", STRANGER, planned()),
    ("yes C1", "a person", ADA, made()),
    ("yes C1", "a person, another's live claim", ADA, LIVE),
    ("yes C1", "creator, another's live claim", CREATOR, LIVE),
    ("yes C1", "in progress, and nobody's", STRANGER, replace(LIVE, task=replace(LIVE.task, implementer=None))),
    ("never C1", "unrelated session, another's live claim", STRANGER, LIVE),
    ("never C1", "the claim's origin, another's live claim", AGAIN, made(status="in_progress", minor=True)),
    ("never C1", "the creator's origin, another's live claim", CREATOR_AGAIN, LIVE),
    ("never C2", "landed", STRANGER, LANDED),
    ("never C2", "landed, its creator", CREATOR, LANDED),
    ("never C2", "landed, a person", ADA, LANDED),
    ("never C2", "landed without an attempt", ADA, replace(made(landed=True), attempt=None)),
    ("never P0", "no history", STRANGER, replace(made(), history=None)),
    ("never P0", "no authors", ADA, replace(made(), authors=None)),
    ("never P0", "minor, no history", MAKER, replace(made(minor=True), history=None)),
    ("never P0", "nobody implemented, no authors", CREATOR, replace(planned(), authors=None)),
    ("never I1", "a typed name", asserted(), made(minor=True)),
    ("never I5", "a service", service(), planned()),
    ("never I5", "below a service that was only seen", agent("x", parents=[service()]), made(MAKER, CREATOR, service())),
    ("never I3", "bound", BOUND, made()),
    ("yes P1", "minor, unrelated", STRANGER, made(minor=True)),
    ("yes P1", "minor, creator", CREATOR, made(minor=True)),
    ("yes P1", "minor, a person", ADA, made(minor=True)),
]  # fmt: skip


@every_policy
@pytest.mark.parametrize(("said", "actor", "facts"), [(row[0], *row[2:]) for row in ROWS], ids=[row[1] for row in ROWS])
def test_closing_without_an_approval(policy: PolicyName, said: str, actor: Party, facts: Facts) -> None:
    """`no` is yes by exception, on record; `never` is no with one, too."""
    word, rule = said.split()
    for exception in ("", "  \n", WHY):
        answer = ask(facts, actor, policy, exception)
        excepted = word == "no" and exception == WHY
        assert (answer.allowed, answer.rule) == (word == "yes" or excepted, rule), exception
        assert (answer.exception, answer.needs_reason) == (("self_close", True) if excepted else ("", False))
        assert answer.allowed or answer.next


def test_minor_work_of_ones_own_is_closed_on_record() -> None:
    for facts in (made(minor=True), made(minor=True, status="in_progress")):
        answer = ask(facts, MAKER)
        assert (answer.allowed, answer.rule, answer.exception) == (True, "P1", "minor")
        assert ask(facts, MAKER, minor=MinorRule(max_lines=1)).rule == "C1"
        assert not ask(facts, MAKER, minor=MinorRule(self=False)).allowed


@pytest.mark.parametrize(
    ("actor", "facts", "step"),
    [
        (MAKER, made(), f"someone else runs: fe approve fe-abc --seen 1.{DIFF[7:15]}"),
        (MAKER, made(status="blocked"), "fe show fe-abc"),
        (CREATOR, planned(), "fe cancel fe-abc"),
        (STRANGER, made(status="in_progress"), "fe show fe-abc"),
        (STRANGER, LANDED, f"someone else runs: fe approve fe-abc --seen 1.{DIFF[7:15]}"),
        (STRANGER, replace(made(), history=None), "fe doctor"),
    ],
)
def test_a_refusal_to_close_says_what_to_do(actor: Party, facts: Facts, step: str) -> None:
    assert steps_text(ask(facts, actor).next) == step


# --------------------------------------------------------------------------------------------------------- T5: epics


def epic(*makers: Party, closed: bool = True, children: int = 2) -> Facts:
    return replace(
        planned(CREATOR, *makers, type="epic"),
        children_closed=closed,
        child_count=children,
        child_makers=frozenset(maker.session for maker in makers),
    )


@pytest.mark.parametrize(
    ("actor", "facts", "said"),
    [
        (CREATOR, epic(MAKER, closed=False), "never T5"),
        (ADA, epic(MAKER, closed=False), "never T5"),
        (STRANGER, epic(closed=False), "never T5"),
        (CREATOR, epic(MAKER), "yes T5"),
        (CREATOR, epic(CREATOR), "yes T5"),
        (CREATOR, epic(children=1), "yes T5"),
        (CREATOR, epic(children=0), "no C1"),
        (CREATOR, replace(planned(), child_count=2), "no C1"),
        (CREATOR, replace(planned(), child_count=2, children_closed=False), "no C1"),
        (CREATOR, replace(made(type="epic"), child_count=2), "yes C1"),
        (MAKER, replace(made(MAKER, MAKER, type="epic"), child_count=2), "no C1"),
        (MAKER, epic(MAKER), "no C1"),
        (MAKER, epic(STRANGER, MAKER), "no C1"),
        (AGAIN, epic(MAKER), "no C1"),
        (CHILD, epic(MAKER), "no C1"),
        (BELOW, epic(ABOVE), "no C1"),
        (UNKNOWN, epic(MAKER), "no C1"),
        (STRANGER, epic(MAKER), "yes C1"),
        (ADA, epic(MAKER), "yes C1"),
    ],
)
def test_an_epic_is_closed_by_its_creator_once_its_children_are(actor: Party, facts: Facts, said: str) -> None:
    """For epics this replaces C1. Who implemented a child implemented the epic. (T5)"""
    word, rule = said.split()
    for exception in ("", WHY):
        answer = ask(facts, actor, exception=exception)
        assert (answer.allowed, answer.rule) == (word == "yes" or (word == "no" and bool(exception)), rule)


def test_a_live_claim_is_named() -> None:
    assert ask(LIVE, STRANGER).message.startswith("maker (ses-maker) is working on fe-abc")


def test_an_author_of_a_child_is_sent_to_the_epics_creator() -> None:
    assert steps_text(ask(epic(MAKER), MAKER).next) == "its creator closes it: fe close fe-abc"


# ---------------------------------------------------------------------------------------------------- cancel, reject


@pytest.mark.parametrize(
    ("actor", "facts", "allowed", "rule"),
    [
        (CREATOR, planned(), True, "T2"),
        (ADA, planned(), True, "T2"),
        (STRANGER, planned(), False, "T2"),
        (CREATOR_AGAIN, planned(), False, "T2"),
        (UNKNOWN, planned(), False, "T2"),
        (CREATOR, made(status="open"), False, "T2"),
        (ADA, made(status="open"), False, "T2"),
        (ADA, replace(GAVE_BACK, task=replace(GAVE_BACK.task, implementer=None)), False, "T2"),
        (asserted(), planned(asserted()), False, "I1"),
        (service(), planned(service()), False, "I5"),
        (CREATOR, replace(planned(), history=None), False, "P0"),
        (ADA, replace(planned(), authors=None), False, "P0"),
    ],
)
def test_an_unstarted_task_is_cancelled_by_its_creator_or_a_person(
    actor: Party, facts: Facts, allowed: bool, rule: str
) -> None:
    """An origin that an environment may have joined cancels nothing (I3)."""
    answer = may_cancel(facts, actor)
    assert (answer.allowed, answer.rule) == (allowed, rule)
    assert answer.allowed or (answer.message and answer.next)


BY_ITS_CHILD = made(BELOW, CREATOR, ABOVE, status="blocked", rejected_by=ABOVE.session)
REJECTED = made(MAKER, CREATOR, STRANGER, status="blocked", rejected_by=STRANGER.session)


@pytest.mark.parametrize(
    ("actor", "facts", "allowed", "rule"),
    [
        (STRANGER, REJECTED, True, "T2"),
        (ADA, REJECTED, True, "T2"),
        (agent("joined", origin="origin of stranger"), REJECTED, False, "T2"),
        (MAKER, REJECTED, False, "T2"),
        (CREATOR, REJECTED, False, "T2"),
        (MAKER, made(status="blocked"), True, "T2"),
        (asserted(), REJECTED, False, "I1"),
        (service(), made(rejected_by=service().session), False, "I5"),
        (ABOVE, BY_ITS_CHILD, True, "T2"),
        (replace(STRANGER, under=frozenset({"p1"})), BY_ITS_CHILD, True, "T2"),
        (BELOW, BY_ITS_CHILD, False, "T2"),
    ],
)
def test_a_rejected_task_is_taken_up_by_its_rejecter_or_a_person(
    actor: Party, facts: Facts, allowed: bool, rule: str
) -> None:
    """A rejecter may be a process above the author; the author below it is none (I3)."""
    answer = may_lift_rejection(facts, actor)
    assert (answer.allowed, answer.rule) == (allowed, rule)
    assert answer.allowed or (answer.message and answer.next)


# ------------------------------------------------------------------------------------------------ G1 and properties


class Broken(dict[Any, Any]):
    """A dictionary that cannot be read."""

    def get(self, *args: object) -> Any:
        raise OSError("disk gone")


def test_a_rule_that_raises_closes_nothing_and_says_so() -> None:
    answer = ask(replace(made(), parties=Broken()), STRANGER)
    assert (answer.allowed, answer.rule) == (False, "G1")


def test_a_rule_that_raises_cancels_nothing_and_says_so() -> None:
    answer = may_cancel(replace(planned(), parties=Broken()), CREATOR)
    assert (answer.allowed, answer.rule) == (False, "G1")


def test_a_rule_that_raises_lifts_no_rejection_and_says_so() -> None:
    answer = may_lift_rejection(replace(made(rejected_by=STRANGER.session), parties=Broken()), MAKER)
    assert (answer.allowed, answer.rule) == (False, "G1")


@quick
@given(situations(), policies)
def test_whoever_shaped_it_closes_it_only_as_minor_or_by_exception(
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
def test_an_exception_never_makes_closing_harder(case: tuple[Facts, Party], policy: ReviewPolicy) -> None:
    facts, actor = case
    with_, without = may_close(facts, actor, policy, WHY), may_close(facts, actor, policy)
    assert with_.allowed or not without.allowed
    assert with_.message
    assert with_.allowed or with_.next
