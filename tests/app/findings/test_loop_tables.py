"""The progress tables of L12 and L13, played with real verbs, and what the engine, the task and the prompt say about
them.
"""

from __future__ import annotations

import pytest

from tests.stage.looped import findings, play, standing
from tests.stage.world import DeskWorld


def test_four_one_none_none_fixed_escalates_at_iteration_five_L12(desk: DeskWorld) -> None:
    task = play(desk, [4, 1, 0, 0], found=6)
    table = [(one.n, one.raised, one.fixed, one.no_progress, one.action) for one in standing(desk, task).rounds]
    assert table == [
        (1, 6, 0, 0, "continue"),
        (2, 0, 4, 0, "continue"),
        (3, 0, 1, 0, "continue"),
        (4, 0, 0, 1, "warn"),
        (5, 0, 0, 2, "escalate"),
    ]
    assert (desk.task(task).tier, desk.task(task).status) == ("senior", "open")


def test_none_two_one_one_fixed_escalates_at_iteration_five_by_the_cap_L12(desk: DeskWorld) -> None:
    task = play(desk, [0, 2, 1, 1], found=5)
    now = standing(desk, task)
    assert [(one.fixed, one.no_progress, one.action) for one in now.rounds] == [
        (0, 0, "continue"),
        (0, 1, "warn"),
        (2, 0, "continue"),
        (1, 0, "warn"),
        (1, 0, "escalate"),
    ]
    assert desk.task(task).tier == now.tier == "senior"
    assert (now.round, now.no_progress, now.iteration) == (0, 0, 5)


@pytest.mark.parametrize("rounds", [4, 12])
def test_what_never_gets_better_goes_from_developer_to_senior_to_the_lead_and_waits_there_E1(
    desk: DeskWorld, rounds: int
) -> None:
    task = play(desk, [0] * rounds, found=1)
    now = standing(desk, task)
    assert (now.tier, now.waiting_for, desk.task(task).waiting_for) == ("lead", "lead", "lead")
    assert now.iteration == 5
    assert next(iter(findings(desk, task).values())).false_fixes == 4
    assert task not in desk.ids_of(ready=True)
