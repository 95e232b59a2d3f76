"""Names of tests: told apart where a report has one twice, and known again where it is written in another way (D5).

A name that is alone in its report stays as it is. Where there are several, where each lies is put behind it
(`works [in src/a.test.js]`); what not even that tells apart has a number, those that fail first, so that the order of
a report says nothing. Reports of older versions have numbers by order, and paths of throwaway checkouts in names.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence

import msgspec

MAX_PLACE = 300
SCRATCH = re.compile(r"(?:file://)?/[^\s:]*?foureyes-check-[^/\s]+/(?:work/)?")
"""The path of a throwaway checkout, which differs from run to run."""
NUMBER = re.compile(r"#[0-9]+\Z")
PLACE = re.compile(r" \[in ([^\]]*)\]\Z")


class NamedTest(msgspec.Struct, frozen=True):
    """A test as a report names it. `places`: where it lies (file, suite …), the best word first; `rank` orders those
    that nothing tells apart.
    """

    name: str
    places: tuple[str, ...] = ()
    rank: int = 0


def told_apart(tests: Sequence[NamedTest]) -> list[str]:
    """A name of its own for each test, whatever their order."""
    alike: defaultdict[str, list[int]] = defaultdict(list)
    for at, test in enumerate(tests):
        alike[test.name].append(at)
    names = [test.name for test in tests]
    for members in alike.values():
        for at, place in zip(members, _places([tests[at].places for at in members]), strict=True):
            names[at] += f" [in {_fit(place)}]" if place else ""
    return _numbered(names, tests)


def _places(places: Sequence[tuple[str, ...]]) -> list[str]:
    """The first kind of place that differs among them; nothing where none does."""
    for kind in range(max(map(len, places))):
        parts = [each[kind] if kind < len(each) else "" for each in places]
        if len(set(parts)) > 1:
            return parts
    return [""] * len(places)


def _fit(place: str) -> str:
    return place.replace("]", ")")[-MAX_PLACE:]


def _numbered(names: list[str], tests: Sequence[NamedTest]) -> list[str]:
    """A name that comes again gets a number that is nobody's yet."""
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
    """Which name of now each name of before is. Those that are equal; else, where one side does not say where a test
    lies (or an older version wrote it), one of those that are called the same, each once. `some`: those of before are
    only some of a report; the first of now goes first.
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
    """A name without its number (which stands beside the same name without one), and without where it lies."""
    first = NUMBER.sub("", name)
    written = SCRATCH.sub("", first if first in among else name)
    place = PLACE.search(written)
    return (written[: place.start()], place[1]) if place else (written, "")
