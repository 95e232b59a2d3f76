"""What a finding waits for: the word for where it stands, and the next command for who asks."""

from __future__ import annotations

from typing import Any

import pytest

from foureyes.core.loop.answers import why_not_ruling
from foureyes.core.loop.next_steps import loop_step, next_step, state_in_words
from foureyes.core.loop.rounds import LoopState, Round
from foureyes.core.nouns.finding import RULINGS, Finding, rulings_for
from foureyes.core.nouns.finding_state import STATES, UNRESOLVED
from foureyes.core.words.ids import SessionId, TaskId
from foureyes.ui.steps import steps_text

NOW = "2026-05-01T00:00:00.000Z"
LATER = "2026-06-01T00:00:00.000Z"
EARLIER = "2026-04-01T00:00:00.000Z"


def finding(**fields: Any) -> Finding:
    usual: dict[str, Any] = {"severity": "HIGH", "title": "leaks", "raised": 1, "flagged": 1, "kind": "TL", "task": "t"}
    return Finding(root="ID", id="ID", session=SessionId("ses-r"), **(usual | fields))


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({}, "open"),
        ({"must_fix": True}, "must fix"),
        ({"waiting": True}, "to confirm"),
        ({"severity": "LOW"}, "note"),
        ({"state": "claimed"}, "claimed fixed"),
        ({"state": "disputed"}, "disputed"),
        ({"state": "resolved", "ruled_by": "ses-x"}, "withdrawn"),
        ({"state": "resolved", "ruled_by": "ses-x", "ruling": "VERIFIED"}, "resolved"),
        ({"state": "waived", "waived_until": LATER}, "waived until 2026-06-01"),
        ({"state": "waived", "waived_until": EARLIER}, "waiver ran out"),
    ],
)
def test_a_state_has_a_word_that_people_use(fields: dict[str, Any], word: str) -> None:
    assert state_in_words(finding(**fields), NOW) == word


RULE = "fe finding judge ID "
ANSWER = 'fe finding answer ID --fixed -m "what you changed" | --rejected --ground …'


@pytest.mark.parametrize(
    ("fields", "status", "mine", "step"),
    [
        ({}, "open", True, "the next author answers: fe show t"),
        ({"state": "claimed"}, "in_progress", False, "a reviewer rules on it once the work is in review: fe show t"),
        ({"state": "resolved", "ruled_by": "ses-x"}, "reviewing", False, "fe show t"),
        ({}, "in_progress", True, ANSWER),
        ({}, "in_progress", False, f"its implementer runs: {ANSWER}"),
        ({"must_fix": True}, "in_progress", True, 'fe finding answer ID --fixed -m "what you changed"'),
        ({"waiting": True}, "reviewing", False, RULE + "(--confirmed or --dismissed)"),
        ({"left_diff": True}, "reviewing", False, RULE + "--obsolete"),
        ({"state": "claimed"}, "reviewing", False, RULE + "(--verified or --not-fixed)"),
        ({"state": "claimed"}, "reviewing", True, "someone else rules: " + RULE + "(--verified or --not-fixed)"),
        (
            {"state": "disputed", "left_diff": True},
            "reviewing",
            False,
            RULE + "(--accepted or --overruled or --obsolete)",
        ),
        ({"by_check": "lint"}, "open", True, "fix it, and passing the check resolves it: fe check run t"),
        ({"state": "waived", "waived_until": LATER}, "reviewing", False, "fe show t"),
        (
            {"state": "waived", "waived_until": EARLIER},
            "reviewing",
            False,
            'a person runs: fe finding waive ID -m "why"',
        ),
        ({"severity": "LOW"}, "in_progress", True, 'fe finding answer ID (--fixed or --deferred or --skipped) -m "…"'),
        ({"severity": "LOW"}, "in_progress", False, "fe finding answer ID --track"),
        ({"severity": "LOW", "state": "deferred"}, "in_progress", True, "fe finding answer ID --track"),
        ({"severity": "LOW", "tracked": "t2"}, "in_progress", True, "fe show t2"),
        ({"state": "resolved"}, "reviewing", False, "fe show t"),
    ],
)
def test_the_next_step_fits_the_state_and_who_asks(fields: dict[str, Any], status: str, mine: bool, step: str) -> None:
    assert steps_text(next_step(finding(**fields), NOW, status=status, mine=mine)) == step


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("waiting", [False, True])
@pytest.mark.parametrize("left_diff", [False, True])
def test_a_ruling_that_is_offered_is_one_that_is_taken_L4(state: Any, waiting: bool, left_diff: bool) -> None:
    one = finding(state=state, waiting=waiting, left_diff=left_diff)
    offered = rulings_for(state, waiting=waiting, left_diff=left_diff)
    assert all(why_not_ruling(one, word, is_raiser=False) is None for word in offered)
    taken = {word for word in RULINGS if why_not_ruling(one, word, is_raiser=False) is None}
    assert set(offered) == taken or (waiting and state != "open"), "a finding that waits to be confirmed is open"
    assert bool(offered) == bool(taken)
    assert not offered or state in UNRESOLVED


LEAD = 'fe lead (senior or fresh or continue) t -m "why"'


@pytest.mark.parametrize(
    ("state", "step"),
    [
        (LoopState(), "fe show t"),
        (LoopState(rounds=(Round(n=1),)), "fe show t"),
        (LoopState(rounds=(Round(n=1, raised=2),)), "fe finding list t --open"),
        (LoopState(rounds=(Round(n=1, raised=2), Round(n=2, had=2, fixed=2))), "fe show t"),
        (LoopState(rounds=(Round(n=1, raised=2),), waiting_for="lead"), f"the lead runs: {LEAD}"),
        (LoopState(rounds=(Round(n=1, raised=2),), waiting_for="user"), f"a person runs: {LEAD}"),
    ],
)
def test_a_loop_leads_to_who_decides_or_to_what_is_open_E3(state: LoopState, step: str) -> None:
    assert steps_text(loop_step(TaskId("t"), state)) == step
