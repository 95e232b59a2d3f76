"""Kill a command on the floor before each of its steps; look; repeat it; and come to the same end as if nobody had been
killed.
"""

from __future__ import annotations

from collections.abc import Callable

from foureyes.errors import FoureyesError

from tests.faults.choosing import changes, chosen
from tests.faults.failpoints import first_words
from tests.faults.killing import kill_at, steps_of
from tests.faults.moves import Move
from tests.stage.floor import Floor
from tests.stage.fork import Child
from tests.stage.looking import Picture, apart_from_merged, check, nothing_is_merging, picture


class KilledMove:
    """One move on one floor."""

    def __init__(self, floor: Floor, move: Move) -> None:
        self.floor, self.move = floor, move
        self._task = move.before(floor)
        floor.close()
        floor.place.keep()
        self._old = picture(floor)
        self._seen: set[Picture] = set()

    def _act(self) -> None:
        self.move.act(self.floor, self._task)
        self.floor.close()

    def _after(self) -> None:
        self.move.after(self.floor, self._task)
        self.floor.close()

    def everywhere(self) -> tuple[int, int]:
        """How many steps there are, and before how many of them it was killed."""
        steps = steps_of(self._act)
        new = picture(self.floor)
        check(self.floor)
        self._in_child(self._after)
        end = picture(self.floor)
        check(self.floor)
        self.floor.place.reset()
        numbers = chosen(steps)
        for number in numbers:
            kill_at(number, self._act)
            self._look(
                new,
                end,
                f"{self.move.name}, killed before step {number} of {len(steps)}: {first_words(steps[number - 1])}",
            )
            self.floor.place.reset()
        after = (
            self._seen if not changes(steps[-1]) else {*self._seen, new}
        )  # nothing comes after a last step that changes
        assert {self._old, new} <= after, "some kills came before everything and some after it"
        return len(steps), len(numbers)

    def _look(self, new: Picture, end: Picture, where: str) -> None:
        now = picture(self.floor)
        count = len(now.kinds)
        assert now.kinds == new.kinds[:count] and count >= len(self._old.kinds), where  # noqa: PT018
        if self.move.whole:
            assert now.kinds in (self._old.kinds, new.kinds), f"half done: {where}"
        if now in self._seen:
            return
        self._seen.add(now)
        try:
            check(self.floor)
            self._in_child(lambda: nothing_is_merging(self.floor))
            self._heal(now, new, end)
        except AssertionError as problem:
            problem.add_note(where)
            raise

    def _heal(self, now: Picture, new: Picture, end: Picture) -> None:
        """Repeated, it succeeds or says why; then everything is as it would have been."""
        if not (self.move.once and now.kinds == new.kinds):
            said = Child(self._said).result()
            assert said == "" or now.kinds == new.kinds, f"refused although nothing was done: {said}"
        self._in_child(self._after)
        check(self.floor)
        found = picture(self.floor)
        assert found.tasks == end.tasks
        assert apart_from_merged(found) == apart_from_merged(end)
        assert [each for each in found.files if not each[0].endswith("+")] == list(end.files)
        assert "dirty" not in self.move.name or self.floor.is_edited()

    def _said(self) -> str:
        """Empty, or why it was refused; an error without a sentence and a way on is none."""
        try:
            self._act()
        except FoureyesError as problem:
            self.floor.close()
            if not problem.message or not (problem.next_step or problem.reasons):
                raise AssertionError(f"refused without a way on: {problem.message!r}") from problem
            return problem.message
        return ""

    @staticmethod
    def _in_child(work: Callable[[], None]) -> None:
        Child(work).result()
