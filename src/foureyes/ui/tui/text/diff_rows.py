"""The rows of a diff: in which order files, hunks, lines, findings and comments stand, and how to get from one to the
next. Pure: how a row looks is said elsewhere.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Literal, NamedTuple

from foureyes.app.results.diff import DiffView
from foureyes.core.documents.unified_diff import DiffLine, FileDiff, Hunk

RowKind = Literal["file", "fold", "hunk", "closed", "line", "pair", "finding", "comment", "title", "gap"]
BIG = 5_000
"""A file with more changed lines is shown hunk by hunk: each is opened when it is come to."""


FAR = 1 << 40
"""Farther than any line: what reads as quoted is taken before what only has the number."""


class DiffRow(NamedTuple):
    """A row. `hunk`: its number among all hunks. `line`: a line of the hunk, or which line of a finding or a comment.
    `right`: in a pair the line on the right. `item`: which finding or comment.
    """

    kind: RowKind
    file: int = -1
    hunk: int = -1
    line: int = -1
    right: int = -1
    item: int = -1


class HunkPlace(NamedTuple):
    """A hunk among all: of which file, which of its hunks, and the number of its first line among all lines."""

    file: int
    n: int
    hunk: Hunk
    first: int


class Anchor(NamedTuple):
    """Where a finding or a comment stands: at a line of a hunk, at a file (`hunk` -1), or nowhere (`file` -1)."""

    file: int = -1
    hunk: int = -1
    line: int = -1


class Noted(NamedTuple):
    """Something that stands at a line: a finding or a comment, and how many rows it takes."""

    kind: Literal["finding", "comment"]
    item: int
    rows: int
    anchor: Anchor


class NumberedChange:
    """A change with its hunks and lines numbered through. It stays the same whatever is folded or noted."""

    def __init__(self, view: DiffView) -> None:
        self.view = view
        self.files: Sequence[FileDiff] = view.files
        self.places: list[HunkPlace] = []
        self.first_hunk: list[int] = []
        number = 0
        for index, file in enumerate(view.files):
            self.first_hunk.append(len(self.places))
            for n, hunk in enumerate(file.hunks):
                self.places.append(HunkPlace(index, n, hunk, number))
                number += max(1, len(hunk.lines))
        self.first_hunk.append(len(self.places))
        self.lines = number
        self._by_path = {file.path: index for index, file in enumerate(view.files)}

    @property
    def sizes(self) -> list[tuple[str, int]]:
        """Every hunk with how many lines it has; one without lines counts as one, its heading."""
        return [(place.hunk.id, max(1, len(place.hunk.lines))) for place in self.places]

    def hunks_of(self, file: int) -> range:
        """The numbers of a file's hunks."""
        return range(self.first_hunk[file], self.first_hunk[file + 1])

    def anchor(self, path: str, line: int, quote: str = "", *, old: bool = False) -> Anchor:
        """Where something about a line of a file stands: at the line that reads so, the nearest; else at its number."""
        file = self._by_path.get(path, -1)
        if file < 0:
            return Anchor()
        wanted, best, far = quote.strip().split("\n", 1)[0].strip(), Anchor(file), -1
        for number in self.hunks_of(file):
            for index, each in enumerate(self.places[number].hunk.lines):
                at = each.old if old else each.new
                if at is None:
                    continue
                fits = each.text.strip() == wanted if wanted else at == line
                distance = abs(at - line) if fits else FAR if at == line else -1
                if distance >= 0 and (far < 0 or distance < far):
                    best, far = Anchor(file, number, index), distance
        return best


