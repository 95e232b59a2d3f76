"""Where the lines of a text are in a later one: what is equal at both ends, and between them by lines that are there
once (L2, L4).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence


def moved(old: str, new: str) -> dict[int, int]:
    """The line in the later text of each line (from 1) that is still there, in order."""
    lines: dict[int, int] = {}
    before, after = old.splitlines(), new.splitlines()
    left = [(0, len(before), 0, len(after))]
    while left:
        first, last, start, end = left.pop()
        while first < last and start < end and before[first] == after[start]:
            lines[first + 1] = start + 1
            first, start = first + 1, start + 1
        while first < last and start < end and before[last - 1] == after[end - 1]:
            lines[last] = end
            last, end = last - 1, end - 1
        anchors = _anchors(before, after, first, last, start, end)
        for (here, there), (next_here, next_there) in zip(
            [(first, start), *anchors], [*anchors, (last, end)], strict=True
        ):
            if anchors:
                left.append((here, next_here, there, next_there))
    return lines


def _anchors(
    before: Sequence[str], after: Sequence[str], first: int, last: int, start: int, end: int
) -> list[tuple[int, int]]:
    """Lines that each side has once, as many of them as are in the same order."""
    here, there = Counter(before[first:last]), Counter(after[start:end])
    place = {after[at]: at for at in range(start, end) if there[after[at]] == 1}
    once = [(at, place[before[at]]) for at in range(first, last) if here[before[at]] == 1 and before[at] in place]
    return _rising(once)


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest row of pairs in which both rise."""
    tails: list[int] = []
    ends: list[int] = []
    back: list[int] = []
    for number, (_, there) in enumerate(pairs):
        at = bisect_left(tails, there)
        tails[at : at + 1], ends[at : at + 1] = [there], [number]
        back.append(ends[at - 1] if at else -1)
    row, number = [], ends[-1] if ends else -1
    while number >= 0:
        row.append(pairs[number])
        number = back[number]
    return row[::-1]
