"""Kill a command on the floor before each of its steps; look; repeat it; and come to the same end as if nobody had been killed."""

from __future__ import annotations

import os
from collections.abc import Callable

from foureyes.errors import FoureyesError

from tests.faults.failpoints import first_words
from tests.faults.floor import Floor
from tests.faults.fork import Child
from tests.faults.killing import kill_at, steps_of
from tests.faults.looking import Picture, apart_from_merged, check, nothing_is_merging, picture
from tests.faults.moves import Move

NIGHTLY = bool(os.environ.get("FOUREYES_NIGHTLY"))
"""Before every step. Otherwise: before every one that finds something else than the one before did, and some of the others."""

STRIDE = 80
READS = frozenset(
    "cat-file check-attr checkout-index config diff-tree for-each-ref list log ls-files ls-tree merge-base rev-list rev-parse show status "
    "update-index write-tree --version".split()
)
"""Those that write do so in temporary directories, or what nobody can see (the times in an index)."""
ASIDE = ("foureyes-git-", "foureyes-check-", " HEAD", " config", " alternates", " attributes", "/proc/", "report.xml", ".lock")
"""What is made in temporary directories, or only to be locked, is nobody's state."""


def changes(step: str) -> bool:
    """Whether somebody who looks after this step may see something else than before it."""
    words = step.split()
    if words[0] in ("sqlite:", "postgres:"):
        return "COMMIT" in step or words[1] == "close"
    if words[0] == "git":
        return words[-1] not in READS
    return words[0] != "flock" and not any(part in step for part in ASIDE)


def chosen(steps: list[str]) -> list[int]:
    """Before which steps to kill: a read leaves what it found, so the step after it finds what it found."""
    every = range(1, len(steps) + 1)
    return [n for n in every if NIGHTLY or n in (1, len(steps)) or changes(steps[n - 2]) or n % STRIDE == 0]


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
            self._look(new, end, f"{self.move.name}, killed before step {number} of {len(steps)}: {first_words(steps[number - 1])}")
            self.floor.place.reset()
        assert {self._old, new} <= self._seen, "some kills came before everything and some after it"
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
