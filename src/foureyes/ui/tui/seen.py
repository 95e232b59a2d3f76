"""Seen: which hunks were on screen for long enough. Pure: times are given, in seconds.

A line counts once it was on screen for `LEAST_SECONDS` without a break; a hunk counts once all its lines do. So a page
that is only scrolled through counts for nothing.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence

LEAST_SECONDS = 0.3
"""So long is a line on screen before anybody can have read it."""
IDLE_SECONDS = 60.0
"""After so long without a key nobody is taken to be reading."""


class SeenLines:
    """The lines of some hunks, numbered through in their order, and which of them were on screen for long enough."""

    def __init__(self, hunks: Sequence[tuple[str, int]]) -> None:
        self._names = [name for name, _ in hunks]
        self._left = array("L", (size for _, size in hunks))
        self._hunk_of = array("L", (number for number, (_, size) in enumerate(hunks) for _ in range(size)))
        self._done = bytearray(len(self._hunk_of))
        self._since: dict[int, float] = {}

    def look(self, lines: Iterable[int], now: float) -> list[str]:
        """These lines are on screen from now on; the hunks that are complete with what was there until now."""
        complete = []
        for line, since in self._since.items():
            if now - since >= LEAST_SECONDS and not self._done[line]:
                self._done[line] = 1
                number = self._hunk_of[line]
                self._left[number] -= 1
                if not self._left[number]:
                    complete.append(self._names[number])
        before = self._since
        self._since = {line: before.get(line, now) for line in lines if not self._done[line]}
        return complete

    def staying(self, lines: Iterable[int]) -> list[int]:
        """Of these lines those that are on screen already: all that is certain until the rest is painted."""
        return [line for line in lines if line in self._since]

    @property
    def waiting(self) -> bool:
        """Whether something is on screen that does not count yet."""
        return bool(self._since)


class SeenColumns:
    """Lines wider than the screen: which of their columns were on it for long enough, each without a break."""

    def __init__(self) -> None:
        self._read: dict[int, list[tuple[int, int]]] = {}
        self._on_screen: dict[int, list[tuple[int, int, float]]] = {}

    def look(self, shown: Mapping[int, range], now: float, *, painted: bool = True) -> None:
        """These columns of these lines are on screen from now on. As long as that is not painted, only those are
        certain that were there before.
        """
        for line, spans in self._on_screen.items():
            read = [(start, end) for start, end, since in spans if now - since >= LEAST_SECONDS]
            if read:
                self._read[line] = _merged([*self._read.get(line, ()), *read])
        before = self._on_screen
        self._on_screen = {
            line: list(_carried(before.get(line, []), part, now if painted else None)) for line, part in shown.items()
        }

    def is_whole(self, line: int, length: int) -> bool:
        """Whether every column of a line was on screen for long enough, or is there now."""
        on_screen = [(start, end) for start, end, _ in self._on_screen.get(line, ())]
        spans = _merged([*self._read.get(line, ()), *on_screen])
        return not length or (bool(spans) and spans[0][0] == 0 and spans[0][1] >= length)


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans without overlaps, those that touch as one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _carried(before: list[tuple[int, int, float]], part: range, now: float | None) -> Iterator[tuple[int, int, float]]:
    """A part of a line, in spans: what was there before since then, the rest since now."""
    at = part.start
    for start, end, since in before:
        start, end = max(start, part.start), min(end, part.stop)
        if start < end:
            if now is not None and at < start:
                yield at, start, now
            yield start, end, since
            at = end
    if now is not None and at < part.stop:
        yield at, part.stop, now


class Stopwatch:
    """How long somebody looked: from key to key, without long absences and without what lay over the page."""

    def __init__(self) -> None:
        self._spent = 0.0
        self._last: float | None = None

    def touch(self, now: float) -> None:
        """Somebody is here: they pressed a key, or came back."""
        if self._last is not None:
            self._spent += min(max(0.0, now - self._last), IDLE_SECONDS)
        self._last = now

    def leave(self, now: float) -> None:
        """The page is no longer what is looked at."""
        self.touch(now)
        self._last = None

    @property
    def seconds(self) -> int:
        return round(self._spent)
