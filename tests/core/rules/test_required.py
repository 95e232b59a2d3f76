"""Whose reviews a task needs by name (D6, M3, V4)."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from foureyes.core.nouns.cycle import CycleId, CycleState, InCycle
from foureyes.core.nouns.session import Party
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.policy import LabelRule, PeersRule, ReviewPolicy
from foureyes.core.rules.required import (
    all_reviewers,
    is_profile,
    lacks_named,
    required_agents,
    required_reviewers,
    unmet_names,
    wants_peers,
    wants_reviews,
)
from foureyes.core.words.ids import SessionId
from foureyes.ui.steps import steps_text

from tests.core.samples import CREATOR, MAKER, made

PAYMENTS = LabelRule(reviewers=("codex", "alice@laptop"))
POLICY = ReviewPolicy(label_rules={"payments": PAYMENTS, "Law": LabelRule(reviewers=("human", "codex"))})
CODEX = Party(session=SessionId("s-codex"), kind="agent", agent="codex", name="codex#1")
QWEN = Party(session=SessionId("s-qwen"), kind="agent", agent="qwen", name="qwen#1")
CHILD = Party(session=SessionId("s-child"), kind="agent", agent="codex", name="codex#2", above=(QWEN.session,))
ALICE = Party(session=SessionId("s-alice"), kind="human", name="alice@laptop", person="alice@laptop")
BOB = Party(session=SessionId("s-bob"), kind="human", name="bob@laptop", person="bob@laptop")
EVERYBODY = (CODEX, QWEN, CHILD, ALICE, BOB)


def facts(*reviewed: Party, labels: tuple[str, ...] = ("payments",), makers: tuple[Party, ...] = ()) -> Facts:
    sessions = frozenset(each.session for each in reviewed)
    about = made(MAKER, CREATOR, *EVERYBODY, authors=makers, labels=list(labels))
    return replace(about, reviewers=sessions)


def test_a_label_rule_names_whose_reviews_are_needed_without_case() -> None:
    assert required_reviewers(POLICY, ["Payments", "law"]) == {
        "codex": "Payments", "alice@laptop": "Payments", "human": "law",
    }  # fmt: skip
    assert required_agents(POLICY, ["payments", "law"]) == ("codex",)
    assert required_reviewers(POLICY, ["docs"]) == {}


def test_two_rules_of_one_label_ask_for_the_names_of_both() -> None:
    policy = ReviewPolicy(label_rules={"a": LabelRule(reviewers=("codex",)), "A": LabelRule(reviewers=("gemini",))})
    assert set(required_reviewers(policy, ["a"])) == {"codex", "gemini"}


@pytest.mark.parametrize(
    ("reviewed", "left"),
    [
        ((), ["codex", "alice@laptop"]),
        ((CODEX,), ["alice@laptop"]),
        ((CODEX, ALICE), []),
        ((QWEN, BOB), ["codex", "alice@laptop"]),
        ((CHILD,), ["codex", "alice@laptop"]),
    ],
    ids=["nobody", "the agent", "both", "others", "a child that another agent calls so"],
)
def test_each_who_is_named_has_a_counting_review(reviewed: tuple[Party, ...], left: list[str]) -> None:
    assert list(unmet_names(facts(*reviewed), POLICY)) == left


def test_what_runs_below_an_agent_of_another_name_is_nobodys_name() -> None:
    about = facts(CODEX, ALICE)
    assert list(unmet_names(about, POLICY)) == []
    assert list(unmet_names(replace(about, nested=frozenset({CODEX.session})), POLICY)) == ["codex"]


def test_only_an_approving_person_counts_as_having_reviewed() -> None:
    assert list(unmet_names(facts(CODEX), POLICY, ALICE)) == []
    assert list(unmet_names(facts(ALICE), POLICY, CODEX)) == ["codex"]
    assert list(unmet_names(facts(CODEX, labels=("law",)), POLICY, BOB)) == []


def asked(*reviewed: Party, policy: ReviewPolicy = POLICY, cycle: CycleState | None = None, **fields: Any) -> list[str]:
    about = facts(*reviewed, **fields)
    if cycle is not None:
        about = replace(about, cycle=InCycle(task=about.task.id, cycle=CycleId("c-1"), state=cycle))
    found = lacks_named(about, policy)
    assert all(reason.rule == "D6" for reason in found)
    return [f"{reason.message} → {steps_text(reason.next)}" for reason in found]


def test_each_reason_names_who_is_missing_and_whom_to_ask() -> None:
    wants = "label payments requires a counting review by"
    codex = f"{wants} codex, and there is none → "
    alice = f"{wants} alice@laptop, and there is none → alice@laptop runs: fe approve fe-abc"
    request = "a person runs: fe review request fe-abc --ask codex"
    assert asked() == [codex + request, alice]
    assert asked(CODEX) == asked(CODEX, cycle="open") == [alice]
    assert asked(ALICE, cycle="open") == [codex + "fe review show c-1"]
    assert asked(ALICE, cycle="decided") == asked(ALICE, cycle="clarifying") == [codex + request]
    law = "label law requires a counting review by a person, and there is none → a person runs: fe approve fe-abc"
    assert asked(CODEX, labels=("law",)) == [law]
    assert asked(CODEX, ALICE) == asked(CODEX, BOB, labels=("law",)) == asked(labels=("docs",)) == []


@pytest.mark.parametrize("makers", [(CODEX,), (QWEN, CODEX), (CHILD,)])
def test_a_required_reviewer_that_made_the_work_needs_a_person(makers: tuple[Party, ...]) -> None:
    """An author of the work never counts (N3)."""
    for cycle in (None, "open"):
        (reason,) = asked(ALICE, makers=makers, cycle=cycle)
        assert reason.endswith('→ a person runs: fe approve fe-abc --break-glass "why"')
    assert "--ask" in asked(ALICE, makers=(QWEN,))[0]


def by(*names: str, reviews: int = 0) -> LabelRule:
    return LabelRule(reviewers=names, reviews=reviews)


@pytest.mark.parametrize(
    ("policy", "agents", "labelled", "other"),
    [
        (ReviewPolicy(), (), False, False),
        (ReviewPolicy(peers=PeersRule(reviewers=("gemini",))), ("gemini",), True, True),
        (ReviewPolicy(reviews=1), (), True, True),
        (ReviewPolicy(label_rules={"law": by(reviews=1), "x": by()}), (), True, False),
        (ReviewPolicy(label_rules={"law": by("codex"), "x": by()}), ("codex",), True, False),
        (ReviewPolicy(label_rules={"law": by("alice@laptop", "human")}), (), False, False),
        (
            ReviewPolicy(
                peers=PeersRule(reviewers=("gemini", "qwen")), label_rules={"law": by("qwen", "human"), "x": by("amp")}
            ),
            ("gemini", "qwen", "amp"),
            True,
            True,
        ),
    ],
    ids=["nobody", "peers", "a number", "a number of a label", "an agent of a label", "only people", "all"],
)
def test_peers_are_asked_where_reviews_are_needed_or_agents_are_named(
    policy: ReviewPolicy, agents: tuple[str, ...], labelled: bool, other: bool
) -> None:
    """People who are named are not asked as peers (V1, V4)."""
    assert all_reviewers(policy) == agents
    assert (wants_reviews(policy, ["law"]), wants_reviews(policy, ["docs"])) == (labelled, other)
    assert wants_peers(policy) == labelled


def test_an_agent_is_named_by_its_program_alone() -> None:
    assert [is_profile(name) for name in ("codex", "human", "alice@laptop", "humans")] == [True, False, False, True]
    nameless = replace(CODEX, agent="")
    about = replace(facts(), parties={nameless.session: nameless}, reviewers=frozenset({nameless.session}))
    assert list(unmet_names(about, POLICY)) == ["codex", "alice@laptop"]
    below_a_person = replace(CODEX, above=(ALICE.session,))
    about = replace(facts(ALICE), reviewers=frozenset({CODEX.session}))
    about = replace(about, parties=about.parties | {CODEX.session: below_a_person})
    assert list(unmet_names(about, POLICY)) == ["alice@laptop"]
