"""A lens: more context, or no white space, and every hunk stays the one that a decision is about."""

from __future__ import annotations

import difflib

from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.documents import unified_diff
from foureyes.core.documents.unified_diff import DiffLine, FileDiff, parse, widened, without_space


def change(old: list[str], new: list[str], context: int = 3) -> tuple[FileDiff, ...]:
    """What git would say about a file."""
    body = list(difflib.unified_diff(old, new, "a/a.py", "b/a.py", n=context, lineterm=""))
    head = f"diff --git a/a.py b/a.py\nindex {'1' * 40}..{'2' * 40} 100644\n"
    return parse((head + "".join(f"{line}\n" for line in body)).encode()) if body else ()


def code(lines: tuple[DiffLine, ...], side: str) -> dict[int, str]:
    """The lines of one side by their numbers."""
    return {getattr(line, side): line.text for line in lines if getattr(line, side) is not None}


LONG = [f"line {number}" for number in range(1, 101)]


def test_more_context_keeps_hunks_apart_with_their_ids_and_shows_each_line_once() -> None:
    new = [*LONG[:19], "twenty", *LONG[20:31], "thirty-two", *LONG[32:79], "eighty", *LONG[80:]]
    (narrow,), (wide,) = change(LONG, new), widened(change(LONG, new), change(LONG, new, 10))
    assert [hunk.id for hunk in wide.hunks] == [hunk.id for hunk in narrow.hunks]
    assert len(change(LONG, new, 10)[0].hunks) == 2, "two have grown together there"
    spans = [(hunk.new_start, hunk.new_start + hunk.new_lines) for hunk in wide.hunks]
    assert spans == [(10, 24), (24, 43), (70, 91)]
    for hunk in wide.hunks:
        assert all(text == new[number - 1] for number, text in code(hunk.lines, "new").items())
        assert all(text == LONG[number - 1] for number, text in code(hunk.lines, "old").items())


def test_lines_that_are_of_another_change_leave_the_hunks_as_they_are() -> None:
    files = change(LONG, [*LONG[:50], "more", *LONG[50:]])
    assert widened(files, ()) == files
    assert widened(files, change(LONG, LONG[:50], 10)) == files


words = st.lists(st.sampled_from(["a", "b", "  a", "a b", "", "ab"]), max_size=30)


@given(old=words, new=words, context=st.integers(4, 40))
def test_whatever_changed_is_in_the_same_hunk_at_the_same_line(old: list[str], new: list[str], context: int) -> None:
    narrow, wide = change(old, new), widened(change(old, new), change(old, new, context))
    for before, after in zip(narrow, wide, strict=True):
        for one, other in zip(before.hunks, after.hunks, strict=True):
            assert one.id == other.id
            changed = [line for line in one.lines if line.kind in ("added", "removed")]
            assert [line for line in other.lines if line.kind in ("added", "removed")] == changed
            assert set(one.lines) <= set(other.lines)
        numbers = [line.new for hunk in after.hunks for line in hunk.lines if line.new is not None]
        assert numbers == sorted(set(numbers))


@given(old=words, new=words)
def test_without_white_space_nothing_else_is_hidden(old: list[str], new: list[str]) -> None:
    files, shown = change(old, new), without_space(change(old, new))
    for before in files:
        left = {hunk.id: hunk for file in shown for hunk in file.hunks}
        for hunk in before.hunks:
            other = left.get(hunk.id)
            lines = other.lines if other is not None else ()
            for side, kind in (("old", "removed"), ("new", "added")):
                kept = {getattr(line, side) for line in lines if line.kind == kind}
                gone = [line for line in hunk.lines if line.kind == kind and getattr(line, side) not in kept]
                other_side = {"".join(line.text.split()) for line in hunk.lines if line.kind not in (kind, "context")}
                assert all("".join(line.text.split()) in other_side for line in gone)
            assert other is None or other.hides_space == (other.lines != hunk.lines)


def test_what_only_moved_sideways_is_context_and_a_file_of_nothing_else_is_left_out() -> None:
    old = ["if x:", "go()", "stop()"]
    (file,) = without_space(change(old, ["if x:", "    go()", "    halt()"]))
    (hunk,) = file.hunks
    assert [(line.kind, line.text) for line in hunk.lines] == [
        ("context", "if x:"), ("context", "    go()"), ("removed", "stop()"), ("added", "    halt()"),
    ]  # fmt: skip
    assert hunk.hides_space
    assert without_space(change(old, ["if x:", "\tgo()", "stop() "])) == ()
    assert without_space(change(old, [*old, "more()"])) == change(old, [*old, "more()"])


def test_very_many_lines_are_compared_place_by_place() -> None:
    count = int(unified_diff.COMPARED**0.5) + 1
    old = [f"step({number})" for number in range(count)]
    assert without_space(change(old, [f"    {line}" for line in old])) == ()
    assert len(without_space(change(old, ["other()", *[f"    {line}" for line in old]]))) == 1
