"""Kill a command before each of its steps, and look at what is left (G4)."""

from __future__ import annotations

import signal
from collections.abc import Callable

from tests.faults.failpoints import Failpoints, install
from tests.stage.fork import Child
from tests.stage.people import ALICE
from tests.stage.places import Desk, Place


def steps_of(work: Callable[[], object]) -> list[str]:
    """The dry run: what a command does outside of itself, in order."""

    def counted() -> list[str]:
        points = install(Failpoints())
        work()
        return list(points.steps)

    return Child(counted).result()


def kill_at(number: int, work: Callable[[], object]) -> None:
    """The command in a child that ends itself with SIGKILL before step `number`. Who waits for another process may
    have a step less than in the dry run, and comes through.
    """

    def killed() -> int:
        points = install(Failpoints(number))
        work()
        return len(points.steps)

    ended = Child(killed).ended()
    assert ended.signal == signal.SIGKILL or (ended.error is None and ended.value < number), (number, ended)


class Killed:
    """One verb at one place, killed everywhere."""

    def __init__(self, desk: Desk, act: Callable[[], object]) -> None:
        self.desk = desk
        self.place: Place = desk.place
        self._act = act
        self._looked_at: set[tuple[bytes, bytes, tuple[str, ...]]] = set()
        self.old = self.place.fingerprint()

    def act(self) -> None:
        """The whole command: open, do, close."""
        self._act()
        self.desk.close()

    def everywhere(self, choose: Callable[[list[str]], list[int]] | None = None) -> list[str]:
        """For every n, or for those that are chosen. What the steps were."""
        steps = steps_of(self.act)
        new = self.place.fingerprint()
        assert new != self.old, "the command writes something"
        assert self.place.findings() == []
        self.place.reset()
        for number in choose(steps) if choose else range(1, len(steps) + 1):
            kill_at(number, self.act)
            self._look(new, f"killed before step {number} of {len(steps)}: {steps[number - 1]}")
        committed = {state for state, _, _ in self._looked_at}
        assert committed == {self.old, new}, "some kills came before the commit and some after it"
        return steps

    def _look(self, new: bytes, where: str) -> None:
        state, mirror, files = self.place.fingerprint(), self.place.mirror(), self.place.files()
        assert state in (self.old, new), where
        if (state, mirror, files) not in self._looked_at:
            self._looked_at.add((state, mirror, files))
            self._heals(state, new, where)
            self.place.reset()
        else:
            self.place.reset(moved=state != self.old)

    def _heals(self, state: bytes, new: bytes, where: str) -> None:
        """The audit finds at most that the mirror is behind; the command can be repeated; the next write fixes the
        mirror.
        """
        for area, message in self.place.findings():
            assert (area, "security_events.jsonl" in message) == ("completeness", True) or self._torn(message), (
                where,
                message,
            )
        if state == self.old:
            Child(self.act).result()
            assert self.place.fingerprint() == new, f"repeated after it was {where}"
        Child(self._write).result()
        assert self.place.findings() == [], where

    def _torn(self, message: str) -> bool:
        """A line that was cut in the middle is the last one, and named as what it is: not in the journal."""
        lines = self.place.mirror().split(b"\n")
        return lines[-1] != b"" and message == f"security_events.jsonl line {len(lines)} is not in the journal"

    def _write(self) -> None:
        """Somebody's next write."""
        self.desk.app.tasks.create(ALICE, "afterwards")
        self.desk.close()
