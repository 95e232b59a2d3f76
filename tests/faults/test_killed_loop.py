"""G4: every command of the findings loop, killed before each statement and each outside step, leaves the old state or
the new one.

And who repeats it afterwards gets it done, or is told in a sentence that it is done. `make nightly` kills before every
step, on both engines; here it is every step that finds something else than the one before did, and some of the others.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from foureyes.errors import FoureyesError
from foureyes.ui.steps import steps_text

from tests.faults.choosing import NIGHTLY, chosen
from tests.faults.killing import Killed, kill_at, steps_of
from tests.faults.loop_verbs import LOOP_VERBS, ON_A_SERVER
from tests.faults.verb import Verb
from tests.stage.fork import Child
from tests.stage.places import Desk, Place, journal_of

CASES = [
    pytest.param(engine, verb, id=f"{engine}-{verb.name}")
    for engine in ("sqlite", "postgres")
    for verb in LOOP_VERBS
    if NIGHTLY or engine == "sqlite" or verb.name in ON_A_SERVER
]
ON_A_FILE = [pytest.param("sqlite", verb, id=verb.name) for verb in LOOP_VERBS]


def prepared(place: Place, verb: Verb) -> tuple[Desk, str]:
    desk = Desk(place)
    desk.found()
    task = verb.before(desk)
    desk.close()
    place.keep()
    return desk, task


@pytest.mark.parametrize(("place", "verb"), CASES, indirect=["place"])
def test_a_killed_command_of_the_loop_leaves_the_old_state_or_the_new_one_G4_J2(
    place: Place, verb: Verb, record_property: Callable[[str, object], None]
) -> None:
    desk, task = prepared(place, verb)
    steps = Killed(desk, lambda: verb.act(desk, task)).everywhere(chosen)
    record_property("failpoints", len(steps))
    assert any("COMMIT" in step for step in steps)


@pytest.mark.parametrize(("place", "verb"), ON_A_FILE, indirect=["place"])
def test_who_repeats_a_command_that_was_killed_after_its_commit_is_told_so_and_does_nothing_twice_G4(
    place: Place, verb: Verb
) -> None:
    """Some commands add the same again if they are asked to; none of them half."""
    desk, task = prepared(place, verb)

    def act() -> None:
        verb.act(desk, task)
        desk.close()

    steps = steps_of(act)
    done = len(journal_of(place.dump()))
    place.reset()
    kill_at(max(n for n, step in enumerate(steps, 1) if "COMMIT" in step) + 1, act)
    assert len(journal_of(place.dump())) == done

    def again() -> str:
        try:
            verb.act(desk, task)
        except FoureyesError as problem:
            steps = [problem.next_step, *[reason.next for reason in problem.reasons]]
            return problem.message and "".join(steps_text(step) for step in steps)
        finally:
            desk.close()
        return ""

    said = Child(again).result()
    rows = len(journal_of(place.dump()))
    assert rows == done if said else rows >= done
    Child(lambda: write(desk)).result()
    assert place.findings() == []


def write(desk: Desk) -> None:
    """Somebody's next write, which fixes the mirror."""
    desk.create()
    desk.close()
