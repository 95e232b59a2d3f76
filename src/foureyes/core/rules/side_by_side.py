"""H1: what shares files stands side by side, so that whoever reads them loads one context once."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def side_by_side(paths: Sequence[Collection[str]]) -> list[int]:
    """The places of some tasks, given by the paths that each touches: those that share one, directly or by others
    between them, come one after the other, where the first of them was; the rest stays as it is.
    """
    leaders = list(range(len(paths)))

    def leader(place: int) -> int:
        while leaders[place] != place:
            leaders[place] = leaders[leaders[place]]
            place = leaders[place]
        return place

    first: dict[str, int] = {}
    for place, touched in enumerate(paths):
        for path in touched:
            earlier, later = sorted((leader(first.setdefault(path, place)), leader(place)))
            leaders[later] = earlier
    return sorted(range(len(paths)), key=leader)
