"""Review cycles: their numbers, where a look lies, and which are not over."""

from __future__ import annotations

from typing import get_args

import pytest

from foureyes.core.nouns.cycle import (
    CYCLE_RULES,
    NOT_GIVEN,
    REVIEWER_KINDS,
    TRIGGERS,
    Cycle,
    CycleId,
    CycleRule,
    CycleState,
    NotGivenWhy,
    ReviewerKind,
    Trigger,
    cycle_number,
    early_review_ref,
)
from foureyes.core.words.ids import SessionId


def test_cycles_are_numbered_and_a_look_lies_beside_the_attempts_V1() -> None:
    assert (cycle_number(1), cycle_number(12)) == ("c-1", "c-12")
    assert early_review_ref("fe-abc", 2) == "refs/foureyes/looks/fe-abc/2"


def test_every_word_of_a_cycle_is_listed_once() -> None:
    for words, type_ in (
        (TRIGGERS, Trigger),
        (CYCLE_RULES, CycleRule),
        (REVIEWER_KINDS, ReviewerKind),
        (NOT_GIVEN, NotGivenWhy),
    ):
        assert words == get_args(type_)


@pytest.mark.parametrize(
    ("state", "live"), [("open", True), ("clarifying", True), ("decided", False), ("ended", False)]
)
def test_a_cycle_lives_until_a_rule_or_somebody_ended_it_V8(state: CycleState, live: bool) -> None:
    cycle = Cycle(
        id=CycleId("c-1"), trigger="MILESTONE", state=state, quorum=1, seats=1, session=SessionId("ses-1"), at=""
    )
    assert cycle.is_live is live
