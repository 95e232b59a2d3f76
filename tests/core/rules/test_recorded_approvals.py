"""P11: under delegated and trusted one session may record an approval and another may finish it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from foureyes.core.nouns.session import Party
from foureyes.core.rules.facts import Facts, RecordedApproval
from foureyes.core.rules.four_eyes import Declaration, may_approve, may_record, recorded_approval
from foureyes.core.rules.policy import POLICIES, LabelRule, PolicyName
from foureyes.core.words.ids import TaskId
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
    rules,
    runner,
    service,
)

BARE, REASON = Declaration(), Declaration("the reviewer has ended")
APART: list[PolicyName] = ["delegated", "trusted"]
TOGETHER: list[PolicyName] = [name for name in POLICIES if name not in APART]


def recorded(facts: Facts, by: Party = STRANGER, **fields: str) -> Facts:
    """The facts with an approval of the current diff on record."""
    approval = RecordedApproval(7, by.session, fields.pop("diff_id", DIFF), **fields)
    return replace(facts, recorded=(approval,), parties=facts.parties | {by.session: by})


WORK = made(MAKER, CREATOR, STRANGER)
TO_IMPLEMENT = replace(agent("token", issued=True), role="implement", task=WORK.task.id)
ELSEWHERE = replace(TO_IMPLEMENT, role="review", task=TaskId("fe-other"))


@pytest.mark.parametrize(
    ("actor", "declared", "allowed", "rule"),
    [
        (STRANGER, BARE, True, "P11"),
        (agent("other"), BARE, True, "P7"),
        (ADA, BARE, True, "P7"),
        (MAKER, BARE, False, "P11"),
        (MAKER, Declaration("  \n"), False, "P11"),
        (MAKER, REASON, True, "P11"),
        (agent("again", origin="origin of maker"), REASON, True, "P11"),
        (agent("child", parents=[MAKER]), REASON, True, "P11"),
        (service(), REASON, False, "I5"),
        (asserted(), REASON, False, "I1"),
    ],
    ids=lambda value: value.name if isinstance(value, Party) else None,
)
@pytest.mark.parametrize("policy", APART)
def test_any_session_that_may_decide_finishes_a_recorded_approval(
    policy: PolicyName, actor: Party, declared: Declaration, allowed: bool, rule: str
) -> None:
    answer = may_approve(recorded(WORK), actor, rules(name=policy), declared)
    assert (answer.allowed, answer.rule) == (allowed, rule)


@pytest.mark.parametrize("policy", TOGETHER)
def test_elsewhere_a_recorded_approval_changes_nothing(policy: PolicyName) -> None:
    for actor in (MAKER, STRANGER, CREATOR, ADA):
        with_, without = (may_approve(facts, actor, rules(name=policy), REASON) for facts in (recorded(WORK), WORK))
        assert with_ == without


def test_finishing_without_a_reason_says_that_one_is_needed() -> None:
    answer = may_approve(recorded(WORK), MAKER, rules(name="delegated"), BARE)
    assert answer.needs_reason
    assert "stranger (ses-stranger) recorded an approval" in answer.message
    assert f"--seen 1.{DIFF[7:15]} -m" in steps_text(answer.next)


def test_record_only_never_finishes() -> None:
    answer = may_approve(recorded(WORK), MAKER, rules(name="delegated"), Declaration("x", record_only=True))
    assert (answer.allowed, answer.rule) == (False, "P2")


@pytest.mark.parametrize("spawner", [service("detached"), replace(service("x"), trust="asserted")])
def test_an_author_below_an_observed_service_finishes_nothing(spawner: Party) -> None:
    """P2 is the first refusal, which a recorded approval would pass; the service's own (I5) is not."""
    maker = agent("maker", parents=[spawner])
    facts = recorded(made(maker, CREATOR, spawner))
    answer = may_approve(facts, maker, rules(name="delegated"), REASON)
    assert (answer.allowed, answer.rule) == (False, "P2")


def test_an_author_below_a_runner_finishes_with_a_reason() -> None:
    maker = agent("maker", parents=[runner()])
    assert may_approve(recorded(made(maker, CREATOR, runner())), maker, rules(name="delegated"), REASON).rule == "P11"


