"""A diff through a lens: more lines around its hunks, or without what changed in white space only. Hunks stay the ones
that decisions are about, with their ids.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from foureyes.core.documents.unified_diff import DiffLine, FileDiff, Hunk

CONTEXT = 3
"""So many lines stand around a change without a lens."""
MOST_CONTEXT = 1_000
COMPARED = 100_000
"""So many pairs of lines are compared to find those that say the same; beyond, only lines in the same place."""


def widened(files: Sequence[FileDiff], wide: Sequence[FileDiff]) -> tuple[FileDiff, ...]:
    """The files with the lines of `wide`, which is the same change with more context: where hunks have grown together
    there, they are cut apart again.
    """
    lines = {file.path: [line for hunk in file.hunks for line in hunk.lines] for file in wide}
    return tuple(replace(file, hunks=_cut(file.hunks, lines.get(file.path, []))) for file in files)


def _cut(hunks: tuple[Hunk, ...], lines: list[DiffLine]) -> tuple[Hunk, ...]:
    """The hunks with more lines: each reaches from its own beginning, and what is new before it, to the next one. Where
    the lines are not those of the hunks, these stay as they are.
    """
    firsts, at = [], 0
    for hunk in hunks:
        start = next((n for n in range(at, len(lines)) if hunk.lines[:1] == (lines[n],)), len(lines))
        end = start + len(hunk.lines)
        if tuple(lines[start:end]) != hunk.lines or start == end:
            return hunks
        firsts.append(_first(lines, start, at))
        at = end
    return tuple(
        _with(hunk, lines[first:end]) for hunk, first, end in zip(hunks, firsts, [*firsts[1:], len(lines)], strict=True)
    )


def _first(lines: list[DiffLine], start: int, end: int) -> int:
    """Where the lines begin that follow each other up to a hunk, not before `end`."""
    while start > end and _follows(lines[start - 1], lines[start]):
        start -= 1
    return start


def _follows(line: DiffLine, following: DiffLine) -> bool:
    """Whether a line of context stands right above another line."""
    if line.kind != "context" or line.old is None or line.new is None:
        return False
    return following.old in (None, line.old + 1) and following.new in (None, line.new + 1)


def _with(hunk: Hunk, lines: Sequence[DiffLine]) -> Hunk:
    old = [line.old for line in lines if line.old is not None]
    new = [line.new for line in lines if line.new is not None]
    return replace(
        hunk,
        old_start=old[0] if old else hunk.old_start,
        old_lines=len(old),
        new_start=new[0] if new else hunk.new_start,
        new_lines=len(new),
        lines=tuple(lines),
    )


def without_space(files: Sequence[FileDiff]) -> tuple[FileDiff, ...]:
    """The files without what changed in white space only: such lines are context, and hunks or files of nothing else
    are left out. A hunk in which something is hidden says so.
    """
    made = []
    for file in files:
        hunks = tuple(hunk for each in file.hunks if (hunk := _without_space(each)) is not None)
        if hunks:
            made.append(replace(file, hunks=hunks))
    return tuple(made)


def _without_space(hunk: Hunk) -> Hunk | None:
    lines = tuple(_calm(hunk.lines))
    if lines == hunk.lines:
        return hunk
    if all(line.kind in ("context", "note") for line in lines):
        return None
    return replace(hunk, lines=lines, hides_space=True)


def _calm(lines: Sequence[DiffLine]) -> Iterator[DiffLine]:
    """The lines, with those that were replaced by the same words as context."""
    removed: list[DiffLine] = []
    added: list[DiffLine] = []
    for line in lines:
        if line.kind == "removed" and not added:
            removed.append(line)
        elif line.kind == "added":
            added.append(line)
        else:
            yield from _merged(removed, added)
            removed, added = ([line], []) if line.kind == "removed" else ([], [])
            if line.kind != "removed":
                yield line
    yield from _merged(removed, added)


def _merged(removed: list[DiffLine], added: list[DiffLine]) -> Iterator[DiffLine]:
    if not removed or not added:
        yield from [*removed, *added]
        return
    was = 0
    now = 0
    for old, new in [*_pairs(removed, added), (len(removed), len(added))]:
        yield from removed[was:old]
        yield from added[now:new]
        if old < len(removed):
            yield DiffLine("context", removed[old].old, added[new].new, added[new].text)
        was, now = old + 1, new + 1


def _pairs(removed: list[DiffLine], added: list[DiffLine]) -> list[tuple[int, int]]:
    """Which lines say the same, whatever their white space."""
    olds, news = ([_words(line) for line in lines] for lines in (removed, added))
    if len(olds) * len(news) > COMPARED:
        same = len(olds) == len(news)
        return [(n, n) for n, word in enumerate(olds) if word == news[n]] if same else []
    return _common(olds, news)


def _common(olds: list[str], news: list[str]) -> list[tuple[int, int]]:
    """The longest row of words that both have in the same order, as places in each."""
    longest = [[0] * (len(news) + 1) for _ in range(len(olds) + 1)]
    for old in reversed(range(len(olds))):
        here, below = longest[old], longest[old + 1]
        for new in reversed(range(len(news))):
            here[new] = below[new + 1] + 1 if olds[old] == news[new] else max(below[new], here[new + 1])
    pairs, old, new = [], 0, 0
    while old < len(olds) and new < len(news):
        if olds[old] == news[new]:
            pairs.append((old, new))
            old, new = old + 1, new + 1
        elif longest[old + 1][new] >= longest[old][new + 1]:
            old += 1
        else:
            new += 1
    return pairs


def _words(line: DiffLine) -> str:
    return "".join(line.text.split())
