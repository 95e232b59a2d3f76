"""D: the conditions of every approval, each by itself and all together."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from foureyes.core.nouns.attempt import Attempt
from foureyes.core.nouns.check import CheckResult
from foureyes.core.nouns.decision import NOTHING_KNOWN, Viewing
from foureyes.core.nouns.finding_state import Blocking
from foureyes.core.nouns.session import Party
from foureyes.core.rules import gate
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.gate import Tip
from foureyes.core.rules.policy import LabelRule, MinorRule, ReviewPolicy, Unseen
from foureyes.core.words.ids import Sha
from foureyes.core.words.lifecycle import STATUSES, TaskStatus
from foureyes.core.words.refs import DETACHED
from foureyes.ui.steps import steps_text

from tests.core.samples import (
    ADA,
    BASE_TREE,
    CREATOR,
    CRON,
    DIFF,
    HEAD,
    LINT,
    MAKER,
    STRANGER,
    TESTS,
    attempt,
    made,
    off,
    planned,
    ran,
    rules,
)

SEEN = f"1.{DIFF[7:15]}"
CURRENT = Tip(head=HEAD)
MOVED = Tip(head=Sha("f" * 40))
POLICY = ReviewPolicy()


def ids(
    facts: Facts,
    tip: Tip | None = CURRENT,
    seen: str = SEEN,
    *,
    person: bool = False,
    policy: ReviewPolicy = POLICY,
    reason: str = "",
    viewed: Viewing = NOTHING_KNOWN,
) -> list[str]:
    found = gate.check(facts, ADA if person else STRANGER, tip, seen, policy, reason, viewed)
    assert all(reason.message and reason.next for reason in found), "every reason has a sentence and a next step (G2)"
    return [reason.rule for reason in found]


def test_nothing_stands_against_a_current_attempt_that_was_seen_D() -> None:
    assert ids(made()) == []


@pytest.mark.parametrize("status", [status for status in STATUSES if status != "reviewing"])
def test_only_what_is_in_review_can_be_approved_D1(status: TaskStatus) -> None:
    assert ids(made(status=status)) == ["D1"]


def test_each_open_blocking_finding_is_a_reason_of_its_own_D2_G2() -> None:
    held = (
        Blocking("TL-x-1-001", "CRITICAL", "open", "SQL is glued", "src/a.py:7"),
        Blocking("TL-x-1-002", "HIGH", title="no test"),
    )
    found = gate.check(replace(made(), open_blocking=held), STRANGER, CURRENT, SEEN, POLICY)
    assert [(reason.rule, reason.message) for reason in found] == [
        ("D2", "TL-x-1-001 CRITICAL is open: SQL is glued (src/a.py:7)"), ("D2", "TL-x-1-002 HIGH is open: no test"),
    ]  # fmt: skip
    assert ids(replace(made(), open_blocking=held), person=True) == ["D2", "D2"], "a person is told the same"


RESPOND = 'its implementer runs: fe finding answer TL-1 --fixed -m "what you changed" | --rejected --ground …'


@pytest.mark.parametrize(
    ("held", "words", "step"),
    [
        (Blocking("TL-1"), "is open", RESPOND),
        (
            Blocking("TL-1", state="claimed"),
            "no reviewer has verified it",
            "fe finding judge TL-1 (--verified or --not-fixed)",
        ),
        (
            Blocking("TL-1", state="disputed"),
            "no reviewer has ruled on it",
            "fe finding judge TL-1 (--accepted or --overruled)",
        ),
        (Blocking("TL-1", waiting=True), "needs confirmation", "fe finding judge TL-1 (--confirmed or --dismissed)"),
        (
            Blocking("TL-1", state="waived", expired=True),
            "the waiver has expired",
            RESPOND,
        ),
    ],
    ids=["open", "claimed", "disputed", "unconfirmed", "waived once"],
)
def test_a_blocking_finding_says_how_it_stands_and_what_settles_it_D2_L8_L9_E3(
    held: Blocking, words: str, step: str
) -> None:
    """A claim is no fix, a dispute no acceptance, and a waiver that has run out none."""
    (found,) = gate.check(replace(made(), open_blocking=(held,)), STRANGER, CURRENT, SEEN, POLICY)
    assert (found.rule, steps_text(found.next)) == ("D2", step)
    assert words in found.message


def test_a_hold_on_the_task_or_the_project_stops_everybody_D3() -> None:
    assert ids(made(hold="wait for legal")) == ["D3"]
    assert ids(replace(made(), project_hold="fire drill"), person=True) == ["D3"]
    assert ids(made(hold="")) == ["D3"], "a hold without words is a hold"


def test_two_holds_are_two_reasons_G2_D3() -> None:
    assert ids(replace(made(hold="wait for legal"), project_hold="fire drill")) == ["D3", "D3"]


def test_a_moved_or_missing_branch_makes_the_attempt_stale_D4() -> None:
    assert ids(made(), MOVED) == ["D4"]
    assert ids(made(), Tip(head=None)) == ["D4"]


@pytest.mark.parametrize(
    ("actor", "machine", "says"),
    [
        (STRANGER, "", "its author runs: fe submit fe-1"),
        (STRANGER, "alpha", "its author runs on alpha: fe submit fe-1"),
        (MAKER, "", "fe submit fe-1"),
        (MAKER, "alpha", "on alpha: fe submit fe-1"),
    ],
)
def test_who_made_it_hands_it_in_again_and_on_its_own_machine_D4_G2(actor: Party, machine: str, says: str) -> None:
    found = gate.is_stale(made(), replace(MOVED, machine=machine), actor)
    assert found is not None
    assert steps_text(found.next) == says.replace("fe-1", made().task.id)


def test_git_that_cannot_be_asked_is_no_pass_G1_D4() -> None:
    for facts in (made(), made(attempt_=attempt(landed=True)), made(attempt_=attempt(ref=DETACHED))):
        assert ids(facts, None) == ["D4"]


def test_landed_work_must_still_be_on_the_target_D4() -> None:
    landed = made(attempt_=attempt(landed=True))
    assert ids(landed, Tip(on_target=True)) == []
    assert ids(landed, Tip(head=HEAD, on_target=False)) == ["D4"]


def test_being_on_the_target_does_not_make_branch_work_current_D4() -> None:
    assert ids(made(), Tip(head=None, on_target=True)) == ["D4"]


def test_a_detached_head_is_always_current_D4() -> None:
    assert ids(made(attempt_=attempt(ref=DETACHED)), Tip()) == []


def test_work_without_code_has_no_head_that_could_move_D4() -> None:
    assert ids(made(attempt_=attempt(no_code=True, base=HEAD)), MOVED) == []
    assert ids(made(attempt_=attempt(no_code=True)), MOVED) == ["D4"], "no_code with a change is not believed"


def test_nothing_handed_in_is_nothing_to_approve_D4() -> None:
    assert ids(planned(status="reviewing"), Tip()) == ["D4"]


def test_an_agent_says_which_diff_it_saw_D7() -> None:
    assert ids(made(), seen="") == ["D7"]
    assert ids(made(), seen="", person=True) == []


def test_all_that_fails_is_said_in_the_order_of_the_rules_G2() -> None:
    facts = replace(made(status="open", hold="stop"), open_blocking=(Blocking("TL-1"),))
    assert ids(facts, MOVED, "1.deadbeef") == ["D1", "D2", "D3", "D4", "D7"]


class Broken:
    """A fact that cannot be read."""

    def __getattr__(self, name: str) -> Any:
        raise OSError("disk gone")


def test_a_condition_that_raises_is_a_reason_against_it_G1() -> None:
    found = gate.check(replace(made(), attempt=Broken()), STRANGER, CURRENT, SEEN, POLICY)
    assert any("OSError" in reason.message for reason in found)


# D5, D6, D8

CHECKED = rules(checks=(TESTS, LINT))


def checked(*results: CheckResult, attempt_: Attempt | None = None, **fields: Any) -> Facts:
    return replace(made(MAKER, CREATOR, STRANGER, ADA, CRON, attempt_=attempt_, **fields), results=results, tests=HELD)


HELD = {"one": frozenset({"a"}), "two": frozenset({"a", "b"})}
GONE = (ran(tree=BASE_TREE, tests="two"), ran(tests="one"))
BASED = attempt(base_tree=BASE_TREE)


@pytest.mark.parametrize(
    ("results", "agents", "people"),
    [
        ((), ["D5"], ["D5"]), ((ran(),), [], []), ((ran(by=MAKER),), ["D5"], []), ((ran(by=STRANGER),), ["D5"], []),
        ((ran(outcome="failed"),), ["D5"], ["D5"]), ((ran(outcome="crashed"),), ["D5"], ["D5"]),
        ((ran(outcome="timed_out"),), ["D5"], ["D5"]), ((ran(), ran(LINT, outcome="failed")), [], []),
        ((ran(tree=BASE_TREE),), ["D5"], ["D5"]), ((ran(by=MAKER, outcome="failed"),), ["D5"], ["D5"]),
        ((ran(outcome="unsound"),), ["D5"], ["D5"]),
    ],
    ids=["not run", "passed", "claimed", "by a stranger", "failed", "crashed", "timed out", "optional", "other tree", "claimed red", "unsound"],
)  # fmt: skip
def test_required_checks_passed_on_the_attempts_tree_and_for_agents_where_it_counts_D5(
    results: tuple[CheckResult, ...], agents: list[str], people: list[str]
) -> None:
    assert ids(checked(*results), policy=CHECKED) == agents
    assert ids(checked(*results), policy=CHECKED, person=True) == people


def test_every_required_check_that_did_not_pass_is_a_reason_G2_D5() -> None:
    three = rules(checks=(TESTS, replace(TESTS, name="more"), replace(LINT, required=True)))
    assert ids(checked(ran(outcome="failed")), policy=three) == ["D5", "D5", "D5"]


def test_a_person_agrees_with_a_reason_to_tests_that_are_gone_and_an_agent_never_does_D5() -> None:
    facts = checked(*GONE, attempt_=BASED)
    assert ids(facts, policy=CHECKED, person=True) == ["D5"]
    assert ids(facts, policy=CHECKED, person=True, reason="  ") == ["D5"]
    assert ids(facts, policy=CHECKED, person=True, reason="b was a duplicate") == []
    assert ids(facts, policy=CHECKED, reason="b was a duplicate") == ["D5"]
    assert ids(checked(ran(outcome="failed")), policy=CHECKED, person=True, reason="so what") == ["D5"], (
        "a red check stays red"
    )
    (why,) = gate.check(facts, STRANGER, CURRENT, SEEN, CHECKED)
    assert "a person runs: fe approve" in steps_text(why.next)
    assert gate.tests_that_go(facts, CHECKED) == ("b",)
    assert gate.tests_that_go(facts, rules(checks=(replace(TESTS, required=False),))) == ()


def test_what_was_not_compared_with_the_target_is_not_passed_for_agents_G1_D5() -> None:
    facts = checked(ran(tests="one"), attempt_=BASED)
    assert ids(facts, policy=CHECKED) == ["D5"]
    assert ids(facts, policy=CHECKED, person=True) == ["D5"]
    assert ids(facts, policy=CHECKED, person=True, reason="the target has no tests yet") == []


LANDED = Tip(head=HEAD, on_target=True)


@pytest.mark.parametrize("by", [MAKER, STRANGER])
def test_a_claimed_result_is_as_good_as_none_where_nothing_is_merged_D5(by: Party) -> None:
    facts = checked(ran(by=by), attempt_=attempt(landed=True))
    assert ids(facts, LANDED, policy=CHECKED, person=True, reason="looks fine") == ["D5"]
    (why,) = gate.check(facts, ADA, LANDED, SEEN, CHECKED)
    assert "does not count (claimed)" in why.message
    assert steps_text(why.next) == "fe check run fe-abc"
    assert ids(checked(ran(), attempt_=attempt(landed=True)), LANDED, policy=CHECKED, person=True) == []


def test_a_claimed_red_of_the_target_is_not_accepted_where_nothing_is_merged_D5() -> None:
    rule = replace(LINT, required=True)
    policy, landed = rules(checks=(rule,)), attempt(landed=True, base_tree=BASE_TREE)
    for by, expected in ((CRON, []), (MAKER, ["D5"])):
        red = [ran(rule, by=by, tree=BASE_TREE, outcome="failed"), ran(rule, by=by, outcome="failed", seq=2)]
        assert ids(checked(*red, attempt_=landed), LANDED, policy=policy, person=True) == ["D5"]
        assert ids(checked(*red, attempt_=landed), LANDED, policy=policy, person=True, reason="known") == expected


def test_a_minor_task_needs_its_checks_unless_the_configuration_says_so_D5() -> None:
    minor = checked(minor=True, minor_by=CREATOR.session)
    free = rules(checks=(TESTS,), minor=MinorRule(checks=False))
    assert ids(minor, policy=CHECKED) == ["D5"]
    assert ids(minor, policy=free) == []
    assert ids(checked(), policy=free) == ["D5"], "only minor ones"
    too_large = checked(minor=True, minor_by=CREATOR.session, attempt_=attempt(added=500))
    assert ids(too_large, policy=free) == ["D5"], "and only what is minor by evidence (P10)"
    late = checked(minor=True, minor_late=True, minor_by=MAKER.session)
    assert ids(late, policy=free) == ["D5"]


def test_work_without_code_has_nothing_to_check_D5() -> None:
    assert ids(checked(attempt_=attempt(no_code=True, base=HEAD)), policy=CHECKED) == []


def test_as_many_counting_reviews_as_policy_or_label_ask_for_D6() -> None:
    two = rules(reviews=1, label_rules={"law": LabelRule(reviews=2)})
    reviewed = replace(made(), reviewers=frozenset({STRANGER.session}))
    assert ids(made(), policy=two) == ["D6"]
    assert ids(reviewed, policy=two) == []
    assert ids(made(), policy=two, person=True) == [], "a person's approval is one review of every grade"
    law = replace(made(labels=["law"]), reviewers=frozenset({STRANGER.session}))
    assert ids(law, policy=two) == ["D6"]
    assert ids(law, policy=two, person=True) == []
    assert ids(made(labels=["law"]), policy=two, person=True) == ["D6"]
    taken_off = replace(made(), labels_taken_off=(off("law"),), reviewers=frozenset({STRANGER.session}))
    assert ids(taken_off, policy=two) == ["D6"], "a label that a maker took off goes on asking (M6)"


@pytest.mark.parametrize(
    ("unseen", "not_named", "named"), [("note", [], []), ("ask", ["D8"], []), ("refuse", ["D8"], ["D8"])]
)
def test_a_label_may_want_to_know_what_a_person_saw_D8(unseen: Unseen, not_named: list[str], named: list[str]) -> None:
    policy = rules(label_rules={"law": LabelRule(unseen=unseen)})
    assert ids(made(labels=["law"]), seen="", person=True, policy=policy) == not_named
    assert ids(made(labels=["law"]), person=True, policy=policy) == named, "where nothing is measured"
    assert ids(made(), seen="", person=True, policy=policy) == []
    assert ids(made(labels=["law"]), seen="", policy=policy) == ["D7"], "an agent always has to say it"
    assert ids(made(labels=["law"]), policy=policy) == [], "agents read without a screen"


LOOKS = {
    "all shown": Viewing(hunks=3, shown=3),
    "nothing to see": Viewing(hunks=0),
    "one marked by hand": Viewing(hunks=3, shown=2, marked=1),
    "in a pager": Viewing(hunks=3, pager=True),
    "said yes": Viewing(hunks=3, shown=2, confirmed=True),
    "one never shown": Viewing(hunks=3, shown=2),
    "none shown": Viewing(hunks=3),
}


@pytest.mark.parametrize(
    ("unseen", "refused"),
    [
        ("note", set()),
        ("ask", {"one never shown", "none shown"}),
        ("refuse", set(LOOKS) - {"all shown", "nothing to see"}),
    ],
)
def test_hunks_that_were_never_shown_are_noted_asked_about_or_refused_D8(unseen: Unseen, refused: set[str]) -> None:
    policy = rules(label_rules={"law": LabelRule(unseen=unseen)})
    facts = made(labels=["law"])
    assert {name for name, viewed in LOOKS.items() if ids(facts, person=True, policy=policy, viewed=viewed)} == refused
    if refused:
        (reason,) = gate.check(facts, ADA, CURRENT, SEEN, policy, viewed=LOOKS["one never shown"])
        assert (reason.rule, reason.message) == (
            "D8",
            "1 hunk was never on your screen, and label law requires all of them",
        )


def test_of_two_labels_the_stricter_one_decides_about_hunks_D8() -> None:
    policy = rules(label_rules={"api": LabelRule(unseen="ask"), "law": LabelRule(unseen="refuse")})
    assert ids(made(labels=["api", "law"]), person=True, policy=policy, viewed=LOOKS["said yes"]) == ["D8"]
    assert ids(made(labels=["api"]), person=True, policy=policy, viewed=LOOKS["said yes"]) == []


def test_an_agents_approval_may_need_its_own_review_D9() -> None:
    policy = rules(agent_approval="review")
    assert ids(made(), policy=policy) == ["D9"]
    assert ids(made(), policy=policy, person=True) == []
    assert ids(replace(made(), reviewers=frozenset({STRANGER.session})), policy=policy) == []
    assert ids(replace(made(), reviewers=frozenset({MAKER.session})), policy=policy) == ["D9"], "its own"


def test_the_new_conditions_stand_in_their_place_G2() -> None:
    policy = rules(checks=(TESTS,), reviews=3, agent_approval="review", label_rules={"law": LabelRule(unseen="ask")})
    facts = replace(checked(status="open", hold="stop", labels=["law"]), open_blocking=(Blocking("TL-1"),))
    assert ids(facts, MOVED, "deadbeef", policy=policy) == ["D1", "D2", "D3", "D4", "D5", "D6", "D7", "D9"]
    assert ids(facts, MOVED, "", policy=policy, person=True) == ["D1", "D2", "D3", "D4", "D5", "D6", "D8"]
