"""Undone lines: parts of a lower task that later changes undo without showing that to a reader. (A7, Q2)"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foureyes.core.documents.unified_diff import FileDiff, Hunk, LineKind


def taken_back(lower: Iterable[FileDiff], rest: Iterable[FileDiff]) -> tuple[str, ...]:
    """Return the paths where `rest`, which follows `lower`, undoes a part of it.

    Both diffs must be parsed without renames and context. A new file is shown whole in its final form, so only its
    deletion counts.
    """
    brought = {file.path: file for file in lower}
    return tuple(file.path for file in rest if file.path in brought and _undoes(file, brought[file.path]))


def _undoes(file: FileDiff, before: FileDiff) -> bool:
    if before.status == "A":
        return file.status == "D"
    if file.status != "M" or before.status != "M" or _has_no_lines(file) or _has_no_lines(before):
        return True
    return any(_meets(hunk, other) for hunk in file.hunks for other in before.hunks)


def _has_no_lines(file: FileDiff) -> bool:
    """Return True if the file changed, but in no line."""
    return file.binary or bool(file.mode_change) or bool(file.kind)


def _meets(hunk: Hunk, before: Hunk) -> bool:
    """Return True if a hunk removes lines that the other added, or restores lines that it removed, at the same place."""
    first, last = before.new_start, before.new_start + before.new_lines - 1
    begin, end = hunk.old_start, hunk.old_start + hunk.old_lines - 1
    if hunk.old_lines and before.new_lines and begin <= last and end >= first:
        return True
    is_near = begin <= last + 2 and end >= first - 2
    return is_near and not _texts(hunk, "added").isdisjoint(_texts(before, "removed"))


def _texts(hunk: Hunk, kind: LineKind) -> set[str]:
    return {line.text for line in hunk.lines if line.kind == kind}
