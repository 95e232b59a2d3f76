"""Q2: whether an approval still holds at the moment of the merge; T `void`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from msgspec.structs import replace

from foureyes.core.nouns.attempt import ChangedFile, Effect
from foureyes.core.nouns.decision import grade_of
from foureyes.core.nouns.finding_state import Blocking
from foureyes.core.nouns.session import Party
from foureyes.core.rules.approval_validity import WaitingApproval, marked_by, why_not_checked, why_not_there, why_void
from foureyes.core.rules.check_states import check_states
from foureyes.core.rules.facts import Control, Facts
from foureyes.core.rules.four_eyes import Declaration, may_approve
from foureyes.core.rules.gate import Tip
from foureyes.core.rules.modes import mode_of
from foureyes.core.rules.policy import AutoApprove, LabelRule, ReviewPolicy
from foureyes.core.words.ids import Sha

from tests.core.samples import (
    ADA,
    CREATOR,
    CRON,
    HEAD,
    LINT,
    MAKER,
    STRANGER,
    TESTS,
    TREE,
    agent,
    attempt,
    entry,
    made,
    policies,
    quick,
    ran,
    rules,
    situations,
    touching,
)

CURRENT = Tip(head=HEAD)
POLICY = ReviewPolicy()
CHECKED = rules(checks=(TESTS, LINT))


def approval(
    by: Party, rule: str = "P7", *, attempt: int = 1, reason: str = "", exception: str = ""
) -> WaitingApproval:
    return WaitingApproval(7, by.session, attempt, rule, exception, reason)


def approved(**fields: Any) -> Facts:
    return made(MAKER, CREATOR, STRANGER, ADA, CRON, status="approved", **fields)


def ids(facts: Facts, given: WaitingApproval, policy: ReviewPolicy = POLICY, tip: Tip | None = CURRENT) -> list[str]:
    found = why_void(facts, policy, given, tip)
    assert all(reason.message for reason in found), "every reason has a sentence (G2)"
    return [reason.rule for reason in found]


def test_an_approval_that_would_be_given_again_stands_Q2() -> None:
    assert ids(approved(), approval(STRANGER)) == []
    assert ids(approved(), approval(ADA)) == []
    assert ids(approved(), approval(CREATOR, "P3", reason="I planned it", exception="creator")) == []


@pytest.mark.parametrize(
    "tip", [Tip(head=Sha("f" * 40)), Tip(head=None), None], ids=["moved", "gone", "git does not answer"]
)
@pytest.mark.parametrize("by", [STRANGER, ADA], ids=["agent", "person"])
def test_a_branch_that_moved_voids_it_D4(by: Party, tip: Tip | None) -> None:
    assert ids(approved(), approval(by), tip=tip) == ["D4"]
    assert ids(approved(), approval(by, exception="break_glass", rule="N3"), tip=tip) == ["D4"], (
        "breaking the glass passes no stale work"
    )


def test_another_attempt_than_the_approved_one_voids_it_D4() -> None:
    assert ids(approved(), approval(STRANGER, attempt=2)) == ["D4"]
    assert ids(replace(approved(), attempt=None), approval(STRANGER)) == ["D4"]


def test_a_blocking_finding_voids_it_even_over_broken_glass_D2_N3() -> None:
    facts = replace(approved(), open_blocking=(Blocking("TL-1"),))
    for one in (approval(STRANGER), approval(ADA), approval(ADA, "N3", exception="break_glass")):
        assert ids(facts, one) == ["D2"]


def test_who_turns_out_to_be_an_author_has_approved_nothing_P2() -> None:
    grown = replace(
        approved(), history=(entry(CREATOR, "created"), entry(MAKER, "started"), entry(STRANGER, "committed", 1))
    )
    assert ids(grown, approval(STRANGER)) == ["P2"]
    joined = replace(STRANGER, origins=MAKER.origins)
    one = replace(approved(), parties={**approved().parties, STRANGER.session: joined})
    assert ids(one, approval(STRANGER)) == ["P2"], "origins that were found to be one (I3)"


def test_a_stricter_policy_voids_it_P12() -> None:
    given = approval(CREATOR, "P3", reason="fine", exception="creator")
    assert ids(approved(), given, rules(name="strict")) == ["P3"]
    assert ids(approved(), approval(STRANGER), rules(independence="human")) == ["P6"]
    assert ids(approved(), approval(ADA), rules(independence="human")) == []


def test_a_label_that_came_later_voids_it_P6_D6() -> None:
    labelled = approved(labels=["security"])
    assert ids(labelled, approval(STRANGER)) == ["P6"]
    assert ids(labelled, approval(ADA)) == []
    two = rules(label_rules={"two": LabelRule(reviews=2)})
    assert ids(approved(labels=["two"]), approval(STRANGER), two) == ["D6"]
    assert ids(approved(labels=["two"]), approval(ADA), two) == ["D6"], "a person is one of two"
    reviewed = replace(approved(labels=["two"]), reviewers=frozenset({STRANGER.session}))
    assert ids(reviewed, approval(ADA), two) == []


def test_a_hold_only_makes_it_wait_D3() -> None:
    held = replace(approved(hold="legal"), project_hold="drill")
    assert ids(held, approval(STRANGER)) == []
    skipped = replace(
        held, task=replace(held.task, labels=["review:skip"]), controls=(Control("label", ADA.session, "review:skip"),)
    )
    assert ids(skipped, approval(CRON, "M4")) == []


def test_every_reason_is_said_G2() -> None:
    facts = replace(approved(labels=["security"]), open_blocking=(Blocking("TL-1"),))
    assert ids(facts, approval(STRANGER), tip=None) == ["D2", "D4", "P6"]


def test_break_glass_passes_P_and_reviews_and_says_nothing_more_N3() -> None:
    given = approval(MAKER, "N3", exception="break_glass", reason="the site is down")
    assert ids(approved(labels=["security"]), given, rules(name="strict", reviews=3)) == []


def test_a_minor_bypass_that_was_given_is_not_counted_twice_P10() -> None:
    """What used up the daily allowance was this one."""
    facts = replace(approved(minor=True, minor_by=CREATOR.session), minor_self_approvals={"origin of maker": 99})
    assert ids(facts, approval(MAKER, "P1", exception="minor")) == []
    assert ids(approved(), approval(MAKER, "P1", exception="minor")) == ["P2"], "no longer minor"


def test_a_declared_self_review_stands_only_where_it_may_be_declared_P2() -> None:
    given = approval(MAKER, "P2", exception="self_review", reason="alone here")
    assert ids(approved(), given, rules(name="trusted")) == []
    assert ids(approved(), given) == ["P2"]
    by_name = approval(MAKER, "P2", exception="self_review")
    assert ids(approved(), by_name, rules(name="trusted")) == [], "with --reviewed-by, which needs no reason"


@pytest.mark.parametrize("exception", ["", "minor", "same_origin"])
def test_another_exception_is_no_declaration_under_trusted(exception: str) -> None:
    given = approval(MAKER, "P1", exception=exception, reason="small")
    assert ids(approved(), given, rules(name="trusted")) == ["P2"]


# By the rule itself


def trivial(**fields: Any) -> Facts:
    facts = approved(labels=["trivial"], **fields)
    return replace(facts, controls=(Control("label", ADA.session, "trivial"),), results=(ran(), ran(LINT)))


GATE = approval(CRON, "M4")


def test_what_approved_itself_is_asked_all_of_M4_again_Q2() -> None:
    assert ids(trivial(), GATE, CHECKED) == []
    assert ids(replace(trivial(), results=(ran(outcome="failed"),)), GATE, CHECKED) == ["M4"]
    assert ids(trivial(), GATE, replace(CHECKED, auto=AutoApprove(enabled=False))) == ["M4"]
    assert ids(trivial(), GATE, replace(CHECKED, checks=())) == ["M4"], "no checks, no approval"
    assert ids(trivial(), GATE, CHECKED, None) == ["D4"]
    assert ids(trivial(attempt_=touching("foureyes.toml")), GATE, CHECKED) == ["A4"]


def test_a_label_for_eyes_that_came_later_voids_what_approved_itself_M4() -> None:
    facts = trivial()
    eyes = replace(facts, task=replace(facts.task, labels=["trivial", "review:per-task"]))
    assert ids(eyes, GATE, CHECKED) == ["M1"]
    off = replace(facts, task=replace(facts.task, labels=[]))
    assert ids(off, GATE, CHECKED)[0] == "M1", "without the label it is a batch's"


def test_who_loosened_it_and_turns_out_to_have_made_it_has_loosened_nothing_M6() -> None:
    facts = replace(trivial(), controls=(Control("label", STRANGER.session, "trivial", late=True),))
    assert ids(facts, GATE, CHECKED) == []
    grown = replace(facts, history=(*(facts.history or ()), entry(STRANGER, "committed", 1)))
    assert "M6" in ids(grown, GATE, CHECKED)


@quick
@given(situations(), policies)
def test_an_approval_stands_exactly_where_the_rules_would_give_it_now_Q2(
    situation: tuple[Facts, Party], policy: ReviewPolicy
) -> None:
    facts, actor = situation
    facts = replace(facts, parties={**facts.parties, actor.session: actor})
    given = WaitingApproval(7, actor.session, 2, "P7", "", "read it")
    wanted = may_approve(
        replace(facts, minor_self_approvals={}, recorded=()), actor, policy, Declaration("read it"), is_caller=False
    )
    found = why_void(facts, policy, given, CURRENT)
    assert (found == ()) == wanted.allowed
    assert wanted.allowed or found == wanted.reasons


# What the merge does to the target


def there(facts: Facts, given: WaitingApproval, *paths: str, keys: bool = False, lines: int = 1) -> list[str]:
    """The rules against an approval, where the merge changes these paths of the target."""
    effect = Effect(tuple(ChangedFile(path, lines, 0) for path in paths))
    return [reason.rule for reason in why_not_there(facts, POLICY, given, CURRENT, effect, keys=keys)]


def test_what_the_merge_changes_on_the_target_is_asked_about_like_what_was_shown_A4_P6_Q2() -> None:
    assert there(approved(), approval(STRANGER), "notes.md") == []
    assert there(approved(), approval(STRANGER)) == [], "a merge that changes nothing asks for nothing"
    assert there(approved(), approval(STRANGER), "AGENTS.md") == ["P6"]
    assert there(approved(), approval(ADA), "AGENTS.md") == [], "a person has that grade"
    assert there(replace(approved(), attempt=touching("AGENTS.md")), approval(STRANGER), "AGENTS.md") == [], (
        "told once, by why_void"
    )


def test_minor_is_bounded_by_what_the_merge_changes_too_P10_Q2() -> None:
    minor, own = approved(minor=True), approval(MAKER, "P1", exception="minor")
    assert ids(minor, own) == []
    assert there(minor, own, "notes.md") == []
    assert there(minor, own, "notes.md", lines=51) == ["P2"]
    assert there(minor, own, "foureyes.toml") == ["P6"]


def test_what_only_a_person_may_agree_to_is_signed_where_people_have_keys_I9_Q2() -> None:
    observed, signed = (replace(approval(ADA), grade=grade_of("person", key)) for key in ("", "SHA256:x"))
    assert there(approved(), observed, "AGENTS.md", keys=True) == ["I9"]
    assert there(approved(), signed, "AGENTS.md", keys=True) == []
    assert there(approved(), observed, "notes.md", keys=True) == []


def test_where_a_merge_would_have_put_the_change_stays_with_the_attempt_A4_M4_P10() -> None:
    effect = Effect((ChangedFile("a.txt", 1, 0), ChangedFile("AGENTS.md", 1, 0)))
    facts = approved(minor=True)
    assert facts.attempt is not None
    marks = marked_by(facts, POLICY, effect)
    assert [mark.path for mark in marks if mark.kind == "at_merge"] == ["AGENTS.md", "a.txt"], "gate files first"
    known = replace(facts, attempt=replace(facts.attempt, marks=list(marks)))
    assert mode_of(known, POLICY).mode == "per-task"
    assert ids(known, approval(STRANGER)) == ["P6"]
    elsewhere = marked_by(facts, POLICY, Effect((ChangedFile("a.txt", 1, 0),)))
    known = replace(facts, attempt=replace(facts.attempt, marks=list(elsewhere)))
    assert mode_of(known, POLICY).mode == "per-task", "the gate does not agree by itself once more"
    assert ids(known, approval(MAKER, "P1", exception="minor")) == ["P2"], "nor is it minor any more"
    assert ids(known, approval(STRANGER)) == []


# D5 on the merge result


def test_the_checks_of_the_merge_result_count_by_whom_they_must_D5_Q2() -> None:
    claimed = replace(approved(), results=(ran(by=MAKER),))
    checked = check_states(claimed, CHECKED)
    assert [reason.rule for reason in why_not_checked(claimed, approval(STRANGER), checked, TREE)] == ["D5"]
    assert [reason.rule for reason in why_not_checked(claimed, GATE, checked, TREE)] == ["D5"]
    assert why_not_checked(claimed, approval(ADA), checked, TREE) == [], "claims inform people"
    red = check_states(replace(approved(), results=(ran(outcome="failed"),)), CHECKED)
    for one in (approval(STRANGER), approval(ADA), GATE):
        assert [reason.rule for reason in why_not_checked(claimed, one, red, TREE)] == ["D5"]
    assert why_not_checked(claimed, approval(ADA, "N3", exception="break_glass"), red, TREE) == [], "N3 passes D5"


def test_a_check_that_was_not_run_on_the_merge_result_is_no_pass_G1_D5() -> None:
    facts = approved()
    assert why_not_checked(facts, approval(ADA), check_states(facts, CHECKED), TREE)
    assert why_not_checked(facts, approval(agent("unknown")), check_states(facts, CHECKED), TREE)
    assert attempt().tree == TREE
