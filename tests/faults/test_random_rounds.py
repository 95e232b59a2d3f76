"""Q4, G4: days on the floor, drawn by lot: everybody does something, now and then somebody is killed; everything holds
after each step.

`FOUREYES_ROUNDS` says how many days (20; `make nightly` takes more). A day is its number: it can be played again.
"""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from foureyes.core.nouns.decision import RedoOption
from foureyes.core.nouns.session import Actor
from foureyes.errors import FoureyesError

from tests.faults.failpoints import Failpoints, install
from tests.stage.floor import CODE, Floor
from tests.stage.fork import Child
from tests.stage.looking import check, nothing_is_merging, picture, tables
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, GEMINI
from tests.stage.places import Place

ROUNDS = int(os.environ.get("FOUREYES_ROUNDS", "20"))
STEPS = 6
LATEST = 300
"""Up to which step somebody is killed; who does fewer comes through."""

AGENTS = {actor.session: actor for actor in (CLAUDE, CODEX, GEMINI)}
WAITING = ("in_progress", "open", "reviewing", "approved")
CASES = [pytest.param("postgres" if day % 4 == 3 else "sqlite", day, id=f"day {day}") for day in range(ROUNDS)]


class Day:
    """One day: who does what is decided by the day's number and by what there is to do."""

    def __init__(self, floor: Floor, day: int) -> None:
        self.floor = floor
        self.lot = random.Random(day)
        self.story: list[str] = []
        floor.agreed(CLAUDE, by=BOB)
        floor.delivered(self.lot.choice([CLAUDE, GEMINI]), labels=["review:auto"])
        floor.delivered(CODEX, name=self.lot.choice([CODE, "left.py"]), text="other\n")
        floor.worked(GEMINI, name=self.lot.choice([CODE, "right.py"]), text=self.lot.choice(["fine\n", "RED\n"]))
        self.dirty = self.lot.random() < 0.3
        if self.dirty:
            floor.edit()
        floor.close()

    def tasks(self, *statuses: str) -> list[str]:
        return sorted(row["id"] for row in tables(self.floor).tasks if row["status"] in statuses)

    def implementer(self, task: str) -> Actor:
        (row,) = [row for row in tables(self.floor).tasks if row["id"] == task]
        return AGENTS.get(row["implementer"], CLAUDE)

    # What there is to do

    def step(self) -> None:
        """Somebody does something, and may be killed at it."""
        moves: list[tuple[str, Callable[[], object]]] = [("merge", self._merge), ("merge", self._merge)]
        for status in WAITING:
            moves += [
                (f"{name} {task}", work) for task in self.tasks(status) for name, work in self._moves(task, status)
            ]
        name, work = self.lot.choice(moves)
        at = self.lot.randint(1, LATEST) if self.lot.random() < 0.7 else 0
        self.story.append(f"{name}, killed before step {at}" if at else name)
        self.play(work, at)
        check(self.floor)
        Child(lambda: nothing_is_merging(self.floor)).result()

    def _moves(self, task: str, status: str) -> list[tuple[str, Callable[[], object]]]:
        floor, lot = self.floor, self.lot
        actor, judge = self.implementer(task), lot.choice([ALICE, BOB, CODEX, GEMINI])
        option: RedoOption = lot.choice(["keep", "fresh"])
        text = f"{lot.random()}\n"
        redo = ("redo", lambda: floor.app.feedback.redo(judge, task, "again", option=option))
        if status == "open":
            return [("take up", lambda: self._take_up(actor, task, text))]
        if status == "in_progress":
            return [("submit", lambda: floor.submit(actor, task))]
        if status == "approved":
            return [("withdraw", lambda: floor.app.decisions.withdraw(BOB, task)), redo]
        approve = (
            "approve",
            lambda: floor.app.decisions.approve(judge, task, seen=floor.seen(task), reason="looked at it"),
        )
        return [("check", lambda: floor.app.checks.run(CI, task)), approve, redo]

    def _take_up(self, actor: Actor, task: str, text: str) -> None:
        self.floor.app.claims.start(actor, task)
        self.floor.work(actor, task, text=text)

    def _merge(self) -> None:
        self.floor.merge(self.lot.choice([ALICE, CI]))

    def play(self, work: Callable[[], object], at: int = 0) -> None:
        """In a process of its own; rules may refuse it, nothing else may go wrong."""

        def acting() -> str:
            install(Failpoints(at))
            try:
                work()
            except FoureyesError as problem:
                return problem.message
            finally:
                self.floor.close()
            return ""

        ended = Child(acting).ended()
        if ended.error is not None:
            raise ended.error
        assert ended.signal in (0, signal.SIGKILL)

    def evening(self) -> None:
        """Nobody is killed any more: what can be approved is, and all that is approved is merged or comes back."""
        for task in self.tasks("reviewing"):
            self.play(self._moves(task, "reviewing")[0][1])
            self.play(lambda task=task: self.floor.app.decisions.approve(BOB, task, seen=self.floor.seen(task)))  # type: ignore[misc]
        self.play(self.floor.merge)
        self.play(self.floor.merge)
        check(self.floor)
        assert self.tasks("approved") == []
        person = picture(self.floor).checkouts[0]
        assert self.floor.is_edited() if self.dirty else person == "project: "


@pytest.mark.parametrize(("place", "day"), CASES, indirect=["place"])
def test_whoever_is_killed_whenever_everything_holds_after_each_step_and_the_evening_comes_G4_Q4(
    place: Place, template: Path, day: int
) -> None:
    played = Day(Floor(place, template), day)
    try:
        for _ in range(STEPS):
            played.step()
        played.evening()
    except BaseException as problem:
        problem.add_note("\n".join(["the story:", *played.story]))
        raise
