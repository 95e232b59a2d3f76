"""Fingerprints of findings. They recognize a repeated finding by its place in the code, not by line number or wording.
(L2)
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import msgspec

from foureyes.core.nouns.finding import Finding, ReportedFinding

# ---- Fingerprint (L2) ----

SPACE = re.compile(r"\s+")
WORD = re.compile(r"[a-z0-9_]+")
SYMBOL = re.compile(
    r"^(?P<indent>\s*)(?:export\s+|default\s+|pub(?:\([^)]*\))?\s+|public\s+|private\s+|protected\s+|static\s+|async\s+|abstract\s+|final\s+)*"
    r"(?:def|class|func|function|fn|interface|struct|enum|trait|impl|module|namespace)\s+(?:\([^)]*\)\s*)?(?P<name>[A-Za-z_$][\w$]*)"
)


class FindingTraits(msgspec.Struct, frozen=True, kw_only=True):
    """The traits that identify a new finding.

    `path` is the file's current name, `symbol` the enclosing function or class, and `mark` its tool's id. `line` picks
    the nearest of several equal matches.
    """

    path: str = ""
    rule: str = ""
    quote: str = ""
    symbol: str = ""
    title: str = ""
    mark: str = ""
    line: int = 0


class Match(msgspec.Struct, frozen=True):
    """The matching root, or the candidates if several match."""

    root: str | None = None
    alike: tuple[str, ...] = ()


def normal(text: str) -> str:
    """Return code without white space."""
    return SPACE.sub("", text)


def words(text: str) -> str:
    """Return a title without case, punctuation and spacing."""
    return " ".join(WORD.findall(text.lower()))


def match(new: FindingTraits, known: Sequence[Finding], renames: Mapping[str, str]) -> Match:
    """Match a new finding by path, rule, and normalized quote or symbol. Without location and title, nothing matches.
    (L2)

    `renames` maps a current path to its name when the known findings were raised.
    """
    if not new.path:
        title = words(new.title)
        return _only(
            [
                finding
                for finding in known
                if title and not finding.path and words(finding.title) == title and finding.rule == new.rule
            ],
            new,
        )
    paths = {new.path, renames.get(new.path, new.path)}
    near = [
        finding
        for finding in known
        if finding.path in paths and (not new.rule or not finding.rule or finding.rule == new.rule)
    ]
    quote, title = normal(new.quote), words(new.title)
    ways: tuple[Callable[[Finding], bool], ...] = (
        lambda finding: bool(new.mark) and finding.mark == new.mark,
        lambda finding: bool(quote) and normal(finding.quote) == quote,
        lambda finding: (
            bool(new.rule) and bool(new.symbol) and finding.rule == new.rule and finding.symbol == new.symbol
        ),
        lambda finding: bool(title) and words(finding.title) == title and finding.symbol == new.symbol,
        lambda finding: bool(title) and words(finding.title) == title,
    )
    for way in ways:
        fits = [finding for finding in near if way(finding)]
        if fits:
            return _only(fits, new)
    return Match()


def by_place(new: Sequence[ReportedFinding], known: Sequence[Finding], renames: Mapping[str, str]) -> dict[int, str]:
    """Map each tool finding, by its number, to the root of a known finding at the same place with the same rule and the
    same code or title. (L2)

    Each root is used once. The lines of known findings must be updated for this submission first.
    """
    roots: dict[int, str] = {}
    at: dict[tuple[str, int, str], list[Finding]] = {}
    for finding in known:
        at.setdefault((finding.path, finding.line, finding.rule), []).append(finding)
    for number, each in enumerate(new):
        if each.id or not each.path or not each.line:
            continue
        paths = dict.fromkeys((each.path, renames.get(each.path, each.path)))
        fits = [
            finding for path in paths for finding in at.get((path, each.line, each.rule), []) if _says(finding, each)
        ]
        root = next((finding.root for finding in fits if finding.root not in roots.values()), "")
        if root:
            roots[number] = root
    return roots


def _says(known: Finding, new: ReportedFinding) -> bool:
    quote = normal(new.quote)
    return (bool(quote) and normal(known.quote) == quote) or words(known.title) == words(new.title)


def _only(fits: list[Finding], new: FindingTraits) -> Match:
    """Return the match that also fits by symbol and title. If several remain, return them as alike, because no program
    can decide.
    """
    tests: tuple[Callable[[Finding], bool], ...] = (
        lambda finding: finding.symbol == new.symbol,
        lambda finding: words(finding.title) == words(new.title),
    )
    for test in tests:
        if len(fits) > 1:
            fits = [finding for finding in fits if test(finding)] or fits
    if len(fits) > 1 and new.line:
        fits = [min(fits, key=lambda finding: abs(finding.line - new.line))]
    if len(fits) == 1:
        return Match(fits[0].root)
    return Match(alike=tuple(finding.root for finding in fits))


def find_quote(quote: str, text: str, near: int = 0) -> int:
    """Return the line (from 1) where the quote begins, or 0 if it is missing. White space is ignored. Of several, the
    nearest to `near` counts.
    """
    wanted = normal(quote)
    if not wanted:
        return 0
    lines = [normal(line) for line in text.splitlines()]
    joined = "".join(lines)
    starts: list[int] = []
    at = joined.find(wanted)
    while at >= 0 and len(starts) < 10_000:
        starts.append(at)
        at = joined.find(wanted, at + 1)
    if not starts:
        return 0
    places = _lines_at(lines, starts)
    return min(places, key=lambda line: abs(line - near)) if near else places[0]


def _lines_at(lines: list[str], offsets: list[int]) -> list[int]:
    """Return the line number of each offset into the joined lines. Offsets must ascend."""
    numbers, number, end = [], 0, 0
    for offset in offsets:
        while end <= offset:
            end += len(lines[number])
            number += 1
        numbers.append(number)
    return numbers


def line_at(text: str, line: int) -> str:
    """Return the line with this number, or ""."""
    lines = text.splitlines()
    return lines[line - 1] if 0 < line <= len(lines) else ""


def symbol_at(text: str, line: int) -> str:
    """Return the innermost function or class around a line, guessed from the text."""
    lines = text.splitlines()[:line]
    if not lines:
        return ""
    depth = _indent(lines[-1]) if lines[-1].strip() else 10_000
    for number in range(len(lines) - 1, -1, -1):
        symbol = SYMBOL.match(lines[number])
        if symbol is not None and (number == len(lines) - 1 or len(symbol["indent"]) < depth):
            return symbol["name"]
    return ""


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


# ---- Moved lines (L2, L4) ----


def moved(old: str, new: str) -> dict[int, int]:
    """Map each surviving line of the old text (from 1) to its line in the new text, in order."""
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
    """Return pairs of lines that occur once on each side, in the same order on both."""
    here, there = Counter(before[first:last]), Counter(after[start:end])
    place = {after[at]: at for at in range(start, end) if there[after[at]] == 1}
    once = [(at, place[before[at]]) for at in range(first, last) if here[before[at]] == 1 and before[at] in place]
    return _rising(once)


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest subsequence of pairs in which both values rise."""
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
