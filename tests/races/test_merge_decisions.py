"""Q2, T: a decision and the merge at once. Whichever was first holds, never both; and the others in the queue go on
(Q3).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from foureyes.app.ports import WriteTx
from foureyes.errors import FoureyesError

from tests.faults.killing import kill_at, steps_of
from tests.races.hooks import elsewhere, meanwhile
from tests.stage.floor import Floor
from tests.stage.fork import Child, Standby
from tests.stage.looking import check, tables
from tests.stage.night import NIGHT
from tests.stage.people import ALICE, BOB, CI, CODEX
from tests.stage.places import Place

PLACES = ("merge", "commit", "move")
"""Where the merge is when the decision comes: it has its lease; the checks are done; it is inside its last
transaction. By day on PostgreSQL only there, where the engine decides who is first.
"""


class Decision(NamedTuple):
    """What somebody decides meanwhile, and whether it stands: then the task is not merged."""

    name: str
    act: Callable[[Floor, str], object]
    stands: Callable[[dict[str, Any]], bool]


DECISIONS = (
    Decision("withdraw", lambda f, t: f.app.decisions.withdraw(CODEX, t), lambda row: row["status"] == "reviewing"),
    Decision("redo", lambda f, t: f.app.feedback.redo(BOB, t, "not like this"), lambda row: row["status"] == "open"),
    Decision("drop", lambda f, t: f.app.feedback.redo(BOB, t, "not like this"), lambda row: row["status"] == "open"),
    Decision(
        "hold",
        lambda f, t: f.app.stops.hold(ALICE, t, "wait"),
        lambda row: row["hold"] is not None and row["status"] != "closed",
    ),
    Decision(
        "label", lambda f, t: f.app.tasks.add_label(ALICE, t, ["security"]), lambda row: row["status"] == "reviewing"
    ),
    Decision(
        "edit", lambda f, t: f.app.tasks.edit(ALICE, t, acceptance="more"), lambda row: row["status"] == "reviewing"
    ),
)


def before_writing(floor: Floor, act: Callable[[], None]) -> None:
    """Once, just before the store is asked for its next writing transaction, do this."""
    store = floor.app.context.store
    original = store.write

    def hooked(*, anywhere: bool = False) -> AbstractContextManager[WriteTx]:
        setattr(store, "write", original)  # noqa: B010
        act()
        return original(anywhere=anywhere)

    setattr(store, "write", hooked)  # noqa: B010


class Race:
    """One merge of two tasks, and one decision about the first of them."""

    def __init__(self, floor: Floor, decision: Decision) -> None:
        self.floor, self.decision = floor, decision
        self.task, self.other = floor.agreed(by=CODEX), floor.agreed(by=CODEX)
        floor.close()
        floor.place.keep()

    def run(self, place: str) -> tuple[str, dict[str, str]]:
        """What the decider was told (empty: it is done), and what `fe merge` answered."""
        other = elsewhere(self.floor)

        def decide(enough: Callable[[], None]) -> str:
            if place == "move":  # it has to wait for the transaction; the merge goes on when it is about to
                before_writing(other, enough)
            try:
                self.decision.act(other, self.task)
            except FoureyesError as problem:
                return problem.message
            finally:
                other.close()
            return ""

        def merge() -> dict[str, str]:
            came = meanwhile(self.floor, place, lambda _: decider.begin())
            rows = {row.task: row.outcome for row in self.floor.merge()}
            self.floor.close()
            assert came, f"the merge came to {place}"
            return rows

        with Standby(decide) as decider:
            rows = Child(merge).result()
            return decider.result(), rows


@pytest.mark.parametrize("decision", DECISIONS, ids=[decision.name for decision in DECISIONS])
def test_a_decision_and_the_merge_at_once_never_both_hold_and_the_others_go_on_Q2_Q3(
    place: Place, template: Path, decision: Decision
) -> None:
    race = Race(Floor(place, template), decision)
    wrong = []
    for number, where in enumerate(PLACES if NIGHT or place.engine == "sqlite" else PLACES[-1:]):
        if number:
            place.reset()
        try:
            told, rows = race.run(where)
            check(race.floor)
            found = {row["id"]: row for row in tables(race.floor).tasks}
            merged, stands = found[race.task]["status"] == "closed", decision.stands(found[race.task])
            assert merged != stands, (told, found[race.task]["status"])
            assert bool(told) or stands or decision.name in ("label", "hold", "edit"), (
                "who was told that it is done can rely on it"
            )
            assert found[race.other]["status"] == "closed", "the others go on"
            assert set(rows) == {race.task, race.other}
        except (AssertionError, FoureyesError) as problem:
            wrong.append(f"while the merge was before {where}: {type(problem).__name__} {problem}")
    assert wrong == []


@pytest.mark.parametrize("name", ["withdraw", "redo", "hold"])
@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_decision_after_a_merge_that_was_killed_when_the_target_had_moved_finds_it_merged_Q4(
    place: Place, template: Path, name: str
) -> None:
    """The target has the work, the store does not say so yet. Nobody may be told that it was taken back."""
    (decision,) = [each for each in DECISIONS if each.name == name]
    floor = Floor(place, template)
    task = floor.agreed(by=CODEX)
    floor.close()
    place.keep()

    def merge() -> None:
        floor.merge(CI)
        floor.close()

    steps = steps_of(merge)
    place.reset()
    kill_at(steps.index("git update-ref") + 2, merge)
    assert tables(floor).tasks[0]["status"] == "approved"

    def decide() -> str:
        try:
            decision.act(floor, task)
        except FoureyesError as problem:
            return problem.message
        finally:
            floor.close()
        return ""

    said = Child(decide).result()
    Child(merge).result()
    (row,) = tables(floor).tasks
    assert row["status"] == "closed", (
        f"it is on the target, and the store says {row['status']}; the decider was told: {said or 'done'}"
    )
    check(floor)


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_check_that_a_person_begins_to_require_during_the_merge_is_asked_for_before_the_target_moves_D5_P12(
    place: Place, template: Path
) -> None:
    """The stricter foureyes.toml is on the target; it is accepted when the checks of the merge are done, before the
    branch moves.
    """
    floor = Floor(place, template)
    text = (floor.checkout.path / "foureyes.toml").read_text()
    floor.checkout.commit("foureyes.toml", text + '\n[[checks]]\nname = "never"\nrun = "false"\n', message="stricter")
    floor.base = floor.checkout.head()
    task = floor.agreed(by=BOB)
    floor.close()

    other = elsewhere(floor)

    def accept(_: object) -> None:
        other.app.policy.accept(ALICE)
        other.close()

    def merge() -> dict[str, str]:
        meanwhile(floor, "commit", lambda _: person.begin())
        rows = {row.task: row.outcome for row in floor.merge()}
        floor.close()
        return rows

    with Standby(accept) as person:
        rows = Child(merge).result()
        person.result()
    assert rows[task] != "merged"
    assert floor.checkout.head("main") == floor.base
