"""Q4, G4: submit, check, decide and merge, killed before each statement and each outside step, with real git and real
checks.

`make nightly` kills before every step, on both engines; here it is every step that finds something else than the one
before.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.choosing import NIGHTLY
from tests.faults.killing import kill_at, steps_of
from tests.faults.killing_floor import KilledMove
from tests.faults.moves import MOVES, Move
from tests.stage.floor import Floor
from tests.stage.fork import Child
from tests.stage.looking import check
from tests.stage.places import Place

CASES = [
    pytest.param(engine, move, id=f"{engine}-{move.name}")
    for engine in ("sqlite", "postgres")
    for move in MOVES
    if NIGHTLY or (move.daily and engine == "sqlite")
]
"""By day in a file; what is killed at a server, `test_killed_loop.py` and `test_killed_commands.py` show by day."""


@pytest.mark.parametrize(("place", "move"), CASES, indirect=["place"])
def test_a_killed_step_of_the_way_to_the_target_leaves_nothing_half_done_and_can_be_repeated_G4_Q4(
    place: Place, template: Path, move: Move, record_property: Callable[[str, object], None]
) -> None:
    steps, kills = KilledMove(Floor(place, template), move).everywhere()
    record_property("failpoints", steps)
    record_property("kills", kills)
    assert steps > kills or NIGHTLY


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
@pytest.mark.parametrize("moment", ["before its commit", "after its commit"])
def test_what_a_killed_merge_left_to_tidy_is_tidied_by_the_next_one_K1(
    place: Place, template: Path, moment: str
) -> None:
    """The branch of the target has moved; the worktree and the branch of the task are still there."""
    floor = Floor(place, template)
    task = floor.agreed()
    floor.close()
    place.keep()

    def merge() -> None:
        floor.merge()
        floor.close()

    steps = steps_of(merge)
    place.reset()
    moved = next(n for n, step in enumerate(steps, 1) if step == "git update-ref")
    committed = next(n for n, step in enumerate(steps, 1) if n > moved and "COMMIT" in step)
    kill_at(committed if moment == "before its commit" else committed + 1, merge)
    Child(merge).result()
    check(floor)
    assert not (place.folder / "worktrees" / task).exists()
    assert floor.checkout.git("for-each-ref", "refs/heads/fe") == ""
