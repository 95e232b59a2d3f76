"""N3: a person may approve all the same, with a reason that stays on record; and what is said with an approval (P9)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from foureyes.core.nouns.session import Party
from foureyes.core.rules.four_eyes import Declaration, break_conditions, may_break_glass
from foureyes.core.words.decision import Decision, allow, refuse
from foureyes.errors import Reason
from foureyes.steps import fe

from tests.core.samples import ADA, STRANGER, asserted, service

RULES = ["I1", "I2", "I5", "P0", "P2", "P3", "P4", "P5", "P6", "P11", "D1", "D2", "D3", "D4", "D5", "G1"]
PASSED = {"P2", "P3", "P4", "P5", "P6"}
GATE = [Reason(rule, f"{rule} says no") for rule in ("D1", "D2", "D3", "D4", "D5", "D6", "D7", "D8", "A7", "C2")]
ALLOWED = allow("P7", "you were not involved in it")
BOUND = replace(ADA, bound=Reason("I3", "no terminal", fe("whoami")))


@pytest.mark.parametrize("rule", RULES)
def test_a_person_passes_exactly_the_refusals_of_P2_to_P6(rule: str) -> None:
    refused = refuse(rule, "no", fe("show", "fe-abc"))
    answer = may_break_glass(refused, ADA, "the server is down")
    if rule in PASSED:
        assert (answer.allowed, answer.rule, answer.exception, answer.needs_reason) == (True, "N3", "break_glass", True)
        assert f"over {rule}: no" in answer.message
    else:
        assert answer == refused


@pytest.mark.parametrize("actor", [STRANGER, service(), asserted(), BOUND], ids=["agent", "service", "a name", "bound"])
def test_only_a_person_who_may_decide_breaks_the_glass(actor: Party) -> None:
    refused = refuse("P2", "no", fe("show", "fe-abc"))
    answer = may_break_glass(refused, actor, "the server is down")
    assert (answer.allowed, answer.rule, answer.next) == (False, "N3", refused.next)


@pytest.mark.parametrize("why", ["", "  \n"])
def test_without_a_reason_the_refusal_stays(why: str) -> None:
    refused = refuse("P2", "no")
    assert may_break_glass(refused, ADA, why) == refused
    assert may_break_glass(refused, STRANGER, why) == refused


@pytest.mark.parametrize("actor", [ADA, STRANGER], ids=["person", "agent"])
def test_what_is_allowed_is_not_broken(actor: Party) -> None:
    assert may_break_glass(ALLOWED, actor, "the server is down") == ALLOWED


def test_only_checks_reviews_and_tasks_below_are_passed_of_the_gate() -> None:
    decision, rest = break_conditions(ALLOWED, tuple(GATE), ADA, "the server is down")
    assert (decision.allowed, decision.rule, decision.exception, decision.needs_reason) == (
        True, "N3", "break_glass", True,
    )  # fmt: skip
    assert decision.message == "break-glass over D5: D5 says no"
    assert [reason.rule for reason in rest] == ["D1", "D2", "D3", "D4", "D7", "D8", "C2"]


def test_a_glass_that_was_broken_already_keeps_its_own_words() -> None:
    broken = may_break_glass(refuse("P2", "no"), ADA, "why")
    decision, rest = break_conditions(broken, (Reason("D6", "one review is missing"),), ADA, "why")
    assert (decision.message, rest) == (broken.message, ())


@pytest.mark.parametrize(
    ("decision", "actor", "why"),
    [
        (ALLOWED, ADA, "  "), (ALLOWED, STRANGER, "why"), (ALLOWED, service(), "why"), (ALLOWED, asserted(), "why"),
        (ALLOWED, BOUND, "why"), (refuse("P0", "no"), ADA, "why"),
    ],
)  # fmt: skip
def test_conditions_stay_unless_a_person_who_may_approve_breaks_the_glass(
    decision: Decision, actor: Party, why: str
) -> None:
    assert break_conditions(decision, tuple(GATE), actor, why) == (decision, tuple(GATE))


def test_without_a_condition_to_pass_nothing_is_broken() -> None:
    rest = (Reason("D2", "open findings"),)
    assert break_conditions(ALLOWED, rest, ADA, "why") == (ALLOWED, rest)


@pytest.mark.parametrize(
    ("declared", "words", "how", "has_reason"),
    [
        (Declaration(), "", "", False),
        (Declaration(" \n"), "", "", False),
        (Declaration(" read it "), "read it", "", True),
        (Declaration("read it", break_glass=" down "), "down", "--break-glass", True),
        (Declaration("read it", break_glass="  "), "read it", "--break-glass", True),
        (Declaration("x", "Bob", self_review=True), "x", "--self-review --reviewed-by Bob", True),
        (Declaration(record_only=True), "", "--record-only", False),
    ],
)
def test_what_is_said_with_an_approval_is_recorded(
    declared: Declaration, words: str, how: str, has_reason: bool
) -> None:
    assert (declared.words, declared.how, declared.has_reason) == (words, how, has_reason)
