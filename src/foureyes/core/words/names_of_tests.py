"""Unique, stable test names. (D5)

A unique name stays as it is. Duplicates get their place appended (`works [in src/a.test.js]`), or else a number,
failing tests first, so that the order of a report does not matter. Names written by older versions are recognized: they
have numbers by order, or paths of temporary checkouts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence

import msgspec

from foureyes.core.words.ids import Shape

MAX_PLACE = 300
SCRATCH = Shape(r"(?:file://)?/[^\s:]*?foureyes-check-[^/\s]+/(?:work/)?")
"""Path of a temporary checkout, which differs from run to run."""
NUMBER = Shape(r"#[0-9]+\Z")
PLACE = Shape(r" \[in ([^\]]*)\]\Z")


class NamedTest(msgspec.Struct, frozen=True):
    """A test as a report names it.

    `places` (file, suite …) has the best one first. `rank` orders tests that differ in nothing else.
    """

    name: str
    places: tuple[str, ...] = ()
    rank: int = 0


def distinct_names(tests: Sequence[NamedTest]) -> list[str]:
    """Return a unique name for each test, independent of their order."""
    alike: defaultdict[str, list[int]] = defaultdict(list)
    for at, test in enumerate(tests):
        alike[test.name].append(at)
    names = [test.name for test in tests]
    for members in alike.values():
        for at, place in zip(members, _places([tests[at].places for at in members]), strict=True):
            names[at] += f" [in {_fit(place)}]" if place else ""
    return _numbered(names, tests)


def _places(places: Sequence[tuple[str, ...]]) -> list[str]:
    """Return each test's place, of the first kind in which they differ, or empty strings."""
    for kind in range(max(map(len, places))):
        parts = [each[kind] if kind < len(each) else "" for each in places]
        if len(set(parts)) > 1:
            return parts
    return [""] * len(places)


def _fit(place: str) -> str:
    return place.replace("]", ")")[-MAX_PLACE:]


def _numbered(names: list[str], tests: Sequence[NamedTest]) -> list[str]:
    """Return the names, with an unused number appended to each repetition."""
    seen: Counter[str] = Counter()
    taken = set(names)
    numbered = list(names)
    for at in sorted(range(len(names)), key=lambda at: tests[at].rank):
        name = names[at]
        seen[name] += 1
        if seen[name] == 1:
            continue
        while (again := f"{name}#{seen[name]}") in taken:
            seen[name] += 1
        taken.add(again)
        numbered[at] = again
    return numbered


def pairs(before: Iterable[str], now: Iterable[str], *, some: bool = False) -> dict[str, str]:
    """Map each earlier test name to its current one.

    Equal names match first. Then a test matches one with the same plain name if one of them has no place, or if an
    older version wrote it. Each name is used once. `some`: the earlier names are only part of a report.
    """
    had, have = set(before), dict.fromkeys(now)
    matches = {name: name for name in had if name in have}
    left: defaultdict[str, list[str]] = defaultdict(list)
    if len(matches) < len(had):
        for name in have:
            if name in had:
                continue
            left[_split(name, have)[0]].append(name)
    for name in sorted(had - have.keys()):
        plain, place = _split(name, {*had, NUMBER.sub("", name)} if some else had)
        fits = [other for other in left[plain] if not place or not _split(other, have)[1] or SCRATCH.search(name)]
        if fits:
            matches[name] = fits[0]
            left[plain].remove(fits[0])
    return matches


def _split(name: str, among: Collection[str]) -> tuple[str, str]:
    """Split a name into its plain form and its place. A number is removed only if the plain name exists too."""
    first = NUMBER.sub("", name)
    written = SCRATCH.sub("", first if first in among else name)
    place = PLACE.search(written)
    return (written[: place.start()], place[1]) if place else (written, "")
