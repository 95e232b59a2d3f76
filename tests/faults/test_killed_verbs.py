"""G4: every writing command, killed before each statement and each outside step, leaves the old state or the new
one.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.faults.choosing import chosen
from tests.faults.killing import Killed
from tests.faults.verb import Verb
from tests.faults.verbs import VERBS
from tests.stage.places import Desk, Place


@pytest.mark.parametrize("verb", VERBS, ids=[verb.name for verb in VERBS])
def test_a_killed_command_leaves_the_old_state_or_the_new_one_and_the_mirror_is_healed_by_the_next_write_G4_J1_J2_P8(
    place: Place, verb: Verb, record_property: Callable[[str, object], None]
) -> None:
    desk = Desk(place)
    desk.found()
    task = verb.before(desk)
    desk.close()
    place.keep()
    steps = Killed(desk, lambda: verb.act(desk, task)).everywhere(chosen)
    record_property("failpoints", len(steps))
    assert any("COMMIT" in step for step in steps)
