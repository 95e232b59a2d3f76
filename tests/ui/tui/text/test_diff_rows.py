"""The rows of a diff: every line once, in order, whatever is folded, split or noted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from foureyes.app.results.diff import DiffView
from foureyes.core.documents.unified_diff import DiffLine, FileDiff, Hunk
from foureyes.ui.tui.text.diff_rows import (
    BIG,
    Anchor,
    DiffRows,
    Noted,
    NumberedChange,
    in_files,
    same_row,
    side_by_side,
)


def hunk(name: str, start: int, *kinds: str) -> Hunk:
    """A hunk of lines, each reading as its kind and number."""
    old = new = start
    lines = []
    for number, kind in enumerate(kinds):
        lines.append(
            DiffLine(
                kind,  # type: ignore[arg-type]
                old if kind in ("context", "removed") else None,
                new if kind in ("context", "added") else None,
                f"{kind} {number}",
            )
        )
        old += kind in ("context", "removed")
        new += kind in ("context", "added")
    return Hunk(name, "", start, old - start, start, new - start, tuple(lines))


def change(*files: FileDiff) -> NumberedChange:
    return NumberedChange(DiffView(task="fe-1", attempt=1, diff_id="d", base="b", head="h", files=files))


EDIT = ("context", "removed", "removed", "added", "context", "added")
TWO = change(
    FileDiff(path="a.py", hunks=(hunk("a1", 10, *EDIT), hunk("a2", 50, "added", "added"))),
    FileDiff(path="b.lock", folded=True, hunks=(hunk("b1", 1, "added"),)),
)
KINDS = st.lists(st.sampled_from(["context", "removed", "added", "note"]), max_size=30)


@given(KINDS)
def test_side_by_side_every_line_is_there_once_and_in_order(kinds: list[str]) -> None:
    lines = hunk("h", 1, *kinds).lines
    pairs = side_by_side(lines)
    left = [line for line, other in pairs if line >= 0 and line != other]
    right = [line for other, line in pairs if line >= 0 and line != other]
    both = [line for line, other in pairs if line == other]
    assert sorted([*left, *right, *both]) == list(range(len(lines)))
    assert left == [number for number, line in enumerate(lines) if line.kind == "removed"]
    assert right == [number for number, line in enumerate(lines) if line.kind == "added"]


def test_what_was_removed_stands_beside_what_was_added_in_its_place() -> None:
    assert side_by_side(hunk("h", 1, *EDIT).lines) == [(0, 0), (1, 3), (2, -1), (4, 4), (-1, 5)]


@given(st.lists(st.lists(KINDS.filter(bool), min_size=1, max_size=3), max_size=4), st.booleans())
def test_every_line_has_its_row_and_every_row_its_line(files: list[list[list[str]]], split: bool) -> None:
    it = change(
        *[
            FileDiff(path=f"f{n}", hunks=tuple(hunk(f"{n}.{m}", 1 + 100 * m, *kinds) for m, kinds in enumerate(hunks)))
            for n, hunks in enumerate(files)
        ]
    )
    noted = [
        Noted("finding", n, 2, Anchor(place.file, n, len(place.hunk.lines) - 1))
        for n, place in enumerate(it.places)
        if n % 2
    ]
    rows = DiffRows(it, noted, split=split)
    for number, row in enumerate(rows.row_of):
        assert number in rows.lines_at(row, row + 1)
    assert sorted(line for row in range(len(rows)) for line in rows.lines_at(row, row + 1)) == list(range(it.lines))
    assert len(rows.finding_rows) == len(noted)
    assert all(rows.rows[row].kind == "hunk" for row in rows.hunk_rows)


def test_a_folded_file_is_one_row_until_it_is_unfolded() -> None:
    rows = DiffRows(TWO)
    assert [row.kind for row in rows.rows[-2:]] == ["file", "fold"]
    assert rows.row_of[-1] == -1
    assert DiffRows(TWO, unfolded=frozenset({"b.lock"})).rows[-1].kind == "line"


def test_the_hunks_of_a_very_long_file_are_opened_one_by_one() -> None:
    it = change(FileDiff(path="a.py", added=BIG + 1, hunks=(hunk("a1", 1, "added"), hunk("a2", 9, "added"))))
    assert [row.kind for row in DiffRows(it).rows] == ["file", "closed", "closed"]
    opened = DiffRows(it, opened=frozenset({"a2"}))
    assert [row.kind for row in opened.rows] == ["file", "closed", "hunk", "line"]


def test_a_finding_stands_at_the_line_that_reads_so_the_nearest_and_else_at_its_number() -> None:
    assert TWO.anchor("a.py", 13, "added 3") == Anchor(0, 0, 3)
    assert TWO.anchor("a.py", 11, "added 5") == Anchor(0, 0, 5)
    assert TWO.anchor("a.py", 51, "nowhere") == Anchor(0, 1, 1)
    assert TWO.anchor("a.py", 11, "removed 1", old=True) == Anchor(0, 0, 1)
    assert TWO.anchor("a.py", 999) == Anchor(0)
    assert TWO.anchor("gone.py", 1) == Anchor()


def test_what_has_no_line_is_listed_at_the_end_and_never_dropped() -> None:
    noted = [Noted("comment", 0, 1, Anchor()), Noted("finding", 0, 1, Anchor(0)), Noted("finding", 1, 3, Anchor())]
    rows = DiffRows(TWO, noted)
    assert [row.kind for row in rows.rows[-5:]] == ["title", "comment", "finding", "finding", "finding"]
    assert rows.rows[1].kind == "finding"
    assert in_files(noted) == {0: [0], -1: [1]}


def test_finding_ones_way() -> None:
    rows = DiffRows(TWO)
    assert rows.following(rows.hunk_rows, 0, 1) == rows.hunk_rows[0]
    assert rows.following(rows.hunk_rows, rows.hunk_rows[1], -1) == rows.hunk_rows[0]
    assert rows.following(rows.file_rows, len(rows), 1) is None
    assert rows.file_at(0) == 0
    assert rows.file_at(len(rows) - 1) == 1
    assert rows.search("ADDED 5") == [rows.row_of[5]]
    at = rows.code_at(rows.row_of[3])
    assert at is not None
    assert at[1].text == "added 3"
    assert rows.code_at(0) is None


def test_the_reader_stays_at_the_same_line_whatever_is_noted_split_or_unfolded() -> None:
    noted = [Noted("finding", 0, 3, Anchor(0, 0, 0)), Noted("comment", 0, 1, Anchor(0, 1, 0))]
    before, after = DiffRows(TWO, noted), DiffRows(TWO, split=True, unfolded=frozenset({"b.lock"}))
    for number in range(TWO.lines - 1):
        assert same_row(before, after, before.row_of[number]) == after.row_of[number]
    assert same_row(before, after, before.hunk_rows[1]) == after.hunk_rows[1]
    assert same_row(before, after, before.file_rows[1]) == after.file_rows[1]
    finding = before.finding_rows[0]
    assert same_row(before, DiffRows(TWO, noted[:1]), finding) == finding
    assert same_row(before, after, finding) == after.row_of[0]  # it is gone: the line above it
