"""Q4, G4: submit, check, decide and merge, killed before each statement and each outside step, with real git and real checks.

`make nightly` kills before every step, on both engines; here it is every step that finds something else than the one before.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.floor import Floor
from tests.faults.killing_floor import NIGHTLY, KilledMove
from tests.faults.moves import MOVES, Move
from tests.faults.places import Place

ON_A_SERVER = frozenset({"submit", "check run that approves", "approve", "redo fresh", "merge"})
"""On both engines every day; the others every night."""


@pytest.fixture(autouse=True)
def _temporary(tmp_path: Path, home: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """What killed processes leave in the temporary directory is in the test's own."""
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))


@pytest.mark.parametrize("move", MOVES, ids=[move.name for move in MOVES])
def test_a_killed_step_of_the_way_to_the_target_leaves_nothing_half_done_and_can_be_repeated_G4_Q4(
    place: Place, template: Path, move: Move, record_property: Callable[[str, object], None]
) -> None:
    if place.engine == "postgres" and not NIGHTLY and move.name not in ON_A_SERVER:
        return
    steps, kills = KilledMove(Floor(place, template), move).everywhere()
    record_property("failpoints", steps)
    record_property("kills", kills)
    assert steps > kills or NIGHTLY