@pytest.mark.parametrize(
    ("facts", "holds"),
    [
        (recorded(WORK), True),
        (recorded(WORK, diff_id="sha256:" + "f" * 64), False),
        (recorded(made(MAKER, CREATOR, STRANGER, authors=[STRANGER])), False),
        (recorded(made(MAKER, CREATOR, STRANGER, labels=["security"])), False),
        (recorded(made(labels=["security"]), ADA), True),
        (recorded(made(), agent("child", parents=[MAKER])), False),
        (replace(WORK, recorded=()), False),
    ],
    ids=["holds", "of another diff", "now an author", "now a label", "a person with the label", "a child", "none"],
)
def test_an_approval_is_finished_only_while_its_reviewer_could_give_it(facts: Facts, holds: bool) -> None:
    security = {"security": LabelRule(independence="human")}
    answer = may_approve(facts, CREATOR, rules(name="delegated", label_rules=security), REASON)
    author = may_approve(facts, MAKER, rules(name="delegated", label_rules=security), REASON)
    assert (author.allowed, author.rule) == ((True, "P11") if holds else (False, author.rule))
    assert holds or author.rule in {"P2", "P6"}
    assert answer.allowed or answer.rule == "P6"


@pytest.mark.parametrize(
    ("exception", "reason", "rule"),
    [
        ("self_review", "read it again", "P11"),
        ("self_review", "", "P11"),
        ("", "read it again", "P2"),
        ("minor", "read it again", "P2"),
        ("same_origin", "read it again", "P2"),
    ],
)
def test_only_a_declared_self_review_on_record_is_one_under_trusted(exception: str, reason: str, rule: str) -> None:
    own = recorded(made(), MAKER, reason=reason, exception=exception)
    assert may_approve(own, MAKER, rules(name="trusted"), BARE).rule == rule


@pytest.mark.parametrize("actor", [TO_IMPLEMENT, ELSEWHERE], ids=["to implement", "for another task"])
def test_a_token_for_something_else_finishes_nothing(actor: Party) -> None:
    answer = may_approve(recorded(WORK), actor, rules(name="delegated"), REASON)
    assert (answer.allowed, answer.rule) == (False, "I2")


def test_a_reviewer_with_a_reason_on_record_still_holds() -> None:
    """A creator's approval with a reason (P3) holds by that reason; without one it would be asked for again."""
    own = recorded(made(MAKER, CREATOR), CREATOR, reason="read it", exception="creator_approval")
    assert may_approve(own, MAKER, rules(name="delegated"), REASON).rule == "P11"


def test_facts_that_cannot_be_read_are_not_finished() -> None:
    for lost in (replace(recorded(WORK), history=None), replace(recorded(WORK), authors=None)):
        assert may_approve(lost, STRANGER, rules(name="delegated"), REASON).rule == "P0"


@pytest.mark.parametrize("policy", POLICIES)
def test_only_an_approval_of_the_current_diff_is_found(policy: PolicyName) -> None:
    facts = recorded(WORK)
    found = recorded_approval(facts, rules(name=policy))
    assert (found is not None) == (policy in APART)
    assert recorded_approval(recorded(WORK, diff_id="sha256:" + "e" * 64), rules(name=policy)) is None
    assert recorded_approval(recorded(planned()), rules(name=policy)) is None


@pytest.mark.parametrize("policy", POLICIES)
def test_record_only_is_for_policies_that_finish_apart(policy: PolicyName) -> None:
    answer = may_record(WORK, rules(name=policy))
    if policy in APART:
        assert answer is None
    else:
        assert answer is not None
        assert (answer.allowed, answer.rule) == (False, "P11")
        assert policy in answer.message


def test_the_same_person_finishes_from_another_terminal_without_a_reason() -> None:
    facts = recorded(made(MAKER, ADA, history=[entry(ADA, "approved", 1)]), ADA)
    answer = may_approve(facts, person("ada", terminal="2"), rules(name="delegated"), BARE)
    assert (answer.allowed, answer.rule) == (True, "P11")


def test_a_shared_origin_alone_does_not_make_the_reviewer() -> None:
    """A stranger of the reviewer's origin who is an author needs a reason."""
    author = agent("author", origin="origin of stranger")
    facts = recorded(made(author, CREATOR), agent("reviewer", origin="origin of other"))
    assert may_approve(facts, author, rules(name="delegated"), BARE).needs_reason
