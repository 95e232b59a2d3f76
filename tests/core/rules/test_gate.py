"""The conditions of every approval, each by itself and all together. D1 to D9: D2, D3, D4, D5, D6, D8; G1, R1, R2."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from foureyes.core.nouns.attempt import Attempt
from foureyes.core.nouns.check import CheckResult
from foureyes.core.nouns.cycle import CycleId, InCycle
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


def test_nothing_stands_against_a_current_attempt_that_was_seen() -> None:
    assert ids(made()) == []


@pytest.mark.parametrize("status", [status for status in STATUSES if status != "reviewing"])
def test_only_what_is_in_review_can_be_approved(status: TaskStatus) -> None:
    assert ids(made(status=status)) == ["D1"]


def test_each_open_blocking_finding_is_a_reason_of_its_own() -> None:
    held = (
        Blocking("TL-x-1-001", "CRITICAL", "open", "SQL is glued", "src/a.py:7"),
        Blocking("TL-x-1-002", "HIGH", title="no test"),
    )
    found = gate.check(replace(made(), open_blocking=held), STRANGER, CURRENT, SEEN, POLICY)
    assert [(reason.rule, reason.message) for reason in found] == [
        ("D2", "TL-x-1-001 CRITICAL is open: SQL is glued (src/a.py:7)"), ("D2", "TL-x-1-002 HIGH is open: no test"),
    ]  # fmt: skip
    assert ids(replace(made(), open_blocking=held), person=True) == ["D2", "D2"], "a person is told the same"


ANSWER = 'fe finding answer TL-1 --fixed -m "what you changed" | --rejected --ground …'
THEIRS = f"its implementer runs: {ANSWER}"
VERIFY, RULE = "fe finding judge TL-1 (--verified or --not-fixed)", "fe finding judge TL-1 (--accepted or --overruled)"
CONFIRM = "fe finding judge TL-1 (--confirmed or --dismissed)"
ELSE = "someone else rules: "


@pytest.mark.parametrize(
    ("held", "words", "stranger", "author"),
    [
        (Blocking("TL-1"), "is open", THEIRS, ANSWER),
        (Blocking("TL-1", state="claimed"), "no reviewer has verified it", VERIFY, ELSE + VERIFY),
        (Blocking("TL-1", state="disputed"), "no reviewer has ruled on it", RULE, ELSE + RULE),
        (Blocking("TL-1", waiting=True), "needs confirmation", CONFIRM, ELSE + CONFIRM),
        (Blocking("TL-1", state="waived", expired=True), "the waiver has expired", THEIRS, ANSWER),
    ],
    ids=["open", "claimed", "disputed", "unconfirmed", "waived once"],
)
def test_a_blocking_finding_says_how_it_stands_and_what_settles_it(
    held: Blocking, words: str, stranger: str, author: str
) -> None:
    """A claim is no fix, a dispute no acceptance, and a waiver that has run out none. Authors and services never rule."""
    facts = replace(made(), open_blocking=(held,))
    rest = author if author.startswith(ELSE) else stranger
    for actor, step in ((STRANGER, stranger), (ADA, stranger), (MAKER, author), (CRON, rest), (None, rest)):
        (found,) = gate.has_blocking(facts, actor)
        assert (found.rule, steps_text(found.next)) == ("D2", step), actor
        assert words in found.message
    (elsewhere,) = gate.has_blocking(replace(facts, task=replace(facts.task, status="open")), STRANGER)
    assert steps_text(elsewhere.next) == "fe finding show TL-1", "rulings are for work in review"


def test_a_hold_on_the_task_or_the_project_stops_everybody() -> None:
    assert ids(made(hold="wait for legal")) == ["D3"]
    assert ids(replace(made(), project_hold="fire drill"), person=True) == ["D3"]
    assert ids(made(hold="")) == ["D3"], "a hold without words is a hold"


def test_two_holds_are_two_reasons() -> None:
    assert ids(replace(made(hold="wait for legal"), project_hold="fire drill")) == ["D3", "D3"]


PAUSED = InCycle(task="fe-abc", cycle=CycleId("c-2"), state="clarifying", rule="R2", paused="c-1")


@pytest.mark.parametrize(
    ("facts", "for_people", "for_others"),
    [
        (made(hold="stop"), ["D3"], ["D3"]),
        (replace(made(), cycle=PAUSED), [], ["R2"]),
        (replace(made(), cycle=replace(PAUSED, paused="")), [], []),
        (replace(made(), blocked_by=frozenset({STRANGER.session, MAKER.session})), [], ["R1", "R1"]),
        (replace(made(), is_configured=False), [], ["P12"]),
        (
            replace(made(hold="stop"), project_hold="drill", cycle=PAUSED, blocked_by=frozenset({MAKER.session})),
            ["D3", "D3"],
            ["D3", "D3", "R2", "R1"],
        ),
    ],
    ids=["held", "two concerns", "clarified", "blockers", "no configuration", "all"],
)
def test_a_pause_stops_agents_and_rules_but_not_people(
    facts: Facts, for_people: list[str], for_others: list[str]
) -> None:
    for actor, expected in ((ADA, for_people), (STRANGER, for_others), (MAKER, for_others), (None, for_others)):
        unconfigured = gate.is_unconfigured(facts, actor)
        found = [*gate.stops(facts, actor), *([unconfigured] if unconfigured else [])]
        assert [reason.rule for reason in found] == expected, actor
        assert all(reason.message and reason.next for reason in found)
    assert ids(facts) == for_others
    assert ids(facts, person=True) == for_people


def test_a_moved_or_missing_branch_makes_the_attempt_stale() -> None:
    for tip, words in ((MOVED, "moved to fffffff after"), (Tip(head=None), "is gone after"), (Tip(), "is gone after")):
        assert ids(made(), tip) == ["D4"]
        found = gate.is_stale(made(), tip)
        assert found is not None
        assert f"attempt 1 is stale: branch work {words} aaaaaaa" in found.message


@pytest.mark.parametrize(
    ("actor", "here", "elsewhere"),
    [
        (STRANGER, "its author runs: fe submit fe-abc", "its author runs on alpha: fe submit fe-abc"),
        (None, "its author runs: fe submit fe-abc", "its author runs on alpha: fe submit fe-abc"),
        (ADA, "fe submit fe-abc", "its author runs on alpha: fe submit fe-abc"),
        (MAKER, "fe submit fe-abc", "on alpha: fe submit fe-abc"),
    ],
)
def test_its_author_submits_again_on_its_own_machine(actor: Party | None, here: str, elsewhere: str) -> None:
    """A person may do it for an agent, where the work is (A1)."""
    for machine, step in (("", here), ("alpha", elsewhere)):
        found = gate.is_stale(made(), replace(MOVED, machine=machine), actor)
        assert found is not None
        assert steps_text(found.next) == step


def test_git_that_cannot_be_asked_is_no_pass() -> None:
    for facts in (made(), made(attempt_=attempt(landed=True)), made(attempt_=attempt(ref=DETACHED))):
        assert ids(facts, None) == ["D4"]


def test_landed_work_must_still_be_on_the_target() -> None:
    landed = made(attempt_=attempt(landed=True))
    assert ids(landed, Tip(on_target=True)) == []
    assert ids(landed, Tip(head=HEAD, on_target=False)) == ids(landed, Tip(head=HEAD)) == ["D4"]


def test_being_on_the_target_does_not_make_branch_work_current() -> None:
    assert ids(made(), Tip(head=None, on_target=True)) == ["D4"]


def test_a_detached_head_is_always_current() -> None:
    assert ids(made(attempt_=attempt(ref=DETACHED)), Tip()) == []


def test_work_without_code_has_no_head_that_could_move() -> None:
    assert ids(made(attempt_=attempt(no_code=True, base=HEAD)), MOVED) == []
    assert ids(made(attempt_=attempt(no_code=True)), MOVED) == ["D4"], "no_code with a change is not believed"
    assert ids(made(attempt_=attempt(base=HEAD)), MOVED) == ["D4"]


def test_nothing_handed_in_is_nothing_to_approve() -> None:
    assert ids(planned(status="reviewing"), Tip()) == ["D4"]


def test_an_agent_says_which_diff_it_saw() -> None:
    assert ids(made(), seen="") == ["D7"]
    assert ids(made(), seen="", person=True) == []


def test_all_that_fails_is_said_in_the_order_of_the_rules() -> None:
    facts = replace(made(status="open", hold="stop"), open_blocking=(Blocking("TL-1"),))
    assert ids(facts, MOVED, "1.deadbeef") == ["D1", "D2", "D3", "D4", "D7"]


class Broken:
    """A fact that cannot be read."""

    def __getattr__(self, name: str) -> Any:
        raise OSError("disk gone")


def test_a_condition_that_raises_is_a_reason_against_it() -> None:
    found = gate.check(replace(made(), attempt=Broken()), STRANGER, CURRENT, SEEN, POLICY)
    assert {reason.rule for reason in found if "OSError" in reason.message} == {"G1"}


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
def test_required_checks_passed_on_this_tree_and_count_for_agents(
    results: tuple[CheckResult, ...], agents: list[str], people: list[str]
) -> None:
    assert ids(checked(*results), policy=CHECKED) == agents
    assert ids(checked(*results), policy=CHECKED, person=True) == people


def test_every_required_check_that_did_not_pass_is_a_reason() -> None:
    three = rules(checks=(TESTS, replace(TESTS, name="more"), replace(LINT, required=True)))
    assert ids(checked(ran(outcome="failed")), policy=three) == ["D5", "D5", "D5"]


def test_only_a_person_with_a_reason_lets_tests_go() -> None:
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
    assert gate.tests_that_go(checked(ran(tests="one"), attempt_=BASED), CHECKED) == ("*",), "which they are is unknown"
    assert gate.tests_that_go(checked(ran()), rules(checks=(TESTS, replace(TESTS, name="more")))) == ()


def test_what_was_not_compared_with_the_target_is_not_passed_for_agents() -> None:
    facts = checked(ran(tests="one"), attempt_=BASED)
    assert ids(facts, policy=CHECKED) == ["D5"]
    assert ids(facts, policy=CHECKED, person=True) == ["D5"]
    assert ids(facts, policy=CHECKED, person=True, reason="the target has no tests yet") == []


LANDED = Tip(head=HEAD, on_target=True)


@pytest.mark.parametrize("by", [MAKER, STRANGER])
def test_a_claimed_result_is_as_good_as_none_where_nothing_is_merged(by: Party) -> None:
    facts = checked(ran(by=by), attempt_=attempt(landed=True))
    assert ids(facts, LANDED, policy=CHECKED, person=True, reason="looks fine") == ["D5"]
    (why,) = gate.check(facts, ADA, LANDED, SEEN, CHECKED)
    assert "does not count (claimed)" in why.message
    assert steps_text(why.next) == "fe check run fe-abc"
    assert ids(checked(ran(), attempt_=attempt(landed=True)), LANDED, policy=CHECKED, person=True) == []


def test_a_claimed_red_is_not_accepted_where_nothing_is_merged() -> None:
    rule = replace(LINT, required=True)
    policy, landed = rules(checks=(rule,)), attempt(landed=True, base_tree=BASE_TREE)
    for by, expected in ((CRON, []), (MAKER, ["D5"])):
        red = [ran(rule, by=by, tree=BASE_TREE, outcome="failed"), ran(rule, by=by, outcome="failed", seq=2)]
        assert ids(checked(*red, attempt_=landed), LANDED, policy=policy, person=True) == ["D5"]
        assert ids(checked(*red, attempt_=landed), LANDED, policy=policy, person=True, reason="known") == expected


def test_a_minor_task_needs_its_checks_unless_the_configuration_says_so() -> None:
    minor = checked(minor=True, minor_by=CREATOR.session)
    free = rules(checks=(TESTS,), minor=MinorRule(checks=False))
    assert ids(minor, policy=CHECKED) == ["D5"]
    assert ids(minor, policy=free) == []
    assert ids(checked(), policy=free) == ["D5"], "only minor ones"
    too_large = checked(minor=True, minor_by=CREATOR.session, attempt_=attempt(added=500))
    assert ids(too_large, policy=free) == ["D5"], "and only what is minor by evidence (P10)"
    late = checked(minor=True, minor_late=True, minor_by=MAKER.session)
    assert ids(late, policy=free) == ["D5"]


def test_work_without_code_has_nothing_to_check() -> None:
    assert ids(checked(attempt_=attempt(no_code=True, base=HEAD)), policy=CHECKED) == []


def test_as_many_counting_reviews_as_policy_or_label_ask_for() -> None:
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


MORE = replace(LINT, name="more", required=True)
RED_BEFORE = (ran(MORE, tree=BASE_TREE, outcome="failed"), ran(MORE, outcome="failed"))
OPTIONAL = (ran(LINT, tree=BASE_TREE, outcome="failed"), ran(LINT, outcome="failed"))


@pytest.mark.parametrize(
    ("facts", "waits", "claimed", "accepted"),
    [
        (checked(attempt_=BASED), True, (), ()),
        (checked(ran(), attempt_=BASED), True, (), ()),
        (checked(ran(), ran(MORE), attempt_=BASED), False, (), ()),
        (checked(ran(by=MAKER), ran(MORE), attempt_=BASED), False, ("tests",), ()),
        (checked(ran(), ran(MORE), ran(LINT, by=MAKER), attempt_=BASED), False, (), ()),
        (checked(ran(), *RED_BEFORE, attempt_=BASED), False, (), ("more",)),
        (checked(ran(), ran(MORE), *OPTIONAL, attempt_=BASED), False, (), ()),
        (checked(ran(by=MAKER), *RED_BEFORE, attempt_=attempt(base_tree=BASE_TREE, no_code=True)), False, (), ()),
        (checked(attempt_=attempt(no_code=True)), False, (), ()),
        (planned(), False, (), ()),
    ],
    ids=["none ran", "one ran", "all ran", "claimed", "optional claimed", "red before", "optional red before", "no code", "nothing ran, no code", "not submitted"],
)  # fmt: skip
def test_missing_claimed_and_accepted_checks_are_listed(
    facts: Facts, waits: bool, claimed: tuple[str, ...], accepted: tuple[str, ...]
) -> None:
    policy = rules(checks=(TESTS, MORE, LINT))
    assert gate.waits_for_checks(facts, policy) == waits
    assert gate.claimed_checks(facts, policy) == claimed
    assert gate.accepted_checks(facts, policy) == accepted
    optional = rules(checks=tuple(replace(rule, required=False) for rule in policy.checks))
    assert not gate.waits_for_checks(facts, optional)
    assert not gate.waits_for_checks(facts, POLICY)


@pytest.mark.parametrize(
    ("wanted", "reviewed", "agent", "person"),
    [
        (0, 0, "", ""),
        (1, 0, "a person runs: fe approve fe-abc", ""),
        (1, 1, "", ""),
        (2, 0, "fe review request fe-abc", "fe review request fe-abc"),
        (2, 1, "a person runs: fe approve fe-abc", ""),
        (3, 1, "fe review request fe-abc", "fe review request fe-abc"),
        (4, 1, "fe review request fe-abc", "fe review request fe-abc"),
    ],
)
def test_the_last_missing_review_may_be_a_persons_approval(wanted: int, reviewed: int, agent: str, person: str) -> None:
    facts = replace(made(), reviewers=frozenset([STRANGER.session][:reviewed]))
    for actor, step in ((STRANGER, agent), (ADA, person)):
        found = gate.lacks_reviews(facts, actor, rules(reviews=wanted))
        assert [(reason.rule, steps_text(reason.next)) for reason in found] == ([("D6", step)] if step else [])
        have = reviewed + (actor is ADA)
        assert all(
            each.message.startswith(
                f"{wanted} counting reviews are required, and there {'is' if have == 1 else 'are'} {have}"
            )
            for each in found
        )
        assert all(("including your approval" in each.message) == (actor is ADA) for each in found)


def test_a_persons_own_review_is_not_counted_twice() -> None:
    facts = replace(made(MAKER, CREATOR, ADA), reviewers=frozenset({ADA.session}))
    assert ids(facts, policy=rules(reviews=2), person=True) == ["D6"]
    assert ids(facts, policy=rules(reviews=1)) == []


@pytest.mark.parametrize(
    ("unseen", "not_named", "named"), [("note", [], []), ("ask", ["D8"], []), ("refuse", ["D8"], ["D8"])]
)
def test_a_label_may_want_to_know_what_a_person_saw(unseen: Unseen, not_named: list[str], named: list[str]) -> None:
    policy = rules(label_rules={"law": LabelRule(unseen=unseen)})
    assert ids(made(labels=["law"]), seen="", person=True, policy=policy) == not_named
    assert ids(made(labels=["law"]), person=True, policy=policy) == named, "where nothing is measured"
    assert ids(made(), seen="", person=True, policy=policy) == []
    assert ids(made(labels=["law"]), seen="", policy=policy) == ["D7"], "an agent always has to say it"
    assert ids(made(labels=["law"]), policy=policy) == [], "agents read without a screen"
    unsubmitted = planned(status="reviewing", labels=["law"])
    assert ids(unsubmitted, seen="", person=True, policy=policy) == ["D4"], "there is nothing to see"


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
def test_hunks_that_were_never_shown_are_noted_asked_about_or_refused(unseen: Unseen, refused: set[str]) -> None:
    policy = rules(label_rules={"law": LabelRule(unseen=unseen)})
    facts = made(labels=["law"])
    assert {name for name, viewed in LOOKS.items() if ids(facts, person=True, policy=policy, viewed=viewed)} == refused
    if refused:
        (reason,) = gate.check(facts, ADA, CURRENT, SEEN, policy, viewed=LOOKS["one never shown"])
        assert (reason.rule, reason.message) == (
            "D8",
            "1 hunk was never on your screen, and label law requires you to view every hunk",
        )
        (reason,) = gate.check(facts, ADA, CURRENT, SEEN, policy, viewed=LOOKS["none shown"])
        assert reason.message.startswith("3 hunks were never on your screen")


def test_of_two_labels_the_stricter_one_decides_about_hunks() -> None:
    policy = rules(label_rules={"api": LabelRule(unseen="ask"), "law": LabelRule(unseen="refuse")})
    assert ids(made(labels=["api", "law"]), person=True, policy=policy, viewed=LOOKS["said yes"]) == ["D8"]
    assert ids(made(labels=["api"]), person=True, policy=policy, viewed=LOOKS["said yes"]) == []


def test_an_agents_approval_may_need_its_own_review() -> None:
    policy = rules(agent_approval="review")
    assert ids(made(), policy=policy) == ["D9"]
    assert ids(made(), policy=policy, person=True) == []
    assert ids(replace(made(), reviewers=frozenset({STRANGER.session})), policy=policy) == []
    assert ids(replace(made(), reviewers=frozenset({MAKER.session})), policy=policy) == ["D9"], "its own"


def test_the_new_conditions_stand_in_their_place() -> None:
    policy = rules(checks=(TESTS,), reviews=3, agent_approval="review", label_rules={"law": LabelRule(unseen="ask")})
    facts = replace(checked(status="open", hold="stop", labels=["law"]), open_blocking=(Blocking("TL-1"),))
    assert ids(facts, MOVED, "deadbeef", policy=policy) == ["D1", "D2", "D3", "D4", "D5", "D6", "D7", "D9"]
    assert ids(facts, MOVED, "", policy=policy, person=True) == ["D1", "D2", "D3", "D4", "D5", "D6", "D8"]
