"""D: the conditions of every approval, each by itself and all together."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from foureyes.core import gate
from foureyes.core.attempt import DETACHED
from foureyes.core.facts import Facts
from foureyes.core.gate import Tip
from foureyes.core.ids import Sha
from foureyes.core.lifecycle import STATUSES, Status
from foureyes.core.policy import ReviewPolicy

from tests.core.samples import ADA, DIFF, HEAD, STRANGER, attempt, made, planned, quick

SEEN = DIFF[7:15]
CURRENT = Tip(head=HEAD)
MOVED = Tip(head=Sha("f" * 40))
POLICY = ReviewPolicy()


def ids(
    facts: Facts, tip: Tip | None = CURRENT, seen: str = SEEN, *, person: bool = False, policy: ReviewPolicy = POLICY, reason: str = ""
) -> list[str]:
    found = gate.check(facts, ADA if person else STRANGER, tip, seen, policy, reason)
    assert all(reason.message and reason.next for reason in found), "every reason has a sentence and a next step (G2)"
    return [reason.rule for reason in found]


def test_nothing_stands_against_a_current_attempt_that_was_seen_D() -> None:
    assert ids(made()) == []


@pytest.mark.parametrize("status", [status for status in STATUSES if status != "reviewing"])
def test_only_what_is_in_review_can_be_approved_D1(status: Status) -> None:
    assert ids(made(status=status)) == ["D1"]


def test_open_blocking_findings_are_named_D2() -> None:
    found = gate.check(replace(made(), open_blocking=("TL-x-1-001", "TL-x-1-002")), STRANGER, CURRENT, SEEN, POLICY)
    assert [reason.rule for reason in found] == ["D2"]
    assert "TL-x-1-001, TL-x-1-002" in found[0].message


def test_a_hold_on_the_task_or_the_project_stops_everybody_D3() -> None:
    assert ids(made(hold="wait for legal")) == ["D3"]
    assert ids(replace(made(), project_hold="fire drill"), person=True) == ["D3"]
    assert ids(made(hold="")) == ["D3"], "a hold without words is a hold"


def test_two_holds_are_two_reasons_G2_D3() -> None:
    assert ids(replace(made(hold="wait for legal"), project_hold="fire drill")) == ["D3", "D3"]


def test_a_moved_or_missing_branch_makes_the_attempt_stale_D4() -> None:
    assert ids(made(), MOVED) == ["D4"]
    assert ids(made(), Tip(head=None)) == ["D4"]


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


@pytest.mark.parametrize("seen", [SEEN, DIFF, DIFF[7:], DIFF[7:20], SEEN.upper()])
def test_eight_digits_or_more_of_the_diff_id_suffice_D7(seen: str) -> None:
    assert ids(made(), seen=seen) == []
    assert ids(made(), seen=seen, person=True) == []


@pytest.mark.parametrize(
    "seen", ["0", SEEN[:7], " ", "sha256:", "deadbeef", SEEN + "f", DIFF + "0", "sha256:sha256:" + SEEN, "........", "%"]
)
def test_another_diff_or_too_few_digits_are_refused_even_from_a_person_D7(seen: str) -> None:
    if seen.removeprefix("sha256:"):
        assert ids(made(), seen=seen, person=True) == ["D7"]
    assert ids(made(), seen=seen) == ["D7"]


def test_the_words_tell_a_moved_change_from_a_missing_look_D7() -> None:
    (moved,) = gate.check(made(), STRANGER, CURRENT, "deadbeef", POLICY)
    assert "moved while you looked" in moved.message
    (missing,) = gate.check(made(), STRANGER, CURRENT, "", POLICY)
    assert "--seen" in missing.message


def test_all_that_fails_is_said_in_the_order_of_the_rules_G2() -> None:
    facts = replace(made(status="open", hold="stop"), open_blocking=("TL-1",))
    assert ids(facts, MOVED, "deadbeef") == ["D1", "D2", "D3", "D4", "D7"]


@quick
@given(st.text(max_size=70))
def test_only_a_beginning_of_the_diff_id_is_taken_for_it_D7(seen: str) -> None:
    digits = seen.removeprefix("sha256:").lower()
    matches = len(digits) >= 8 and DIFF.removeprefix("sha256:").startswith(digits)
    assert (ids(made(), seen=seen) == []) == matches


class Broken:
    """A fact that cannot be read."""

    def __getattr__(self, name: str) -> Any:
        raise OSError("disk gone")


def test_a_condition_that_raises_is_a_reason_against_it_G1() -> None:
    found = gate.check(replace(made(), attempt=Broken()), STRANGER, CURRENT, SEEN, POLICY)
    assert any("OSError" in reason.message for reason in found)