class DiffRows:
    """Every row of a change, for one state of folds, findings and comments."""

    def __init__(
        self,
        change: NumberedChange,
        noted: Sequence[Noted] = (),
        *,
        unfolded: frozenset[str] = frozenset(),
        opened: frozenset[str] = frozenset(),
        split: bool = False,
    ) -> None:
        self.change = change
        self._unfolded, self._opened, self._split = unfolded, opened, split
        self._at: dict[Anchor, list[Noted]] = {}
        for each in noted:
            self._at.setdefault(each.anchor, []).append(each)
        self._noted_hunks = {each.anchor.hunk for each in noted}
        self.rows: list[DiffRow] = []
        self.file_rows = array("l")
        self.hunk_rows: list[int] = []
        self.row_of = array("l", [-1]) * change.lines
        for file in range(len(change.files)):
            self._add_file(file)
        self._add_elsewhere()
        self.finding_rows = [
            number for number, row in enumerate(self.rows) if row.kind == "finding" and row.line == 0
        ]  # fmt: skip

    def __len__(self) -> int:
        return len(self.rows)

    # -- making them

    def _add_file(self, index: int) -> None:
        file = self.change.files[index]
        if index:
            self.rows.append(DiffRow("gap", index - 1))
        self.file_rows.append(len(self.rows))
        self.rows.append(DiffRow("file", index))
        self._add_noted(Anchor(index))
        hunks = self.change.hunks_of(index)
        if file.folded and file.path not in self._unfolded:
            self.hunk_rows += [len(self.rows)] * len(hunks)
            self.rows.append(DiffRow("fold", index))
            return
        big = file.added + file.removed > BIG
        for number in hunks:
            place = self.change.places[number]
            self.hunk_rows.append(len(self.rows))
            if big and place.hunk.id not in self._opened:
                self.rows.append(DiffRow("closed", index, number))
                continue
            self.rows.append(DiffRow("hunk", index, number))
            self._add_hunk(number, place)

    def _add_hunk(self, number: int, place: HunkPlace) -> None:
        lines, rows, first = place.hunk.lines, self.rows, len(self.rows)
        if not lines:
            self.row_of[place.first] = first - 1
            return
        file, span = place.file, range(place.first, place.first + len(lines))
        if number not in self._noted_hunks:
            if self._split:
                pairs = side_by_side(lines)
                rows += [DiffRow("pair", file, number, left, right) for left, right in pairs]
                for at, pair in enumerate(pairs, first):
                    for line in pair:
                        if line >= 0:
                            self.row_of[place.first + line] = at
            else:
                rows += [DiffRow("line", file, number, line) for line in range(len(lines))]
                self.row_of[span.start : span.stop] = array("l", range(first, len(rows)))
            return
        for left, right in side_by_side(lines) if self._split else [(line, -1) for line in range(len(lines))]:
            for line in {left, right} - {-1}:
                self.row_of[place.first + line] = len(rows)
            rows.append(
                DiffRow("pair", file, number, left, right) if self._split else DiffRow("line", file, number, left)
            )
            for line in sorted({left, right} - {-1}):
                self._add_noted(Anchor(file, number, line))

    def _add_noted(self, anchor: Anchor) -> None:
        for each in self._at.get(anchor, ()):
            self.rows += [
                DiffRow(each.kind, anchor.file, anchor.hunk, line, item=each.item) for line in range(each.rows)
            ]  # fmt: skip

    def _add_elsewhere(self) -> None:
        if Anchor() in self._at:
            self.rows += [DiffRow("gap", len(self.change.files) - 1), DiffRow("title", -1)]
            self._add_noted(Anchor())

    # -- finding one's way

    def lines_at(self, first: int, last: int) -> list[int]:
        """The numbers of the code lines on these rows."""
        lines = []
        for row in self.rows[max(0, first) : last]:
            if row.kind in ("line", "pair"):
                start = self.change.places[row.hunk].first
                lines += [start + line for line in {row.line, row.right} if line >= 0]
            elif row.kind == "hunk" and not self.change.places[row.hunk].hunk.lines:
                lines.append(self.change.places[row.hunk].first)
        return lines

    def code_at(self, number: int) -> tuple[HunkPlace, DiffLine] | None:
        """The line of code on a row; of a pair the new one."""
        row = self.rows[number] if 0 <= number < len(self.rows) else None
        if row is None or row.kind not in ("line", "pair"):
            return None
        place = self.change.places[row.hunk]
        line = row.right if row.kind == "pair" and row.right >= 0 else row.line
        return place, place.hunk.lines[line]

    def place_of(self, number: int) -> tuple[str, int] | None:
        """The path and the new number of a line, or of the next one below it in its file; 0 stands for the file."""
        file = self.file_at(number)
        if file < 0:
            return None
        path = self.change.files[file].path
        codes = (self.code_at(row) for row in range(number, self.end_of_file(file)))
        return path, next((code[1].new for code in codes if code is not None and code[1].new is not None), 0)

    def file_at(self, number: int) -> int:
        """The file that a row belongs to; -1 where there is none."""
        return bisect_right(self.file_rows, number) - 1

    def following(self, places: Sequence[int], number: int, by: int) -> int | None:
        """Of some rows the next one after a row, or the last one before it."""
        if by > 0:
            index = bisect_right(places, number)
            return places[index] if index < len(places) else None
        index = bisect_left(places, number) - 1
        return places[index] if index >= 0 else None

    def end_of_file(self, file: int) -> int:
        """The row after the last one of a file."""
        return self.file_rows[file + 1] - 1 if file + 1 < len(self.file_rows) else len(self.rows)

    def search(self, words: str) -> list[int]:
        """The rows of code that hold some words, whatever their case."""
        wanted = words.lower()
        rows = set()
        for place in self.change.places:
            for index, line in enumerate(place.hunk.lines):
                if wanted in line.text.lower() and self.row_of[place.first + index] >= 0:
                    rows.add(self.row_of[place.first + index])
        return sorted(rows)


def side_by_side(lines: Sequence[DiffLine]) -> list[tuple[int, int]]:
    """The lines of a hunk in pairs, old and new; -1 where one side has none."""
    pairs: list[tuple[int, int]] = []
    removed: list[int] = []
    added: list[int] = []
    for number, line in enumerate(lines):
        if line.kind == "added":
            added.append(number)
            continue
        if added or line.kind != "removed":
            _pair(pairs, removed, added)
        if line.kind == "removed":
            removed.append(number)
        else:
            pairs.append((number, number))
    _pair(pairs, removed, added)
    return pairs


def _pair(pairs: list[tuple[int, int]], removed: list[int], added: list[int]) -> None:
    """Put what was removed beside what was added in its place."""
    pairs += zip_longest(removed, added, fillvalue=-1)
    removed.clear()
    added.clear()


def in_files(noted: Sequence[Noted]) -> Mapping[int, list[int]]:
    """The findings of each file, by their numbers; those of no file are at -1."""
    findings: dict[int, list[int]] = {}
    for each in noted:
        if each.kind == "finding":
            findings.setdefault(each.anchor.file, []).append(each.item)
    return findings


def same_row(old: DiffRows, new: DiffRows, number: int) -> int:
    """The row that shows what an old row showed, or the nearest one above it."""
    here = old.rows[number] if number < len(old.rows) else None
    if here is not None and here.kind in ("finding", "comment"):
        same = next((at for at, row in enumerate(new.rows) if row == here), None)
        if same is not None:
            return same
    while number >= 0:
        row = old.rows[number] if number < len(old.rows) else None
        if row is not None and row.kind in ("line", "pair"):
            line = row.line if row.line >= 0 else row.right
            return max(0, new.row_of[old.change.places[row.hunk].first + line])
        if row is not None and row.kind in ("hunk", "closed"):
            return new.hunk_rows[row.hunk]
        if row is not None and row.kind in ("file", "fold"):
            return new.file_rows[row.file] + (row.kind == "fold")
        number -= 1
    return 0
