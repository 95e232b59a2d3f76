"""Whose reviews a task needs by name (D6, M3)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from foureyes.core.nouns.session import Party
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.policy import LabelRule, PeersRule, ReviewPolicy
from foureyes.core.rules.required import (
    all_reviewers,
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


def test_a_label_rule_names_whose_reviews_are_needed_without_case_M3_D6() -> None:
    assert required_reviewers(POLICY, ["Payments", "law"]) == {
        "codex": "Payments", "alice@laptop": "Payments", "human": "law",
    }  # fmt: skip
    assert required_agents(POLICY, ["payments", "law"]) == ("codex",)
    assert required_reviewers(POLICY, ["docs"]) == {}


def test_two_rules_of_one_label_ask_for_the_names_of_both_M3() -> None:
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
def test_each_who_is_named_has_a_counting_review_D6_I4(reviewed: tuple[Party, ...], left: list[str]) -> None:
    assert list(unmet_names(facts(*reviewed), POLICY)) == left


def test_what_runs_below_an_agent_of_another_name_is_nobodys_name_D6_I4() -> None:
    about = facts(CODEX, ALICE)
    assert list(unmet_names(about, POLICY)) == []
    assert list(unmet_names(replace(about, nested=frozenset({CODEX.session})), POLICY)) == ["codex"]


def test_a_person_who_approves_has_reviewed_and_an_agent_who_approves_has_not_D6() -> None:
    assert list(unmet_names(facts(CODEX), POLICY, ALICE)) == []
    assert list(unmet_names(facts(ALICE), POLICY, CODEX)) == ["codex"]
    assert list(unmet_names(facts(CODEX, labels=("law",)), POLICY, BOB)) == []


def test_each_reason_names_who_is_missing_and_whom_to_ask_D6_G2() -> None:
    about = facts()
    reasons = lacks_named(about, POLICY)
    assert [reason.rule for reason in reasons] == ["D6", "D6"]
    assert ["codex" in reasons[0].message, "alice@laptop" in reasons[1].message] == [True, True]
    assert f"fe review request {about.task.id} --ask codex" in steps_text(reasons[0].next)
    assert f"fe approve {about.task.id}" in steps_text(reasons[1].next)


def test_where_who_is_named_made_the_work_only_a_person_passes_it_D6_N3() -> None:
    (reason,) = lacks_named(facts(ALICE, makers=(CODEX,)), POLICY)
    assert "--break-glass" in steps_text(reason.next)


def test_who_is_named_for_a_label_is_a_reviewer_like_others_V1_V4() -> None:
    assert all_reviewers(POLICY) == ("codex",)
    assert wants_peers(POLICY)
    assert [wants_reviews(POLICY, [label]) for label in ("payments", "docs")] == [True, False]
    assert not wants_peers(ReviewPolicy())
    assert all_reviewers(ReviewPolicy(peers=PeersRule(reviewers=("gemini",)))) == ("gemini",)
